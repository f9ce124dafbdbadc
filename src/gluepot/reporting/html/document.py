"""One HTML document, without external resources or scripts."""

from importlib.resources import files

from gluepot.reporting.html.markup import Html, el

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def render_document(title: str, *body: Html) -> str:
    """Return the whole page, with the report's style sheet embedded."""
    style = (files("gluepot.reporting") / "page.css").read_text(encoding="utf-8")
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=POLICY),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("link", rel="icon", href="data:,"),
        el("title", title),
        el("style", Html(style)),
    )
    return f"<!doctype html>\n{el('html', head, el('body', *body), lang='en')}\n"
