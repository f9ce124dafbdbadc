"""The addresses of the board: the same in every language, with the language in front of all but English."""

from django.conf.urls.i18n import i18n_patterns
from django.urls import path, re_path

from gluepot.board.api import api
from gluepot.board.pages import api as api_page
from gluepot.board.pages import compare, diagnostics, errata, home, performance, quality, robots, snapshot, system, task, tasks

FORM = r"(?:\.(?P<form>csv|json|md|tex))?"
SUITE = r"b/(?P<suite>[\w-]+)"
SYSTEM = r"s/(?P<slug>[\w-]+)"
VERSION = rf"{SUITE}/(?P<version>[\w.-]+?)"

handler400 = "gluepot.board.pages.errors.bad_request"
handler404 = "gluepot.board.pages.errors.not_found"
handler500 = "gluepot.board.pages.errors.failed"

urlpatterns = [
    path("robots.txt", robots.robots),
    path("sitemap.xml", robots.sitemap),
    path("api/", api.urls),
]
urlpatterns += i18n_patterns(
    path("", home.view),
    path("api/docs", api_page.view),
    re_path(r"^(?:errata|truth)(?:\.(?P<form>json))?$", errata.view),  # /truth was its address before
    re_path(rf"^{SUITE}/?$", quality.view),
    re_path(rf"^{VERSION}{FORM}$", quality.view),
    re_path(rf"^{VERSION}/diagnostics{FORM}$", diagnostics.view),
    re_path(rf"^{VERSION}/performance{FORM}$", performance.view),
    re_path(rf"^{VERSION}/tasks{FORM}$", tasks.view),
    re_path(rf"^{VERSION}/tasks/(?P<task>[\w-]+)(?:\.(?P<form>json))?$", task.view),
    re_path(rf"^{VERSION}/compare(?:\.(?P<form>csv|json))?$", compare.view),
    re_path(rf"^{SYSTEM}(?:\.(?P<form>json))?$", system.view),
    re_path(rf"^{SYSTEM}/answers/(?P<number>\d+)\.jsonl\.gz$", system.answers),
    re_path(r"^snap/(?P<key>[\w-]+)(?:\.(?P<form>csv|json))?$", snapshot.view),
    prefix_default_language=False,
)
