"""Russian SuperGLUE: nested files, nested predictions, and the publishers' own TF-IDF baseline."""

from gluepot.models import SUITE_BASELINES
from gluepot.published.russian_superglue import readers, submission_format

__all__ = ["readers", "submission_format"]

SUITE_BASELINES.add("russian-superglue/tfidf-logistic", "gluepot.published.russian_superglue.baseline:RussianBaseline")
