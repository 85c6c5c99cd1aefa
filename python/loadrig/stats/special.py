"""The special functions of scipy that are used, without what `import scipy.special` imports around them."""

import importlib
from typing import Any

from loadrig.stats.compiled import part_of

NAMES = (
    "bdtr", "bdtrik", "fdtrc", "gammainc", "gammaincinv", "gammaln", "ndtr", "ndtri", "pdtr", "stdtr",
    "stdtrit",
)  # fmt: skip
"""Names of the functions that are used from here."""

_functions: Any = part_of("scipy.special", "_ufuncs", NAMES) or importlib.import_module("scipy.special")

bdtr = _functions.bdtr
bdtrik = _functions.bdtrik
fdtrc = _functions.fdtrc
gammainc = _functions.gammainc
gammaincinv = _functions.gammaincinv
gammaln = _functions.gammaln
ndtr = _functions.ndtr
ndtri = _functions.ndtri
pdtr = _functions.pdtr
stdtr = _functions.stdtr
stdtrit = _functions.stdtrit
