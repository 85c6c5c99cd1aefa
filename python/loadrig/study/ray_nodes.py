"""Nodes on the hosts of a Ray cluster: one on each host, whose trials come back into the run's folder.

Each is an actor in a placement group that is spread over hosts, and has all cores of its host; lines go to
and from its process as they do for a generator of a fleet (`fleet.ray_hosts`).
"""

import base64
import json
import queue
import tarfile
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from loadrig.base.documents import Document, plain, typed
from loadrig.base.errors import PlanError, Span, VoidError
from loadrig.base.units import Count
from loadrig.fleet._ray_actor import NODE
from loadrig.fleet.hosts import Hosts, News, Seat, UnreachableGenerator
from loadrig.fleet.ray_hosts import HostProgram, RayHosts
from loadrig.language.choice import VARIABLE, language, texts_of
from loadrig.language.en.errors.study import StudyLocalNodeErrors, StudyRayNodesErrors
from loadrig.language.en.study import StudyLocalNodeTexts, StudyRayNodesTexts
from loadrig.plan.fleet_rules import FleetRules
from loadrig.plan.model import Plan
from loadrig.recording.layout import RunFolder
from loadrig.study import node_cargo
from loadrig.study.node_messages import NodeAnswer, NodeBegin, NodeOrder, NodeReady, ToldError
from loadrig.study.node_needs import needs_of
from loadrig.study.node_process import packed
from loadrig.study.study_node import LostNode
from loadrig.study.trial_in_run import over_in
from loadrig.study.trials import DoneTrial, done
from loadrig.trial.spec import TrialSpec

TEXTS, ERRORS = texts_of(StudyRayNodesTexts), texts_of(StudyRayNodesErrors)
NODE_TEXTS, NODE_ERRORS = texts_of(StudyLocalNodeTexts), texts_of(StudyLocalNodeErrors)

CORES_EACH = 2
"""Fewest cores of a host that is a node: one for its generator, one for its server."""

STARTS_WITHIN_S = 60.0
"""Longest wait for the nodes' processes, in seconds: each imports a trial's modules, and gets its files."""

HEARS_EVERY_S = 0.5
"""Longest wait for a line, in seconds, before the listener looks whether it is still wanted."""

FILES_BYTES = 32 << 20
"""Most bytes of `nodes.files`, packed: they go to each host as one line, which Ray holds in memory."""

Lines = queue.SimpleQueue[News]


def base_of(plan: Plan) -> Path:
    """Return the folder from which the paths in a plan count."""
    return (Path(plan.path).parent if plan.path else Path()).absolute()


def check_files(plan: Plan, names: Sequence[str]) -> None:
    """Raise PlanError `nodes.files` where a file that hosts are to get is not in the plan's folder."""
    base = base_of(plan)
    for name in names:
        if Path(name).is_absolute() or ".." in Path(name).parts or not (base / name).exists():
            wording = ERRORS.no_file(name, str(base))
            raise PlanError.of(wording, code="nodes.files", where=Span("nodes.files"))


def files_of(plan: Plan) -> str:
    """Return the files that each host gets, packed; empty where it gets none.

    Raises PlanError `nodes.files`.
    """
    if plan.nodes is None or not plan.nodes.files:
        return ""
    check_files(plan, plan.nodes.files)
    base, where = base_of(plan), Span("nodes.files")
    try:
        text = node_cargo.packed_files(base, plan.nodes.files)
    except OSError as error:
        wording = ERRORS.no_file(str(error.filename or error), str(base))
        raise PlanError.of(wording, code="nodes.files", where=where) from error
    if len(text) > FILES_BYTES:
        raise PlanError.of(
            ERRORS.too_large(f"{len(text) >> 20:,}", f"{FILES_BYTES >> 20}"), code="nodes.files", where=where
        )
    return text


def names_of(seats: Sequence[Seat]) -> list[str]:
    """Return a name for each node: its host's address, which it still has when a study goes on.

    Hosts of Ray that share an address are on one machine, and are counted.
    """
    counts: Counter[str] = Counter()
    names = []
    for seat in seats:
        counts[seat.host] += 1
        names.append(seat.host if counts[seat.host] == 1 else f"{seat.host} ({counts[seat.host]})")
    return names


def _raise_if_lacking(ready: NodeReady, host: str) -> None:
    """Raise PlanError where a host lacks what the server needs."""
    if ready.lacks:
        wording = ERRORS.no_folder(host, ready.lacks)
        raise PlanError.of(wording, code="nodes.no-folder", where=Span("nodes.files"))
    lack = ready.lack
    if lack is not None:
        wording = (
            ERRORS.no_image(host, lack.image, lack.how)
            if lack.image
            else ERRORS.no_program(host, lack.program)
        )
        raise PlanError.of(wording, code="nodes.lacks", where=Span("target"))


def _at(host: str, error: ToldError) -> ToldError:
    """Return an error of a trial with the name of the host on which it happened."""
    problems = tuple(replace(problem, what=ERRORS.on_host(host, problem.what)) for problem in error.problems)
    return ToldError(kind=error.kind, problems=problems)


class RayNode:
    """Node on a host. run: folder of the driver's run. send: gives its process a message."""

    def __init__(self, name: str, run: RunFolder, send: Callable[[Document], None]) -> None:
        self.name, self._run, self._send = name, run, send
        self.lines: Lines = queue.SimpleQueue()

    def run(self, spec: TrialSpec) -> DoneTrial:
        """Run a trial to its end, see StudyNode; its folder comes here before the trial counts as over."""
        if (over := over_in(self._run, spec)) is not None:
            return done(spec, over, over.seconds, self._run.path)
        path = str(Path(spec.plan.path).absolute()) if spec.plan.path else ""
        there = replace(spec, plan=replace(spec.plan, path=path))
        ended = self.ask(NodeOrder(spec=packed(there)), spec.index).over()
        if ended is None:
            raise LostNode(NODE_TEXTS.ended)
        return ended

    def ask(self, order: NodeOrder, index: int) -> NodeAnswer:
        """Let the node's process carry out an order, see StudyNode."""
        try:
            self._send(order)
        except UnreachableGenerator as gone:
            raise LostNode(str(gone)) from None
        with tempfile.TemporaryFile() as parts:
            answer = self._answer(parts)
            if parts.tell():
                try:
                    node_cargo.keep_trial(parts, self._run.trial(index))
                except (OSError, tarfile.TarError) as error:
                    wording = ERRORS.not_kept(str(index), self.name, str(error))
                    raise VoidError.of(wording, code="rig.refused") from error
        if answer.error is None:
            return answer
        return NodeAnswer(done=answer.done, live=answer.live, error=_at(self.name, answer.error))

    def begin(self, begin: NodeBegin) -> None:
        """Give the node's process its first message. Raises UnreachableGenerator where it takes none."""
        self._send(begin)

    def _answer(self, parts: IO[bytes]) -> NodeAnswer:
        """Return the end of a trial; write the parts of its folder that come before."""
        while (news := self.lines.get()).line is not None:
            answer = typed(NodeAnswer, json.loads(news.line), self.name)
            if not answer.part:
                return answer
            parts.write(base64.b64decode(answer.part))
        raise LostNode(news.why or NODE_TEXTS.ended)

    def stop(self) -> None:
        """End the trial that runs, as Ctrl-C does."""
        with suppress(UnreachableGenerator):
            self._send(NodeOrder(stop=1))

    def close(self) -> None:
        """Do nothing: all nodes end with the cluster, see RayNodes."""


class RayNodes:
    """Nodes of a plan on the hosts of Ray. Used as a context manager, whose value they are.

    run: its folder. log: file for messages of Ray to a person. held: descriptor of the ledger, which stays
    locked until the last node has ended, see LocalNode. hosts: in place of those that the plan asks for.
    """

    def __init__(self, plan: Plan, run: RunFolder, log: Path, held: int, hosts: Hosts | None = None) -> None:
        assert plan.nodes is not None
        self._plan, self._run, self._count = plan, run, plan.nodes.nodes
        rules = FleetRules(
            Count(self._count), ray=plan.nodes.ray, spread="strict", cpus=Count(CORES_EACH),
            unguarded=plan.nodes.unguarded,
        )  # fmt: skip
        program = HostProgram(NODE, "nodes", is_apart=True, held=(held,), variables={VARIABLE: language()})
        self._hosts: Hosts = hosts or RayHosts(rules, log, program)
        self._nodes: list[RayNode] = []
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._is_over = threading.Event()

    def __enter__(self) -> Sequence[RayNode]:
        files = files_of(self._plan)
        with ExitStack() as stack:
            stack.enter_context(self._hosts)
            seats = self._hosts.start(self._count)
            names = names_of(seats)
            begin = NodeBegin(
                folder="", cpus=(), base=str(base_of(self._plan)), files=files, needs=needs_of(self._plan)
            )
            for seat, name in zip(seats, names, strict=True):
                self._nodes.append(RayNode(name, self._run, self._sender(seat.index)))
            for node in self._nodes:
                node.begin(begin)
            self._await()
            listener = threading.Thread(target=self._listen, name="loadrig-ray-nodes")
            listener.start()
            stack.callback(listener.join)
            stack.callback(self._is_over.set)
            self._stack = stack.pop_all()
        return self._nodes

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _sender(self, index: int) -> Callable[[Document], None]:
        def send(message: Document) -> None:
            line = json.dumps(plain(message)).encode() + b"\n"
            with self._lock:  # of trials side by side, each with a thread
                self._hosts.send(index, line)

        return send

    def _await(self) -> None:
        """Wait until all nodes are ready. Raises PlanError where a host lacks something, VoidError if not."""
        waiting = set(range(self._count))
        deadline = time.monotonic() + STARTS_WITHIN_S
        while waiting:
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                self._fail(min(waiting), TEXTS.not_ready(f"{STARTS_WITHIN_S:.0f}"))
            for news in self._hosts.hear(left_s):
                if news.line is None:
                    self._fail(news.index, news.why or NODE_TEXTS.ended)
                    continue
                ready = typed(NodeReady, json.loads(news.line), self._nodes[news.index].name)
                _raise_if_lacking(ready, self._nodes[news.index].name)
                waiting.discard(news.index)

    def _fail(self, index: int, why: str) -> None:
        wording = NODE_ERRORS.not_started(self._nodes[index].name, why)
        raise VoidError.of(wording, code="rig.refused", detail=self._hosts.last_words(index))

    def _listen(self) -> None:
        """Give each node its lines, until all are gone or the study is over."""
        alive = set(range(self._count))
        why = ""
        try:
            while alive and not self._is_over.is_set():
                for news in self._hosts.hear(HEARS_EVERY_S):
                    self._nodes[news.index].lines.put(news)
                    if news.line is None:
                        alive.discard(news.index)
        except (OSError, ValueError) as error:
            why = str(error)
        finally:
            # A node that waits for a line is not left waiting.
            for index in alive:
                self._nodes[index].lines.put(News(index, None, why))
