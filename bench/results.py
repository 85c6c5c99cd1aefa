"""Files of results: one file a day and machine with a summary of each benchmark, raw rows beside git."""

import hashlib
import json
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from loadrig.trial.surroundings import look, machine

FOLDER = Path(__file__).parent / "results"
RAW = Path("local", "raw")
"""Below the folder of the results."""

Section = dict[str, Any]


def write(
    mode: str, content: Section, summarise: Callable[[Section], Section], folder: Path = FOLDER
) -> tuple[Path, Section]:
    """Put a benchmark's summary into today's file for this machine, in place of an earlier one.

    All that was measured goes below `folder / RAW`, which git ignores; the summary has its digest.
    """
    here = machine()
    words = re.findall(r"[a-z0-9]+", re.sub(r"\((r|tm)\)", " ", here.cpu.lower()))
    name = "-".join(words[:4]) + f"-{here.cores}-cores"
    path = folder / f"{time.strftime('%Y-%m-%d')}_{name}.json"
    document: Section = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    raw = {"at": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "commit": commit(), **_rounded(content)}
    section = {**_rounded(summarise(raw)), "raw": keep(mode, raw, folder)}
    path.write_text(text({**document, "machine": here.to_json(), mode: section}), encoding="utf-8")
    return path, section


def keep(mode: str, raw: Section, folder: Path = FOLDER) -> Section:
    """Write what was measured into a file named after its digest; return how many rows it has, and that."""
    content = text(raw)
    digest = hashlib.sha256(content.encode()).hexdigest()
    path = raw_path(mode, digest, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    rows = sum(isinstance(row, dict) for part in raw.values() if isinstance(part, list) for row in part)
    return {"rows": rows, "sha256": digest}


def raw_path(mode: str, digest: str, folder: Path = FOLDER) -> Path:
    """File of what was measured, below the folder of the results."""
    return folder / RAW / f"{mode}_{digest[:12]}.json"


def text(document: Section) -> str:
    """JSON with a line for each row: what stands in a list is not laid out any further."""
    return _laid_out(document, "\n") + "\n"


def _laid_out(value: Any, line: str) -> str:
    """JSON of a value. line: what begins a new line at its depth."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if not any(isinstance(part, dict | list) for part in inner):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        rows = f",{line} ".join(json.dumps(part, ensure_ascii=False) for part in value)
        return f"[{line} {rows}{line}]"
    parts = f",{line} ".join(f"{json.dumps(key)}: {_laid_out(value[key], line + ' ')}" for key in value)
    return f"{{{line} {parts}{line}}}"


def slim(*fields: str) -> Callable[[Section], Section]:
    """Return a way to summarise: rows with these fields, and with what names a run or says why it failed."""
    fields_kept = ("tool", "block", *fields, "errors", "failed")

    def summarise(section: Section) -> Section:
        rows = [{name: row[name] for name in fields_kept if name in row} for row in section["rows"]]
        return {**section, "rows": rows}

    return summarise


def commit(root: Path = FOLDER.parents[1]) -> str:
    """Abbreviated commit of the code that is measured; `-dirty` is added where files differ from it.

    Empty where the checkout is no git repository, or git is missing.
    """
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--exclude=*", "--abbrev=7", "--dirty"],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return ""
    return described.stdout.strip()


def _rounded(value: Any) -> Any:
    """Six significant digits: no measurement here has more."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {name: _rounded(part) for name, part in value.items()}
    return [_rounded(part) for part in value] if isinstance(value, list | tuple) else value


def noise() -> list[str]:
    """Return what else runs on this machine, in sentences; empty when it is quiet."""
    return list(look().warnings)
