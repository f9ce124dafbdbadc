"""Language of a first visit."""

from pathlib import Path

import pytest

HOST = "localhost"
OUTSIDE = {"Sec-Fetch-Site": "none", "Sec-Fetch-Dest": "document"}


@pytest.mark.parametrize(
    ("path", "headers", "target"),
    [
        ("/", OUTSIDE | {"Accept-Language": "sv-SE,sv;q=0.9,en;q=0.5"}, "/sv/"),
        ("/", {"Accept-Language": "sv-SE,sv;q=0.9"}, "/sv/"),
        ("/errata?x=1", {"Accept-Language": "eu", "Referer": "https://elsewhere.example/"}, "/eu/errata?x=1"),
        ("/", {"Accept-Language": "fi,ru;q=0.5"}, "/ru/"),
        ("/", {"Accept-Language": "en-GB,sv;q=0.9"}, None),
        ("/", {"Accept-Language": "fi"}, None),
        ("/", {}, None),
        ("/", {"Accept-Language": "sv", "Referer": f"http://{HOST}/sv/"}, None),
        ("/", {"Accept-Language": "sv", "Sec-Fetch-Site": "same-origin"}, None),
        ("/", OUTSIDE | {"Accept-Language": "sv", "Sec-Fetch-Dest": "image"}, None),
        ("/da/", {"Accept-Language": "sv"}, None),
        ("/api/suites", {"Accept-Language": "sv"}, None),
    ],
)
def test_first_visit_redirects_to_the_preferred_language(board: Path, path: str, headers: dict[str, str], target: str | None) -> None:
    from django.test import Client

    response = Client(HTTP_HOST=HOST, headers=headers).get(path)
    assert (response.status_code, response.headers.get("Location")) == ((302, target) if target else (200, None))
    if target:
        assert "Accept-Language" in response.headers["Vary"]
