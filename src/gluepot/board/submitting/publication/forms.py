"""Form and validation of the metadata required for publication."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from gluepot.board.importing.systems.naming import lookalike_key, shown_name
from gluepot.board.models import System
from gluepot.board.standings.state import read_size
from gluepot.board.submitting.models import FactSheet
from gluepot.board.submitting.publication.publishing import today
from gluepot.records import Task

FAMILIES = {
    "Encoder": _("Encoder"),
    "Decoder": _("Decoder"),
    "Encoder-decoder": _("Encoder-decoder"),
    "Static vectors": _("Static vectors"),
    "Classical": _("Classical"),
    "Other": _("Other"),
}
"""Stored value to displayed label."""
REQUIRED = ("name", "family", "parameters", "data_size", "data_kind", "link")
LONGEST_HIDDEN = timedelta(days=366)
NONE, TRAIN, DEV, TEST = "none", "train", "dev", "test"


class SizeField(forms.CharField):
    """A number of parameters in common notations: 124 M, 1.3B, 110000000."""

    def to_python(self, value: Any) -> Any:
        text = str(value or "").replace(" ", "")
        if not text:
            return None
        try:
            found = read_size(text)
        except ValueError:
            found = None
        if found is None or not 0 < found < 10**15:
            raise forms.ValidationError(_("Write a number of parameters: 124M, 1.3B, 110000000."))
        return int(found)


class FactForm(forms.ModelForm):  # type: ignore[type-arg]
    """The metadata of a system; REQUIRED fields are enforced for publication (`whole`), not for drafts."""

    family = forms.ChoiceField(label=_("Kind of model"), choices=[("", "–"), *FAMILIES.items()], required=False)
    parameters = SizeField(label=_("Parameters"), required=False, help_text=_("124M, 1.3B, 110000000"))
    data_size = forms.FloatField(label=_("Training data, in gigabytes of text"), min_value=0, max_value=10**9, required=False)
    link = forms.URLField(label=_("Link to code or paper"), max_length=500, required=False, assume_scheme="https")
    anonymous_until = forms.DateField(
        label=_("Anonymous until"),
        required=False,
        help_text=_("A day within a year, if reviewers must not know you; name, team and link appear on it."),
        widget=forms.DateInput(attrs={"type": "date"}),
    )

    class Meta:
        model = FactSheet
        fields = ("name", "family", "parameters", "data_size", "data_kind", "link", "description", "anonymous_until")
        labels = {"name": _("Name of the system"), "data_kind": _("What it was trained on, in words"), "description": _("Description")}
        widgets = {"data_kind": forms.Textarea(attrs={"rows": 3}), "description": forms.Textarea(attrs={"rows": 4})}

    def __init__(self, tasks: Sequence[Task], owner: str, *given: Any, whole: bool = False, **more: Any) -> None:
        super().__init__(*given, **more)
        self.tasks, self.owner, self.whole = tasks, owner, whole
        self.fields["name"].required = True
        choices = [("", "–"), (NONE, _("no")), (TRAIN, _("its train split")), (DEV, _("train and dev")), (TEST, _("test, too"))]
        for task in tasks:
            chosen = self.instance.trained.get(task.name) if self.instance and self.instance.trained else None
            initial = "" if chosen is None else _widest(chosen)
            self.fields[f"trained-{task.name}"] = forms.ChoiceField(label=task.title, choices=choices, required=False, initial=initial)

    @property
    def trained_fields(self) -> list[Any]:
        return [self[f"trained-{task.name}"] for task in self.tasks]

    @property
    def plain_fields(self) -> list[Any]:
        return [self[name] for name in self.Meta.fields]

    def clean_name(self) -> str:
        name = shown_name(self.cleaned_data["name"])
        others = System.objects.exclude(owner=self.owner).values_list("name", flat=True)
        if any(lookalike_key(other) == lookalike_key(name) for other in others):
            raise forms.ValidationError(_("Another system on this board has this name, or one that looks like it."))
        return name

    def clean_link(self) -> str:
        link = str(self.cleaned_data.get("link") or "")
        if link and not link.startswith("https://"):
            raise forms.ValidationError(_("The link must begin with https://."))
        return link

    def clean_anonymous_until(self) -> Any:
        day = self.cleaned_data.get("anonymous_until")
        if day is not None and not today() < day <= today() + LONGEST_HIDDEN:
            raise forms.ValidationError(_("Choose a day to come, within a year."))
        return day

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        if self.whole:
            names = [*REQUIRED, *(field.name for field in self.trained_fields)]
            for name in names:
                if found.get(name) in (None, "") and name not in self.errors:
                    self.add_error(name, _("This is needed before it can be published."))
        return found

    def save(self, commit: bool = True) -> FactSheet:
        sheet: FactSheet = super().save(commit=False)
        given = {task.name: self.cleaned_data.get(f"trained-{task.name}") for task in self.tasks}
        sheet.trained = {task: _splits(said) for task, said in given.items() if said}
        sheet.parameters, sheet.family = self.cleaned_data.get("parameters"), self.cleaned_data.get("family") or ""
        if commit:
            sheet.save()
        return sheet


def _splits(said: str) -> list[str]:
    return {NONE: [], TRAIN: ["train"], DEV: ["train", "dev"], TEST: ["train", "dev", "test"]}[said]


def _widest(splits: list[str]) -> str:
    return next((name for name in (TEST, DEV, TRAIN) if name in splits), NONE)
