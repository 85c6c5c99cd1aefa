"""Files of another tool become a run: what is recognised, what is refused, what is said of it."""

import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from loadrig.base import members
from loadrig.base.clock import NS
from loadrig.base.errors import PlanError, Span
from loadrig.base.units import show_duration
from loadrig.importers._sample import RequestSample, RunFacts
from loadrig.importers._source import ResultsFile
from loadrig.importers._spool import MOST_ROUTES, OTHERS, Spool
from loadrig.importers._summed import SummedFrames
from loadrig.importers._written import Frames, write
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersReadErrors
from loadrig.language.en.importers import ImportersTexts
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.recording.manifest_document import ImportedDocument

TEXTS, ERRORS = texts_of(ImportersTexts), texts_of(ImportersReadErrors)

ROOM = "loadrig.importers"

MOST_STILL_NS = 600 * NS
"""Longest time with nothing under way, in nanoseconds. After a longer one a second run begins in the file, as
JMeter makes it by appending to a file that is there."""


def import_files(
    paths: Sequence[Path],
    run: RunFolder,
    *,
    name: str = "",
    tool: str = "",
    routes: Mapping[str, str] | None = None,
    tests: Mapping[str, str] | None = None,
) -> TrialFolder:
    """Make a run of the files of one load, each by one generator, in any order; return its only trial.

    name: the plan's name; by default from the first file's name. tool: a member; by default the one that
    recognises the content. routes: names by which routes go instead of their own. tests: files of other kinds
    that the caller reads, for the message about one of no kind.
    Raise PlanError: `import.cannot-read`, `import.unknown-format`, `import.bad-line`, `import.no-requests`,
    `import.several-tools`, `import.several-runs`, `import.several-sums`, `import.gob`,
    `recording.folder-in-use`; VoidError where the disk is full.
    """
    member = _member(paths, tool, tests or {})
    remarks = RunFacts()
    if _is_summed(member, paths):
        return _import_sums(paths[0], run, member, remarks, name, routes or {})
    sources = [ResultsFile(path) for path in paths]
    with tempfile.TemporaryDirectory(prefix="loadrig-import-") as place:
        spool = Spool(Path(place))
        for source in sources:
            for sample in member.samples(source, remarks):
                try:
                    spool.put(_renamed(sample, routes) if routes else sample)
                except OverflowError as error:
                    raise source.bad(str(error)) from error
            if source.was_torn:
                remarks.note(TEXTS.torn(source.path.name))
        with_transactions = _with_transactions(spool, remarks)
        if not spool.counts[False] and not (with_transactions and spool.counts[True]):
            raise _no_requests(paths, member)
        _refuse_several_runs(paths, spool)
        frames = Frames(spool, remarks.users, with_transactions=with_transactions)
        if spool.folded:
            remarks.note(TEXTS.routes_folded(str(MOST_ROUTES), f"{spool.folded:,}", OTHERS))
        tells = {"users": bool(remarks.users), "bytes": spool.knows_bytes}
        imported = ImportedDocument(
            tool=member.TOOL,
            format=_name(member),
            times=member.TIMES,
            files=tuple(source.facts() for source in sources),
            requests=spool.counts[False] + (spool.counts[True] if with_transactions else 0),
            left_out=remarks.left_out,
            notes=tuple(remarks.notes),
            warnings=tuple(remarks.warnings),
            untold=tuple(sorted(remarks.untold)),
            knows=tuple(name for name, has_field in tells.items() if has_field),
        )
        run.create(None)
        trial = run.trial(1)
        write(trial, frames, name or named_after(paths[0]), imported)
    return trial


def _is_summed(member: ModuleType, paths: Sequence[Path]) -> bool:
    """Return whether the file holds sums. Raise PlanError `import.several-sums` where one of several does."""
    if not hasattr(member, "totals"):
        return False
    has_rows = hasattr(member, "samples")
    summed = [path for path in paths if not has_rows or member.is_summed(ResultsFile.head_of(path))]
    if summed and len(paths) > 1:
        raise PlanError.of(ERRORS.several_sums(summed[0].name), code="import.several-sums")
    return bool(summed)


def _import_sums(
    path: Path, run: RunFolder, member: ModuleType, remarks: RunFacts, name: str, routes: Mapping[str, str]
) -> TrialFolder:
    """Make a run of a file that holds sums only; return its only trial."""
    source = ResultsFile(path)
    with tempfile.TemporaryDirectory(prefix="loadrig-import-") as place:
        frames = SummedFrames(Path(place), source, remarks, routes)
        frames.fill(member.totals(source, remarks))
        if not frames.requests:
            raise _no_requests([path], member)
        if source.was_torn:
            remarks.note(TEXTS.torn(path.name))
        imported = ImportedDocument(
            tool=member.TOOL,
            format=_name(member),
            times=remarks.times or member.TIMES,
            files=(source.facts(),),
            requests=frames.requests,
            left_out=remarks.left_out,
            notes=(TEXTS.sums_only, *remarks.notes),
            warnings=tuple(remarks.warnings),
            untold=tuple(sorted(remarks.untold)),
            knows=(*(("users",) if frames.knows_users else ()), *(("due",) if remarks.from_due else ())),
            stated=tuple(remarks.stated),
        )
        run.create(None)
        trial = run.trial(1)
        write(trial, frames, name or named_after(path), imported)
    return trial


def named_after(path: Path) -> str:
    """Return a plan's name made of a file's: "nightly.jtl.gz" -> "nightly"."""
    name = path.name
    while re.search(r"\.(gz|jtl|csv|tsv|json|jsonl|ndjson|xml|txt|log|hlog|bin)$", name, re.IGNORECASE):
        name = name.rpartition(".")[0]
    return name or path.name


def _member(paths: Sequence[Path], tool: str, tests: Mapping[str, str]) -> ModuleType:
    """Return the member that was named, or else the one that recognises all files. Raise PlanError."""
    if tool:
        if tool not in members.names(ROOM):
            names = sorted({*members.names(ROOM), *tests})
            wording = ERRORS.unknown_name(repr(tool), ", ".join(names))
            raise PlanError.of(wording, code="import.unknown-format", where=Span("--format"))
        return members.load(ROOM, tool)
    recognised = []
    for path in paths:
        head = ResultsFile.head_of(path)
        _no_gob(path, head)
        member = _recognised(head)
        if member is None:
            raise _unknown(path, head, tests)
        recognised.append(member)
    differing = next((place for place, member in enumerate(recognised) if member is not recognised[0]), None)
    if differing is not None:
        wording = ERRORS.several_tools(
            paths[0].name, recognised[0].TOOL, paths[differing].name, recognised[differing].TOOL
        )
        raise PlanError.of(wording, code="import.several-tools")
    return recognised[0]


def _recognised(head: bytes) -> ModuleType | None:
    for name in members.names(ROOM):
        member = members.load(ROOM, name)
        if member.recognises(head):
            return member
    return None


def _name(member: ModuleType) -> str:
    return next(name for name in members.names(ROOM) if members.load(ROOM, name) is member)


def _renamed(sample: RequestSample, routes: Mapping[str, str]) -> RequestSample:
    name = routes.get(sample.route)
    return sample if name is None else sample._replace(route=name)


def _with_transactions(spool: Spool, remarks: RunFacts) -> bool:
    """Return whether rows of transactions count as requests: only where their requests have no rows."""
    if not spool.counts[True]:
        return False
    # Nested transactions count the same requests again, so labels are compared one by one.
    if max(remarks.requests_in.values(), default=0) <= spool.counts[False]:
        remarks.left_out[TEXTS.transactions] += spool.counts[True]
        return False
    remarks.note(TEXTS.transactions_alone(f"{spool.counts[True]:,}"))
    return True


def _refuse_several_runs(paths: Sequence[Path], spool: Spool) -> None:
    """Raise PlanError `import.several-runs` where the files hold two loads with a long time between them."""
    latest = None
    for first_ns, last_ns in spool.spans():
        if latest is not None and first_ns - latest > MOST_STILL_NS:
            names = ", ".join(path.name for path in paths)
            wording = ERRORS.several_runs(names, show_duration((first_ns - latest) / NS))
            raise PlanError.of(wording, code="import.several-runs")
        latest = last_ns if latest is None else max(latest, last_ns)


def _no_gob(path: Path, head: bytes) -> None:
    # Go writes a stream's types first, and with them the name of the struct.
    if b"Result" in head[:64] and b"Attack" in head[:128] and b"\x00" in head[:64]:
        raise PlanError.of(ERRORS.binary_form(path.name, named_after(path)), code="import.gob")


def _unknown(path: Path, head: bytes, tests: Mapping[str, str]) -> PlanError:
    results = members.names(ROOM)
    first = head.splitlines()[0][:80].decode("utf-8", "replace") if head else ""
    wording = ERRORS.unknown_format if head else ERRORS.empty_file
    return PlanError.of(
        wording(path.name, ", ".join(tests), ", ".join(results)),
        code="import.unknown-format",
        detail=(first,) if first.isprintable() and first else (),
    )


def _no_requests(paths: Sequence[Path], member: ModuleType) -> PlanError:
    names = ", ".join(path.name for path in paths)
    return PlanError.of(ERRORS.no_requests(names, member.TOOL, member.FILES), code="import.no-requests")
