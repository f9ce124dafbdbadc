"""The addresses of the board: the same in every language, with the language in front of all but English."""

from django.conf.urls.i18n import i18n_patterns
from django.urls import path, re_path

from gluepot.board.pages import home, quality

FORM = r"(?:\.(?P<form>csv|json|md|tex))?"
SUITE = r"b/(?P<suite>[\w-]+)"
VERSION = rf"{SUITE}/(?P<version>[\w.-]+?)"

urlpatterns = i18n_patterns(
    path("", home.view),
    re_path(rf"^{SUITE}/?$", quality.view),
    re_path(rf"^{VERSION}{FORM}$", quality.view),
    prefix_default_language=False,
)
