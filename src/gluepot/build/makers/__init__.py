"""Built-in makers, one module each; every module registers its own."""

from gluepot.build.makers import (  # noqa: F401
    analogy,
    coref,
    diagnostic,
    distractors,
    entailment,
    errors,
    idioms,
    matching,
    order,
    paraphrase,
    qnli,
    scala,
    split,
    synonyms,
    wic,
    winogender,
    winograd,
)
