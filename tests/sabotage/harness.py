"""Sabotages, and the program as a user runs it, reachable while it works.

A sabotage spoils one run in one known way; it is caught when the program says so for the right reason.
Everything here runs the real program on real sockets, each run a few seconds long.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadrig.base import processes
from tests import warm
from tests.lengths import length
from tests.pauses import pause

DEADLINE_S = 120.0
SECONDS = length(2.0, 3.0)
"""Seconds that each load lasts: enough for every check but those that ask for more by themselves."""
SERVER = Path(__file__).with_name("server.py")


class Impossible(Exception):
    """This machine does not allow the sabotage; the text says what is missing."""


@dataclass(frozen=True)
class SabotageOutcome:
    """Outcome of a run. result: its JSON, None where there was no trial. errors: what it told on stderr."""

    code: int
    result: Mapping[str, Any] | None
    errors: str

    @property
    def verdict(self) -> str:
        """valid, disturbed, void; or refused."""
        return str(self.result["validity"]["verdict"]) if self.result else "refused"

    @property
    def reasons(self) -> list[Mapping[str, str]]:
        """All reasons but notes."""
        reasons = self.result["validity"]["reasons"] if self.result else []
        return [reason for reason in reasons if reason["level"] != "note"]

    def __str__(self) -> str:
        words = "; ".join(f"{reason['check']} {reason['level']}: {reason['text']}" for reason in self.reasons)
        return f"{self.verdict} (exit code {self.code}): {words or self.errors[-800:] or 'no reason'}"


@dataclass(frozen=True)
class Sabotage:
    """name: what was done, as a sentence. check: the one that must speak, or the code of the refusal.

    levels: at which level. words: a pattern that its reason must hold: the right reason, not any.
    is_variant: whether another of the same check is committed on every change, and this one at full length.
    commit: does it, in a folder of its own, and returns what came of it; raises Impossible.
    """

    name: str
    check: str
    words: str
    commit: Callable[[Path], SabotageOutcome]
    levels: tuple[str, ...] = ("disturbed", "grave", "void")
    is_variant: bool = False

    def is_caught_by(self, outcome: SabotageOutcome) -> bool:
        """Return whether the program said the right thing."""
        if self.levels == ("refused",):
            return outcome.verdict == "refused" and bool(re.search(self.words, outcome.errors))
        return any(
            reason["check"] == self.check
            and reason["level"] in self.levels
            and re.search(self.words, reason["text"])
            for reason in outcome.reasons
        )


def cores() -> tuple[int, int]:
    """Return the generator's and the server's. Raises Impossible where there is only one."""
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        raise Impossible("two cores")
    return allowed[0], allowed[1]


def plan(
    target: str | int,
    load: str,
    *,
    request: str = "get: /, expect: {contains: [ok]}",
    workload: Sequence[str] = (),
    seconds: float = SECONDS,
    trial: str | None = None,
) -> str:
    """Return a plan as a user would write it. target: a port of this machine, or the target's own line."""
    own = cores()[0]
    if isinstance(target, int):
        target = f'{{external: {{url: "http://127.0.0.1:{target}"}}}}'
    lines = [
        "loadrig: 1",
        "name: sabotage",
        f"target: {target}",
        "workload:",
        f"  {load}",
        f"  requests: [{{{request}}}]",
        *(f"  {line}" for line in workload),
        "trial:",
        "  warm_up: 0s",
        f"  measure: {{at_least: {seconds}s, at_most: {seconds}s}}",
        f"  {trial or f'cpus: [{own}]'}",
    ]
    return "\n".join(lines) + "\n"


@dataclass
class SabotageRig:
    """`loadrig run` as a process of its own. prefix: words before it, such as `nice -n 19`.

    words: another command than to run the plan.
    """

    text: str
    folder: Path
    prefix: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    words: Sequence[str] = ("run", "plan.yaml", "--json", "--out", "run")

    def __enter__(self) -> "SabotageRig":
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "plan.yaml").write_text(self.text, encoding="utf-8")
        self._out = (self.folder / "out.json").open("w")
        self._errors = (self.folder / "errors.txt").open("w")
        self.process = warm.Popen(
            [*self.prefix, *warm.PROGRAM, *self.words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._errors,
            env={**os.environ, "NO_COLOR": "1", **self.environment},
        )
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=60)
        self._out.close()
        self._errors.close()

    def generator(self) -> int:
        """Process id of the generator, once it makes load."""
        frames = self.folder / "run" / "trials" / "0001" / "frames.jsonl"
        self._wait_for(lambda: frames.exists() and frames.stat().st_size > 0, "the first frame")
        everyone = processes.table()
        for pid in processes.tree(self.process.pid, everyone):
            if "loadrig/engine" in processes.command_line(pid):
                return pid
        raise AssertionError("the rig has no generator")

    def end(self) -> SabotageOutcome:
        """Wait for the end; what was printed and told."""
        self.process.wait(timeout=DEADLINE_S)
        text = (self.folder / "out.json").read_text(encoding="utf-8")
        errors = (self.folder / "errors.txt").read_text(encoding="utf-8")
        return SabotageOutcome(self.process.returncode, json.loads(text) if text.strip() else None, errors)

    def _wait_for(self, condition: Callable[[], bool], what: str) -> None:
        began = time.monotonic()
        while not condition():
            if self.process.poll() is not None or time.monotonic() > began + DEADLINE_S:
                raise AssertionError(f"waited in vain for {what}: {self.end()}")
            pause(began)


def run(text: str, folder: Path, prefix: Sequence[str] = (), **environment: str) -> SabotageOutcome:
    """Return one undisturbed run of a plan."""
    with SabotageRig(text, folder, prefix, environment) as rig:
        return rig.end()


def server_argv(**options: Any) -> list[str]:
    """Return the command line of the small server."""
    return [sys.executable, str(SERVER), json.dumps(options)]


def command_target(core: int, **options: Any) -> str:
    """Return the small server as a target that loadrig starts itself, on this core: a plan's line."""
    text = json.dumps({"port": "PORT", **options}).replace('"PORT"', "{port}")
    return f"{{command: {{argv: ['{sys.executable}', '{SERVER}', '{text}'], cpus: [{core}]}}}}"


@contextlib.contextmanager
def serving(**options: Any) -> Iterator[int]:
    """Yield the port of the small server on the second core, unless `cpus` says otherwise."""
    with _serving(server_argv(**{"cpus": [cores()[1]], **options})) as line:
        yield int(line)


@contextlib.contextmanager
def null_server() -> Iterator[int]:
    """Yield the built-in server that does nothing, as calibration uses it, on the second core."""
    from loadrig.trial.calibration import null_server as built_in

    with built_in([cores()[1]]) as port:
        yield port


@contextlib.contextmanager
def _serving(argv: Sequence[str]) -> Iterator[str]:
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline()
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
