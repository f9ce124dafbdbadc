"""Features of single texts: one item, three types of terms."""

from gluepot.models.features.texts import TextRecipe
from gluepot.records import Example


def test_a_text_is_one_item_with_the_target_of_its_example() -> None:
    example = Example("1", {"text": "Lim kokar"}, "hot")
    assert TextRecipe().lessons(example) == [(["lim", "kokar"], "hot")]


def test_a_text_has_words_pairs_beginnings_and_pairs_of_stems() -> None:
    channels = TextRecipe().channels()
    terms = {name: list(channels[name](["limmet", "kokar"])) for name in channels}
    assert terms == {
        "runs": ["limmet", "kokar", "limmet kokar"],
        "beginnings": ["lim", "limm", "limme", "limmet", "kok", "koka", "kokar"],
        "stems": ["limme", "kokar", "limme kokar"],
    }
