"""Measures that are compared: those that decide, and the difference of each that does not matter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from loadrig.base import members
from loadrig.base.errors import PlanError, Span
from loadrig.base.members import nearest
from loadrig.base.units import parse_share
from loadrig.comparing.side import CAPACITY, MEASURES, OF_ROUTES, Side, kind_of
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.comparing import ComparingYardsticksErrors
from loadrig.plan.arrivals import CLOSED
from loadrig.study.yardstick import Yardstick

ERRORS = texts_of(ComparingYardsticksErrors)

OF_CAPACITY = Yardstick(CAPACITY, "1/s", "higher", 0.03)
"""Yardstick of the capacity that `loadrig capacity` found: it is no measure of a single recording."""

BESIDE_CAPACITY = ("cpu_per_request", "memory", "core_speed")
"""Measures that a search tells beside the capacity.
Its latency is not one of them: it is that right below each side's own capacity, so of two loads."""

BESIDE = ("throughput", "p50", "p95", "p99", "errors", "cpu_per_request", "memory", "core_speed")
"""Measures that are compared beside what decides, where both sides have them."""

BESIDE_IMPORTED = ("throughput", "service_p50", "service_p95", "service_p99", "errors")
"""Measures that are compared beside what decides where another tool made a load.
Such a tool counts from the send, and watches nothing."""


@dataclass(frozen=True, slots=True)
class AskedYardsticks:
    """Measures of a comparison. deciding: their verdict is the comparison's; beside: all others shown."""

    deciding: tuple[Yardstick, ...]
    beside: tuple[Yardstick, ...]


def asked(
    a: Side, b: Side, names: Sequence[str] = (), within: Mapping[str, float] | None = None
) -> AskedYardsticks:
    """Return the measures of a comparison. names: as a user named them; within: margins by name, "" for all.

    By default throughput decides where users wait for their answers, p95 where they do not, and errors in
    both; the capacity where both sides searched for it; where another tool made a load, the p95 of the
    service times, which is all that it knows.
    Raises PlanError `compare.unknown-measure` for a name that neither side knows.
    """
    margins = within or {}
    common = _in_common(a, b)
    for name in names:
        if name not in common:
            raise _unknown(name, list(common))
    if names:
        first = tuple(names)
    elif CAPACITY in common:
        first = (CAPACITY,)
    else:
        first = ("throughput" if a.model in CLOSED else "p95", "errors")
        if a.tool or b.tool:
            # Only service times are on both sides.
            first = ("service_p95", "errors")
    deciding = tuple(common[name] for name in first if name in common)
    beside_names = BESIDE_IMPORTED if a.tool or b.tool else BESIDE
    beside = tuple(common[name] for name in beside_names if name in common and name not in first)
    return AskedYardsticks(
        tuple(_with_margin(by, margins) for by in deciding), tuple(_with_margin(by, margins) for by in beside)
    )


def margins_of(texts: Sequence[str]) -> dict[str, float]:
    """Return margins as typed: "3%" for all measures that are compared as ratios, "p95=10%" for one.

    Raises PlanError `cli.wrong-argument`.
    """
    margins = {}
    for text in texts:
        name, _, share = text.rpartition("=")
        try:
            value = float(parse_share(share))
            if not 0 < value < 1:
                raise ValueError(ERRORS.no_margin(repr(share)))
        except ValueError as error:
            raise PlanError.of(
                ERRORS.wrong_margin(str(error)), code="cli.wrong-argument", where=Span("--equal-within")
            ) from None
        margins[name] = value
    return margins


def can_have_route(by: Yardstick) -> bool:
    """Return whether the measure says something of a single route.

    A route's throughput does not: it is the share of the load that was asked of the route.
    """
    return kind_of(by.name)[1] in OF_ROUTES or by.name == "errors"


def _in_common(a: Side, b: Side) -> dict[str, Yardstick]:
    """Return the measures that both sides have, by name."""
    yardsticks = {}
    unit = a.unit(CAPACITY)
    is_searched = unit is not None and b.unit(CAPACITY) == unit
    if unit is not None and is_searched:
        yardsticks[CAPACITY] = replace(OF_CAPACITY, unit=unit)
    for name in members.names(MEASURES):
        module = members.load(MEASURES, name)
        if a.unit(name) and b.unit(name) and (not is_searched or name in BESIDE_CAPACITY):
            yardsticks[name] = Yardstick(name, module.UNIT, module.BETTER, float(module.EQUAL_WITHIN))
    return yardsticks


def _with_margin(by: Yardstick, margins: Mapping[str, float]) -> Yardstick:
    plain = margins.get("") if by.scale == "ratio" else None
    margin = margins.get(by.name, plain)
    return by if margin is None else replace(by, equal_within=margin)


def _unknown(name: str, common: list[str]) -> PlanError:
    exists = name in members.names(MEASURES)
    wording = ERRORS.measure_on_one_side if exists else ERRORS.unknown_measure
    return PlanError.of(
        wording(name, nearest(name, common) or "", ", ".join(common)),
        code="compare.unknown-measure",
        where=Span("--measure"),
    )
