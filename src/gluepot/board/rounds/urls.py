"""URLs of rounds: the links of raters and keepers."""

from django.http import HttpRequest, HttpResponse
from django.urls import re_path

from gluepot.board.rounds.views import keeper, rater
from gluepot.board.rounds.views.pages import failed_page, nothing_page

LINK = r"(?P<token>[A-Za-z0-9_-]{8,64})"
handler404 = handler400 = "gluepot.board.rounds.urls.nothing"
handler500 = "gluepot.board.rounds.urls.failed"


def nothing(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return nothing_page(request)


def failed(request: HttpRequest) -> HttpResponse:
    return failed_page(request)


urlpatterns = [re_path(rf"^r/{LINK}$", rater.rate), re_path(rf"^keeper/{LINK}$", keeper.keep)]
