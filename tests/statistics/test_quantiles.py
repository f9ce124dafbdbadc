"""Quantiles equal those of NumPy bit for bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gluepot.statistics.quantiles import quantile

VALUES = st.lists(st.floats(-1e6, 1e6) | st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=60)


@given(VALUES, st.floats(0, 1) | st.sampled_from([0.025, 0.04, 0.5, 0.96, 0.975]))
def test_quantile_equals_numpy(values: list[float], share: float) -> None:
    array = np.array(values)
    assert quantile(array, share) == np.quantile(array, share)
