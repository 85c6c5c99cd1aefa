"""Check G16: whether somebody else loads the server while it is measured.

The trial's figures are then of two loads, and only one of the two is known. The server's own count of
requests tells most, then the bytes that came over connections of others; where neither is known, open
connections of others are only a suspicion. A connection that is held open and sends nothing is no load.
"""

from collections.abc import Iterator

from loadrig.base.units import show_share
from loadrig.recording.manifest_document import OthersDocument
from loadrig.trial.evidence import ValidityEvidence
from loadrig.trial.reasons import NotApplicable, Reason, Remark

DISTURBED_SHARE = 0.01
"""Share of the requests or bytes, 0 to 1, from others above which G16 says that a trial was disturbed. A
health check once a second beside a hundred requests a second is below it, and moves no figure by more than
figures of two equal trials differ."""

MEND = "stop the other load, or measure a copy of the server that nobody else uses"


def g16_others(run: ValidityEvidence) -> Iterator[Remark]:
    """Check for requests of others, by the server's own counters, else by its connections."""
    seen = run.others
    most = max(run.served, key=lambda served: served.share, default=None) if not run.has_websockets else None
    if most is not None and most.share > DISTURBED_SHARE:
        text = f"somebody else sent {show_share(most.share)} of the requests that the server counted"
        text += f" (at least {most.others:,.0f} of {most.counted:,.0f}, by probe {most.probe}; disturbs above"
        text += f" {show_share(DISTURBED_SHARE)}){_by(seen)}"
        yield Reason("G16", "disturbed", text, MEND, min(1.0, most.share))
        return
    if seen is None or seen.unknown:
        if most is None:
            why = seen.unknown if seen else "nobody watched who else is connected to the server"
            yield NotApplicable("G16", why)
        return
    if not seen.seen_in:
        return
    if not seen.is_counted:
        if most is None:
            text = f"somebody else is suspected to use the server: {seen.connections} of its connections"
            text += f" were not the rig's{_by(seen)}, and what came over them is not counted"
            yield Reason("G16", "note", text, MEND)
        return
    every = seen.bytes + run.sent_bytes
    share = seen.bytes / every if every else 0.0
    if share > DISTURBED_SHARE:
        text = f"somebody else sent {show_share(share)} of the bytes that the server received, over"
        text += f" {seen.connections} connections at once (disturbs above {show_share(DISTURBED_SHARE)})"
        yield Reason("G16", "disturbed", text + _by(seen), MEND, share)


def _by(seen: OthersDocument | None) -> str:
    """Return the names of clients as the end of a sentence: those with the most bytes first."""
    clients = [client.who for client in seen.clients] if seen else []
    return f": {', '.join(clients[:3])}{' and others' if len(clients) > 3 else ''}" if clients else ""
