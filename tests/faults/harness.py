"""Commands, the faults that are tried on them, and what must hold after each."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from loadrig.base.errors import RigError
from loadrig.recording import checking
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.recording.reader import Recording
from loadrig.testing.leftovers import nothing_left_behind
from tests.faults.injector import CallFault, FaultedEnd, InjectedCall, run, state_of
from tests.integration.recorded_runs import recorded_run

FAULTS = {
    "file": ("ENOSPC", "EIO", "SHORT"),
    "pipe": ("EPIPE", "EIO", "ENOSPC"),
    "kernel": ("EACCES", "EIO"),
    "fsync": ("EIO", "ENOSPC"),
    "rename": ("ENOSPC", "EIO"),
    "spawn": ("EAGAIN", "ENOMEM"),
    "connect": ("ECONNREFUSED", "EINTR"),
}
"""Faults that each kind of call can have; write(2), fsync(2), rename(2), fork(2), connect(2)."""

OWN_FAULT = "This is a fault of loadrig"
"""Words of the program before it asks for a traceback to be sent: a full disk is no fault of its."""


@dataclass(frozen=True)
class Command:
    """A command on a small plan.

    words: after `loadrig`, with `run` as the folder of its run and {port} for a server beside it. files: what
    it finds in its folder, by name. codes: exit codes that it may have where nothing fails. recorded: the
    recorded run that it begins with, "" for none. makes: the document that is there once all is done.
    """

    name: str
    words: Sequence[str]
    files: Mapping[str, str] = field(default_factory=dict)
    codes: frozenset[int] = frozenset({0, 111})
    recorded: str = ""
    makes: str = "run/result.json"

    def lay_out(self, folder: Path) -> None:
        """Make a folder with what the command finds in it."""
        folder.mkdir(parents=True)
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        if self.recorded:
            recorded_run(self.recorded, folder)

    def run(self, folder: Path, values: Mapping[str, object], fault: CallFault | None = None) -> FaultedEnd:
        """Run it in a folder of its own, which is made and prepared."""
        self.lay_out(folder)
        words = [word.format(**values) for word in self.words]
        return run(words, folder, folder / "injected", fault)


def is_of_a_draft(call: InjectedCall) -> bool:
    """Return whether it is a step on the way to the rename of a whole file, which stands for all of them."""
    return call.kind in ("file", "fsync") and call.place.endswith(".draft")


def faults_at_each_site(calls: Sequence[InjectedCall]) -> list[CallFault]:
    """Return one fault for each line of the program that makes a call, at the middle one of its calls."""
    sites: dict[tuple[str, str, str], list[InjectedCall]] = defaultdict(list)
    for call in calls:
        sites[call.site].append(call)
    return [
        CallFault(kind, FAULTS[kind][0], at[len(at) // 2].number)
        for (kind, _, _), at in sorted(sites.items())
    ]


def faults_at_each_call(calls: Sequence[InjectedCall]) -> list[CallFault]:
    """Return every fault of every call, and a disk that is full from some write on."""
    each = [CallFault(call.kind, error, call.number) for call in calls for error in FAULTS[call.kind]]
    full = [
        CallFault("file", "ENOSPC", call.number, is_lasting=True) for call in calls if call.kind == "file"
    ]
    return each + full


@dataclass(frozen=True)
class Tried:
    """Outcome of a command with a fault.

    Sentences. lost: of data that is gone; left: of what is left over; wrong: of exit code and words.
    """

    fault: CallFault
    ended: FaultedEnd
    lost: tuple[str, ...]
    leftovers: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def was_hit(self) -> bool:
        """Whether the command came to that call; two runs do not make quite the same calls."""
        return bool(self.ended.hits)

    @property
    def troubles(self) -> tuple[str, ...]:
        """All that must not be."""
        return (*self.lost, *self.leftovers, *self.wrong)

    def __str__(self) -> str:
        where = ", ".join(f"{hit.kind} of {hit.role} at {hit.place}" for hit in self.ended.hits[:2])
        return f"{self.fault} ({where or 'not hit'}), exit code {self.ended.code}: {'; '.join(self.troubles)}"


def tried(
    command: Command, folder: Path, faults: Sequence[CallFault], at_once: int, values: Mapping[str, object]
) -> list[Tried]:
    """Run a command once with each fault, several at once, and look at what each has left.

    folder: gets a folder for each. at_once: how many run beside each other; they wait most of the time.
    Raises AssertionError where processes, ports or groups are left behind.
    """
    with nothing_left_behind(), ThreadPoolExecutor(at_once) as pool:
        jobs = [(fault, folder / str(number)) for number, fault in enumerate(faults, 1)]
        ended = list(pool.map(lambda job: command.run(job[1], values, job[0]), jobs))
    return [
        Tried(
            fault,
            end,
            tuple(lost(place, end)),
            tuple(leftovers(place)),
            tuple(wrong(command, place, end, fault)),
        )
        for (fault, place), end in zip(jobs, ended, strict=True)
    ]


def leftovers(folder: Path) -> Iterator[str]:
    """Yield what a command has left in its folder that is no result: leases, locks, drafts."""
    for path in state_of(folder).rglob("leases/*"):
        yield f"a lease: {path.name}"
    for path in folder.rglob("*.draft"):
        yield f"a draft: {path.relative_to(folder)}"


def lost(folder: Path, ended: FaultedEnd) -> Iterator[str]:
    """Yield what was written and cannot be read any more, trial by trial."""
    short = sum(hit.outcome == "SHORT" for hit in ended.hits)
    for trial in trials_in(folder / "run"):
        name = str(trial.frames.relative_to(folder))
        written = sum(
            call.outcome == "ok" and call.kind == "file" and call.place == name for call in ended.calls
        )
        try:
            recording = Recording.open(trial.path)
            readable, _ = len(recording.frames), recording.events
        except RigError as error:
            if written:
                yield f"{written} frames of {trial.path.name} cannot be read: {error}"
            continue
        if readable < written - short:
            yield f"of {written} frames of {trial.path.name} {readable} are left"
    yield from damaged(folder)


def damaged(folder: Path) -> Iterator[str]:
    """Yield the files of a run that are not as they were sealed, of which a fault is to make none."""
    check = checking.check(folder / "run") if (folder / "run").is_dir() else None
    if check is not None:
        yield from (
            f"{trouble.file} is not as it was sealed: {trouble.kind}, {trouble.text}"
            for trouble in check.troubles
        )


def wrong(command: Command, folder: Path, ended: FaultedEnd, fault: CallFault) -> Iterator[str]:
    """Yield what is wrong with the exit code and with what was said."""
    if not ended.hits:
        return
    if fault.is_harmless:
        if ended.code not in command.codes:
            yield f"a call that is to be repeated ended it: {ended.err[-400:]}"
    elif ended.code == 0 and not is_whole(folder, command.makes):
        yield "exit code 0, although the run is not whole"
    if OWN_FAULT in ended.err or "Traceback" in ended.err:
        yield f"a traceback: {ended.err[-900:]}"
    if "Exception ignored" in ended.err:
        yield f"Python complains at the end: {ended.err[-400:]}"


def is_whole(folder: Path, makes: str) -> bool:
    """Return whether the fault cost nothing of the run: every trial is sealed, and what it makes is there.

    So with what the rig does without: a probe's connection, a lease, a word to a generator that ends anyway.
    """
    trials = trials_in(folder / "run")
    return bool(trials) and all(trial.is_sealed for trial in trials) and (folder / makes).is_file()


def trials_in(run_folder: Path) -> list[TrialFolder]:
    """Return the trials of a run and of its proof, those too that were set aside."""
    folders = [RunFolder(run_folder), RunFolder(run_folder).proof]
    paths = [path for folder in folders if folder.trials.is_dir() for path in sorted(folder.trials.iterdir())]
    return [TrialFolder(path) for path in paths if path.is_dir()]
