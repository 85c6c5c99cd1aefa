"""The mend, verified: what it gained beside what was to be expected of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from loadrig.findings.gains import predicted
from loadrig.proving.judge import Said
from loadrig.proving.outcome import IS_MORE_BETTER, UNITS, Measure
from loadrig.proving.results import Result

VERIFIED_SHARE = 0.8
"""Of the predicted gain that must be measured."""

FORETOLD_MOST = 10.0
"""Times better: beyond it a hundredth of what is lost, more or less, makes a tenth of the gain and more."""

SETTLED = 0.5
"""Of dips and growth that a mend must take away where nothing was predicted."""


def fix_of(
    finding: Mapping[str, Any],
    said: Said | None,
    diagnosis: Mapping[str, Any],
    measure: Measure,
    command: str,
) -> dict[str, Any] | None:
    """The best mend that was tried of a named finding; None where none was.

    measure: what was watched. command: what repeats it.
    """
    tried = [one for one in (said.own if said is not None else ()) if one.is_mend]
    if not tried:
        return None
    best = max(tried, key=lambda one: _better(one))
    expected = None
    if measure == "throughput":
        # At the limit nothing is offered that ends it: the load of a proof is closed there.
        expected = predicted(finding, diagnosis.get("ceilings", ()), best.unchanged, best.ratio)
    value, why = expected if expected is not None and expected[0] <= FORETOLD_MOST else (None, "")
    return {
        "title": best.title,
        "setting": dict(best.setting) if best.setting is not None else None,
        "measure": measure,
        "unit": UNITS[measure],
        "before": best.unchanged,
        "after": best.changed,
        "gain": best.gain.to_json(),
        "predicted": value,
        "predicted_why": why,
        "is_verified": _is_verified(best, value),
        "pairs": _pairs(best),
        "command": command,
    }


def _better(one: Result) -> float:
    """Times better that it made it."""
    return one.gain.value if IS_MORE_BETTER[one.measure] else 1 / one.gain.value


def _is_verified(one: Result, expected: float | None) -> bool:
    """Whether it surely helps, and by as much as was expected."""
    is_sure = one.gain.low > 1 if IS_MORE_BETTER[one.measure] else one.gain.high < 1
    if not is_sure:
        return False
    if one.measure in ("dips", "growth"):
        return one.gain.value <= SETTLED
    if expected is None or expected <= 1:
        return True
    return _better(one) - 1 >= VERIFIED_SHARE * (expected - 1)


def _pairs(one: Result) -> list[list[float]]:
    """Outcomes without and with it, block by block."""
    found = []
    for block in sorted({part.block for part in one.parts}):
        both: Sequence[list[float]] = [
            [part.outcome for part in one.parts if part.block == block and part.is_changed == is_changed]
            for is_changed in (False, True)
        ]
        if all(both):
            found.append([sum(values) / len(values) for values in both])
    return found
