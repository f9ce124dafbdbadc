"""Cost of a run: one ledger for all its processes, including those of a resumed run."""

from pathlib import Path

import pytest

from gluepot.errors import GluepotError, WrongUse
from gluepot.models.api.spending import Spending

PRICE = "10,100"


def test_processes_share_a_budget_and_a_resumed_run_remembers_it(tmp_path: Path) -> None:
    ledger = tmp_path / "run" / "spent.txt"
    one, other = (Spending(PRICE, 0.01, ledger) for _ in range(2))
    one.add(300, 20)
    other.check()
    other.add(400, 10)
    assert one.cost == other.cost == pytest.approx((700 * 10 + 30 * 100) / 1e6)
    for spending in (one, other, Spending(PRICE, 0.01, ledger)):
        with pytest.raises(GluepotError, match=r"the budget of 0\.0100 is spent"):
            spending.check()
    Spending(PRICE, 0.02, ledger).check()


def test_partial_line_is_left_for_the_next_read(tmp_path: Path) -> None:
    ledger = tmp_path / "spent.txt"
    ledger.write_text("100 5\n20")
    spending = Spending(PRICE, None, ledger)
    assert str(spending).startswith("100 tokens in, 5 out")
    ledger.write_text("100 5\n200 7\n")
    assert str(spending).startswith("300 tokens in, 12 out")


@pytest.mark.parametrize("price", ["1", "a,b", "-1,2", "1,2,3"])
def test_rejects_invalid_prices(price: str) -> None:
    with pytest.raises(WrongUse, match=r"0\.15,0\.60"):
        Spending(price)


def test_a_budget_without_prices_is_refused() -> None:
    with pytest.raises(WrongUse, match="--price"):
        Spending(budget=1.0)
