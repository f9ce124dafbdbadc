"""The form of registration, whose trap for robots is hidden by the board's own style sheet, and from readers of screens."""

from typing import Any

from allauth.account.forms import SignupForm
from django import forms

TRAP = "homepage"
"""A field that no person sees; whoever fills it in is none."""


class RegistrationForm(SignupForm):  # type: ignore[misc]
    """As allauth's, without styles in the page, which nothing here may have."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.fields[TRAP].widget = forms.TextInput(attrs={"tabindex": "-1", "autocomplete": "off", "aria-hidden": "true"})
