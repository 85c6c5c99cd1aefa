"""Tests that others have written, made plans: parts that are carried, and requests that are the same.

Folders are named by --files, as PROJECT=FOLDER: checkouts of public projects, or any other files.
A curl command is given to curl itself, which reaches a server of this machine alone; its request is held
against the bytes that the plan shows for its first request (`loadrig run --dry`).
Tests of tools that are found here (--path) are run by the tool as a single user, and their plans as well, as
root in a network namespace in which every host is the recording server (`bench.conversions`). Both sent the
same if method, host, path, headers, body and order are the same, or where a user picks by chance, the shares
of the requests. What a tool makes anew in each of two runs is compared by its form.
The requests of a browser stand in its recording: those of the plan are looked for there, in their order.
A comparison is not made again as long as test, plan and the tool's version are what they were (--ledger).
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from tests.converters.recording import RecordingServer, recording

from bench import peers
from bench.conversions import recorded
from bench.conversions.tools import COMMANDS
from bench.diagnosis.ledger import BenchLedger
from bench.figures import markdown
from bench.lab import Bench
from bench.programs import find
from bench.results import FOLDER
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

LEDGER = FOLDER / "local" / "conversions"
AT_ONCE = 4
"""Comparisons at once."""

COMPARISON_S = 400
"""Time that a tool and a plan may take together, in seconds."""

Row = dict[str, Any]


def measure(lab: Bench) -> dict[str, Any]:
    """Convert every test below the folders, and compare what it sends with what its plan sends."""
    folders: Sequence[str] = lab.options.get("files") or ()
    if not folders:
        sys.exit("no files to convert\n\n   mend: python -m bench conversions --files PROJECT=FOLDER")
    curl = find("curl")
    if curl is not None:
        printed = subprocess.run([curl, "--version"], capture_output=True, text=True, check=True).stdout
        lab.versions["curl"] = printed.split()[1]
    with recording() as server:
        comparing = Comparing(lab, server, curl)
        tests = [test for text in folders for test in _tests(text)]
        # Tools mostly wait: for a start, for an answer, for the end of a time-out.
        with ThreadPoolExecutor(AT_ONCE) as threads:
            became = threads.map(lambda test: _became(test[0], test[1]["tool"], comparing), tests)
            try:
                rows = [row | part for (_, row), part in zip(tests, became, strict=True)]
            except BaseException:
                threads.shutdown(cancel_futures=True)  # who stops it goes on later, by the ledger
                raise
    return {"how": "each file once", "files": rows}


def _tests(text: str) -> Iterator[tuple[Path, Row]]:
    """Yield every file of PROJECT=FOLDER that a converter knows, with the begin of its row."""
    project, _, place = text.rpartition("=")
    folder = Path(place)
    members_of = {file: _member(file) for file in _files(folder)}
    companions = {part for file, member in members_of.items() if member for part in _companions(file, member)}
    for file, member in members_of.items():
        if member is not None and file not in companions:
            name = str(file.relative_to(folder)) if folder.is_dir() else file.name
            yield file, {"project": project or folder.name, "file": name, "tool": member}


class Comparing:
    """Comparisons with tools: which programs are here, and what was compared before."""

    def __init__(self, lab: Bench, server: RecordingServer, curl: str | None) -> None:
        """Look for the tools, and name those that are missing. curl: its path."""
        self.server, self.curl = server, curl
        self._lab = lab
        self._programs: dict[str, str] = {}
        self._ledger = BenchLedger(Path(lab.options.get("ledger") or LEDGER))
        self.alone = threading.Lock()
        self._heavy = threading.Lock()
        if os.geteuid():
            print("note: only root can compare with other tools than curl", file=sys.stderr)
            return
        for member, command in COMMANDS.items():
            program = find(command.program, lab.folders) if lab.is_asked(command.program) else None
            if program is not None:
                self._programs[member] = program
                lab.versions |= peers.versions([command.program], lab.folders)
            elif lab.is_asked(command.program):
                print(f"note: not on this machine: {command.program}", file=sys.stderr)

    def compared(self, member: str, file: Path, plan: Path, server: str, folder: Path) -> Row:
        """Return whether a tool and the plan made of its test send the same; None where it cannot be said."""
        program = self._programs.get(member)
        if program is None:
            return {"same": None}
        version = self._lab.versions.get(COMMANDS[member].program, "")
        beside = COMMANDS[member].beside(file).values()
        texts = (
            version.encode(), file.read_bytes(), plan.read_bytes().partition(b"\n")[2],
            *(companion.read_bytes() for companion in beside),
        )  # fmt: skip
        key = hashlib.sha256(b"\0".join(texts)).hexdigest()
        row = self._ledger.rows.get(key)
        if row is None and self._lab.options.get("nothing_new"):
            return {"same": None}
        if row is None:
            ask = {
                "tool": member, "program": program, "test": str(file.resolve()), "plan": str(plan),
                "server": server, "certificate": str(self._lab.certificate), "answer": str(folder / "answer"),
            }  # fmt: skip
            with self.alone, self._lab.turn():
                pass  # nobody begins before this machine is ours
            with self._heavy if COMMANDS[member].is_alone else nullcontext():
                row = {"key": key, "file": str(file), **_inside(ask, folder)}
            with self.alone:
                self._ledger.add(row)
            print(f"  {member:8} {file.name:40.40} {_brief(row)}", file=sys.stderr, flush=True)
        if "failed" in row:
            return {"same": None, "failed": row["failed"], "needs": row.get("needs", "")}
        return {"same": not row["differs"], "differs": row["differs"]}


def _inside(ask: Row, folder: Path) -> Row:
    """Return what came of a comparison in namespaces of its own."""
    path = folder / "ask.json"
    path.write_text(json.dumps(ask), encoding="utf-8")
    words = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
             sys.executable, "-m", "bench.conversions.inside", str(path)]  # fmt: skip
    try:
        # In a session of its own: a Ctrl-C ends the comparisons to come, and those that run are kept.
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=COMPARISON_S, check=False, start_new_session=True
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"it took more than {COMPARISON_S} s"}
    if done.returncode:
        return {"failed": done.stderr[-800:]}
    row: Row = json.loads((folder / "answer").read_text(encoding="utf-8"))
    return row


def _brief(row: Row) -> str:
    if "failed" in row:
        return f"not compared: {row['failed'][-200:]!r}"
    return f"{row['ours']} of {row['theirs']} requests; {row['differs'][:200] or 'the same'}"


def summarise(section: dict[str, Any]) -> dict[str, Any]:
    """Count by project and tool; single files are left out."""
    rows: Sequence[Row] = section["files"]
    groups = dict.fromkeys((row["project"], row["tool"]) for row in rows)
    totals = [_total(project, tool, rows) for project, tool in groups]
    return {key: value for key, value in section.items() if key != "files"} | {"projects": totals}


def tables(section: dict[str, Any]) -> list[str]:
    """Return a row for each project and tool."""
    head = ["", "tests", "plans", "requests", "altered", "left out", "the same as the tool's own"]
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
    silent = [
        f"{count} of {row['tool']} ({reason})" for row in section["projects"]
        for reason, count in row.get("silent", {}).items()
    ]  # fmt: skip
    return [
        markdown(head, [[str(cell) for cell in line] for line in lines]),
        f"No plans: {codes or 'none'}.",
        f"Not compared, as the tool itself sent nothing here: {', '.join(silent) or 'none'}.",
    ]


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
        "silent": dict(
            Counter(f"needs {row['needs']}" if row.get("needs") else "no reason known" for row in plans
                    if "failed" in row)
        ),
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


def _companions(file: Path, member: str) -> Collection[Path]:
    """Return the files beside a test that belong to it, such as the environment of a collection."""
    return COMMANDS[member].beside(file).values() if member in COMMANDS else ()


def _became(file: Path, member: str, comparing: Comparing) -> Row:
    """Return what became of a test, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="loadrig-conversions-") as name:
        folder = Path(name)
        try:
            written = convert_files(
                [file, *_companions(file, member)], members.load("loadrig.converters", member),
                folder / "plan.yaml",
            )  # fmt: skip
        except PlanError as error:
            return {"refused": error.problems[0].code}
        conversion = written.conversion
        steps = sum(len(scenario.steps) for scenario in conversion.plan.scenarios)
        row = {
            "requests": steps + (conversion.plan.login is not None), "altered": len(conversion.altered),
            "dropped": len(conversion.dropped), "same": None,
        }  # fmt: skip
        if member == "har":
            there = recorded.sent_by_browser(file, conversion.plan.server)
            differs = recorded.difference(there, sent_by_plan(written.path))
            return row | {"same": not differs, "differs": differs}
        if member != "curl":
            return row | comparing.compared(member, file, written.path, conversion.plan.server, folder)
        words, curl = _curl_words(file), comparing.curl
        if words and curl:
            words = [curl, *_without_tls(words, conversion.plan.server)]
            with comparing.alone:  # all ask the same server
                theirs = _sent_by_curl(words, comparing.server, file.parent, folder)
            if theirs:
                row["same"] = theirs == sent_by_plan(written.path)
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
    compiled = compile_config(plan, address, seed=plan.seed, cpus=(), frame_s=1.0, resolves=False)
    config = filled(compiled, plan, address)
    with RecordingServer() as notes:  # nobody asks it
        for _, request in _native.render_requests(json.dumps(config.plain())):
            head, _, body = request.partition(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").split("\r\n")
            method, target, _ = first.split(" ", 2)
            pairs = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
            notes.note(method, target, pairs, body)
        return notes.requests
