"""Instructions of user code for a request, counted by callgrind: a figure that no busy neighbour changes.

Two runs of different length each, and their difference: the interpreter's start and all that happens
once cancels. What is left of chance is how many answers one wait of epoll returns.
"""

import re
import sys
from functools import partial
from typing import Any

from bench import loads, ours
from bench.costs import Failed
from bench.figures import failures, key, markdown, of_tool, shown, tools
from bench.lab import CLIENT_CORE, SERVER_CORE, Bench
from bench.loads import Config
from bench.programs import find
from bench.results import slim
from bench.server import Server, nginx

CONNECTIONS = 64
FEW, MANY = 2_000, 12_000
"""Requests of the two runs. Under callgrind a request takes about fifty times its usual time."""
QUICK = (200, 1_200)
"""The same where only is to be seen that it runs."""
LIMIT_S = 100

summarise = slim("instructions")


def measure(lab: Bench) -> dict[str, Any]:
    """Each kind of load that is asked for, in turns, once or as often as asked for."""
    lab.versions = {}
    lab.commands = {"loadrig": "valgrind --tool=callgrind python loadrig/engine/__main__.py"}
    if find("valgrind") is None:
        print("note: not on this machine: valgrind (apt valgrind)", file=sys.stderr)
        return {"few": FEW, "many": MANY, "rows": []}
    is_quick = lab.seconds is not None and lab.seconds <= 1
    few, many = QUICK if is_quick else (FEW, MANY)
    rows = []
    for kind, speaks in (("closed", "http"), ("scenario", "http"), ("tls", "tls"), ("h2", "h2")):
        if not lab.is_asked(kind):
            continue
        certificate = lab.certificate if speaks != "http" else None
        serve = partial(nginx, SERVER_CORE, speaks=speaks, certificate=certificate)
        rows += lab.in_turns({kind: partial(_counted, lab, kind, few, many)}, serve)
    return {"few": few, "many": many, "rows": rows}


def _counted(lab: Bench, kind: str, few: int, many: int, server: Server) -> dict[str, Any]:
    """Instructions for a request, by two runs of so many requests."""
    fewer, more = (_total(lab, _load(kind, server, requests)) for requests in (few, many))
    return {
        "requests": many - few,
        "instructions": (more - fewer) / (many - few),
        "start_instructions": fewer,
        "cpu_s": 0.0,
        "per_second": 0.0,
    }


def _load(kind: str, server: Server, requests: int) -> Config:
    if kind == "scenario":
        config = loads.scenario(server.url, CONNECTIONS, LIMIT_S)
    elif kind == "h2":
        config = loads.http2(server.url, 8, 8, LIMIT_S)
    else:
        config = loads.closed(server.url, CONNECTIONS, LIMIT_S)
    config["stop"]["requests"] = requests
    config["timeouts"]["request_s"] = float(LIMIT_S)
    # One frame at the end: frames come with time, and would be counted by the slowness of valgrind.
    config["frame_s"] = float(LIMIT_S)
    return config


def _total(lab: Bench, config: Config) -> float:
    file = lab.folder / "callgrind.out"
    file.unlink(missing_ok=True)
    valgrind = find("valgrind")
    assert valgrind is not None
    before = (valgrind, "--quiet", "--tool=callgrind", f"--callgrind-out-file={file}")
    ours.run(lab.natives.cost, config, CLIENT_CORE, before, LIMIT_S)
    counted = re.findall(
        r"^(?:totals|summary):\s+(\d+)", file.read_text(encoding="utf-8", errors="replace"), re.MULTILINE
    )
    if not counted:
        raise Failed("callgrind wrote no total")
    return float(counted[-1])


def tables(section: dict[str, Any]) -> list[str]:
    """Instructions for each kind of load."""
    rows = section["rows"]
    if not rows:
        return ["Not measured: valgrind is not on that machine."]
    lines = [[name, shown(of_tool(rows, name, key("instructions")))] for name in tools(rows)]
    return [markdown(["load", "instructions for a request"], lines), *failures(rows)]
