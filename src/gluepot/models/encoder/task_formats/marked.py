"""Formats for texts with marked words, which truncation never removes."""

import numpy as np

from gluepot.models.encoder.preprocessing.tokenization import Tokenization, TokenizedText
from gluepot.models.encoder.preprocessing.truncation import keep_around, share_room
from gluepot.models.encoder.task_formats import TASK_FORMATS, EncodedRows
from gluepot.models.encoder.task_formats.texts import Labels
from gluepot.records import Example

Span = tuple[int, int]


@TASK_FORMATS.register("word-in-context")
class WordInContext(Labels):
    """Format with the marked words' vectors beside the first token's."""

    net = "spans-and-first"

    def encode(self, tokenization: Tokenization, examples: list[Example]) -> EncodedRows:
        tokenization.need_places("a marked word")
        texts = tokenization.read([example.inputs[side] for example in examples for side in ("text", "pair")])
        encoded = EncodedRows()
        for number, example in enumerate(examples):
            inputs = example.inputs
            first, second = texts[inputs["text"]], texts[inputs["pair"]]
            sizes = share_room(len(first), len(second), tokenization.room(pair=True))
            one, one_span = cut_around(first, [covering(first, inputs["start"], inputs["end"])], sizes[0])
            two, two_span = cut_around(second, [covering(second, inputs["pair-start"], inputs["pair-end"])], sizes[1])
            row = tokenization.join(one.ids, two.ids)
            encoded.add(number, row, [*shifted(one_span[0], row.first), *shifted(two_span[0], row.second)])
            if sizes != (len(first), len(second)):
                encoded.cut.add(number)
        return encoded


@TASK_FORMATS.register("coreference")
class Coreference(Labels):
    """Format for two spans of one text, each a weighted sum of its pieces: jiant's head for the Winograd task."""

    net = "spans"

    def encode(self, tokenization: Tokenization, examples: list[Example]) -> EncodedRows:
        tokenization.need_places("a marked span")
        texts = tokenization.read([example.inputs["text"] for example in examples])
        encoded, room = EncodedRows(), tokenization.room(pair=False)
        for number, example in enumerate(examples):
            text = texts[example.inputs["text"]]
            spans = [covering(text, example.inputs[f"{side}-start"], example.inputs[f"{side}-end"]) for side in ("first", "second")]
            kept, inside = cut_around(text, spans, room)
            row = tokenization.join(kept.ids)
            encoded.add(number, row, [place for span in inside for place in shifted(span, row.first)])
            if len(text) > room:
                encoded.cut.add(number)
        return encoded


def covering(text: TokenizedText, start: int, end: int) -> Span:
    """Return the pieces of marked characters, or the nearest ones if the tokenizer drops them."""
    return text.covering(int(start), int(end))


def cut_around(text: TokenizedText, spans: list[Span], room: int) -> tuple[TokenizedText, list[Span]]:
    """Truncate a text around its spans; return it with the spans' new places."""
    if len(text) <= room:
        return text, spans
    kept = keep_around(len(text), spans, room)
    moved = [(int(np.searchsorted(kept, start)), int(np.searchsorted(kept, end - 1)) + 1) for start, end in spans]
    return text.only(kept), [(start, min(end, room)) for start, end in moved]


def shifted(span: Span, by: int) -> Span:
    """Return a span in the row; an empty text has none, and its place is used instead."""
    return span[0] + by, max(span[1], span[0] + 1) + by
