"""Results made up in the form of a tool, and recordings of them, for the tests of this room."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from loadrig.importers import import_files
from loadrig.recording.layout import RunFolder
from loadrig.recording.manifest_document import ImportedDocument
from loadrig.recording.reader import Recording

RECORDED = Path(__file__).parent / "recorded"
NS = 1_000_000_000
BEGAN_NS = 1_795_353_980_123_456_789
"""A while in 2026: no second begins at it, so frames and pieces of the spool do not begin together."""

HEADER = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes,allThreads"


def origin(recording: Recording) -> ImportedDocument:
    """Return what a recording says of the results that it was made of."""
    assert recording.imported is not None
    return recording.imported


def imported(folder: Path, *files: Path, **more: Any) -> Recording:
    """Import some files; return their recording."""
    return Recording.open(import_files(files, RunFolder(folder), **more).path)


def vegeta_line(
    start_ns: int, took_ns: int, status: int = 200, error: str = "", path: str = "/search"
) -> str:
    """Return one result as `vegeta encode --to csv` has it, without its newline."""
    return f"{start_ns},{status},{took_ns},0,10,{error},,shop,0,GET,http://127.0.0.1:8000{path}?q=1,"


def vegeta_file(path: Path, rows: Iterable[Sequence[Any]]) -> Path:
    """Write results from tuples as `vegeta_line` takes them."""
    path.write_text("".join(vegeta_line(*row) + "\n" for row in rows), encoding="utf-8")
    return path


def jtl_file(path: Path, rows: Iterable[Sequence[Any]], header: str = HEADER) -> Path:
    """Write a JTL file of rows in the order of the header."""
    lines = [header, *(",".join(str(cell) for cell in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def jtl_row(
    stamp_ms: int, elapsed_ms: int, label: str = "search", thread: str = "t 1-1", **more: str
) -> list[Any]:
    """Return a row by the names of HEADER."""
    fields = {"code": "200", "message": "OK", "success": "true", **more}
    return [stamp_ms, elapsed_ms, label, fields["code"], fields["message"], thread, fields["success"], 100, 3]


def k6_line(metric: str, time: str, value: float, **tags: str) -> str:
    """Return a point as k6 writes it, without its newline."""
    return json.dumps(
        {"metric": metric, "type": "Point", "data": {"time": time, "value": value, "tags": tags}}
    )


def k6_file(path: Path, lines: Iterable[str]) -> Path:
    """Write lines of k6."""
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path
