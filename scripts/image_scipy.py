"""Parts of scipy that stay in the container image, and the program that calls all of it that loadrig calls.

scipy loads its compiled modules all together, whatever is asked of it: 40 MB, of which loadrig calls a half.
In the place of the others stand modules whose names can be imported, and say when they are called that they
were left out. A test compares CALLING with what loadrig calls of scipy; the image is tried with it.
"""

from pathlib import Path

LEFT_OUT = {
    "integrate": "_dop _lsoda _odepack _vode",
    "interpolate": "_bspl _dierckx _fitpack _interpnd _ppoly _rbfinterp_pythran _rgi_cython",
    "linalg": "_decomp_interpolative _decomp_lu_cython _matfuncs_expm _matfuncs_sqrtm_triu _solve_toeplitz",
    "ndimage": "_ni_label",
    "optimize": "_bglu_dense _cobyla _direct _highspy/_core _highspy/_highs_options _lbfgsb _lsap _moduleTNC"
    " _pava_pybind _trlib/_trlib",
    "signal": "_max_len_seq_inner _peak_finding_utils _sosfilt _spline _upfirdn_apply",
    "sparse": "_csparsetools _sparsetools csgraph/_flow csgraph/_matching csgraph/_min_spanning_tree"
    " csgraph/_reordering csgraph/_shortest_path csgraph/_tools csgraph/_traversal"
    " linalg/_eigen/arpack/_arpack linalg/_propack/_cpropack linalg/_propack/_dpropack"
    " linalg/_propack/_spropack linalg/_propack/_zpropack",
    "spatial": "_distance_wrap _hausdorff _voronoi transform/_rotation",
    "special": "_ellip_harm_2",
    "stats": "_ansari_swilk_statistics _biasedurn _levy_stable/levyst _qmc_cy _rcont/rcont",
}
"""Compiled modules by the part of scipy that they are in: CALLING ends without them as with them."""

ABSENT = '''"""Module in the place of a compiled one, which no program of this image calls."""


class AbsentKind(type):
    def __getattr__(cls, name):
        return __getattr__(name)


class AbsentPart(metaclass=AbsentKind):
    def __new__(cls, *words, **named):
        raise ImportError("this part of scipy is left out of the container image: use loadrig's wheel")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return AbsentKind(name, (AbsentPart,), {})
'''
"""Source of such a module. Any name of it is a class, as some are derived from as scipy is imported."""

CALLING = """
import numpy as np
import scipy.fft, scipy.linalg, scipy.ndimage, scipy.optimize, scipy.signal, scipy.special, scipy.stats
x, y = np.arange(1.0, 9.0), np.array([2.0, 1.0, 4.0, 3.0, 6.0, 5.0, 8.0, 9.0])
table, random = [[3, 1], [1, 5]], np.random.default_rng(1)
scipy.fft.irfft(scipy.fft.rfft(x, scipy.fft.next_fast_len(8)))
square = scipy.linalg.hadamard(8) + 9.0 * np.eye(8)
scipy.linalg.solve_triangular(scipy.linalg.cholesky(square @ square.T), x, trans="T")
scipy.linalg.inv(square)
scipy.ndimage.gaussian_filter(np.outer(x, y), 1.0)
scipy.optimize.brentq(lambda value: value - 1, 0, 3)
scipy.optimize.nnls(square, x)
for method, bounds in (("trf", ([0, -9], [9, 9])), ("dogbox", ([0, -9], [9, 9])), ("lm", (-np.inf, np.inf))):
    scipy.optimize.least_squares(lambda a: a[0] * x + a[1] - y, [1.0, 0.0], method=method, bounds=bounds)
scipy.optimize.least_squares(lambda a: a[0] * x + a[1] - y, [1.0, 0.0], loss="soft_l1")
scipy.signal.lombscargle(x, y, np.array([0.5, 1.0]))
scipy.special.bdtr(2, 5, 0.3), scipy.special.bdtrik(0.4, 5, 0.3), scipy.special.fdtrc(2, 3, 1.0)
scipy.special.gammainc(2, 0.3), scipy.special.gammaincinv(2, 0.3), scipy.special.gammaln(2.5)
scipy.special.ndtr(0.3), scipy.special.ndtri(0.3), scipy.special.pdtr(2, 0.3)
scipy.special.stdtr(5, 0.3), scipy.special.stdtrit(5, 0.3)
assert abs(scipy.stats.barnard_exact(table).pvalue - 0.109375) < 1e-6, "its search needs Sobol's numbers"
scipy.stats.fisher_exact(table)
for method in ("BCa", "percentile"):
    scipy.stats.bootstrap((y,), np.mean, n_resamples=99, method=method, random_state=random)
scipy.stats.cramervonmises(y / 10, "uniform")
scipy.stats.DegenerateDataWarning
scipy.stats.f.sf(2.0, 3, 4), scipy.stats.norm.cdf(0.1), scipy.stats.norm.pdf(0.1)
scipy.stats.false_discovery_control([0.1, 0.2])
scipy.stats.kendalltau(x, y), scipy.stats.theilslopes(y, x)
apart = lambda a, b: np.mean(a) - np.mean(b)
scipy.stats.permutation_test((x, y), apart, n_resamples=99, random_state=random)
"""
"""Program that calls every function of scipy that loadrig calls, and ends without a word."""


def leave_out(packages: Path) -> None:
    """Exchange the compiled modules that nothing calls. Raises ValueError where one of them is not there."""
    for part, names in LEFT_OUT.items():
        for name in names.split():
            place = packages / "scipy" / part / name
            compiled = list(place.parent.glob(f"{place.name}.cpython-*.so"))
            if len(compiled) != 1:
                raise ValueError(f"scipy.{part} has no compiled module {name}: take it out of LEFT_OUT")
            compiled[0].unlink()
            place.with_suffix(".py").write_text(ABSENT, encoding="utf-8")
