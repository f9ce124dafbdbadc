"""Models of submissions: uploads, programs, metadata, scores. Scores and metadata are append-only revisions."""

from datetime import date
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from gluepot.board.models import System


class Upload(models.Model):
    """A submission: valid predictions for a task or a suite, and their state."""

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
    """Empty for the whole suite or any part of it."""
    name = models.CharField(max_length=150)
    filename = models.CharField(max_length=255)
    file = models.FileField(max_length=300)
    """The valid predictions alone, repacked by the board; empty until a submitted program has made them."""
    size = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64)
    """Hash of the predictions, independent of how they were packed."""
    tasks = models.JSONField(default=list)
    """The answered tasks: task, title, split, file, number of answers."""
    notices = models.JSONField(default=list)
    state = models.CharField(max_length=12, choices=State.choices, default=State.QUEUED)
    reason = models.TextField(blank=True)
    """The reason for the current state: of a rejection or a failure, for example."""
    made = models.DateTimeField(auto_now_add=True)
    queued = models.DateTimeField(null=True)
    scored = models.DateTimeField(null=True)
    published = models.DateTimeField(null=True)
    attempts = models.IntegerField(default=0)
    """Number of times that a worker began to score it."""
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
    """A program submitted instead of predictions, which a worker runs once a moderator allows it."""

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
    """The command line, or the image with its digest and the arguments of its entry point."""
    file = models.FileField(max_length=300, blank=True)
    """The files of the program, repacked by the board; empty if it has none."""
    files = models.JSONField(default=list)
    """Name, size and SHA-256 of each file."""
    digest = models.CharField(max_length=64)
    """Hash of command line and files; only content with the allowed digest is run."""
    permission = models.CharField(max_length=10, choices=Permission.choices, default=Permission.ASKED)
    reason = models.TextField(blank=True)
    decided = models.DateTimeField(null=True)
    ran = models.DateTimeField(null=True)
    records = models.FileField(max_length=300, blank=True)
    """The raw records of all runs, from which the efficiency figures are computed."""
    figures = models.JSONField(default=dict)
    """Task to its efficiency figures, or the reason for their absence."""

    class Meta:
        verbose_name = "program"

    def __str__(self) -> str:
        return f"{self.upload.name}: {self.words[:80]}"


def program_of(upload: Upload) -> SubmittedProgram | None:
    """Return the program of a submission; None if predictions were submitted."""
    return SubmittedProgram.objects.filter(upload=upload).first()


class Transition(models.Model):
    """A state transition of a submission; immutable."""

    upload = models.ForeignKey(Upload, models.CASCADE, related_name="transitions")
    state = models.CharField(max_length=12)
    at = models.DateTimeField(auto_now_add=True)
    actor = models.CharField(max_length=100)
    reason = models.TextField(blank=True)


class Slot(models.Model):
    """One use of a team's quota for a task of a suite version; returned if it led to no score."""

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
    """The private scores of a submission for one state of data and scorer; a new state adds a revision."""

    upload = models.ForeignKey(Upload, models.CASCADE, related_name="revisions")
    version = models.CharField(max_length=50)
    """Version of the suite."""
    data = models.CharField(max_length=64)
    """Fingerprint of all files that it was scored against."""
    scorer = models.CharField(max_length=50)
    document = models.JSONField()
    """The scores shown to the team, with intervals, rank and difference from the best; no items, no bootstrap replicates."""
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["upload", "version", "data", "scorer"], name="one_score_a_state")]


class FactSheet(models.Model):
    """The public metadata of a system; a change is a new sheet to be reviewed, and the old one stays public meanwhile."""

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        REVIEW = "review", "in review"
        APPROVED = "approved", "approved"
        REJECTED = "rejected", "rejected"

    _SAID = ("name", "family", "parameters", "data_size", "data_kind", "link", "description", "trained", "anonymous_until")
    SHOWN = (*_SAID, "state", "reason")
    """Fields shown to moderators."""

    upload = models.ForeignKey(Upload, models.CASCADE, related_name="sheets")
    name = models.CharField(max_length=150)
    family = models.CharField(max_length=100, blank=True)
    parameters = models.BigIntegerField(null=True, blank=True)
    data_size = models.FloatField(null=True, blank=True)
    data_kind = models.TextField(max_length=2000, blank=True)
    link = models.URLField(max_length=500, blank=True)
    description = models.TextField(max_length=10_000, blank=True)
    trained = models.JSONField(default=dict, blank=True)
    """Task to the splits that the model was trained on."""
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
    """Hashes of a submission's answers to a task, one per item, for the detection of copies; readable by workers only."""

    upload = models.ForeignKey(Upload, models.CASCADE, related_name="vectors")
    team = models.ForeignKey("accounts.Team", models.CASCADE)
    task = models.CharField(max_length=200)
    """Suite, version, task and split."""
    answers = models.BinaryField()
    """One uint32 per item."""

    class Meta:
        indexes = [models.Index(fields=["task"])]


class HiddenLabels(models.Model):
    """The labels of a split that is published without them; written by a command, readable by workers only."""

    suite = models.SlugField(max_length=100)
    version = models.CharField(max_length=50)
    task = models.CharField(max_length=100)
    split = models.CharField(max_length=50)
    answers = models.BinaryField()
    """JSON: item id to label, encoded as in the official file."""
    salt = models.CharField(max_length=64)
    """Secret seed of halves and resamples, which cannot be derived without it."""
    made = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["suite", "version", "task", "split"], name="one_set_of_labels")]


class LadderStep(models.Model):
    """The last score released to a team on a task with hidden labels, with its bootstrap values; readable by workers only."""

    team = models.ForeignKey("accounts.Team", models.CASCADE)
    task = models.CharField(max_length=200)
    metric = models.CharField(max_length=50)
    value = models.FloatField()
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    tries = models.IntegerField(default=1)
    """Submissions scored so far; each makes an improvement by chance likelier."""
    replicates = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "task", "metric"], name="one_ladder_a_team")]


class Suspicion(models.Model):
    """A warning to moderators: answers nearly identical to another team's or system's, or submissions that probe for labels."""

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
    """A rescoring of a suite after a change of data or scorer; public."""

    suite = models.SlugField(max_length=100)
    version = models.CharField(max_length=50)
    reason = models.TextField()
    made = models.DateTimeField(auto_now_add=True)
    scorer = models.CharField(max_length=50)


class RescoredValue(models.Model):
    """A public score changed by a rescoring, or a system that no longer fits the data."""

    rescoring = models.ForeignKey(Rescoring, models.CASCADE, related_name="values")
    upload = models.ForeignKey(Upload, models.CASCADE)
    system = models.CharField(max_length=200)
    task = models.CharField(max_length=100)
    metric = models.CharField(max_length=50)
    old = models.FloatField(null=True)
    new = models.FloatField(null=True)
    note = models.TextField(blank=True)


class Attempt(models.Model):
    """An upload, valid or not, counted by the rate limit; deleted after an hour."""

    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    address = models.CharField(max_length=60)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["member", "at"]), models.Index(fields=["address", "at"])]


class WorkerSeen(models.Model):
    """The last heartbeat of a worker, for the status page of the queue."""

    name = models.CharField(max_length=100, unique=True)
    at = models.DateTimeField()
