"""Ledger of a study: its trials, written down so that nothing measured is ever lost or run again.

One JSON object a line, appended and forced to the disk before the study goes on:

    {"kind": "study", "ledger": 1, "name": …, "commit": …, "identity": {…}, "created": …, "machine": {…}}
    {"kind": "trial", "index": 1, "block": 0, …}
    {"kind": "lost", "node": "node2", "block": 3, "index": 31, "why": …}
    {"kind": "end", "why": "done"}

The first line stands once; there may be several ends (a study that was finished may go on with more
blocks). A trial that was lost with its node has no line of its own, and runs again. A last line without its
newline was torn by a kill: it is dropped, and its trial runs again.
"""

import errno
import fcntl
import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from loadrig import __version__
from loadrig.base import known_secrets, private, user_files
from loadrig.base.commits import commit_of
from loadrig.base.errors import PlanError
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.study import StudyLedgerErrors
from loadrig.language.labels import joined
from loadrig.plan.model import Plan
from loadrig.recording.documents import renamed
from loadrig.recording.files import making, sync_folder
from loadrig.study.identity import differing, identity
from loadrig.study.trials import DoneTrial, line_of

ERRORS = texts_of(StudyLedgerErrors)

VERSION = 1

MOST_BYTES = user_files.MOST_DOCUMENT_BYTES
"""Largest ledger that is read, in bytes; a line is a trial and has some 2 kB."""

_LINE_BEGINS = b'{"kind": "'
"""Beginning of each line: what else stands at the end of a file was torn off no line of a ledger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerHead:
    """First line of a ledger: the study. A standard dataclass, as no first request waits for msgspec.

    commit: that of the server's source, None without one. identity: digests of the plan's parts.
    created: ISO 8601, UTC. machine: facts of the machine, as in a manifest.
    """

    kind: Literal["study"] = "study"
    ledger: int = VERSION
    loadrig: str = ""
    name: str = ""
    strategy: str = ""
    commit: str | None = None
    identity: Mapping[str, str]
    created: str = ""
    machine: Mapping[str, Any] | None = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEnd:
    """Line of a ledger where the study came to an end. why: the reason in a word."""

    kind: Literal["end"] = "end"
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerLoss:
    """Line of a ledger where a node was lost. index, block: of the trial that ran on it, and is run again."""

    kind: Literal["lost"] = "lost"
    node: str
    block: int
    index: int
    why: str = ""


LedgerLine = LedgerHead | DoneTrial | LedgerLoss | LedgerEnd


class Ledger:
    """Open ledger: what was done, and the place to add to it. A context manager.

    Held by one process at a time (a lock that the kernel lets go of when the process dies).
    """

    def __init__(self, path: Path, handle: int, head: LedgerHead, trials: list[DoneTrial]) -> None:
        self.path = path
        self._handle = handle
        self._head = head
        self._trials = trials

    @classmethod
    def open(cls, path: Path, plan: Plan, machine: dict[str, Any] | None = None) -> Self:
        """Begin a ledger, or go on with the one that is there.

        machine: facts for the record. Raises PlanError if it is of another plan
        (`study.another-plan`), in use by another process (`study.in-use`) or not a ledger
        (`study.ledger-broken`); VoidError if it cannot be written.
        """
        with making(path):
            private.make_folder(path.parent)
            handle = _opened(path)
        try:
            _lock(handle, path)
            lines, size = _whole_lines(handle, path)
            head = _head_of(lines, path) or _head(plan, machine or {})
            ledger = cls(path, handle, head, [line for line in lines if isinstance(line, DoneTrial)])
            # Cut only what is known to be a ledger: who made the folder may want another file to be cut.
            with making(path):
                os.ftruncate(handle, size)
                os.fchmod(handle, private.FILE_MODE)
            if lines:
                ledger._refuse_another(plan)
            else:
                ledger._append(asdict(head))
                with making(path):
                    sync_folder(path.parent)
        except BaseException:
            os.close(handle)
            raise
        return ledger

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    @property
    def trials(self) -> tuple[DoneTrial, ...]:
        """Return every trial that is over, in the order in which they ran."""
        return tuple(self._trials)

    @property
    def handle(self) -> int:
        """Return the descriptor that holds the lock, for processes that share it until they end."""
        return self._handle

    @property
    def created(self) -> str:
        """Return when the study was begun: ISO 8601, UTC."""
        return self._head.created

    @property
    def machine(self) -> dict[str, Any]:
        """Return facts of the machine on which the study was begun."""
        return dict(self._head.machine or {})

    def add(self, trial: DoneTrial) -> None:
        """Keep a trial. On the disk when this returns. Raises VoidError if it cannot be written."""
        self._append({"kind": "trial", **line_of(trial)})
        self._trials.append(trial)

    def lose(self, loss: LedgerLoss) -> None:
        """Note that a node was lost, and which trial with it. Raises VoidError if it cannot be written."""
        self._append(asdict(loss))

    def end(self, why: str) -> None:
        """Note that the study came to its end."""
        self._append(asdict(LedgerEnd(why=why)))

    def _append(self, row: dict[str, Any]) -> None:
        line = json.dumps(known_secrets.hidden_in(row), ensure_ascii=False, allow_nan=False).encode() + b"\n"
        with making(self.path):
            start = os.lseek(self._handle, 0, os.SEEK_END)
            try:
                written = 0
                while written < len(line):
                    written += os.write(self._handle, line[written:])
                os.fsync(self._handle)
            except OSError:
                # A full disk takes half a line; without it the ledger stays whole lines only.
                os.ftruncate(self._handle, start)
                raise

    def _refuse_another(self, plan: Plan) -> None:
        parts = differing(self._head.identity, identity(plan))
        if parts:
            own_plan = str(self.path.with_name("plan.yaml"))
            wording = ERRORS.another_plan(str(self.path), joined(parts), len(parts) == 1, own_plan)
            raise PlanError.of(wording, code="study.another-plan")


def _project(plan: Plan) -> Path:
    """Return the folder that a plan's server comes from, else that of the plan, else the one worked in."""
    folder = Path(plan.path).parent if plan.path else Path()
    return folder / str(getattr(plan.target.options, "chdir", None) or ".")


def _head(plan: Plan, machine: Mapping[str, Any]) -> LedgerHead:
    return LedgerHead(
        loadrig=__version__,
        name=plan.name,
        strategy=plan.study.strategy,
        commit=commit_of(_project(plan)),
        identity=identity(plan),
        created=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        machine=machine,
    )


def _lock(handle: int, path: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise PlanError.of(ERRORS.in_use(str(path.parent)), code="study.in-use") from None


def _opened(path: Path) -> int:
    """Open or make the file itself, never what a link leads to. Raises OSError, and PlanError for a link."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        handle = os.open(path, flags, private.FILE_MODE)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _broken(path, ERRORS.is_link) from None
        raise
    if (reason := user_files.wrong_kind(os.fstat(handle))) is not None:
        os.close(handle)
        raise _broken(path, reason)
    return handle


def _whole_lines(handle: int, path: Path) -> tuple[list[LedgerLine], int]:
    """Return every whole line, and their size in bytes: a torn end is to be cut off for a clean next line."""
    size = os.fstat(handle).st_size
    if size > MOST_BYTES:
        raise _broken(path, ERRORS.too_many_bytes(size, MOST_BYTES))
    content = os.pread(handle, size, 0)
    whole = content[: content.rfind(b"\n") + 1]
    torn = content[len(whole) :].rstrip(b"\0")  # where the machine lost its power, zeros may stand there
    if torn[: len(_LINE_BEGINS)] != _LINE_BEGINS[: len(torn)]:
        raise _broken(path, ERRORS.end_of_no_ledger)
    return [_line(line, number, path) for number, line in enumerate(whole.splitlines(), 1)], len(whole)


def _line(line: bytes, number: int, path: Path) -> LedgerLine:
    # Only a study that goes on has lines already: no other imports msgspec before its first request.
    import msgspec

    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise _broken(path, ERRORS.line_not_json(number)) from None
    try:
        match row:
            case {"kind": "study"}:
                return msgspec.convert(row, LedgerHead)
            case {"kind": "trial"}:
                # Ledgers of earlier versions call a disturbed trial suspect.
                return msgspec.convert(renamed(row, "validity"), DoneTrial)
            case {"kind": "lost"}:
                return msgspec.convert(row, LedgerLoss)
            case {"kind": "end"}:
                return msgspec.convert(row, LedgerEnd)
    except msgspec.ValidationError as error:
        if number == 1:
            raise _broken(path, ERRORS.no_study_named) from None
        raise _broken(path, ERRORS.line_no_trial(number, str(error))) from None
    raise _broken(path, ERRORS.line_of_no_ledger(number))


def _head_of(lines: list[LedgerLine], path: Path) -> LedgerHead | None:
    """Return the first line; None of a ledger without any."""
    if not lines:
        return None
    head = lines[0]
    if not isinstance(head, LedgerHead):
        raise _broken(path, ERRORS.no_study_named)
    if head.ledger != VERSION:
        raise _broken(path, ERRORS.other_version(str(head.ledger), VERSION))
    return head


def head_of(path: Path) -> LedgerHead | None:
    """Return the first line of a ledger; None where it has none that can be read."""
    try:
        with user_files.open_bytes(path, MOST_BYTES) as file:
            head = _line(file.readline(), 1, path)
    except (OSError, PlanError):
        return None
    return head if isinstance(head, LedgerHead) else None


def _broken(path: Path, reason: str) -> PlanError:
    return PlanError.of(ERRORS.unreadable(str(path), reason), code="study.ledger-broken")
