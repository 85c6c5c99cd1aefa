"""The zero of a function between two points, found by scipy without what `import scipy.optimize` imports."""

import math
import sys
from collections.abc import Callable
from typing import Any

from loadrig.stats.compiled import part_of

WITHIN = 2e-12
"""Distance to the zero that is near enough, in the unit of the points; scipy's own default."""

RELATIVE = 4 * sys.float_info.epsilon
"""Distance to the zero that is near enough, as a share of the zero: the least that scipy allows."""

MOST_STEPS = 100
"""Number of steps after which the search fails; scipy's own default. Brent's method needs ten."""

_compiled: Any = part_of("scipy.optimize", "_zeros", ("_brentq",))


def zero_between(
    function: Callable[[float], float], low: float, high: float, within: float = WITHIN
) -> float:
    """Return where a continuous function is zero; it has different signs at low and high.

    within: the distance to the zero that is near enough.
    Raises ValueError if the signs are the same or the function is not a number somewhere on the way, and
    RuntimeError if 100 steps do not suffice.
    Source: Brent 1973, Algorithms for Minimization Without Derivatives, ch. 4; scipy.optimize.brentq.
    """

    def checked(x: float) -> float:
        y = function(x)
        if math.isnan(y):
            raise ValueError(f"the function is not a number at {x}")
        return y

    if _compiled is None:
        from scipy import optimize

        return float(optimize.brentq(checked, low, high, xtol=within, rtol=RELATIVE, maxiter=MOST_STEPS))
    return float(_compiled._brentq(checked, low, high, within, RELATIVE, MOST_STEPS, (), False, True))
