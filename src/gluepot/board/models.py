"""What the board keeps. Entries and scores are only ever added: a new import stands beside the old one and takes its place."""

from django.db import models


class SuiteVersion(models.Model):
    """A suite as it was declared when its first result came in."""

    name = models.SlugField(max_length=100)
    version = models.CharField(max_length=50)
    declaration = models.JSONField()
    """The declared suite, tasks and all, as JSON."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "version"], name="one_suite_version")]


class System(models.Model):
    """What is ranked: a model, a baseline, people."""

    class Role(models.TextChoices):
        SYSTEM = "system"
        TRIVIAL = "trivial"
        HUMAN = "human"

    slug = models.SlugField(max_length=120, unique=True)
    name = models.CharField(max_length=200, unique=True)
    identity = models.JSONField(default=dict)
    """What it is, as its runs say: model, fingerprint, settings, protocol. Empty where only a name is known."""
    owner = models.CharField(max_length=150, default="")
    """Who brought it: nobody else adds to it or changes it, whatever they call theirs. Never published."""
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.SYSTEM)
    family = models.CharField(max_length=100, blank=True)
    parameters = models.BigIntegerField(null=True)
    data_size = models.FloatField(null=True)
    """Gigabytes of text it was trained on."""
    languages = models.JSONField(default=list)
    team = models.CharField(max_length=200, blank=True)
    link = models.URLField(max_length=500, blank=True)
    card = models.TextField(blank=True)
    """The model card, in Markdown."""
    open_weights = models.BooleanField(null=True)
    open_code = models.BooleanField(null=True)
    open_data = models.BooleanField(null=True)
    released = models.CharField(max_length=10, default="", blank=True)
    """When it was first made known, as far as that is known: a year, a month or a day."""
    added = models.DateTimeField(auto_now_add=True)


class Entry(models.Model):
    """One thing that was imported about a system: a run, a submission, a record, a printed table."""

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
    """Where it comes from, in words: a paper's table, a folder's name."""
    digest = models.CharField(max_length=64)
    """Of what was imported: the same thing twice is one entry."""
    imported = models.DateTimeField(auto_now_add=True)
    gluepot = models.CharField(max_length=30)
    details = models.JSONField(default=dict)
    """Manifest, seeds, cost, notices: whatever came with it."""
    superseded = models.BooleanField(default=False)
    """Of what had the system's name before something else took its place: history, never shown."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["system", "suite", "digest"], name="one_entry_a_content")]


class Score(models.Model):
    """One number. `current` marks the one that the board shows of a system on a task, split, metric and slice."""

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="scores")
    task = models.CharField(max_length=100)
    split = models.CharField(max_length=50)
    metric = models.CharField(max_length=50)
    slice = models.CharField(max_length=150, blank=True)
    value = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    method = models.CharField(max_length=20, blank=True)
    """What the interval is made from: bootstrap, wilson (a share of so many items), iterations (their spread), stated."""
    harness = models.CharField(max_length=100, blank=True)
    """What made the number, with its version, where that is told: `lm-harness 0.4.2`."""
    spread = models.FloatField(null=True)
    """The standard deviation over repetitions, where they were told."""
    runs = models.IntegerField(null=True)
    """How many repetitions these were."""
    n = models.IntegerField(null=True)
    """How many items it is over; where some were left out, how many were answered."""
    coverage = models.FloatField(null=True)
    """The share of items that were answered, where a task lets answers out."""
    answered = models.FloatField(null=True)
    """Its value over these alone, where that is not the value that ranks."""
    ranked = models.BooleanField(default=True)
    """Whether enough items were answered for it to rank."""
    verified = models.BooleanField()
    """Computed here from predictions; otherwise reported by somebody."""
    reason = models.TextField(blank=True)
    """Why there is no value, or what is known to be wrong with it."""
    data = models.CharField(max_length=64, blank=True)
    """Fingerprint of the files it was scored against."""
    replicates = models.BinaryField(null=True)
    """Its bootstrap values, float32, on the resamples that all systems share; never published."""
    current = models.BooleanField(default=True)

    class Meta:
        indexes = [
            models.Index(fields=["entry", "current"]),
            models.Index(fields=["task", "split"], condition=models.Q(current=True), name="current_scores"),
        ]


class Stated(models.Model):
    """A score that came with predictions, beside the one we computed from them."""

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="stated")
    task = models.CharField(max_length=100)
    split = models.CharField(max_length=50)
    metric = models.CharField(max_length=50)
    stated = models.FloatField()
    computed = models.FloatField(null=True)
    agrees = models.BooleanField()


class Answers(models.Model):
    """A system's answers to one split of a task: the file to download, and how good each answer is."""

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="answers")
    task = models.CharField(max_length=100)
    split = models.CharField(max_length=50)
    seed = models.IntegerField(default=0)
    file = models.FileField(max_length=300)
    """JSON lines, gzipped: id, prediction and, where kept, scores."""
    merits = models.BinaryField()
    """One float32 an item: 1 right, 0 wrong, or how near; never published where the answers are hidden."""
    current = models.BooleanField(default=True)


class Measurement(models.Model):
    """How fast and how large a system is on a task, on one kind of machine."""

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="measurements")
    task = models.CharField(max_length=100)
    quantity = models.CharField(max_length=30)
    """throughput (records a second), memory (GiB), seconds."""
    value = models.FloatField()
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    profile = models.CharField(max_length=200)
    """The machine; different ones never share a plot."""
    reported = models.FloatField(null=True)
    """What was printed for the same, where it was."""
    note = models.TextField(blank=True)
    current = models.BooleanField(default=True)


class Snapshot(models.Model):
    """A page as it was on a day; never changed."""

    key = models.CharField(max_length=40, unique=True)
    suite = models.ForeignKey(SuiteVersion, models.CASCADE, related_name="snapshots")
    query = models.TextField(blank=True)
    document = models.JSONField()
    made = models.DateTimeField(auto_now_add=True)


class Revision(models.Model):
    """One row, whose number grows with every change: what was rendered for an older number is thrown away."""

    number = models.BigIntegerField(default=0)
