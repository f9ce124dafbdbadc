"""Registration form, whose honeypot field is hidden by the board's own style sheet and from screen readers."""

from typing import Any

from allauth.account.forms import SignupForm
from django import forms

TRAP = "homepage"
"""Honeypot field, which people do not see: only bots fill it in."""


class RegistrationForm(SignupForm):  # type: ignore[misc]
    """allauth's form without inline styles, which the content security policy forbids."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.fields[TRAP].widget = forms.TextInput(attrs={"tabindex": "-1", "autocomplete": "off", "aria-hidden": "true"})
