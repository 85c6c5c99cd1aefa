"""Experiment while load runs, as an order that is carried out on the machine that has the server.

Here the levers that tell most are chosen anew as slots show something. On a node of a study nobody knows the
diagnosis, so that they are tried in the order in which they came, until each is sure or the time is up.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from loadrig.base.component import SERVER
from loadrig.base.setting import Setting
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Scene, Step
from loadrig.interventions.dependency_delay import Inserted, insert
from loadrig.judgement.experiments.credence import OPEN, Doubt, tell_alike
from loadrig.judgement.experiments.outcome import Measure
from loadrig.judgement.experiments.results import Measurement, Result
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.proving import ProvingCarryOutErrors
from loadrig.plan.constant import constant
from loadrig.plan.model import Plan
from loadrig.proving import able
from loadrig.proving.changes import skip_for
from loadrig.proving.document import InterventionBand, SkippedExperiment
from loadrig.proving.live import LiveProof, untold

ERRORS = texts_of(ProvingCarryOutErrors)

RunLive = Callable[[Plan, Setting, LiveProof], object]
"""Function that runs a trial of a plan with an experiment in it. Raises what a trial raises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveOrder:
    """Order of an experiment while load runs.

    levers: the most telling first. most: greatest number of those that are pulled. most_s: greatest time for
    the trial, in seconds. number: of the trial. places: addresses of what the server talks to, by name. pids:
    processes that the rig has started beside the server. has_one_look: whether the first look is enough, as
    nothing tells more than whether what was wrong is over.
    """

    plan: Plan
    levers: Sequence[Lever]
    most: int
    measure: Measure
    warm_up_s: float
    most_s: float
    number: int
    places: Mapping[str, str]
    pids: frozenset[int] = frozenset()
    has_one_look: bool = False


@dataclass(slots=True)
class LiveFindings:
    """Findings of experiments while load ran."""

    results: list[Result] = field(default_factory=list)
    skipped: list[SkippedExperiment] = field(default_factory=list)
    bands: list[InterventionBand] = field(default_factory=list)

    def add(self, findings: "LiveFindings") -> None:
        """Add what another experiment has found."""
        self.results += findings.results
        self.skipped += findings.skipped
        self.bands += findings.bands


def carry_out(
    order: LiveOrder,
    folder: Path,
    run: RunLive,
    findings: LiveFindings,
    *,
    doubt: Doubt = OPEN,
    tell: Callable[[str, Measurement], None] = untold,
) -> None:
    """Make an experiment while load runs, and add to the findings what was found, also where it fails.

    folder: for logs of proxies. doubt: what is asked of it. tell: takes each slot that is over.
    Raises what a trial raises.
    """
    with ExitStack() as stack:
        plan, setting, inserted = _inserted(order, folder, findings, stack)
        pids = set(order.pids)
        names = frozenset(plan.prove.allow) if plan.prove else frozenset()

        def choose(scene: Scene, response_s: float) -> tuple[list[Step], list[SkippedExperiment]]:
            server = scene.component(SERVER)
            if server is not None and server.is_ours and server.pid is not None:
                pids.add(server.pid)
            allowed = able.Permission(frozenset(pids), names)
            return able.steps(order.levers, scene, allowed, inserted, response_s, order.most)

        live = LiveProof(
            choose, order.measure, warm_up_s=order.warm_up_s, most_s=order.most_s - order.warm_up_s,
            seed=plan.seed, number=order.number, tell=tell,
            # Where nothing tells more, the first look shows whether what was wrong is over.
            doubt=Doubt(tell_alike, lambda _: True) if order.has_one_look else doubt,
        )  # fmt: skip
        timed = constant(plan, 0.0, max(order.most_s, 10.0) + 10.0)
        try:
            run(timed, setting, live)
        finally:
            findings.results += [able.counted(result, inserted, live.ended) for result in live.results]
            findings.skipped += live.skipped
            findings.bands += live.bands


def _inserted(
    order: LiveOrder, folder: Path, findings: LiveFindings, stack: ExitStack
) -> tuple[Plan, Setting, dict[str, Inserted]]:
    """Return the plan and setting with a proxy in front of each dependency whose delay is asked about.

    Third: the proxies, by the dependency's name.
    """
    plan, setting = order.plan, order.plan.base_setting
    inserted: dict[str, Inserted] = {}
    for name in dict.fromkeys(lever.component for lever in order.levers if lever.change == "delay"):
        host, _, port = order.places.get(name, "").rpartition(":")
        try:
            if not port.isdecimal():
                raise Unavailable.of(ERRORS.unix_socket(name), code="prove.no-port")
            log = folder / f"proxy-{name.replace('/', '-')}.log"
            proxied = stack.enter_context(
                insert(plan, setting, name, host.strip("[]"), int(port), log, plan.trial.cpus)
            )
        except Unavailable as no:
            findings.skipped.append(skip_for(Lever("delay", name), no))
            continue
        plan, setting = proxied.plan, proxied.setting
        inserted[name] = proxied
    return plan, setting, inserted
