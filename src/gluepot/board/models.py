"""Database models of the board. Entries and scores are append-only: a new import takes the place of an old one without deleting it."""

from django.db import models


class SuiteVersion(models.Model):
    """A version of a suite, as declared when its first result was imported."""

    name = models.SlugField(max_length=100)
    version = models.CharField(max_length=50)
    declaration = models.JSONField()
    """The declaration of the suite and its tasks, as JSON."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "version"], name="one_suite_version")]


class System(models.Model):
    """A ranked system: a model, a trivial baseline or human raters."""

    class Role(models.TextChoices):
        SYSTEM = "system"
        TRIVIAL = "trivial"
        HUMAN = "human"

    slug = models.SlugField(max_length=120, unique=True)
    name = models.CharField(max_length=200, unique=True)
    identity = models.JSONField(default=dict)
    """Model, fingerprint, settings and protocol, as recorded by its runs; empty where only a name is known."""
    owner = models.CharField(max_length=150, default="")
    """Account that owns it: nobody else can add to it or change it, under any name. Never published."""
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.SYSTEM)
    family = models.CharField(max_length=100, blank=True)
    parameters = models.BigIntegerField(null=True)
    data_size = models.FloatField(null=True)
    """Gigabytes of training text."""
    languages = models.JSONField(default=list)
    team = models.CharField(max_length=200, blank=True)
    link = models.URLField(max_length=500, blank=True)
    card = models.TextField(blank=True)
    """The model card, in Markdown."""
    open_weights = models.BooleanField(null=True)
    open_code = models.BooleanField(null=True)
    open_data = models.BooleanField(null=True)
    released = models.CharField(max_length=10, default="", blank=True)
    """Date of first release, as precisely as known: a year, a month or a day."""
    added = models.DateTimeField(auto_now_add=True)


class Entry(models.Model):
    """One import for a system: a run, a submission, a record, a printed table or a timing."""

    class Kind(models.TextChoices):
        RUN = "run"
        SUBMISSION = "submission"
        RECORD = "record"
        PRINT = "print"
        TIMING = "timing"

    system = models.ForeignKey(System, models.CASCADE, related_name="entries")
    suite = models.ForeignKey(SuiteVersion, models.CASCADE, related_name="entries")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    source = models.CharField(max_length=300)
    """Human-readable origin: a paper's table, a folder's name."""
    digest = models.CharField(max_length=64)
    """Hash of the imported content: importing the same content twice yields one entry."""
    imported = models.DateTimeField(auto_now_add=True)
    gluepot = models.CharField(max_length=30)
    details = models.JSONField(default=dict)
    """Manifest, seeds, cost, notices and any other metadata of the import."""
    superseded = models.BooleanField(default=False)
    """Replaced by a run of a different identity, or withdrawn: history, never shown."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["system", "suite", "digest"], name="one_entry_a_content")]


class Score(models.Model):
    """A score. `current` marks the one shown on the board for a system, task, split, metric and slice."""

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="scores")
    task = models.CharField(max_length=100)
    split = models.CharField(max_length=50)
    metric = models.CharField(max_length=50)
    slice = models.CharField(max_length=150, blank=True)
    value = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    method = models.CharField(max_length=20, blank=True)
    """Source of the interval: bootstrap, wilson (a proportion of so many items), iterations (their spread), stated."""
    harness = models.CharField(max_length=100, blank=True)
    """Harness that computed the score, with its version, where reported: `lm-harness 0.4.2`."""
    spread = models.FloatField(null=True)
    """Standard deviation over repetitions, where reported."""
    runs = models.IntegerField(null=True)
    """Number of repetitions."""
    n = models.IntegerField(null=True)
    """Number of items scored; where items were skipped, the number answered."""
    coverage = models.FloatField(null=True)
    """Proportion of items answered, on tasks that allow skipping."""
    answered = models.FloatField(null=True)
    """Value over the answered items only, where that is not the ranking value."""
    ranked = models.BooleanField(default=True)
    """Whether enough items were answered for the score to rank."""
    verified = models.BooleanField()
    """Computed here from predictions, rather than reported by others."""
    reason = models.TextField(blank=True)
    """Reason for a missing value, or known problems of the value."""
    data = models.CharField(max_length=64, blank=True)
    """Fingerprint of the data files scored against."""
    replicates = models.BinaryField(null=True)
    """Bootstrap replicates, float32, on the resamples shared by all systems; never published."""
    current = models.BooleanField(default=True)

    class Meta:
        indexes = [
            models.Index(fields=["entry", "current"]),
            models.Index(fields=["task", "split"], condition=models.Q(current=True), name="current_scores"),
        ]


class Stated(models.Model):
    """A score stated with a set of predictions, next to the one computed from them here."""

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="stated")
    task = models.CharField(max_length=100)
    split = models.CharField(max_length=50)
    metric = models.CharField(max_length=50)
    stated = models.FloatField()
    computed = models.FloatField(null=True)
    agrees = models.BooleanField()


class Answers(models.Model):
    """Predictions of a system on one split of a task: the downloadable file and the merit of each answer."""

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="answers")
    task = models.CharField(max_length=100)
    split = models.CharField(max_length=50)
    seed = models.IntegerField(default=0)
    file = models.FileField(max_length=300)
    """Gzipped JSON Lines: id, prediction and, where available, scores."""
    merits = models.BinaryField()
    """One float32 per item: 1 right, 0 wrong, or a degree of closeness; never published where the gold answers are hidden."""
    current = models.BooleanField(default=True)


class Measurement(models.Model):
    """Speed or memory use of a system on a task, on one hardware profile."""

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="measurements")
    task = models.CharField(max_length=100)
    quantity = models.CharField(max_length=30)
    """throughput (records per second), memory (GiB) or seconds."""
    value = models.FloatField()
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    profile = models.CharField(max_length=200)
    """Hardware profile; different profiles never share a plot."""
    reported = models.FloatField(null=True)
    """Published value of the same quantity, if any."""
    note = models.TextField(blank=True)
    current = models.BooleanField(default=True)


class Snapshot(models.Model):
    """An immutable copy of a standings page as of one day."""

    key = models.CharField(max_length=40, unique=True)
    suite = models.ForeignKey(SuiteVersion, models.CASCADE, related_name="snapshots")
    query = models.TextField(blank=True)
    document = models.JSONField()
    made = models.DateTimeField(auto_now_add=True)


class Revision(models.Model):
    """Single row whose number is incremented by every change; anything rendered for an older number is discarded."""

    number = models.BigIntegerField(default=0)
