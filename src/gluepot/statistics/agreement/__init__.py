"""Inter-annotator agreement: four forms of α, κ statistics, correlations, self-consistency; with intervals over items and raters."""

from gluepot.statistics.agreement.alpha import krippendorff_interval
from gluepot.statistics.agreement.correlations import Consistency, PairwiseMean, consistency, pairwise_agreement, pairwise_mean
from gluepot.statistics.agreement.intervals import AgreementValue, measure_agreement
from gluepot.statistics.agreement.units import UnitVotes

__all__ = [
    "AgreementValue",
    "Consistency",
    "PairwiseMean",
    "UnitVotes",
    "consistency",
    "krippendorff_interval",
    "measure_agreement",
    "pairwise_agreement",
    "pairwise_mean",
]
