"""The functions of scipy are there without what is imported around them, and are scipy's own."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage, optimize

from loadrig.stats import special
from loadrig.stats.least_squares import non_negative
from loadrig.stats.roots import zero_between
from loadrig.stats.threshold import WOBBLES, _smoothed

HEAVY = (
    "scipy.special._support_alternative_backends", "scipy.optimize", "scipy.ndimage", "numpy.f2py",
    "numpy.testing",
)  # fmt: skip
"""Packages that those of scipy import, and no function of ours needs."""


def answer(program: str) -> object:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "module",
    [
        "stats.distributions",
        "stats.stopping",
        "stats.least_squares",
        "study.capacity.experiment",
        "proving.live",
        "stats.best",
    ],
)
def test_nothing_is_imported_around_them(module: str) -> None:
    program = (
        f"import json, sys, loadrig.{module};"
        f" print(json.dumps([name for name in {HEAVY} if name in sys.modules]))"
    )
    assert answer(program) == []


def test_the_package_can_be_imported_afterwards_and_says_the_same() -> None:
    # Of two numbers, or of one: each function is asked for what it takes.
    program = (
        "import json; from loadrig.stats import special; import scipy.special, scipy.stats;"
        " numbers = lambda f: (0.3, 5, 0.7) if f.nin == 3 else (0.3, 0.7)[: f.nin];"
        f" print(json.dumps([float(getattr(special, n)(*numbers(getattr(special, n))))"
        f" == float(getattr(scipy.special, n)(*numbers(getattr(special, n)))) for n in {special.NAMES}]"
        " + [bool(scipy.stats.t.ppf(0.975, 5) == special.stdtrit(5, 0.975))]))"
    )
    assert answer(program) == [True] * (len(special.NAMES) + 1)


def test_where_scipy_is_laid_out_in_another_way_all_of_it_is_imported() -> None:
    program = (
        "import json, sys; sys.modules['scipy.special._ufuncs'] = None\n"
        "import importlib\n"
        "whole = importlib.import_module\n"
        "def other(name, *rest):\n"
        "    sys.modules.pop('scipy.special._ufuncs', None) if name == 'scipy.special' else None\n"
        "    return whole(name, *rest)\n"
        "importlib.import_module = other\n"
        "from loadrig.stats import distributions\n"
        "print(json.dumps(['scipy.special' in sys.modules, distributions.normal_quantile(0.5)]))"
    )
    assert answer(program) == [True, 0.0]


@given(st.floats(-5, 5), st.floats(0.1, 5), st.floats(0.1, 5))
def test_a_zero_is_that_of_scipy(zero: float, below: float, above: float) -> None:
    def function(x: float) -> float:
        return math.expm1(x - zero)

    root = zero_between(function, zero - below, zero + above)
    assert root == optimize.brentq(function, zero - below, zero + above)


def test_without_a_change_of_sign_or_with_no_number_there_is_no_zero() -> None:
    with pytest.raises(ValueError, match="sign"):
        zero_between(lambda x: x * x + 1, -1.0, 1.0)
    with pytest.raises(ValueError, match="not a number"):
        zero_between(lambda x: math.nan if abs(x) < 0.9 else x, -1.0, 1.0)


def test_a_zero_is_found_where_scipy_is_laid_out_in_another_way() -> None:
    program = (
        "import json, sys, scipy.optimize\n"
        "from loadrig.stats import roots\n"
        "print(json.dumps([roots._compiled is None, roots.zero_between(lambda x: x - 0.25, 0.0, 1.0)]))"
    )
    assert answer(program) == [True, 0.25]


@pytest.mark.parametrize("wobble", [wobble for wobble, _ in WOBBLES])
def test_rows_are_smoothed_as_scipy_smooths_them(wobble: float) -> None:
    rows = np.random.default_rng(1).random((300, 8))
    for step in (0.0005, 0.003, 0.02):
        theirs = ndimage.gaussian_filter1d(rows, wobble / step, axis=0, mode="nearest")
        assert np.allclose(_smoothed(rows, wobble / step), theirs, rtol=1e-9)


@given(st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_least_squares_without_negative_parts_are_those_of_scipy(columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    design, y = rng.normal(size=(12, columns)), rng.normal(size=12)
    x, norm = non_negative(design, y)
    theirs, their_norm = optimize.nnls(design, y)
    assert np.allclose(x, theirs)
    assert norm == pytest.approx(their_norm)


def test_least_squares_of_what_is_no_number_or_does_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="infs or NaNs"):
        non_negative(np.array([[math.nan], [1.0]]), np.ones(2))
    with pytest.raises(ValueError, match="shape"):
        non_negative(np.ones((3, 1)), np.ones(2))
