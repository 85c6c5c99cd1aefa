"""Tests that others have written, made plans: parts that are carried, and requests that are the same.

Folders are named by --files, as PROJECT=FOLDER: checkouts of public projects, or any other files. Nothing of
them is executed but curl commands, each given to curl itself, which reaches a server of this machine alone.
Its request is held against the bytes that the plan shows for its first request (`loadrig run --dry`).
"""

import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.converters.recording import RecordingServer, recording

from bench.figures import markdown
from bench.lab import Bench
from bench.programs import find
from loadrig import _native
from loadrig.base import members
from loadrig.base.errors import PlanError
from loadrig.base.running import Address
from loadrig.converters import convert_files, converter_of
from loadrig.engine.compile import compile_config
from loadrig.engine.secrets import filled
from loadrig.plan.load import read

MOST_BYTES = 4_000_000
"""Size of a file up to which it is looked at, in bytes: larger ones are no tests, but what tests made."""

ENDINGS = (".jmx", ".har", ".js", ".ts", ".py", ".json", ".yaml", ".yml", ".sh", ".curl", ".txt", ".log")
"""Endings of files that are looked at: others hold parts of tests as examples."""

CURL_S = 5
"""Time that curl may take, in seconds."""

ELSEWHERE = ("-x", "--proxy", "--preproxy", "--socks", "--doh-url", "--unix-socket", "--abstract-unix-socket",
             "-K", "--config", "--interface", "--dns", "-:", "--next", "--connect-to")  # fmt: skip
"""Begins of options of curl with which it might reach something else than the recording server."""

SHELL = frozenset("|;<>`&$()")
"""Signs by which a command is more than the words of one program."""

EXECUTES = re.compile(r"`|[<>]\(|\$[\w({]")
"""Signs by which a shell executes something to know a word, or by which the environment tells it."""

Row = dict[str, Any]


def measure(lab: Bench) -> dict[str, Any]:
    """Convert every test below the folders."""
    folders: Sequence[str] = lab.options.get("files") or ()
    if not folders:
        sys.exit("no files to convert\n\n   mend: python -m bench conversions --files PROJECT=FOLDER")
    rows: list[Row] = []
    curl = find("curl")
    if curl is not None:
        printed = subprocess.run([curl, "--version"], capture_output=True, text=True, check=True).stdout
        lab.versions["curl"] = printed.split()[1]
    with recording() as server:
        for text in folders:
            project, _, place = text.rpartition("=")
            folder = Path(place)
            for file in _files(folder):
                member = _member(file)
                if member is not None:
                    name = str(file.relative_to(folder)) if folder.is_dir() else file.name
                    row = {"project": project or folder.name, "file": name, "tool": member}
                    rows.append(row | _became(file, member, server, curl))
    return {"how": "each file once", "files": rows}


def summarise(section: dict[str, Any]) -> dict[str, Any]:
    """Count by project and tool; single files are left out."""
    rows: Sequence[Row] = section["files"]
    groups = dict.fromkeys((row["project"], row["tool"]) for row in rows)
    totals = [_total(project, tool, rows) for project, tool in groups]
    return {key: value for key, value in section.items() if key != "files"} | {"projects": totals}


def tables(section: dict[str, Any]) -> list[str]:
    """Return a row for each project and tool."""
    head = ["", "tests", "plans", "requests", "altered", "left out", "the same as curl's own"]
    lines = [
        [
            f"{row['project']}, {row['tool']}", row["tests"], row["plans"], row["requests"], row["altered"],
            row["dropped"], _same(row),
        ]
        for row in section["projects"]
    ]  # fmt: skip
    whole = Counter[str]()
    for row in section["projects"]:
        whole.update({key: value for key, value in row.items() if isinstance(value, int)})
    lines.append(
        [
            "all", whole["tests"], whole["plans"], whole["requests"], whole["altered"], whole["dropped"],
            _same(whole),
        ]
    )  # fmt: skip
    refused = Counter[str]()
    for row in section["projects"]:
        refused.update(row["refused"])
    codes = ", ".join(f"{count} by `{code}`" for code, count in refused.most_common())
    return [markdown(head, [[str(cell) for cell in line] for line in lines]), f"No plans: {codes or 'none'}."]


def _same(row: Row) -> str:
    if not row["compared"]:
        return "–"
    others = f", {row['listed']} differ as the plan lists" if row["listed"] else ""
    return f"{row['same']} of {row['compared']}{others}"


def _total(project: str, tool: str, rows: Iterable[Row]) -> Row:
    of_group = [row for row in rows if (row["project"], row["tool"]) == (project, tool)]
    plans = [row for row in of_group if "refused" not in row]
    compared = [row["same"] for row in plans if row["same"] is not None]
    return {
        "project": project, "tool": tool, "tests": len(of_group), "plans": len(plans),
        **{key: sum(row[key] for row in plans) for key in ("requests", "altered", "dropped")},
        "compared": len(compared), "same": sum(compared),
        "listed": sum(row["same"] is False and row["dropped"] + row["altered"] > 0 for row in plans),
        "refused": dict(Counter(row["refused"] for row in of_group if "refused" in row)),
    }  # fmt: skip


def _files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
        if file.suffix.lower() not in ENDINGS or file.is_symlink() or not file.is_file():
            continue
        if 0 < file.stat().st_size <= MOST_BYTES:
            yield file


def _member(file: Path) -> str | None:
    """Return the name of the converter that knows a file."""
    try:
        member = converter_of(file)
    except PlanError:
        return None
    return None if member is None else member.__name__.rpartition(".")[2]


def _became(file: Path, member: str, server: RecordingServer, curl: str | None) -> Row:
    """Return what became of a test, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="loadrig-conversions-") as name:
        folder = Path(name)
        try:
            made = convert_files([file], members.load("loadrig.converters", member), folder / "plan.yaml")
        except PlanError as error:
            return {"refused": error.problems[0].code}
        conversion = made.conversion
        steps = sum(len(scenario.steps) for scenario in conversion.plan.scenarios)
        row = {
            "requests": steps + (conversion.plan.login is not None), "altered": len(conversion.altered),
            "dropped": len(conversion.dropped), "same": None,
        }  # fmt: skip
        words = _curl_words(file) if member == "curl" and curl else None
        if words and curl:
            theirs = _sent_by_curl(
                [curl, *_without_tls(words, conversion.plan.server)], server, file.parent, folder
            )
            if theirs:
                row["same"] = theirs == sent_by_plan(made.path)
        return row


def _curl_words(file: Path) -> list[str] | None:
    """Return the words of a file that is one curl command, which can be given to curl as they are."""
    try:
        text = file.read_text(encoding="utf-8").strip()
        lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        signs = [word for word in lexer if word and set(word) <= SHELL]
    except ValueError:
        return None
    if not text.startswith("curl ") or signs or EXECUTES.search(text):
        return None
    # Which words a shell makes of it, bash knows best: quotes have many forms.
    printed = subprocess.run(
        ["bash", "--restricted", "--norc", "-c", f"printf '%s\\0' {text.removeprefix('curl ')}"],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=CURL_S, check=False,
    )  # fmt: skip
    words = printed.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    is_plain = not printed.returncode and bool(words) and "curl" not in words
    return words if is_plain and not any(word.startswith(ELSEWHERE) for word in words) else None


def _without_tls(words: Sequence[str], server: str) -> list[str]:
    """Return the words with a server to which no TLS is spoken: what is sent is the same."""
    return [
        word.replace("https://", "http://", 1) if word.startswith(f"{server}") else word for word in words
    ]


def _sent_by_curl(
    words: Sequence[str], server: RecordingServer, beside: Path, folder: Path
) -> list[dict[str, Any]]:
    """Return what curl sends, which it is told to send to the recording server, whatever host is named."""
    there = f"::127.0.0.1:{server.server_port}"
    options = ["--connect-to", there, "--noproxy", "*", "--max-time", str(CURL_S)]
    before = len(server.requests)
    for file in beside.iterdir():
        if file.is_file() and not (folder / file.name).exists():
            (folder / file.name).symlink_to(file.resolve())
    subprocess.run(
        [words[0], "-q", "-s", *words[1:], *options],
        cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=3 * CURL_S, check=False,
    )  # fmt: skip
    return server.requests[before:]


def sent_by_plan(path: Path) -> list[dict[str, Any]]:
    """Return the first request of each route of a plan, as a recording server would note it."""
    plan = read(path.read_text(encoding="utf-8"), str(path), sends=False)
    address = Address("127.0.0.1", 1)
    config = filled(compile_config(plan, address, seed=plan.seed, cpus=(), frame_s=1.0), plan, address)
    with RecordingServer() as notes:  # nobody asks it
        for _, request in _native.render_requests(json.dumps(config.plain())):
            head, _, body = request.partition(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").split("\r\n")
            method, target, _ = first.split(" ", 2)
            pairs = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
            notes.note(method, target, pairs, body)
        return notes.requests
