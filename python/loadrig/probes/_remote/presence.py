"""Presence of an observer on another host: its gaps, and the reasons why it is not there, each told once."""

import time
from collections import deque

from loadrig.base.clock import NS
from loadrig.base.component import HOST
from loadrig.base.series import Event
from loadrig.base.unavailable import Unavailable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_remote import ProbesRemotePresenceErrors
from loadrig.probes._observer import Sink

ERRORS = texts_of(ProbesRemotePresenceErrors)


class Presence:
    """Presence of a host. Gaps and reasons become events for the sink, and notes for a person."""

    def __init__(self, name: str, sink: Sink, notes: deque[str]) -> None:
        self._name, self._where, self._sink, self._notes = name, f"{name}/{HOST}", sink, notes
        self._was_there = False
        self._lost_ns: int | None = None
        self._noted: set[str] = set()

    def begin(self) -> bool:
        """Note that the host is observed from now on. Return whether it is for the first time."""
        is_first, self._was_there = not self._was_there, True
        if self._lost_ns is not None:
            now_ns = time.monotonic_ns()
            seconds = (now_ns - self._lost_ns) / NS
            text = ERRORS.observed_again(self._name, f"{seconds:.0f}")
            self._sink.event(Event(now_ns, "gap_over", self._name, text, {"gap_s": seconds}, self._where))
            self._lost_ns = None
        return is_first

    def lose(self, missing: Unavailable, last_words: list[str], heard_ns: int | None) -> None:
        """Note that the host is not observed (any more), and tell it once for each reason.

        last_words: of the command. heard_ns: when it was last heard; None if it never was.
        """
        facts = {"code": missing.code, "mend": missing.mend, "said": last_words}
        why = ERRORS.why(missing.reason, last_words[-1] if last_words else "", missing.mend)
        if self._was_there and self._lost_ns is None and heard_ns is not None:
            self._lost_ns = heard_ns
            text = ERRORS.no_longer_observed(self._name, why)
            self._sink.event(Event(heard_ns, "gap", self._name, text, facts, self._where))
        elif missing.code not in self._noted:
            text = ERRORS.not_observed(self._name, why)
            self._sink.event(Event(time.monotonic_ns(), "note", self._name, text, facts, self._where))
        else:
            return
        self._noted.add(missing.code)
        self._notes.append(text)
