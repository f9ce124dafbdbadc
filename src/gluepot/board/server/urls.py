"""URLs of the board: the same in every language, with a language prefix for all but English."""

from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import include, path, re_path

from gluepot.board.accounts.views import account, privacy, teams
from gluepot.board.api import api
from gluepot.board.submitting.api import api as own_api
from gluepot.board.submitting.views import changes, own, programs, sending, status
from gluepot.board.views import api as api_page
from gluepot.board.views import compare, diagnostics, errata, home, robots, search
from gluepot.board.views.standings import snapshot, standings
from gluepot.board.views.systems import system
from gluepot.board.views.tasks import task, tasks
from gluepot.board.views.tradeoffs import frontier, performance

FORM = r"(?:\.(?P<form>csv|json|md|tex))?"
CITED = r"(?:\.(?P<form>csv|json|md|tex|bib))?"
SUITE = r"b/(?P<suite>[\w-]+)"
SYSTEM = r"s/(?P<slug>[\w-]+)"
VERSION = rf"{SUITE}/(?P<version>[\w.-]+?)"

handler400 = "gluepot.board.views.errors.bad_request"
handler403 = "gluepot.board.views.errors.denied"
handler404 = "gluepot.board.views.errors.not_found"
handler500 = "gluepot.board.views.errors.failed"

urlpatterns = [
    path("robots.txt", robots.robots),
    path("sitemap.xml", robots.sitemap),
    path("api/my/", own_api.urls),
    path("api/", api.urls),
    re_path(r"^status\.(?P<form>json)$", status.view),
]
urlpatterns += i18n_patterns(
    path("", home.view),
    path("api/docs", api_page.view),
    re_path(r"^search/?$", search.view),
    re_path(r"^(?:errata|truth)(?:\.(?P<form>json))?/?$", errata.view),  # /truth is its former URL
    re_path(rf"^{SUITE}/?$", standings.view),
    re_path(rf"^{SUITE}/changes(?:\.(?P<form>json))?/?$", changes.view),
    re_path(rf"^{VERSION}{CITED}/?$", standings.view),
    re_path(rf"^{VERSION}/diagnostics{FORM}/?$", diagnostics.view),
    re_path(rf"^{VERSION}/performance{FORM}/?$", performance.view),
    re_path(rf"^{VERSION}/frontier{FORM}/?$", frontier.view),
    re_path(rf"^{VERSION}/tasks{FORM}/?$", tasks.view),
    re_path(rf"^{VERSION}/tasks/(?P<task>[\w-]+)(?:\.(?P<form>json|bib))?/?$", task.view),
    re_path(rf"^{VERSION}/compare{CITED}/?$", compare.view),
    re_path(rf"^{SYSTEM}(?:\.(?P<form>json))?/?$", system.view),
    re_path(rf"^{SYSTEM}/answers/(?P<number>\d+)\.jsonl\.gz$", system.answers),
    re_path(r"^snap/(?P<key>[\w-]+)(?:\.(?P<form>csv|json))?/?$", snapshot.view),
    path("status", status.view),
    path("submit", sending.listing),
    path("submit/<slug:suite>", sending.view),
    path("submit/<slug:suite>/sample.zip", sending.sample),
    path("submit/<slug:suite>/program", sending.program),
    path("submissions", own.listing),
    path("submissions/<uuid:key>", own.view),
    path("submissions/<uuid:key>/publish", own.publish),
    path("submissions/<uuid:key>/score", own.score),
    path("submissions/<uuid:key>/withdraw", own.withdraw),
    path("submissions/<uuid:key>/file", own.download),
    path("submissions/<uuid:key>/program", programs.download),
    path("submissions/<uuid:key>/records", programs.records),
    path("account/", account.view),
    path("account/keys", account.make_key),
    path("account/keys/<int:number>/revoke", account.revoke_key),
    path("account/teams", teams.make),
    path("account/teams/<int:number>", teams.view),
    re_path(r"^account/teams/(?P<number>[0-9]+)/members/(?P<other>[0-9]+)/(?P<act>remove|lead)$", teams.change),
    path("account/teams/<int:number>/invitations/<int:invitation>/remove", teams.take_back),
    path("account/invitations/<str:secret>", teams.accept),
    path("account/privacy", privacy.view),
    path("account/export", privacy.export),
    path("account/delete", privacy.delete),
    path("account/", include("allauth.account.urls")),
    path("account/2fa/", include("allauth.mfa.urls")),
    path("moderation/", admin.site.urls),
    prefix_default_language=False,
)
