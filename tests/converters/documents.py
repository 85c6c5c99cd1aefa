"""Documents of other tools in a few words, and their plans without comments, for tests of single parts."""

import json
from pathlib import Path
from typing import Any

from loadrig.base import members
from loadrig.base.errors import PlanError
from loadrig.converters import Conversion, TestSource, convert_files

HERE = Path(__file__).parent


def written_plan(file: Path, tool: str, folder: Path, *beside: Path) -> str:
    """Return the plan that is made of a test, without its comments, which are prose."""
    member = members.load("loadrig.converters", tool)
    path = convert_files([file, *beside], member, folder / "plan.yaml").path
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.lstrip().startswith("#"))


def expected_plan(tool: str, name: str) -> str:
    return (HERE / "plans" / tool / f"{name}.yaml").read_text(encoding="utf-8")


def converted_document(tool: str, document: Any, folder: Path, name: str = "test.json") -> Conversion:
    path = folder / name
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    conversion: Conversion = members.load("loadrig.converters", tool).convert(TestSource(path))
    return conversion


def outcome(tool: str, content: bytes, folder: Path, name: str = "test.json") -> str:
    """Return the code of the error that a file makes; nothing for one that becomes a plan."""
    path = folder / name
    path.write_bytes(content)
    plan = folder / "out" / "plan.yaml"
    code = mend = ""
    try:
        convert_files([path], members.load("loadrig.converters", tool), plan)
    except PlanError as error:
        code, mend = error.problems[0].code, error.problems[0].mend
    assert plan.exists() == (not code)
    assert bool(mend) == bool(code)
    plan.unlink(missing_ok=True)
    return code
