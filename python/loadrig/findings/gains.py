"""What a mend would gain, foretold by arithmetic, so that a mend that was tried can be held against it.

A gain is a ratio: good answers a second with the mend over those without it. A cause's file says as GAIN by
which law they follow; the next limits, and what the load asks for, end it.
Sources: Amdahl 1967, AFIPS 30, 483-485 (a share that is taken away); Lazowska et al. 1984, Quantitative
System Performance, ch. 5 (a capacity, and the next one behind it) and 6 (slots that queue for the CPU).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from loadrig.base import members
from loadrig.base.units import show_number
from loadrig.findings.proofs import ROOM, speaks_of
from loadrig.stats import closed

Json = Mapping[str, Any]

HELD = 0.9
"""Of the slots in use, from which on all of them are taken to be."""


@dataclass(frozen=True, slots=True)
class Law:
    """How good answers follow a mend; a cause's GAIN.

    way: "capacity": in proportion to it. "slots": in proportion, as far as those who hold one do not queue
    for a CPU, until nobody waits for one any more, which is at 1 / (1 - bound). "share": what it takes of a
    request or of the time is gone. "part": what it takes falls as its knob is raised.
    lifts: of the accused, the ceiling that goes up with the mend: "CPU", "threads", "connections"; "all": so
    much of what requests cost goes with it that no ceiling of now ends it.
    of: the kinds of the cause, by how `detail` begins; empty: all. Of the others nothing is foretold.
    """

    way: Literal["capacity", "slots", "share", "part"]
    lifts: str = ""
    of: tuple[str, ...] = ()


def without(share: float) -> float | None:
    """By how much work grows when a share (0…1) of what it takes is gone; None for all of it, or NaN."""
    return 1 / (1 - share) if 0 <= share < 1 else None


def law_of(module: object, detail: str) -> Law | None:
    """The law that a cause's file declares for a finding of this detail."""
    law: Law | None = getattr(module, "GAIN", None)
    return law if law is not None and speaks_of(law.of, detail) else None


def whole(
    law: Law,
    component: str,
    reach: float | None,
    ceilings: Iterable[Json],
    good_rps: float,
    offered_rps: float | None = None,
) -> float | None:
    """The gain where the cause is taken away altogether; None where nothing can be foretold.

    reach: by the cause's own arithmetic, 1 / (1 - bound); None where it knows no end. ceilings: as in a
    diagnosis. good_rps: answered well a second at present. offered_rps: due a second, of an open load.
    """
    if good_rps <= 0:
        return None
    ends = [reach] if reach is not None and law.way != "capacity" else []
    ends += [end for end, _ in _limits(law, component, ceilings, good_rps, offered_rps) if end is not None]
    found = min(ends, default=math.inf)
    # What was offered ends it, and alone tells nothing of the cause.
    is_known = len(ends) > (offered_rps is not None)
    return max(1.0, found) if is_known and math.isfinite(found) else None


def predicted(
    finding: Json,
    ceilings: Sequence[Json],
    good_rps: float,
    ratio: float | None,
    offered_rps: float | None = None,
) -> tuple[float, str] | None:
    """The gain of a mend that was or will be tried, and its arithmetic as a clause.

    finding, ceilings: as in a result. good_rps: answered well a second without the mend. ratio: of the knob
    or capacity, with the mend over without; None where it is none (a flag, a word). offered_rps: due a
    second, of an open load, beyond which nothing can be answered. None where nothing can be foretold.
    """
    law = law_of(members.load(ROOM, str(finding["cause"])), str(finding.get("detail") or ""))
    if law is None or not good_rps > 0 or (ratio is not None and not (0 < ratio < math.inf)):
        return None
    own = _of_slots(law, finding, ceilings, good_rps, ratio) or _own(law, finding, ratio)
    if own is None:
        return None
    gain, said = own
    for end, why in _limits(law, str(finding["component"]), ceilings, good_rps, offered_rps):
        if end < gain:
            gain, said = max(1.0, end), f"{said}; {why}"
    return gain, said


def _of_slots(
    law: Law, finding: Json, ceilings: Sequence[Json], good_rps: float, ratio: float | None
) -> tuple[float, str] | None:
    """What more slots give where it is known how many there are, and what those queue for who hold one.

    None where it is not, or where those who wait for a slot are fewer than the new ones.
    """
    if law.way != "slots" or law.lifts != "threads" or ratio is None or ratio <= 1:
        return None
    held = next((one for one in ceilings if _is_lifted(law, str(finding["component"]), one)), None)
    if held is None or float(held["used_share"]) < HELD:
        return None
    reach = without(finding["bound"]) if finding.get("bound") is not None else None
    if reach is not None and reach < ratio:
        return None
    slots, queues = round(float(held["servers"])), [one for one in ceilings if one["what"] == "CPU"]
    demands_s = [1 / float(one["rps"]) for one in queues]
    delay_s = closed.delay_of(slots, good_rps, demands_s)
    more = round(slots * ratio)
    gain = closed.throughput(more, delay_s, demands_s) / closed.throughput(slots, delay_s, demands_s)
    where = " and ".join(f"the CPU of {one['component']}" for one in queues)
    return gain, (
        f"{_times(ratio)} as much of it, {slots} to {more}, who queue for {where}: {_times(gain)} as many"
        " answers (mean value analysis)"
    )


def _own(law: Law, finding: Json, ratio: float | None) -> tuple[float, str] | None:
    """What the law itself says, before any other limit."""
    bound, whole_gain = finding.get("bound"), finding.get("gain")
    if law.way in ("capacity", "slots"):
        if ratio is None:
            return None
        said = f"{_times(ratio)} as much of it"
        reach = without(bound) if law.way == "slots" and bound is not None else None
        if reach is None or reach >= ratio:
            return ratio, f"{said}: {_times(ratio)} as many answers"
        return reach, f"{said}, and nobody waits for it any more at {_times(reach)} (1 / (1 - {bound:.2f}))"
    reach = whole_gain if whole_gain is not None else without(bound) if bound is not None else None
    if reach is None:
        return None
    share = 1 - 1 / reach
    if law.way == "share" or ratio is None:
        return reach, f"without it: 1 / (1 - {share:.2f}) = {_times(reach)} as many answers"
    if ratio < 1:
        return None
    left = share / ratio
    gain = (1 - left) / (1 - share)
    return gain, (
        f"{_times(ratio)} as much leaves {left:.2f} of the {share:.2f} that it takes:"
        f" (1 - {left:.2f}) / (1 - {share:.2f}) = {_times(gain)} as many answers"
    )


def _limits(
    law: Law, component: str, ceilings: Iterable[Json], good_rps: float, offered_rps: float | None
) -> list[tuple[float, str]]:
    """What ends a gain, each as a ratio with its clause, the nearest first."""
    found = []
    for one in ceilings:
        if _is_next(law, component, one):
            end = max(1.0, float(one["rps"]) / good_rps)
            why = f"{one['what']} of {one['component']} is full at {show_number(one['rps'])}/s"
            found.append((end, f"{why}: {_times(end)}"))
    if offered_rps is not None:
        end = max(1.0, offered_rps / good_rps)
        found.append((end, f"no more than {show_number(offered_rps)}/s are due: {_times(end)}"))
    return sorted(found)


def _is_lifted(law: Law, component: str, ceiling: Json) -> bool:
    """Whether a ceiling is that of the slots themselves, with their number."""
    return ceiling["component"] == component and _is_of(law, ceiling) and "servers" in ceiling


def _is_next(law: Law, component: str, ceiling: Json) -> bool:
    """Whether a ceiling stays where it is when the cause is gone.

    CPU that a request takes is its own. Threads and connections are held while their requests wait for what
    is mended, too, and are free sooner then: only connections say something where it is the threads in front
    of them that are short.
    """
    if law.lifts == "all" or (ceiling["component"] == component and _is_of(law, ceiling)):
        return False
    what = str(ceiling["what"])
    return what == "CPU" or (what.startswith("connections") and law.lifts == "threads")


def _is_of(law: Law, ceiling: Json) -> bool:
    """Whether a ceiling is of what the law lifts; of connections whatever they lead to."""
    what = str(ceiling["what"])
    return what == law.lifts or (law.lifts == "connections" and what.startswith("connections to "))


def _times(ratio: float) -> str:
    return f"{ratio:.2f}".rstrip("0").rstrip(".") + " times"
