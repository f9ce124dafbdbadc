"""Description of a task's rules for answers, besides their form."""

from gluepot.records import Task


def answer_rules(task: Task) -> dict[str, str]:
    """Return the task's rules by name, in display order."""
    rules = {}
    if task.scale is not None:
        low, high = task.scale
        others = "other numbers are taken as they are" if task.off_scale else "a number off it is a problem"
        rules["scale"] = f"{low:g} to {high:g}; {others}"
    if task.may_skip:
        ranks = f"answers may be left out; a score ranks from {100 * task.coverage:g} % of the items on."
        rules["coverage"] = f"{ranks} {task.published_skips}".rstrip()
    return rules
