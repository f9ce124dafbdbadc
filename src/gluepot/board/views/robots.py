"""robots.txt and sitemap: every page is indexed once, without query strings."""

from django.http import HttpRequest, HttpResponse
from django.utils.html import escape

from gluepot.board.models import SuiteVersion, System
from gluepot.board.server import addresses

RULES = "User-agent: *\nDisallow: /*?\nDisallow: /api/\n"


def robots(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"{RULES}Sitemap: {request.build_absolute_uri('/sitemap.xml')}\n", content_type="text/plain; charset=utf-8")


def sitemap(request: HttpRequest) -> HttpResponse:
    """Sitemap of the suites and systems, which link to all other pages and languages."""
    paths = ["/", *(addresses.board(name, version) for name, version in SuiteVersion.objects.values_list("name", "version"))]
    paths += [addresses.system(slug) for slug in System.objects.order_by("slug").values_list("slug", flat=True)]
    lines = "".join(f"<url><loc>{escape(request.build_absolute_uri(path))}</loc></url>\n" for path in paths)
    whole = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{lines}</urlset>\n'
    return HttpResponse(whole, content_type="application/xml; charset=utf-8")
