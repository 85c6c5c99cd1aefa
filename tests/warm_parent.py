"""Parent with all that the commands import, which becomes the program again and again: see `tests/warm.py`.

For each request it forks a process that takes the words, environment, folder and descriptors of the caller,
and then runs `loadrig.cli` as `python -m loadrig.cli` does. It holds no thread and no file, and it ends with
whoever has started it. No module of the tests is imported here.
"""

import ctypes
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import signal
import socket
import struct
import sys
import time
from collections.abc import Mapping
from typing import Any

FIRST_DESCRIPTOR = 3
"""Number of the first descriptor that a program is not given: 0, 1 and 2 are its standard streams."""

LENGTH = struct.Struct("!I")
"""Head of a request: the length of its text. The three descriptors come beside it."""

IMPORTED = (
    "argparse", "http.client", "json", "locale", "logging", "msgspec.structs", "nanoarrow.ipc", "numpy",
    "numpy.ma", "numpy.random", "rich.console", "loadrig.base.errors", "loadrig.base.processes",
    "loadrig.cli._finish", "loadrig.cli._left_over", "loadrig.cli._parser", "loadrig.cli._quick",
    "loadrig.cli._rendered", "loadrig.cli._request", "loadrig.cli._runs", "loadrig.cli._streams",
    "loadrig.cli.attack", "loadrig.cli.doctor", "loadrig.cli.lab", "loadrig.cli.run", "loadrig.cli.ui",
    "loadrig.discovery", "loadrig.judgement.diagnose", "loadrig.judgement.facts.statements",
    "loadrig.judgement.facts.commands", "loadrig.judgement.facts.locks", "loadrig.judgement.facts.loss",
    "loadrig.judgement.facts.restarts", "loadrig.judgement.harms.drift",
    "loadrig.judgement.harms.leaks", "loadrig.judgement.harms.standstill",
    "loadrig.language.help_pages", "loadrig.plan.yaml_library", "loadrig.probes._held_files",
    "loadrig.probes._logs.sources", "loadrig.probes._observer", "loadrig.probes._python.gunicorn_log",
    "loadrig.probes._python.reports", "loadrig.recording.reader", "loadrig.report.figures.forest",
    "loadrig.report.figures.percentile_plot", "loadrig.stats.special", "loadrig.study.blocks",
    "loadrig.study.fidelity", "loadrig.study.judge", "loadrig.study.proof", "loadrig.target._running",
    "loadrig.target.external", "loadrig.trial.result",
)  # fmt: skip
"""Modules that most commands import before they end, with all that these import."""

ROOMS = (
    "loadrig.judgement.causes", "loadrig.language.en.causes", "loadrig.language.en.report.figures",
    "loadrig.measures", "loadrig.probes", "loadrig.recording", "loadrig.report.figures",
    "loadrig.report.sections", "loadrig.study.strategies",
)  # fmt: skip
"""Rooms of which a command imports most members."""


def serve(caller: socket.socket, on_interrupt: Any) -> dict[str, Any] | None:
    """Start a program for each request. Return its request in the new process, None when the caller ends.

    on_interrupt: what SIGINT does in the program, as Python had found it.
    """
    while (asked := _next_request(caller)) is not None:
        text, descriptors = asked
        pid = _fork()
        if pid == 0:
            caller.close()
            return _take(text, descriptors, on_interrupt)
        for descriptor in descriptors:
            os.close(descriptor)
        caller.sendall(LENGTH.pack(pid))
    return None


def _next_request(caller: socket.socket) -> tuple[str, list[int]] | None:
    head, descriptors, _, _ = socket.recv_fds(caller, LENGTH.size, 3)
    if not head:
        return None
    (length,) = LENGTH.unpack(head)
    text = b""
    while len(text) < length:
        text += caller.recv(length - len(text))
    return text.decode(), descriptors


def _fork() -> int:
    """Fork a process whose parent is whoever adopts orphans, the caller; return its pid here, 0 in it."""
    is_ready, has_begun = os.pipe()
    between = os.fork()
    if between == 0:
        os.close(is_ready)
        pid = os.fork()
        if pid:
            os.write(has_begun, LENGTH.pack(pid))
            os._exit(0)
        os.close(has_begun)
        while os.getppid() == between:
            # The one between has nothing left to do but to end.
            time.sleep(0.0005)
        return 0
    os.close(has_begun)
    (pid,) = LENGTH.unpack(os.read(is_ready, LENGTH.size))
    os.close(is_ready)
    os.waitpid(between, 0)
    return int(pid)


def _take(text: str, descriptors: list[int], on_interrupt: Any) -> dict[str, Any]:
    """Take the caller's descriptors, folder, session and environment; return the whole request."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    os.closerange(FIRST_DESCRIPTOR, max(descriptors) + 1)
    request: dict[str, Any] = json.loads(text)
    os.chdir(request["cwd"])
    if request["session"]:
        os.setsid()
    if request["group"] is not None:
        os.setpgid(0, request["group"])
    signal.signal(signal.SIGINT, on_interrupt)
    for number in request["default_signals"]:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    environment: Mapping[str, str] = request["env"]
    os.environ.clear()
    os.environ.update(environment)
    if request["first"]:
        getattr(ctypes.CDLL(None), request["first"])()
    for name, number in (("stdin", 0), ("stdout", 1), ("stderr", 2)):
        stream = _stream(number, getattr(sys, name))
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    return request


def _stream(number: int, before: Any) -> io.TextIOWrapper:
    """Return a text stream as Python makes it of a descriptor. before: the parent's, of another file."""
    file = io.FileIO(number, "r" if number == 0 else "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedReader(file) if number == 0 else io.BufferedWriter(file),
        before.encoding,
        before.errors,
        line_buffering=number == 2 or file.isatty(),
        write_through=before.write_through,
    )


def main() -> None:
    """Import, serve, and in each new process run the program."""
    caller = socket.socket(fileno=int(sys.argv[1]))
    # The terminal's Ctrl-C is for the tests: this process ends with them.
    on_interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    for module in IMPORTED:
        importlib.import_module(module)
    for room in ROOMS:
        for member in pkgutil.iter_modules(importlib.import_module(room).__path__, f"{room}."):
            if not member.name.startswith(f"{room}._"):
                importlib.import_module(member.name)
    gc.collect()
    # What was imported is shared with every program: a collection would copy all of it.
    gc.freeze()
    request = serve(caller, on_interrupt)
    if request is not None:
        # Of `python -m` the first folder of the path is the working folder.
        sys.path[0] = request["cwd"]
        sys.argv = ["-m", *request["words"]]
        sys.orig_argv = [sys.executable, "-m", "loadrig.cli", *request["words"]]
        runpy.run_module("loadrig.cli", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
