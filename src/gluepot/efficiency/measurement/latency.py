"""Latency: each record is sent only after the answer to the previous one."""

from time import monotonic

from gluepot.efficiency.measurement.questions import TimedQuestions
from gluepot.programs.execution import Execution, Program

WARM_UP, ASKED = 5, 100
"""Numbers of answers for warm-up and of those that count."""
SECONDS = 10.0
"""Time for the counted answers together; at least one is counted."""
PATIENCE = 5.0
NOT_SINGLY = "it does not answer a record before it has got the next, or the end of its input"


def measure_latency(program: Program, questions: TimedQuestions, start_up: float) -> tuple[list[float], str]:
    """Return the seconds of each answer, or the reason why there are none."""
    lines, found = questions.lines(WARM_UP + ASKED), list[float]()
    with Execution(program) as execution:
        deadline = None
        for number, line in enumerate(lines, start=1):
            start = monotonic()
            execution.send(line)
            came = execution.wait_for_lines(number, 2 * start_up + PATIENCE if not found else PATIENCE + 10 * max(found))
            if came is None:
                return [], NOT_SINGLY if number == 1 else f"it stopped answering after {number - 1}"
            if number > WARM_UP:
                found.append(came - start)
                deadline = deadline or start + SECONDS
                if monotonic() > deadline:
                    break
        execution.close_input()
        execution.wait_for_lines(len(lines) + 1, PATIENCE)
    return found, ""
