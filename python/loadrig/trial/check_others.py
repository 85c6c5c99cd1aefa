"""Check G16: whether somebody else loads the server while it is measured.

Its figures are then of two loads, and only one of them is known. The server's own count of requests tells
most, then the bytes that came over connections of others; where neither is known, open connections of
others are only a suspicion. A connection that is held open and sends nothing is none.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from loadrig.base.units import show_share
from loadrig.trial.evidence import Evidence
from loadrig.trial.reasons import NotApplicable, Reason, Remark

DISTURBED_SHARE = 0.01
"""Of requests or bytes. A health check once a second beside a hundred requests a second is below it, and
moves no figure by more than figures of two equal trials differ."""

MEND = "stop the other load, or measure a copy of the server that nobody else uses"


def g16_others(run: Evidence) -> Iterator[Remark]:
    """Requests of others, by the server's own counters, else by its connections."""
    seen = run.others
    told = max(run.served, key=lambda one: one.share, default=None) if not run.has_websockets else None
    if told is not None and told.share > DISTURBED_SHARE:
        text = f"somebody else sent {show_share(told.share)} of the requests that the server counted"
        text += f" (at least {told.others:,.0f} of {told.counted:,.0f}, by probe {told.probe}; disturbs above"
        text += f" {show_share(DISTURBED_SHARE)}){_by(seen)}"
        yield Reason("G16", "disturbed", text, MEND, min(1.0, told.share))
        return
    if seen is None or "unknown" in seen:
        if told is None:
            why = seen["unknown"] if seen else "nobody watched who else is connected to the server"
            yield NotApplicable("G16", why)
        return
    if not seen["seen_in"]:
        return
    if not seen["is_counted"]:
        if told is None:
            text = f"somebody else is suspected to use the server: {seen['connections']} of its connections"
            text += f" were not the rig's{_by(seen)}, and what came over them is not counted"
            yield Reason("G16", "note", text, MEND)
        return
    every = seen["bytes"] + run.sent_bytes
    share = seen["bytes"] / every if every else 0.0
    if share > DISTURBED_SHARE:
        text = f"somebody else sent {show_share(share)} of the bytes that the server received, over"
        text += f" {seen['connections']} connections at once (disturbs above {show_share(DISTURBED_SHARE)})"
        yield Reason("G16", "disturbed", text + _by(seen), MEND, share)


def _by(seen: Mapping[str, Any] | None) -> str:
    """Who it was, the clients with the most bytes first."""
    clients = [str(one["who"]) for one in (seen or {}).get("clients", ())]
    return f": {', '.join(clients[:3])}{' and others' if len(clients) > 3 else ''}" if clients else ""
