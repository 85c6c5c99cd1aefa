"""Check G16: whether somebody else loads the server while it is measured.

The trial's figures are then of two loads, and only one of the two is known. The server's own count of
requests tells most, then the bytes that came over connections of others; where neither is known, open
connections of others are only a suspicion. A connection that is held open and sends nothing is no load.
"""

from collections.abc import Iterator

from loadrig.base.units import show_share
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.checks import TrialCheckOthersTexts
from loadrig.recording.manifest_document import OthersDocument
from loadrig.trial.evidence import ValidityEvidence
from loadrig.trial.reasons import NotApplicable, Reason, Remark

TEXTS = texts_of(TrialCheckOthersTexts)

DISTURBED_SHARE = 0.01
"""Share of the requests or bytes, 0 to 1, from others above which G16 says that a trial was disturbed. A
health check once a second beside a hundred requests a second is below it, and moves no figure by more than
figures of two equal trials differ."""

MEND = TEXTS.mend


def g16_others(run: ValidityEvidence) -> Iterator[Remark]:
    """Check for requests of others, by the server's own counters, else by its connections."""
    others = run.others
    most = max(run.served, key=lambda served: served.share, default=None) if not run.has_websockets else None
    if most is not None and most.share > DISTURBED_SHARE:
        text = TEXTS.somebody_else_sent(show_share(most.share))
        text += TEXTS.least_probe_disturbs(f"{most.others:,.0f}", f"{most.counted:,.0f}", most.probe)
        text += f" {show_share(DISTURBED_SHARE)}){_by(others)}"
        yield Reason("G16", "disturbed", text, MEND, min(1.0, most.share))
        return
    if others is None or others.unknown:
        if most is None:
            why = others.unknown if others else TEXTS.nobody_watched_who
            yield NotApplicable("G16", why)
        return
    if not others.seen_in:
        return
    if not others.is_counted:
        if most is None:
            text = TEXTS.somebody_else_suspected(str(others.connections))
            text += TEXTS.not_rig_what(_by(others))
            yield Reason("G16", "note", text, MEND)
        return
    every = others.bytes + run.sent_bytes
    share = others.bytes / every if every else 0.0
    if share > DISTURBED_SHARE:
        text = TEXTS.somebody_else_sent_bytes(show_share(share))
        text += TEXTS.connections_once_disturbs(str(others.connections), show_share(DISTURBED_SHARE))
        yield Reason("G16", "disturbed", text + _by(others), MEND, share)


def _by(others: OthersDocument | None) -> str:
    """Return the names of clients as the end of a sentence: those with the most bytes first."""
    clients = [client.who for client in others.clients] if others else []
    return f": {', '.join(clients[:3])}{TEXTS.and_others if len(clients) > 3 else ''}" if clients else ""
