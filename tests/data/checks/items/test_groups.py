"""Checks of items whose options differ from those of their group."""

from tests.data.checks.making import CHOICES, Check, Rows


def grouped(category: int, options: list[str], count: int) -> Rows:
    return [{"question": f"Fråga {category}.{i} {options[0]}?", "options": options, "label": 0, "category": category} for i in range(count)]


def test_check_finds_an_item_in_the_wrong_group(look: Check) -> None:
    rows = grouped(35, ["a", "b", "c"], 5) + grouped(35, ["x", "y"], 1) + grouped(36, ["x", "y"], 4)
    found = look(*CHOICES, {"test": rows})["wrong-group"]
    assert found.count == 1
    assert "row 6 in group 35, with the options of group 36" in found.message


def test_check_finds_an_item_unlike_its_group(look: Check) -> None:
    rows = grouped(35, ["a", "b", "c"], 5) + grouped(35, ["q", "r"], 1) + grouped(36, ["x", "y"], 4)
    assert "unlike the options of its group" in look(*CHOICES, {"test": rows})["wrong-group"].message


def test_check_allows_options_that_vary_within_groups(look: Check) -> None:
    rows = [row for i in range(6) for row in grouped(i % 2, [f"ja {i}", "nej"], 1)]
    assert "wrong-group" not in look(*CHOICES, {"test": rows})
