"""From the answer of a search to its document: what a study's result holds of it."""

from collections.abc import Mapping

from loadrig.base.clock import NS
from loadrig.base.documents import ABSENT
from loadrig.base.estimate import Estimate
from loadrig.recording.reader import Recording
from loadrig.study.capacity.document import CapacityDocument, Interval, OfferedLevel, SaturationDocument
from loadrig.study.capacity.experiment import Replayed
from loadrig.study.capacity.probe import DoneProbe

SHOWN = (0.5, 0.95, 0.99)
"""Quantiles of the good answers' response times at each level."""


def document(recording: Recording, replayed: Replayed) -> CapacityDocument:
    """Return the answer of a search as a document."""
    answer = replayed.search.answer()
    capacity = answer.capacity
    value = capacity.value if capacity else None
    is_closed = answer.unit == "users"
    return CapacityDocument(
        rps=ABSENT if is_closed else value,
        users=value if is_closed else ABSENT,
        interval=_interval(capacity),
        unit=answer.unit,
        why_ended=answer.why,
        at_least=answer.at_least,
        at_most=answer.at_most,
        binding=answer.binding,
        confirmed=answer.confirmed,
        saturation=_saturation(answer.saturation),
        knee=answer.knee,
        usl=answer.usl,
        beyond=answer.beyond,
        nearest=answer.nearest,
        needed=answer.needed,
        seconds=answer.took_s,
        probes=tuple(_level(probe, recording, replayed) for probe in answer.probes),
        warnings=answer.warnings,
    )


def _interval(estimate: Estimate | None) -> Interval | None:
    if estimate is None or estimate.low is None or estimate.high is None:
        return None
    return estimate.low, estimate.high


def _saturation(estimate: Estimate | None) -> SaturationDocument | None:
    interval = _interval(estimate)
    if estimate is None or interval is None:
        return None
    return SaturationDocument(value=estimate.value, interval=interval, unit=estimate.unit)


def _level(probe: DoneProbe, recording: Recording, replayed: Replayed) -> OfferedLevel:
    window, span = probe.window, replayed.window(probe)
    start_ns = recording.start_ns
    return OfferedLevel(
        kind=probe.kind,
        level=probe.level,
        at_s=probe.at_s,
        settled_s=probe.settled_s,
        seconds=window.seconds,
        throughput=window.throughput,
        response_s=window.response_s,
        in_flight=window.in_flight,
        failed=window.failed,
        ended=window.done,
        verdict=probe.verdict,
        leans=probe.leans,
        sure=probe.sure,
        diverged=probe.diverged,
        why=probe.why,
        goals=probe.goals,
        from_s=(span[0] - start_ns) / NS if span else None,
        to_s=(span[1] - start_ns) / NS if span else None,
        response=_response(recording, span) if span else {},
    )


def _response(recording: Recording, span: tuple[int, int]) -> Mapping[str, float]:
    """Return the quantiles of the good answers between two instants, in seconds; empty without any."""
    # A histogram's window begins where the frame before the probe's first frame ended.
    histogram = recording.histogram(outcome="ok", from_ns=span[0], to_ns=span[1])
    if not histogram.count:
        return {}
    return {f"p{share * 100:g}": histogram.quantile_ns(share) / NS for share in SHOWN}
