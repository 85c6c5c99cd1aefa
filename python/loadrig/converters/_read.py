"""The file of another tool's test becomes a plan: which member reads it, and where the plan goes."""

import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from loadrig.base import members, private
from loadrig.base.errors import PlanError, Span
from loadrig.converters._draft import Conversion, FileDraft
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.converters import ConvertersReadErrors
from loadrig.plan import load

ERRORS = texts_of(ConvertersReadErrors)

ROOM = "loadrig.converters"

PLAN_NAME = "plan.yaml"
"""Name of the plan in a folder that was named for it."""

_ENDINGS = re.compile(r"\.(gz|jmx|har|json|ya?ml|txt|log|js|ts|py|sh|curl)$", re.IGNORECASE)
_PLAN_ENDINGS = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class ConvertedPlan:
    """A plan that was made and written. files: what lies beside it. secrets: how many stand in its text."""

    tool: str
    path: Path
    files: tuple[Path, ...]
    conversion: Conversion
    lines: tuple[str, ...]
    secrets: int

    def to_json(self) -> dict[str, object]:
        """Return the document of --json: schema loadrig.import/1."""
        conversion = self.conversion
        return {
            "schema": "loadrig.import/1",
            "made": "plan",
            "tool": self.tool,
            "plan": str(self.path),
            "files": [str(path) for path in self.files],
            "carried": dict(conversion.carried),
            "altered": [{"place": p.place, "what": p.what, "how": p.how} for p in conversion.altered],
            "dropped": [{"place": p.place, "what": p.what, "why": p.why} for p in conversion.dropped],
            "secrets": self.secrets,
        }


def converter_of(path: Path, tool: str = "") -> ModuleType | None:
    """Return the member that makes a plan of a file; None where it is no test that any member knows.

    tool: the only member to ask; it is asked whatever the file looks like where no importer has its name.
    Raise PlanError `import.cannot-read`.
    """
    names = members.names(ROOM)
    if tool:
        names = tuple(name for name in names if name == tool)
        if names and tool not in members.names("loadrig.importers"):
            return members.load(ROOM, tool)
    if not names:
        return None
    head = TestSource(path).head()
    for name in names:
        member = members.load(ROOM, name)
        if member.recognises(head, path.name):
            return member
    return None


def named_files() -> dict[str, str]:
    """Return what each member reads, in a few words, by the member's name."""
    return {name: members.load(ROOM, name).FILES for name in members.names(ROOM)}


def convert_files(
    paths: Sequence[Path],
    member: ModuleType,
    out: Path | None,
    *,
    name: str = "",
    hosts: Sequence[str] = (),
    properties: Mapping[str, str] | None = None,
) -> ConvertedPlan:
    """Write the plan that a member makes of a test, with what lies beside it.

    paths: the test, then its companions. out: the plan's file if it ends as one, else a folder for it; by
    default a file here, named after the test. hosts, properties: as of a TestSource.
    Nothing is overwritten, and nothing is left where it fails.
    Raise PlanError: `import.cannot-read`, `import.too-large`, `import.bad-test`, `import.nothing-in-it`,
    `import.plan-refused`, `import.in-the-way`, `import.cannot-write`.
    """
    from loadrig.converters import _yaml

    source = TestSource(paths[0], tuple(TestSource(path) for path in paths[1:]), hosts, properties)
    conversion: Conversion = member.convert(source)
    if not any(scenario.steps for scenario in conversion.plan.scenarios):
        raise _nothing(source, member, conversion)
    if name or not conversion.plan.name:
        plan = replace(conversion.plan, name=name or named_after(paths[0]))
        conversion = replace(conversion, plan=plan)
    path = _plan_path(out, paths[0])
    text = _yaml.text_of(conversion, f"{member.TOOL}: {source.name}")
    files = _files_of(conversion)
    _refuse_overwriting([path, *(path.parent / file.name for file in files)])
    secrets = _written(path, text, files, source)
    beside = tuple(path.parent / file.name for file in files)
    lines = (*_yaml.summary(conversion), *map(_yaml.part_line, conversion.parts))
    return ConvertedPlan(member.TOOL, path, beside, conversion, lines, secrets)


def named_after(path: Path) -> str:
    """Return a plan's name made of a file's: "shop.jmx.gz" -> "shop"."""
    name = path.name
    while _ENDINGS.search(name):
        name = name.rpartition(".")[0]
    return name or path.name


def plain_stem(path: Path) -> str:
    """Return a file's name as the beginning of the names of those that lie beside the plan."""
    return re.sub(r"[^\w.-]", "-", named_after(path)).lstrip(".") or "plan"


def _plan_path(out: Path | None, test: Path) -> Path:
    if out is None:
        return Path(f"{named_after(test)}.yaml")
    return out if out.suffix.lower() in _PLAN_ENDINGS else out / PLAN_NAME


def _files_of(conversion: Conversion) -> list[FileDraft]:
    feeds = (draft.file for draft in conversion.plan.feeds.values() if draft.file is not None)
    by_name: dict[str, FileDraft] = {}
    for file in (*feeds, *conversion.plan.files):
        # Names are made by members out of foreign texts: none may lead out of the plan's folder.
        assert file.name == Path(file.name).name not in ("", ".", ".."), file.name
        assert by_name.setdefault(file.name, file) == file, file.name
    return list(by_name.values())


def _refuse_overwriting(paths: Sequence[Path]) -> None:
    for path in paths:
        if path.exists() or path.is_symlink():
            raise PlanError.of(ERRORS.in_the_way(str(path)), code="import.in-the-way", where=Span("--out"))


def _written(path: Path, text: str, files: Sequence[FileDraft], source: TestSource) -> int:
    """Write plan and files once the plan reader has taken them. Return how many secrets are in the plan."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".loadrig-import-", dir=path.parent) as place:
            for file in files:
                _write(Path(place) / file.name, file.content)
            draft = Path(place) / path.name
            _write(draft, text.encode())
            try:
                # A plan may name secrets that are not there yet: its first run asks for them.
                plan = load.read(text, str(draft), sends=False)
            except PlanError as error:
                raise _refused(source, error) from error
            for name in (*(file.name for file in files), path.name):
                shutil.move(Path(place) / name, path.parent / name)
    except OSError as error:
        wording = ERRORS.unwritable(str(path), error.strerror or str(error))
        raise PlanError.of(wording, code="import.cannot-write", where=Span("--out")) from error
    return len(plan.literals)


def _write(path: Path, content: bytes) -> None:
    # What people write into tests, passwords among it, goes into files that only they may read.
    with open(path, "xb", opener=private.opener) as file:
        file.write(content)


def _nothing(source: TestSource, member: ModuleType, conversion: Conversion) -> PlanError:
    from loadrig.converters import _yaml

    dropped = tuple(_yaml.part_line(part) for part in conversion.dropped[:20])
    return PlanError.of(
        ERRORS.nothing_in_it(member.TOOL, member.FILES, is_anything_dropped=bool(dropped)),
        code="import.nothing-in-it",
        where=Span(str(source.path)),
        detail=dropped,
    )


def _refused(source: TestSource, error: PlanError) -> PlanError:
    problems = tuple(
        f"{problem.what}; {problem.where.text.strip() if problem.where else ''}" for problem in error.problems
    )
    return PlanError.of(
        ERRORS.plan_refused(source.name, len(problems)),
        code="import.plan-refused",
        where=Span(str(source.path)),
        detail=problems[:20],
    )
