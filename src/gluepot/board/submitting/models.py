"""What people send: files, facts about them, scores. Scores and facts are only ever added, in revisions."""

from datetime import date
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from gluepot.board.models import System


class Upload(models.Model):
    """One submission: sound predictions for a task or a suite, and how far they have come."""

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        PROPOSED = "proposed", _("waiting for permission to run")
        REFUSED = "refused", _("not allowed to run")
        QUEUED = "queued", _("waiting to be scored")
        SCORING = "scoring", _("being scored")
        SCORED = "scored", _("scored, private")
        REVIEW = "review", _("in review")
        PUBLISHING = "publishing", _("being published")
        PUBLISHED = "published", _("published")
        REJECTED = "rejected", _("rejected")
        WITHDRAWN = "withdrawn", _("withdrawn")
        FAILED = "failed", _("could not be scored")

    key = models.UUIDField(unique=True, default=uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", models.PROTECT, related_name="uploads")
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="uploads")
    suite = models.SlugField(max_length=100)
    version = models.CharField(max_length=50)
    task = models.SlugField(max_length=100, blank=True)
    """Empty for the whole suite, or as much of it as was answered."""
    name = models.CharField(max_length=150)
    filename = models.CharField(max_length=255)
    file = models.FileField(max_length=300)
    """The sound predictions, packed again by the board; nothing else of what was sent. Empty until a program has made them."""
    size = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64)
    """Of the answers, whatever they were packed in."""
    tasks = models.JSONField(default=list)
    """What it answers: task, split, file, number of answers."""
    notices = models.JSONField(default=list)
    state = models.CharField(max_length=12, choices=State.choices, default=State.QUEUED)
    reason = models.TextField(blank=True)
    """Why it was rejected, or could not be scored."""
    made = models.DateTimeField(auto_now_add=True)
    queued = models.DateTimeField(null=True)
    scored = models.DateTimeField(null=True)
    published = models.DateTimeField(null=True)
    attempts = models.IntegerField(default=0)
    """How often a worker began with it."""
    system = models.ForeignKey(System, models.SET_NULL, null=True, related_name="uploads", db_constraint=False)

    class Meta:
        indexes = [models.Index(fields=["state", "queued"]), models.Index(fields=["team", "-made"])]
        verbose_name = "submission"

    def __str__(self) -> str:
        return f"{self.name} · {self.suite} {self.version}"

    @property
    def is_private(self) -> bool:
        return self.state != self.State.PUBLISHED


class SubmittedProgram(models.Model):
    """What makes the answers of a submission, where a program was sent instead of them: run by a worker, once a moderator allows it."""

    class Kind(models.TextChoices):
        COMMAND = "command", _("command")
        IMAGE = "image", _("image")

    class Permission(models.TextChoices):
        ASKED = "asked", _("asked")
        ALLOWED = "allowed", _("allowed")
        REFUSED = "refused", _("refused")

    upload = models.OneToOneField(Upload, models.CASCADE, related_name="program")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    words = models.TextField()
    """The command line, or the image with its digest and the words for its entry point."""
    file = models.FileField(max_length=300, blank=True)
    """The files that it runs with, packed again by the board; empty where it has none."""
    files = models.JSONField(default=list)
    """Name, size and SHA-256 of each of them."""
    digest = models.CharField(max_length=64)
    """Of words and files: what is allowed, and nothing else, is run."""
    permission = models.CharField(max_length=10, choices=Permission.choices, default=Permission.ASKED)
    reason = models.TextField(blank=True)
    decided = models.DateTimeField(null=True)
    ran = models.DateTimeField(null=True)
    records = models.FileField(max_length=300, blank=True)
    """The raw records of all runs, from which the figures are computed."""
    figures = models.JSONField(default=dict)
    """Task to what was measured, or why nothing was."""

    class Meta:
        verbose_name = "program"

    def __str__(self) -> str:
        return f"{self.upload.name}: {self.words[:80]}"


def program_of(upload: Upload) -> SubmittedProgram | None:
    """What makes its answers; None where they were sent themselves."""
    return SubmittedProgram.objects.filter(upload=upload).first()


class Transition(models.Model):
    """One step of a submission; never changed."""

    upload = models.ForeignKey(Upload, models.CASCADE, related_name="transitions")
    state = models.CharField(max_length=12)
    at = models.DateTimeField(auto_now_add=True)
    actor = models.CharField(max_length=100)
    reason = models.TextField(blank=True)


class Slot(models.Model):
    """One use of a quota: a team's scoring of one task of one version; given back where no score came of it."""

    upload = models.ForeignKey(Upload, models.CASCADE, related_name="slots")
    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="slots")
    suite = models.SlugField(max_length=100)
    version = models.CharField(max_length=50)
    task = models.SlugField(max_length=100)
    at = models.DateTimeField()
    returned = models.BooleanField(default=False)

    class Meta:
        indexes = [models.Index(fields=["team", "suite", "version", "task", "at"])]


class ScoreRevision(models.Model):
    """The private scores of a submission on one state of data and scorer; a new state adds one."""

    upload = models.ForeignKey(Upload, models.CASCADE, related_name="revisions")
    version = models.CharField(max_length=50)
    """Of the suite."""
    data = models.CharField(max_length=64)
    """Fingerprint of all files it was scored against."""
    scorer = models.CharField(max_length=50)
    document = models.JSONField()
    """What its team is shown: scores, intervals, place, difference from the best. No item, no replicate."""
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["upload", "version", "data", "scorer"], name="one_score_a_state")]


class FactSheet(models.Model):
    """What is said of a system in public; a change is another sheet, reviewed again, and the old one stays up meanwhile."""

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        REVIEW = "review", "in review"
        APPROVED = "approved", "approved"
        REJECTED = "rejected", "rejected"

    _SAID = ("name", "family", "parameters", "data_size", "data_kind", "link", "description", "trained", "anonymous_until")
    SHOWN = (*_SAID, "state", "reason")
    """What moderators are shown of it."""

    upload = models.ForeignKey(Upload, models.CASCADE, related_name="sheets")
    name = models.CharField(max_length=150)
    family = models.CharField(max_length=100, blank=True)
    parameters = models.BigIntegerField(null=True, blank=True)
    data_size = models.FloatField(null=True, blank=True)
    data_kind = models.TextField(max_length=2000, blank=True)
    link = models.URLField(max_length=500, blank=True)
    description = models.TextField(max_length=10_000, blank=True)
    trained = models.JSONField(default=dict, blank=True)
    """Task to the splits of it that the model was trained on."""
    anonymous_until = models.DateField(null=True, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    reason = models.TextField(blank=True)
    made = models.DateTimeField(auto_now_add=True)
    decided = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "facts"
        verbose_name_plural = "facts"

    def __str__(self) -> str:
        return self.name

    def is_anonymous(self, today: date) -> bool:
        return self.anonymous_until is not None and today < self.anonymous_until


class AnswerVector(models.Model):
    """A submission's answers to a task as numbers, one an item, so that copies are found; read by workers only."""

    upload = models.ForeignKey(Upload, models.CASCADE, related_name="vectors")
    team = models.ForeignKey("accounts.Team", models.CASCADE)
    task = models.CharField(max_length=200)
    """Suite, version, task and split."""
    answers = models.BinaryField()
    """One number of 32 bits an item."""

    class Meta:
        indexes = [models.Index(fields=["task"])]


class HiddenLabels(models.Model):
    """The answers to a split that is published without them; written by a command, read by workers only."""

    suite = models.SlugField(max_length=100)
    version = models.CharField(max_length=50)
    task = models.CharField(max_length=100)
    split = models.CharField(max_length=50)
    answers = models.BinaryField()
    """JSON: an item's id to its answer, as the official file has it."""
    salt = models.CharField(max_length=64)
    """Settles halves and resamples, so that nobody without it knows them."""
    made = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["suite", "version", "task", "split"], name="one_set_of_labels")]


class LadderStep(models.Model):
    """What a team was told last of a task with hidden answers, and the bootstrap values that it rests on; read by workers only."""

    team = models.ForeignKey("accounts.Team", models.CASCADE)
    task = models.CharField(max_length=200)
    metric = models.CharField(max_length=50)
    value = models.FloatField()
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    tries = models.IntegerField(default=1)
    """Submissions that were scored so far; each makes it likelier that one is better by chance."""
    replicates = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "task", "metric"], name="one_ladder_a_team")]


class Suspicion(models.Model):
    """What a moderator should look at: answers that are nearly another team's or another system's, or that probe for labels."""

    class Kind(models.TextChoices):
        COPY = "near-copy", "nearly another's answers"
        PROBING = "probing", "probes for labels"

    upload = models.ForeignKey(Upload, models.CASCADE, related_name="suspicions")
    other = models.ForeignKey(Upload, models.SET_NULL, null=True, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    details = models.JSONField(default=dict)
    made = models.DateTimeField(auto_now_add=True)
    settled = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "suspicions"


class Rescoring(models.Model):
    """A new state of data or scorer: what it changed, for everybody to see."""

    suite = models.SlugField(max_length=100)
    version = models.CharField(max_length=50)
    reason = models.TextField()
    made = models.DateTimeField(auto_now_add=True)
    scorer = models.CharField(max_length=50)


class RescoredValue(models.Model):
    """One public number that a rescoring changed, or that it could not compute again."""

    rescoring = models.ForeignKey(Rescoring, models.CASCADE, related_name="values")
    upload = models.ForeignKey(Upload, models.CASCADE)
    system = models.CharField(max_length=200)
    task = models.CharField(max_length=100)
    metric = models.CharField(max_length=50)
    old = models.FloatField(null=True)
    new = models.FloatField(null=True)
    note = models.TextField(blank=True)


class Attempt(models.Model):
    """One upload, sound or not, for the limit on how many may come in a minute; gone after an hour."""

    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    address = models.CharField(max_length=60)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["member", "at"]), models.Index(fields=["address", "at"])]


class WorkerSeen(models.Model):
    """A worker, and when it was last seen; for the page of how the queue is."""

    name = models.CharField(max_length=100, unique=True)
    at = models.DateTimeField()
