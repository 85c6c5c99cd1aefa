"""Verification of a mend: the gain that was measured beside the gain that was predicted."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from loadrig.judgement.document import FindingDocument
from loadrig.judgement.experiments.conclusions import Conclusion
from loadrig.judgement.experiments.outcome import UNITS, Measure
from loadrig.judgement.experiments.results import Result
from loadrig.judgement.gains import predicted
from loadrig.judgement.limits.ceilings import Ceiling
from loadrig.proving.document import BoundedEstimate, TriedMend

VERIFIED_SHARE = 0.8
"""Share of the predicted gain that must be measured for a mend to count as verified."""

FORETOLD_MOST = 10.0
"""Greatest predicted gain, as a ratio. Beyond it one per cent more or less of what is lost changes the
gain by a tenth and more."""

SETTLED_BY_MEND = 0.5
"""Ratio of dips or growth with the mend to those without. Below it the mend is verified where no gain was
predicted."""


def fix_of(
    finding: FindingDocument,
    conclusion: Conclusion | None,
    ceilings: Sequence[Ceiling],
    measure: Measure,
    command: str,
) -> TriedMend | None:
    """Return the best mend that was tried of a named finding; None where none was tried.

    ceilings: those of the diagnosis. measure: the measure that was watched. command: the command that repeats
    the proof.
    """
    tried = [result for result in (conclusion.own if conclusion is not None else ()) if result.is_mend]
    if not tried:
        return None
    best = max(tried, key=lambda result: result.gain.better(measure).value)
    expected = None
    if measure == "throughput":
        # The load of a proof is closed at the limit, so no offered rate bounds the gain.
        expected = predicted(finding.accusation, ceilings, best.unchanged, best.ratio)
    value, why = expected if expected is not None and expected[0] <= FORETOLD_MOST else (None, "")
    return TriedMend(
        title=best.title,
        setting=best.setting,
        measure=measure,
        unit=UNITS[measure],
        before=best.unchanged,
        after=best.changed,
        gain=BoundedEstimate(best.gain.value, best.gain.low, best.gain.high),
        predicted=value,
        predicted_why=why,
        is_verified=_is_verified(best, value),
        pairs=tuple(_pairs(best)),
        command=command,
    )


def _is_verified(result: Result, expected: float | None) -> bool:
    """Return whether a mend surely helps, and by as much as was expected."""
    better = result.gain.better(result.measure)
    if better.low <= 1:
        return False
    if result.measure in ("dips", "growth"):
        return result.gain.value <= SETTLED_BY_MEND
    return expected is None or expected <= 1 or better.value - 1 >= VERIFIED_SHARE * (expected - 1)


def _pairs(result: Result) -> Iterator[tuple[float, float]]:
    """Yield the mean outcomes without and with the change, block by block."""
    for block in sorted({part.block for part in result.parts}):
        without, changed = (
            [part.outcome for part in result.measurements(is_changed) if part.block == block]
            for is_changed in (False, True)
        )
        if without and changed:
            yield fmean(without), fmean(changed)
