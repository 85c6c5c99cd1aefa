"""Bench that all modes share: the cores, the peers that are here, and runs in turns."""

import fcntl
import os
import random
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from bench import costs, ours, peers
from bench.costs import Failed
from bench.loads import Config
from bench.natives import Natives
from bench.ours import Row
from bench.programs import find
from bench.server import Server

CLIENT_CORE, SERVER_CORE = 0, 1
TURN_S = 95.0
"""A lock that others wait for is given up after so long, between two runs."""


Run = Callable[[Server], Row]
"""One run of a tool against a server."""


STARTS_AND_ENDS_S = 40
"""Longest time that a peer may take beside its load, in seconds: a JVM starts late on a busy machine."""


@dataclass
class Bench:
    """Request for a measurement, and the tools to do it with. Made by __main__.

    folder: temporary. runs: of every tool. seconds: of a run, or None for what the mode finds right.
    only: tools asked for, empty is all. folders: searched for programs first. turns: a lock file. options: of
    a mode that has some of its own, by name; None for what was not given.
    """

    folder: Path
    natives: Natives
    certificate: Path
    runs: int
    seconds: float | None
    only: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    turns: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    commands: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lock = self.turns.open("a") if self.turns else None
        self._since: float | None = None

    @property
    def is_quick(self) -> bool:
        """Whether it is only to be seen that the mode runs."""
        return self.seconds is not None and self.seconds <= 1

    @property
    def _searched(self) -> list[str]:
        return [str(self.natives.limit.parent), *self.folders]

    def path_of(self, program: str) -> str:
        """Return where a program is; its bare name if it is nowhere."""
        return find(program, self._searched) or program

    def length(self, usual: float) -> float:
        """Seconds of a run that would usually take so long."""
        return usual if self.seconds is None else self.seconds

    def is_asked(self, tool: str) -> bool:
        """Return whether this tool was asked for."""
        return not self.only or tool in self.only or tool.split()[0] in self.only

    def peers_of(self, mode: str) -> list[peers.Peer]:
        """Return the peers of a mode that are here; the others are named on standard error."""
        present, absent = peers.of_mode(mode, self._searched)
        if missing := [name for name in absent if self.is_asked(name)]:
            packages = [f"{name} ({peers.PACKAGES[name]})" for name in missing if name in peers.PACKAGES]
            print(f"note: not on this machine: {', '.join(packages)}", file=sys.stderr)
        asked = [peer for peer in present if self.is_asked(peer.name)]
        self.commands = {peer.name: peer.command for peer in asked} | {
            "loadrig": "python loadrig/engine/__main__.py"
        }
        self.versions |= peers.versions({peer.program for peer in asked} - {*self.versions}, self._searched)
        return asked

    def peer_runs(self, mode: str, **load: float) -> dict[str, Run]:
        """For each peer of a mode what runs it under this load; see `run_peer` for its words."""
        return {peer.name: partial(self._run_peer_of, peer, load) for peer in self.peers_of(mode)}

    def _run_peer_of(self, peer: peers.Peer, load: Mapping[str, float], server: Server) -> Row:
        return self.run_peer(
            peer, server, connections=int(load.get("connections", 1)), seconds=load["seconds"],
            streams=int(load.get("streams", 1)), rate=load.get("rate", 0.0),
        )  # fmt: skip

    def run_peer(
        self,
        peer: peers.Peer,
        server: Server,
        *,
        connections: int = 1,
        seconds: float = 1.0,
        streams: int = 1,
        rate: float = 0.0,
        core: int = CLIENT_CORE,
    ) -> Row:
        """Return one run of a peer, on the generator's core. rate: requests a second in all, 0 for none."""
        scratch = self.folder / "scratch"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        targets = self.folder / "targets"
        targets.write_text(f"GET {server.url}\n", encoding="utf-8")
        filled = {
            "url": server.url, "origin": server.url.rstrip("/"), "port": server.port, "targets": targets,
            "file": scratch / "file", "scripts": peers.SCRIPTS, "connections": connections,
            "seconds": f"{seconds:g}", "streams": streams, "users": connections * streams,
            "rate": f"{rate:g}", "per": f"{rate / connections:g}",
        }  # fmt: skip
        argv = [self.path_of(word) if word == peer.program else word for word in peer.argv(filled)]
        limit_s = int(seconds) + STARTS_AND_ENDS_S
        ran = costs.run(self.natives.cost, argv, core, limit_s, cwd=scratch)
        output = ran.stdout
        row: Row = {"cpu_s": ran.cost.cpu_s, "wall_s": ran.cost.wall_s, "peak_bytes": ran.cost.peak_bytes}
        if ran.cost.was_killed:
            raise Failed(f"it did not end within {limit_s} s")
        if peer.parser is None:
            return row
        if report := peer.report_argv(filled):
            output = costs.run(self.natives.cost, [self.path_of(report[0]), *report[1:]], SERVER_CORE).stdout
        try:
            parsed = peer.parser(output, scratch / "file")
        except (ValueError, KeyError, TypeError, OSError, StopIteration) as error:
            raise Failed(f"{type(error).__name__} {error}: {(ran.stderr or output)[-300:]!r}") from error
        row |= {
            "requests": parsed.requests, "per_second": parsed.per_second, "errors": parsed.errors,
            "latency_ms": dict(parsed.latency_ms), "dropped": parsed.dropped,
        }  # fmt: skip
        return row

    def run_ours(self, config: Config, cores: Sequence[int] = (CLIENT_CORE,)) -> Row:
        """Return one run of our generator, without the frames.

        Held on a core, or on those that its config names.
        """
        row = ours.run(self.natives.cost, config, cores[0] if len(cores) == 1 else -1)
        del row["frames"]
        return row

    def in_turns(
        self,
        tools: Mapping[str, Run],
        serve: Callable[[], AbstractContextManager[Server]],
        seed: int = 0,
    ) -> list[Row]:
        """Every tool once in each block, in random order, each against a new server.

        A row has what the tool said and what it cost, or why it failed; and how busy the server was.
        """
        rows = []
        for block in range(self.runs):
            order = random.Random(1000 * block + seed).sample(sorted(tools), k=len(tools))
            for name in order:
                row: Row = {"tool": name, "block": block}
                with self.turn(), serve() as server:
                    if server.version:
                        self.versions["nginx"] = server.version
                    before, began = server.cpu_s(), time.monotonic()
                    try:
                        row |= tools[name](server)
                    except Failed as failure:
                        row["failed"] = str(failure)
                    row["server_busy"] = (server.cpu_s() - before) / (time.monotonic() - began)
                if server.figures:
                    row["server"] = server.figures
                rows.append(row)
                print(f"  {block + 1}/{self.runs} {name:24} {_brief(row)}", file=sys.stderr)
        return rows

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the lock for a run, if there is one; offer it to others now and then."""
        if self._lock is not None:
            if self._since is not None and time.monotonic() - self._since > TURN_S:
                fcntl.flock(self._lock, fcntl.LOCK_UN)
                self._since = None
                time.sleep(1.0)  # long enough for whoever waits
            if self._since is None:
                fcntl.flock(self._lock, fcntl.LOCK_EX)
                self._since = time.monotonic()
        yield

    def let_others(self) -> None:
        """Give the lock up."""
        if self._lock is not None:
            fcntl.flock(self._lock, fcntl.LOCK_UN)
            self._since = None


@contextmanager
def held(core: int) -> Iterator[None]:
    """Keep what is started in the block on this core, unless it says otherwise."""
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, every)


def _brief(row: Row) -> str:
    if "failed" in row:
        return f"failed: {row['failed'][:120]}"
    if not row.get("requests"):
        return f"{1e3 * row['wall_s']:.0f} ms"
    return f"{row['per_second']:10,.0f}/s {row['cpu_s'] / row['requests'] * 1e6:8.2f} CPU s a million"
