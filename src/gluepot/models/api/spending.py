"""Cost of a run: input and output tokens of every answer, one line each in an append-only file, so that its processes share a budget."""

from math import isfinite
from pathlib import Path
from threading import Lock

from gluepot.errors import GluepotError, WrongUse
from gluepot.files import append_atomically
from gluepot.plurals import pluralize


def read_prices(text: str) -> tuple[float, float]:
    """Parse the prices of a million input and output tokens.

    >>> read_prices("0.15,0.60")
    (0.15, 0.6)
    """
    try:
        prices = [float(part) for part in str(text).split(",")]
    except ValueError:
        prices = []
    if len(prices) != 2 or min(prices) < 0 or not all(map(isfinite, prices)):
        raise WrongUse(f"--price {text}: write what a million tokens cost, in and out, as 0.15,0.60.")
    return prices[0], prices[1]


def money(value: float) -> str:
    """Format an amount of money.

    >>> money(12.3456), money(0.00312)
    ('12.35', '0.0031')
    """
    return f"{value:.2f}" if value >= 1 else f"{value:.4f}"


class Spending:
    """Tokens and cost of a run, or of this process alone without a ledger."""

    def __init__(self, price: str = "0,0", budget: float | None = None, ledger: Path | None = None) -> None:
        self.prices = read_prices(price)
        if budget is not None and not any(self.prices):
            raise WrongUse("--budget needs --price IN,OUT: what a million tokens cost.")
        self.budget, self.ledger = budget, ledger
        self.tokens, self.written, self.seen = 0, 0, 0
        self.lock = Lock()

    @property
    def cost(self) -> float:
        with self.lock:
            self._look()
            return (self.tokens * self.prices[0] + self.written * self.prices[1]) / 1e6

    def _look(self) -> None:
        """Read the complete lines added since by any process."""
        if not (self.ledger and self.ledger.is_file()):
            return
        with self.ledger.open("rb") as stream:
            stream.seek(self.seen)
            data = stream.read()
        for line in data[: data.rfind(b"\n") + 1].splitlines(keepends=True):
            try:
                tokens, written = map(int, line.split())
            except ValueError:  # money: better an error than a guess
                message = f"{self.ledger}: byte {self.seen + 1:,}: not two numbers, tokens in and out. Mend the line, or delete the file"
                raise GluepotError(f"{message}: what was spent so far is then forgotten.") from None
            self.tokens += tokens
            self.written += written
            self.seen += len(line)

    def add(self, tokens: int, written: int) -> None:
        with self.lock:
            if self.ledger is None:
                self.tokens += tokens
                self.written += written
                return
            append_atomically(self.ledger, f"{tokens} {written}\n".encode())

    def __str__(self) -> str:
        cost = self.cost
        return f"{pluralize(self.tokens, 'token')} in, {self.written:,} out" + (f", {money(cost)}" if any(self.prices) else "")

    def check(self) -> None:
        if self.budget is None or (spent := self.cost) < self.budget:
            return
        raise GluepotError(
            f"the budget of {money(self.budget)} is spent ({money(spent)}). What was answered is kept; go on with a larger --budget."
        )
