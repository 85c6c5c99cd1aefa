"""Death of the server under test while it was loaded, seen as it happens.

Two things are seen and kept in the manifest (`death`): its root process ended, or every connection was
refused from some instant on. What is said of it later is made of that alone.
"""

import signal
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from loadrig.base.clock import NS
from loadrig.base.errors import TargetError
from loadrig.base.units import show_duration
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.trial import TrialDeathErrors
from loadrig.language.en.trial.endings import TrialDeathTexts
from loadrig.recording.frame import Frame
from loadrig.trial.out_of_memory import KillCounts

if TYPE_CHECKING:  # needed once a server has failed
    from loadrig.recording.manifest_document import DeathDocument

TEXTS, ERRORS = texts_of(TrialDeathTexts), texts_of(TrialDeathErrors)

REFUSED = "connect_refused"
REFUSED_UNTIL_GONE_S = 30.0
"""Seconds of nothing but refused connections after which a running load is ended. A server that is restarted
by its supervisor is back earlier: a JVM with a large application takes some twenty seconds."""

REFUSED_AT_END_S = 1.0
REFUSED_AT_END = 3
"""Seconds, and requests, of nothing but refused connections at the end of a load that are enough: whether the
server would have come back is not known, and is not said."""

ENDS_WITHIN_S = 0.25
"""Longest wait for the end of a dying process, in seconds: it closes its connections before its parent is
told of its end."""

SHOWN_LINES = 12
"""Number of last lines of the server's log that are shown and kept."""

OURS = frozenset({"no_ports", "no_descriptors"})
"""Outcomes of requests that the generator itself could not make."""

SHELL_SIGNALS_FROM = 128
"""Exit code of a shell whose child was ended by a signal, less the number of the signal."""


class LifeWatch:
    """Watch over the server's life: whether it dies or goes away.

    Made by the trial's runner once the server runs.

    running: the running target. start_ns: when the load began, on the rig's clock; set later.
    """

    def __init__(self, running: Any) -> None:
        self._running = running
        self._counts = KillCounts.of(running.target.pid)
        self._answered_ns: int | None = None
        self._since_answer: Counter[str] = Counter()
        self.start_ns = time.monotonic_ns()

    def see(self, frame: Frame) -> None:
        """Add a frame of the generator."""
        if frame.answered:
            self._answered_ns = frame.end_ns
            self._since_answer.clear()
        else:
            for row in frame.routes:
                self._since_answer[row.outcome] += row.count

    def death(self, now_ns: int) -> "DeathDocument | None":
        """Return how the server has failed by now; None while it lives."""
        if not self._running.alive():
            return self._ended(now_ns)
        return self._refused(now_ns, REFUSED_UNTIL_GONE_S)

    def death_at_end(self, now_ns: int) -> "DeathDocument | None":
        """Return how the server has failed once the load is over.

        A process that has ended counts where requests failed.
        """
        if not self._since_answer.keys() - OURS:
            return None
        deadline = time.monotonic() + ENDS_WITHIN_S
        while self._running.alive() and time.monotonic() < deadline:
            time.sleep(0.01)
        if not self._running.alive():
            return self._ended(now_ns)
        return self._refused(now_ns, REFUSED_AT_END_S)

    def _ended(self, now_ns: int) -> "DeathDocument":
        from loadrig.recording.manifest_document import DeathDocument

        pid = self._running.target.pid
        status = getattr(self._running, "exit_status", None)
        is_killed = status is None or status == -signal.SIGKILL
        return DeathDocument(
            kind="died",
            t_ns=now_ns,
            after_s=round((now_ns - self.start_ns) / NS, 1),
            pid=pid,
            exit_status=status if status is not None and status >= 0 else None,
            signal=_signal_name(-status) if status is not None and status < 0 else None,
            out_of_memory=self._counts.evidence(pid) if is_killed else None,
            last_lines=tuple(self._running.last_lines(SHOWN_LINES)),
        )

    def _refused(self, now_ns: int, for_s: float) -> "DeathDocument | None":
        refused = self._since_answer[REFUSED]
        if self._answered_ns is None or refused < REFUSED_AT_END or now_ns - self._answered_ns < for_s * NS:
            return None
        from loadrig.recording.manifest_document import DeathDocument

        after_s = round((self._answered_ns - self.start_ns) / NS, 1)
        return DeathDocument(kind="gone", t_ns=self._answered_ns, after_s=after_s, refused=refused)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has no name of its own
        return TEXTS.signal(str(number))


def error_of(death: "DeathDocument") -> TargetError:
    """Return the error that ends a trial whose server has failed."""
    return TargetError.of(
        ERRORS.target_died(sentence(death).rstrip("."), bool(death.last_lines)),
        code="trial.target-died",
        detail=death.last_lines,
    )


def sentence(death: "DeathDocument") -> str:
    """Return how the server died or went away, as one sentence."""
    when = TEXTS.after_load_began(show_duration(death.after_s))
    if death.kind == "gone":
        return TEXTS.server_went_away(when, f"{death.refused:,}")
    return TEXTS.server_died(when, _how(death))


def _how(death: "DeathDocument") -> str:
    status, by = death.exit_status, death.signal
    if by:
        how = TEXTS.was_ended_by(by)
    elif isinstance(status, int):
        how = TEXTS.exited_status(str(status))
        if SHELL_SIGNALS_FROM < status < SHELL_SIGNALS_FROM + signal.NSIG:
            how += TEXTS.shell_does_whose(_signal_name(status - SHELL_SIGNALS_FROM))
    else:
        how = TEXTS.process_gone_only(str(death.pid))
    return how + (_MEMORY[death.out_of_memory] if isinstance(death.out_of_memory, str) else "")


_MEMORY = {
    "kernel_log": TEXTS.memory_kernel_log,
    "control_group": TEXTS.memory_control_group,
    "machine": TEXTS.memory_machine,
}
