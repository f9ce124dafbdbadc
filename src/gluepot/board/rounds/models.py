"""Models of annotation rounds. Votes are append-only: a changed answer is added and replaces the old one as the current vote."""

from django.db import models


class AnnotationRound(models.Model):
    """An annotation round as drawn."""

    name = models.SlugField(max_length=120, unique=True)
    task = models.CharField(max_length=200)
    split = models.CharField(max_length=50)
    title = models.CharField(max_length=300)
    declaration = models.JSONField()
    """Declaration of the task when the round was opened."""
    votes = models.IntegerField()
    questions = models.JSONField(default=list)
    guidelines = models.TextField(blank=True)
    consent = models.TextField(blank=True)
    language = models.CharField(max_length=10, blank=True)
    """Language of the interface; the browser's if none is declared."""
    lease_minutes = models.FloatField(default=20)
    keeper = models.CharField(max_length=64)
    """Hash of the keeper's token."""
    closed = models.BooleanField(default=False)
    opened = models.DateTimeField(auto_now_add=True)


class RoundItem(models.Model):
    """An item as raters see it; its gold label is stored only for training and control items."""

    round = models.ForeignKey(AnnotationRound, models.CASCADE, related_name="items")
    item = models.CharField(max_length=300)
    kind = models.CharField(max_length=10)
    place = models.IntegerField()
    inputs = models.JSONField()
    gold = models.JSONField(null=True)


class ItemTally(models.Model):
    """Number of votes and live leases of an item for one question, by which items are assigned."""

    round = models.ForeignKey(AnnotationRound, models.CASCADE, related_name="tallies")
    item = models.ForeignKey(RoundItem, models.CASCADE, related_name="tallies", db_index=False)
    question = models.CharField(max_length=200, blank=True)
    pilot = models.BooleanField(default=False)
    taken = models.IntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "question"], name="one_tally")]


class RoundRater(models.Model):
    """A rater with a link."""

    round = models.ForeignKey(AnnotationRound, models.CASCADE, related_name="raters")
    name = models.CharField(max_length=60)
    token = models.CharField(max_length=64, unique=True)
    """Hash of the token in the link."""
    revoked = models.BooleanField(default=False)
    consented = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "name"], name="one_rater_a_name")]


class ItemLease(models.Model):
    """An item assigned to a rater; once it has expired, it blocks nobody."""

    item = models.ForeignKey(RoundItem, models.CASCADE, related_name="leases")
    rater = models.ForeignKey(RoundRater, models.CASCADE, related_name="leases")
    question = models.CharField(max_length=200, blank=True)
    since = models.DateTimeField()
    expires = models.DateTimeField()
    live = models.BooleanField(default=True)
    """Whether the item's tally counts the lease, which it does until the expiry is processed."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "rater", "question"], name="one_lease")]
        indexes = [models.Index(fields=["expires"], condition=models.Q(live=True), name="live_leases")]


class CastVote(models.Model):
    """A vote; its value is null where the item was skipped."""

    item = models.ForeignKey(RoundItem, models.CASCADE, related_name="cast")
    rater = models.ForeignKey(RoundRater, models.CASCADE, related_name="cast")
    question = models.CharField(max_length=200, blank=True)
    value = models.JSONField(null=True)
    skipped = models.BooleanField(default=False)
    comment = models.TextField(blank=True)
    seconds = models.FloatField(null=True)
    at = models.DateTimeField(auto_now_add=True)
    current = models.BooleanField(default=True)
    adjudicated = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "rater", "question"], condition=models.Q(current=True), name="one_current_vote"),
        ]
