"""Fleet over Ray: each generator beside an actor on a host; Ray itself is used by a process apart."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Self

import msgspec

from loadrig.base import leases, passing, private, processes, talks
from loadrig.base.base_texts import texts
from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import PlanError, Span, VoidError
from loadrig.base.leased import CHANGE, ProcessFacts
from loadrig.base.refused import starting
from loadrig.base.safe_python import safe_python
from loadrig.fleet._ray_actor import FORGOTTEN_AFTER_S, GENERATOR
from loadrig.fleet._ray_carrier import LEAVES_WITHIN_S
from loadrig.fleet._ray_cluster import ClusterRules
from loadrig.fleet._ray_head import HEAD_LOST, HEAD_LOST_AFTER_S, answers
from loadrig.fleet._ray_listener import SILENT
from loadrig.fleet._ray_merger import MERGER_LOST
from loadrig.fleet.dealing import dealt
from loadrig.fleet.hosts import ClockReading, News, Seat, UnreachableGenerator
from loadrig.fleet.link import FleetLink
from loadrig.fleet.messages import CarrierAnswer, MergerAnswer, MergerOrder
from loadrig.fleet.reach import CONNECTS_WITHIN_S, ServerWay
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.fleet import FleetRayErrors
from loadrig.plan.fleet_rules import FleetRules

ERRORS = texts_of(FleetRayErrors)

STARTS_WITHIN_S = 120.0
"""Longest wait until all hosts are ready, in seconds: an own Ray takes eight, and each wait for a cluster has
a limit of its own."""

ANSWERS_WITHIN_S = 15.0
"""Longest wait for an answer of our own process that speaks with Ray, in seconds. It waits less for a host:
eight for a line to get there, and three after that."""

ENDS_WITHIN_S = 30.0
"""Time in which the generators and a Ray of our own have to end, in seconds; they take about five."""

SOCKETS = Path("/tmp")
"""Folder for that of a Ray of our own. In it are sockets, whose paths may have 107 bytes, so it is not where
TMPDIR says."""

SHOWN_ENVIRONMENT = {"SPT_NOENV": "1"}
"""Variable by which Ray's processes, as they rename themselves, leave their environment to be read: by it
they are known as ours."""


@dataclass(frozen=True, slots=True)
class HostProgram:
    """Program that runs on the hosts, of `_ray_actor`.

    key: of the plan that asks for the hosts, and is named where a cluster is refused. is_apart: whether each
    has all cores of its host. held: descriptors of ours that stay open until the last has ended. variables:
    of each beside those of its host.
    """

    kind: str
    key: str
    is_apart: bool = False
    held: tuple[int, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)

    def wording(self, code: str, about: str = "") -> Callable[..., ErrorWords]:
        """Return the sentences by which a cluster is refused, for the arguments that the refusal has.

        about: which of them, where a code has several, see `RefusedCluster`.
        """
        wordings: Mapping[str, Callable[..., ErrorWords]] = {
            "fleet.no-head": partial(ERRORS.no_head, self.key),
            "fleet.no-head variable": partial(ERRORS.no_head_of_variable, self.key),
            "fleet.no-head file": partial(ERRORS.no_head_of_file, self.key),
            "fleet.no-head no token": ERRORS.no_token,
            "fleet.no-head other token": ERRORS.other_token,
            "fleet.no-head silent": ERRORS.silent_head,
            "fleet.open-head": partial(ERRORS.open_head, self.key),
            "fleet.open-head hosts": partial(ERRORS.open_hosts, self.key),
            "fleet.other-version": ERRORS.other_version,
            "fleet.other-version machine": ERRORS.other_machine,
            "fleet.too-few-cores": ERRORS.too_few_cores,
            "fleet.too-few-cores mergers": ERRORS.too_few_for_mergers,
            "fleet.too-few-cores busy": ERRORS.busy_cores,
            "fleet.too-few-hosts": ERRORS.too_few_nodes if self.is_apart else ERRORS.too_few_hosts,
            "fleet.too-few-hosts busy": ERRORS.busy_nodes if self.is_apart else ERRORS.busy_hosts,
        }
        return wordings[f"{code} {about}".rstrip()]


GENERATORS = HostProgram(GENERATOR, "fleet")


def _reason(how: str) -> str:
    """Return the reason of a loss in words. how: the listener's word for it, or the name of Ray's error."""
    return ERRORS.silent(f"{FORGOTTEN_AFTER_S:.0f}") if how == SILENT else how


class RayHosts:
    """Hosts of a Ray cluster. log: file for messages of Ray to a person.

    One thread may send while another hears.
    """

    def __init__(
        self, rules: FleetRules, log: Path, program: HostProgram = GENERATORS, mergers: int = 0
    ) -> None:
        """mergers: number of those who put frames together on their way; 0: frames come as they are."""
        self._rules, self._log, self._program = rules, log, program
        self.groups: Sequence[Sequence[int]] = dealt(rules.generators, mergers) if mergers else ()
        self._process: subprocess.Popen[bytes] | None = None
        self._stack = ExitStack()
        self._marker = ""
        self._link: FleetLink | None = None
        self._head, self._is_headless = "", False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def _line(self) -> FleetLink:
        assert self._link is not None, "it was not started"
        return self._link

    def _end(self) -> None:
        assert self._process is not None
        talks.end(self._process, ENDS_WITHIN_S)

    def _clear(self, lease: leases.Lease) -> None:
        """End what is left of a Ray of our own: its agents outlive the process that started it."""
        began_s = time.monotonic()
        while survivors := leases.started_by(self._marker, None, None):
            waited_s = time.monotonic() - began_s
            if waited_s > ENDS_WITHIN_S:
                return  # the lease stays, for `loadrig doctor --clean`
            if waited_s > LEAVES_WITHIN_S:
                leases.end_processes(survivors, signal.SIGKILL)
            time.sleep(0.05)
        lease.end()

    def start(self, count: int) -> Sequence[Seat]:
        """Join the cluster or start one, look at its hosts, and place the generators."""
        # A file run as a module: the interpreter that has Ray is ours, and so has to be our loadrig.
        house = str(Path(__file__).resolve().parents[2])
        paths = os.pathsep.join(filter(None, (house, os.environ.get("PYTHONPATH", ""))))
        self._marker = leases.new_marker()
        with starting("generator"), open(self._log, "ab", opener=private.opener) as log:
            folder = self._stack.enter_context(passing.folder("ray", SOCKETS))
            # Of a change, so that the next command ends it: where both of us are killed, generators may
            # still load somebody's server.
            facts = ProcessFacts(marker=self._marker, command="ray", of=CHANGE)
            lease = leases.take(facts)
            self._stack.callback(self._clear, lease)
            self._process = subprocess.Popen(
                safe_python("-m", "loadrig.fleet._ray_carrier"),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True,
                pass_fds=self._program.held,
                env={**os.environ, **SHOWN_ENVIRONMENT, "PYTHONPATH": paths, leases.MARKER: self._marker},
            )  # fmt: skip
            self._stack.callback(self._end)
            # The callback ends the same lease: by its file.
            lease.update(replace(facts, pid=self._process.pid, start=processes.start_of(self._process.pid)))
        self._link = FleetLink(self._process, range(count), self._gone, self._lost)
        self._stack.callback(self._link.close)
        rules = ClusterRules(
            ray=self._rules.ray, generators=count, spread=self._rules.spread, cpus=int(self._rules.cpus),
            unguarded=self._rules.unguarded, mergers=len(self.groups), folder=str(folder),
            program=self._program.kind, apart=self._program.is_apart,
            variables=dict(self._program.variables),
        )  # fmt: skip
        self._line.write(json.dumps(asdict(rules)).encode() + b"\n")
        answer = self._line.answer(STARTS_WITHIN_S)
        if answer is None:
            words = talks.last_lines(self._log)
            raise VoidError.of(ERRORS.carrier_failed(), code="rig.refused", detail=words)
        first = msgspec.json.decode(b" ".join(answer), type=CarrierAnswer)
        if first.refused:
            where = Span(first.where or f"{self._program.key}.ray: {self._rules.ray}")
            wording = self._program.wording(first.refused, first.about)(*first.arguments)
            raise PlanError.of(wording, code=first.refused, where=where)
        self._head = first.head
        return first.seats

    def _lost(self, how: str) -> str:
        """Return how a generator was lost. how: the carrier's word for it."""
        if how.startswith(MERGER_LOST):
            _, digits, reason = how.split(" ")
            group = self.groups[int(digits)]
            return ERRORS.merger_lost(
                str(int(digits) + 1), str(group[0] + 1), str(group[-1] + 1), _reason(reason)
            )
        if how == SILENT:
            return _reason(how)
        if how != HEAD_LOST:
            return ERRORS.host_lost(how)
        self._is_headless = True
        return ERRORS.head_silent(self._head, f"{HEAD_LOST_AFTER_S:.0f}")

    def _gone(self) -> str:
        """Return what is said of all where the carrier died: Ray ends it where its own head has ended."""
        if not self._head or answers(self._head):
            return ERRORS.carrier_gone
        self._is_headless = True
        return ERRORS.head_gone(self._head)

    def loss_of_all(self) -> VoidError | None:
        """Return why all are lost, where it is the head's end."""
        if not self._is_headless:
            return None
        where = Span(f"{self._program.key}: {self._head}")
        words = talks.last_lines(self._log)
        return VoidError.of(ERRORS.head_lost(self._head), code="fleet.head-lost", detail=words, where=where)

    def reach(self, addresses: Sequence[str]) -> Mapping[int, ServerWay]:
        """Let every actor connect."""
        self._line.write(b"R 0 %s\n" % json.dumps(list(addresses)).encode())
        answer = self._line.answer(ANSWERS_WITHIN_S + len(addresses) * CONNECTS_WITHIN_S)
        if answer is None or answer[0] != b"R":
            raise UnreachableGenerator(texts().no_longer_listens)
        ways = json.loads(b" ".join(answer[1:]))
        return {
            index: ServerWay(sources, None if lacking is None else (lacking[0], lacking[1]))
            for index, (sources, lacking) in enumerate(ways)
        }

    def send(self, index: int, line: bytes) -> None:
        """Write a line to the actor; one whose generator takes it no more is heard of by its end."""
        self._line.write(b"S %d %s" % (index, line))

    def hear(self, within_s: float) -> Sequence[News]:
        """Read what the carrier brought."""
        deadline = time.monotonic() + within_s
        while not self._line.has_news() and self._line.read(max(0.0, deadline - time.monotonic())):
            pass
        return self._line.news()

    def clock(self, index: int) -> ClockReading:
        """Ask the actor for its host's clock; both of our readings are made beside Ray."""
        self._line.write(b"C %d\n" % index)
        answer = self._line.answer(ANSWERS_WITHIN_S)
        if answer is None or answer[0] != b"C":
            raise UnreachableGenerator(texts().no_longer_listens)
        return ClockReading(*map(int, answer[2:]))

    def tell(self, number: int, order: MergerOrder) -> MergerAnswer:
        """Give a merger an order."""
        self._line.write(b"G %d %s\n" % (number, msgspec.json.encode(order)))
        answer = self._line.answer(ANSWERS_WITHIN_S)
        if answer is None or answer[0] != b"G":
            raise UnreachableGenerator(texts().no_longer_listens)
        return msgspec.json.decode(b" ".join(answer[2:]), type=MergerAnswer)

    def last_words(self, index: int) -> tuple[str, ...]:
        """Return what the generator wrote to its host; where that is gone, what Ray wrote here."""
        with suppress(UnreachableGenerator):
            self._line.write(b"W %d\n" % index)
            answer = self._line.answer(ANSWERS_WITHIN_S)
            if answer is not None and answer[0] == b"W":
                return tuple(json.loads(b" ".join(answer[2:])))
        return talks.last_lines(self._log)

    def replace(self, index: int) -> None:
        """Let another actor be placed: on the same host, or where that is gone on one that has room."""
        self._line.write(b"A %d\n" % index)
        self._line.awaits(index)

    def stop(self, index: int) -> None:
        """Let the actor kill its generator."""
        self._line.write(b"X %d\n" % index)
        self._line.answer(ANSWERS_WITHIN_S)
