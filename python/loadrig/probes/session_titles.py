"""Sessions of a PostgreSQL, by what it writes into the titles of its processes: no password is needed.

## What it reads

/proc/PID/cmdline of the server's children, ten times a second at random instants. A session writes there who
is served and what goes on: `postgres: shop shop 10.0.0.5(40512) UPDATE waiting`.

## How to read it

`sessions` is the mean number of sessions of clients in a state: `working` on a statement, `waiting` for a
lock that another session has, `committing`, `idle in transaction` (lent to a client that does something
else), `idle`. Sessions that wait for the disk or for a core count as working. `commands` is the mean number
of those at work or waiting, by command. Where `update_process_title` is off, as it is on Windows, the titles
stand still, and a note says so.

## Cost

9 µs of one core for a session, ten times a second; fewer looks where that is more than a hundredth of a core.
Measured on Linux 6.18, Python 3.11.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.members import only
from loadrig.base.series import Metric, Sample
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_databases import ProbesPostgresqlErrors
from loadrig.probes._counting import SubjectValues
from loadrig.probes._databases.looks import DatabaseLook, Looks, with_deviations
from loadrig.probes._databases.statements import Levels
from loadrig.probes._session import Place, Session, Unavailable, read
from loadrig.probes._watch import ERRORS as WATCH_ERRORS
from loadrig.probes._watch import Options as Options
from loadrig.probes._watch import Watch, ended, process_of, samples_of

ERRORS = texts_of(ProbesPostgresqlErrors)

EFFECTS: tuple[ServerEffect, ...] = ()
ONLY = {"kind": ("postgresql",)}

METRICS: Mapping[str, Metric] = with_deviations(
    {
        "sessions": Metric("1", "gauge", "Mean number of sessions of clients, by state."),
        "commands": Metric("1", "gauge", "Mean number of sessions at work or waiting, by command."),
    }
)

EVENTS: Mapping[str, str] = {"note": "What the titles do not say, and why."}

STATES = ("working", "waiting", "committing", "idle in transaction", "idle")

_SESSION = re.compile(r"^postgres: (?:.* )?(?:\[local\]|[0-9a-fA-F.:%\w-]+\(\d+\))(?: (?P<activity>.*))?$")
"""Title of a client's session: after its host and port, or [local], comes what it does."""

LEAVE_S = 1.0
"""Seconds that `detach` waits for a look under way: one takes milliseconds."""

_WAITING = " waiting"
_ENDING = ("COMMIT", "PREPARE TRANSACTION", "ROLLBACK")
_STARTING = ("authentication", "startup", "initializing")


def parse_titles(titles: Iterable[str]) -> tuple[Counter[str], Counter[str], int]:
    """Count sessions by state and by command, and those whose title says of no activity."""
    states, commands, silent = Counter[str](), Counter[str](), 0
    for title in titles:
        match = _SESSION.match(title.replace("\0", " ").rstrip())
        if match is None:
            continue
        activity = match["activity"] or ""
        command = activity.removesuffix(_WAITING)
        if not activity:
            silent += 1
        elif activity.startswith("idle in transaction"):
            states["idle in transaction"] += 1
        elif command in ("idle", *_STARTING):
            states["idle"] += 1
        else:
            is_waiting = command != activity
            states["waiting" if is_waiting else "committing" if command in _ENDING else "working"] += 1
            commands[command] += 1
    return states, commands, silent


class SessionTitlesWatch(Watch):
    """Session of the probe. pid: the server's first process, whose children the sessions are."""

    probe = "session_titles"

    def __init__(self, pid: int, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._pid = pid
        self._commands = Levels()
        self._silent = 0
        self.looks = Looks(self.look)

    @property
    def cpu_s(self) -> float:
        """CPU seconds of the looks."""
        return self.looks.cpu_s

    def look(self) -> DatabaseLook | None:
        """Look at the titles of all sessions; None where none says what goes on."""
        states, commands, self._silent = parse_titles(self._titles())
        if self._silent and not states:
            return None
        counts: SubjectValues = {("sessions", state): float(states[state]) for state in STATES}
        named = self._commands.add(commands)
        return DatabaseLook(counts | {("commands", command): n for command, n in named.items()})

    def sample(self, t_ns: int) -> list[Sample]:
        """Return the means of the looks since the last sample. Raises Lost when the server has ended."""
        if read(self.root / f"proc/{self._pid}/cmdline") is None:
            raise ended(self._pid)
        if self._silent:
            self.note_once(t_ns, ERRORS.titles_silent)
        return samples_of(t_ns, self.probe, self.looks.take())

    def detach(self) -> None:
        """End the looks."""
        self.looks.close(LEAVE_S)

    def _titles(self) -> Iterator[str]:
        children = self.text(f"proc/{self._pid}/task/{self._pid}/children")
        for child in children.split():
            yield self.text(f"proc/{child}/cmdline")


fits = only(ONLY)


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable where the server's process or its children are not known."""
    del options
    pid = process_of(component)
    children = f"proc/{pid}/task/{pid}/children"
    if read(place.root / children) is None:
        raise Unavailable.of(WATCH_ERRORS.no_kernel_file(children), code="probe.not-readable")
    return SessionTitlesWatch(pid, place.root)
