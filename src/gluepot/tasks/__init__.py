"""Task kinds and the declarations of suites and tasks."""

from gluepot.tasks import (  # noqa: F401  each module declares its kind
    analogy,
    choice,
    classification,
    cloze,
    coreference,
    multi_choice,
    pair_classification,
    regression,
    span_answer,
    summary,
    token_labelling,
    word_in_context,
    word_pair,
)
from gluepot.tasks.kinds import KINDS, Kind

__all__ = ["KINDS", "Kind"]
