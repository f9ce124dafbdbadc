"""WCAG contrast of texts and marks on the backgrounds of the board's style sheet, in the light and the dark scheme."""

import re
from pathlib import Path

import pytest

import gluepot.board

SHEET = (Path(gluepot.board.__file__).parent / "static" / "board" / "board.css").read_text(encoding="utf-8")
HEATS = {
    int(step): int(share) for step, share in re.findall(r"\.heat-(\d) \{ background: color-mix\(in srgb, var\(--accent\) (\d+)%", SHEET)
}
TEXTS = [
    *(("ink", ground) for ground in ("paper", "wash", "hold", "tie")),
    *(("soft", ground) for ground in ("paper", "wash", "hold", "tie")),
    *(("accent", ground) for ground in ("paper", "wash", "hold")),
    *(("data", ground) for ground in ("paper", "hold", "tie")),
    ("bad", "paper"),
    ("bad", "wash"),
    ("on", "accent"),
]
MARKS = [("data", "tie"), ("edge", "paper"), ("edge", "wash"), ("data", "hold"), ("accent", "paper")]


def colours(scheme: str) -> dict[str, tuple[int, ...]]:
    """Return the named colours of a scheme as the browser resolves them."""
    light, dark = re.findall(r":root \{(.*?)\}", SHEET, re.DOTALL)
    text = light if scheme == "light" else light + dark
    found = {name: "".join(2 * digit for digit in value) if len(value) == 3 else value for name, value in _hexes(text)}
    return {name: tuple(bytes.fromhex(value)) for name, value in found.items()}


def _hexes(text: str) -> list[tuple[str, str]]:
    return re.findall(r"--(\w+): #([0-9a-f]{3,6});", text)


def luminance(colour: tuple[float, ...]) -> float:
    """Compute relative luminance as defined by WCAG 2."""
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_matches_known_ratios() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((0x76, 0x76, 0x76), (255, 255, 255)) == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast_on_every_background(scheme: str) -> None:
    known = colours(scheme)
    weak = {pair: round(contrast(known[pair[0]], known[pair[1]]), 2) for pair in TEXTS}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_numbers_have_enough_contrast_on_every_heat_map_shade(scheme: str) -> None:
    known = colours(scheme)
    assert len(HEATS) == 9
    for share in HEATS.values():
        ground = tuple(share / 100 * a + (1 - share / 100) * p for a, p in zip(known["accent"], known["paper"], strict=True))
        assert contrast(known["ink"], ground) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_have_enough_contrast(scheme: str) -> None:
    known = colours(scheme)
    assert [pair for pair in MARKS if contrast(known[pair[0]], known[pair[1]]) < 3] == []
