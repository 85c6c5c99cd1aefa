"""Gains of mends, foretold by arithmetic, so that a mend that was tried can be compared with its forecast.

A gain is a ratio: good answers a second with the mend over those without it. A cause's file says as GAIN by
which law they follow; the next limits, and what the load asks for, end it.
Sources: Amdahl 1967, AFIPS 30, 483-485 (a share that is taken away); Lazowska et al. 1984, Quantitative
System Performance, ch. 5 (a capacity, and the next one behind it) and 6 (slots that queue for the CPU).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from loadrig.base.units import show_number
from loadrig.judgement.cause import Law
from loadrig.judgement.declarations import cause_of
from loadrig.judgement.limits.ceilings import Ceiling
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.judgement import JudgementGainsTexts
from loadrig.language.labels import joined, label
from loadrig.stats import closed

TEXTS = texts_of(JudgementGainsTexts)

HELD = 0.9
"""Share of the slots in use, 0 to 1, from which on all slots count as in use."""


@dataclass(frozen=True, slots=True)
class Accusation:
    """Accusation that a cause limits a component. Its fields are those of a finding."""

    cause: str
    component: str
    detail: str = ""
    bound: float | None = None
    gain: float | None = None


def without(share: float) -> float | None:
    """Return the gain where a share (0…1) of the cost is gone; None where all of it is, or for NaN."""
    return 1 / (1 - share) if 0 <= share < 1 else None


def whole(
    law: Law,
    component: str,
    reach: float | None,
    ceilings: Iterable[Ceiling],
    good_rps: float,
    offered_rps: float | None = None,
) -> float | None:
    """Return the gain where the cause is taken away altogether; None where nothing can be foretold.

    reach: gain by the cause's own arithmetic, 1 / (1 - bound); None where it has no end. ceilings: as in a
    diagnosis. good_rps: answered well a second at present. offered_rps: due a second, of an open load.
    """
    if good_rps <= 0:
        return None
    ends = [reach] if reach is not None and law.way != "capacity" else []
    ends += [end for end, _ in _limits(law, component, ceilings, good_rps, offered_rps) if end is not None]
    gain = min(ends, default=math.inf)
    # The offered load ends a gain, but alone it says nothing of the cause.
    is_known = len(ends) > (offered_rps is not None)
    return max(1.0, gain) if is_known and math.isfinite(gain) else None


def predicted(
    accusation: Accusation,
    ceilings: Sequence[Ceiling],
    good_rps: float,
    ratio: float | None,
    offered_rps: float | None = None,
) -> tuple[float, str] | None:
    """Return the gain of a mend that was or will be tried, and its arithmetic as a clause.

    accusation, ceilings: as in a result. good_rps: answered well a second without the mend. ratio: value of
    the knob or capacity with the mend over that without; None where it is no number (a flag, a word).
    offered_rps: due a second, of an open load, beyond which nothing can be answered. None where nothing can
    be foretold.
    """
    law = cause_of(accusation.cause).law_of(accusation.detail)
    if law is None or not good_rps > 0 or (ratio is not None and not (0 < ratio < math.inf)):
        return None
    own = _slots_gain(law, accusation, ceilings, good_rps, ratio) or _law_gain(law, accusation, ratio)
    if own is None:
        return None
    gain, text = own
    for end, why in _limits(law, accusation.component, ceilings, good_rps, offered_rps):
        if end < gain:
            gain, text = max(1.0, end), f"{text}; {why}"
    return gain, text


def _slots_gain(
    law: Law, accusation: Accusation, ceilings: Sequence[Ceiling], good_rps: float, ratio: float | None
) -> tuple[float, str] | None:
    """Return the gain of more slots, whose requests queue for a CPU, and its arithmetic as a clause.

    None where the number is not known, or where fewer requests wait for a slot than there are new slots.
    """
    if law.way != "slots" or law.lifts != "threads" or ratio is None or ratio <= 1:
        return None
    held = next((row for row in ceilings if _is_lifted(law, accusation.component, row)), None)
    if held is None or held.used_share < HELD:
        return None
    reach = without(accusation.bound) if accusation.bound is not None else None
    if reach is not None and reach < ratio:
        return None
    slots, queues = round(held.servers), [row for row in ceilings if row.what == "CPU"]
    demands_s = [1 / row.rps for row in queues]
    delay_s = closed.delay_of(slots, good_rps, demands_s)
    more = round(slots * ratio)
    gain = closed.throughput(more, delay_s, demands_s) / closed.throughput(slots, delay_s, demands_s)
    where = joined(TEXTS.the_cpu(row.component) for row in queues)
    return gain, (TEXTS.much_who_queue(_times(ratio), str(slots), str(more), where, _times(gain)))


def _law_gain(law: Law, accusation: Accusation, ratio: float | None) -> tuple[float, str] | None:
    """Return the gain by the law alone, and its arithmetic as a clause; None where the law gives none."""
    bound = accusation.bound
    if law.way in ("capacity", "slots"):
        if ratio is None:
            return None
        text = TEXTS.as_much(_times(ratio))
        reach = without(bound) if law.way == "slots" and bound is not None else None
        if reach is None or reach >= ratio:
            return ratio, TEXTS.many_answers(text, _times(ratio))
        return reach, TEXTS.nobody_waits_any(text, _times(reach), f"{bound:.2f}")
    reach = accusation.gain if accusation.gain is not None else without(bound) if bound is not None else None
    if reach is None:
        return None
    share = 1 - 1 / reach
    if law.way == "share" or ratio is None:
        return reach, TEXTS.without_many_answers(f"{share:.2f}", _times(reach))
    if ratio < 1:
        return None
    rest = share / ratio
    gain = (1 - rest) / (1 - share)
    return gain, (TEXTS.much_leaves_takes(_times(ratio), f"{rest:.2f}", f"{share:.2f}", _times(gain)))


def _limits(
    law: Law, component: str, ceilings: Iterable[Ceiling], good_rps: float, offered_rps: float | None
) -> list[tuple[float, str]]:
    """Return the limits of a gain, each as a ratio with its clause, the nearest first."""
    limits = []
    for ceiling in ceilings:
        if _is_next(law, component, ceiling):
            end = max(1.0, ceiling.rps / good_rps)
            why = TEXTS.full_s(ceiling.what, ceiling.component, show_number(ceiling.rps))
            limits.append((end, f"{why}: {_times(end)}"))
    if offered_rps is not None:
        end = max(1.0, offered_rps / good_rps)
        limits.append((end, TEXTS.no_more_than(show_number(offered_rps), _times(end))))
    return sorted(limits)


def _is_next(law: Law, component: str, ceiling: Ceiling) -> bool:
    """Return whether a ceiling stays where it is when the cause is gone.

    The CPU time of a request does not change. Threads and connections are free sooner, as requests held
    them while they waited for what is mended. So only connections are a limit, and only where the threads in
    front of them are what is short.
    """
    if law.lifts == "all" or _is_lifted(law, component, ceiling):
        return False
    return ceiling.what == "CPU" or (ceiling.what.startswith("connections") and law.lifts == "threads")


def _is_lifted(law: Law, component: str, ceiling: Ceiling) -> bool:
    """Return whether a ceiling of a component is one that the law lifts; connections wherever they lead."""
    is_pool = law.lifts == "connections" and ceiling.what.startswith("connections to ")
    return ceiling.component == component and (ceiling.what == law.lifts or is_pool)


def _times(ratio: float) -> str:
    return f"{ratio:.2f}".rstrip("0").rstrip(".") + label(" times")
