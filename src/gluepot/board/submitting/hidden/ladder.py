"""The Ladder: a new score is released only if it is significantly better than the team's best released score, which is repeated otherwise.

After Blum and Hardt (2015), in the parameter-free variant: a paired, one-sided test on the shared bootstrap values. Its level is 5 %
divided by the number of tries, so that a team that submits noise sees an improvement about once in three hundred submissions.
"""

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from gluepot.board.models import Score
from gluepot.board.submitting.models import LadderStep

LEVEL = 0.05
REPEATED = "not surely better than your best so far, whose score stands here again"


def apply_ladder(team: int, place: str, metrics: Sequence[str], rows: Sequence[Score]) -> bool:
    """Replace the rows of a task by the team's best unless its first metric improves; return whether it does. Requires a transaction."""
    own = {row.metric: row for row in rows if not row.slice and row.value is not None and row.replicates}
    first = own.get(metrics[0])
    if first is None:
        return True
    steps = {step.metric: step for step in LadderStep.objects.select_for_update().filter(team=team, task=place)}
    best = steps.get(first.metric)
    tries = 1 + (best.tries if best else 0)
    better = best is None or is_significantly_better(first, best, tries)
    for metric, row in own.items():
        if better:
            values = {"value": row.value, "low": row.low, "high": row.high, "replicates": row.replicates}
            LadderStep.objects.update_or_create(team_id=team, task=place, metric=metric, defaults=values)
        elif metric in steps:
            row.value, row.low, row.high = steps[metric].value, steps[metric].low, steps[metric].high
            row.replicates, row.reason = bytes(steps[metric].replicates), REPEATED
    LadderStep.objects.filter(team=team, task=place).update(tries=tries)
    return better


def is_significantly_better(row: Score, best: LadderStep, tries: int) -> bool:
    """Return whether the difference is significant at LEVEL, corrected for the number of tries."""
    drawn = [np.frombuffer(bytes(packed), np.float32).astype(float) for packed in (row.replicates or b"", best.replicates)]
    if len(drawn[0]) != len(drawn[1]) or row.value is None:
        return False
    spread = float(np.nanstd(drawn[0] - drawn[1]))
    return row.value - best.value > max(1e-9, NormalDist().inv_cdf(1 - LEVEL / tries) * spread)
