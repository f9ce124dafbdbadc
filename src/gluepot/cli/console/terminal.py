"""Protection of the terminal: control characters in a text are shown, whatever its source, and only our own colours take effect."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast

from gluepot.escaping import escape_control_characters

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderHook
    from rich.segment import Segment


class EscapingStream:
    """Text stream that spells out control characters."""

    def __init__(self, bare: TextIO) -> None:
        self.bare = bare

    def write(self, text: str) -> int:
        self.bare.write(escape_control_characters(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bare, name)


def escaping_stream(stream: TextIO) -> TextIO:
    return stream if isinstance(stream, EscapingStream) else cast("TextIO", EscapingStream(stream))


def bare(stream: TextIO) -> TextIO:
    """Return the underlying stream, for rich, whose colours are escape sequences too."""
    return stream.bare if isinstance(stream, EscapingStream) else stream


@contextmanager
def escaping_streams() -> Iterator[None]:
    """Spell out control characters in everything that is printed within the context."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = escaping_stream(sys.stdout), escaping_stream(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def escape_console(console: "Console") -> "Console":
    """Do the same for what rich prints: it strips a few control characters of texts, and lets escape sequences pass."""
    console.push_render_hook(cast("RenderHook", _Hook()))
    return console


class _Hook:
    def process_renderables(self, renderables: list[Any]) -> list[Any]:
        return [_Visible(one) for one in renderables]


class _Visible:
    """Renderable in whose texts control characters are spelled out; its own colours and movements remain."""

    def __init__(self, content: Any) -> None:
        self.content = content

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "Iterator[Segment]":
        for segment in console.render(self.content, options):
            yield segment if segment.control else segment._replace(text=escape_control_characters(segment.text))
