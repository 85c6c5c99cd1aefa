"""Choice of the nodes that a plan asks for: their cores, and whether each can have a server of its own."""

import importlib.util
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from loadrig.base import members, passing
from loadrig.base.errors import PlanError, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.study import StudyNodePlacesErrors
from loadrig.plan.model import Plan
from loadrig.plan.node_rules import NodeRules
from loadrig.recording.layout import RunFolder
from loadrig.study.ledger import Ledger
from loadrig.study.local_node import LocalNode
from loadrig.study.strategy import InBlocks, Strategy
from loadrig.study.study_node import AskedNode

ERRORS = texts_of(StudyNodePlacesErrors)

CORES_EACH = 2
"""Fewest cores of a node that are dealt by themselves: one for its generator, one for its server."""

WHERE = Span("nodes")


def check(plan: Plan, strategy: Strategy) -> None:
    """Raise PlanError where a plan's trials cannot run side by side on the nodes that it asks for, here."""
    check_plan(plan, strategy)
    check_places(plan)


def check_places(plan: Plan) -> None:
    """Raise PlanError where a plan's nodes cannot be had, here, whatever runs on them."""
    _check_rules(plan)
    if plan.nodes is None:
        return
    if plan.nodes.ray is None:
        cpus_of(plan.nodes, sorted(os.sched_getaffinity(0)))
    elif importlib.util.find_spec("ray") is None:  # not imported: that takes a second
        where = Span(f"nodes.ray: {plan.nodes.ray}")
        raise PlanError.of(ERRORS.no_ray(plan.nodes.ray), code="fleet.no-ray", where=where)


def check_plan(plan: Plan, strategy: Strategy) -> None:
    """Raise PlanError where a plan's trials cannot run side by side on any machine."""
    rules = plan.nodes
    if rules is None:
        return
    # The trials of a proof are dealt as well, so a single trial that is proved has something for each node.
    is_alone = strategy.total <= 1 and rules.nodes > 1 and not (plan.prove and plan.prove.after_run)
    if is_alone or not isinstance(strategy, InBlocks):
        raise PlanError.of(ERRORS.no_blocks(plan.study.strategy), code="nodes.no-blocks", where=WHERE)
    _check_rules(plan)


def _check_rules(plan: Plan) -> None:
    """Raise PlanError where nodes contradict each other, or would share what each needs for itself."""
    rules = plan.nodes
    if rules is None:
        return
    if rules.ray is not None and rules.cpus:
        raise PlanError.of(ERRORS.cores_elsewhere, code="nodes.other-place", where=Span("nodes.cpus"))
    if rules.ray is None and rules.files:
        raise PlanError.of(ERRORS.files_here, code="nodes.other-place", where=Span("nodes.files"))
    if rules.files:
        from loadrig.study.ray_nodes import check_files  # with Ray's process, which no other study needs

        check_files(plan, rules.files)
    if rules.nodes > 1 and (what := _shared(plan)) is not None:
        raise PlanError.of(ERRORS.shared(what), code="nodes.shared", where=WHERE)


def cpus_of(rules: NodeRules, available: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the cores of each node of this machine. available: cores that we may use.

    Raises PlanError `nodes.cpus` or `nodes.too-few-cores`.
    """
    if not rules.cpus:
        each = len(available) // rules.nodes
        if each < CORES_EACH and rules.nodes > 1:
            wording = ERRORS.too_few_cores(str(rules.nodes), str(len(available)), str(CORES_EACH))
            raise PlanError.of(wording, code="nodes.too-few-cores", where=WHERE)
        return [tuple(available[n * each : (n + 1) * each]) for n in range(rules.nodes)]
    where = Span("nodes.cpus")
    if len(rules.cpus) != rules.nodes:
        wording = ERRORS.other_count(str(len(rules.cpus)), str(rules.nodes))
        raise PlanError.of(wording, code="nodes.cpus", where=where)
    text_of_core: dict[int, str] = {}
    lists = []
    for text in rules.cpus:
        cores = _parsed(text)
        if cores is None:
            raise PlanError.of(ERRORS.no_list(text), code="nodes.cpus", where=where)
        for core in cores:
            if core not in available:
                allowed = ", ".join(map(str, available))
                raise PlanError.of(ERRORS.no_core(str(core), allowed), code="nodes.cpus", where=where)
            if core in text_of_core:
                wording = ERRORS.twice(str(core), text_of_core[core], text)
                raise PlanError.of(wording, code="nodes.cpus", where=where)
            text_of_core[core] = text
        lists.append(cores)
    return lists


def check_names(plan: Plan, ledger: Ledger) -> None:
    """Raise PlanError where a study goes on with nodes that it began without, or the other way round.

    The machine of trials without a node is not known to be any of the nodes.
    """
    trials = ledger.trials
    if trials and bool(trials[-1].node) != (plan.nodes is not None):
        wording = ERRORS.begun_without if plan.nodes is not None else ERRORS.begun_with(trials[-1].node)
        raise PlanError.of(wording, code="nodes.other", where=WHERE)


@contextmanager
def started(plan: Plan, run: RunFolder, held: int) -> Iterator[Sequence[AskedNode]]:
    """Yield the nodes of a plan, ready to run trials into a run's folder; they end with the context.

    held: descriptor of a lock that is to stay until the last node has ended.
    """
    rules = plan.nodes
    assert rules is not None
    with ExitStack() as stack:
        logs = stack.enter_context(passing.folder("nodes"))
        if rules.ray is not None:
            from loadrig.study.ray_nodes import RayNodes  # with Ray's process, which no other study needs

            yield stack.enter_context(RayNodes(plan, run, logs / "ray.log", held))
            return
        nodes: list[AskedNode] = []
        for number, cpus in enumerate(cpus_of(rules, sorted(os.sched_getaffinity(0))), 1):
            name = f"node{number}"
            node = LocalNode(name, run, cpus, logs / f"{name}.log", held)
            stack.callback(node.close)
            nodes.append(node)
        yield nodes


def only_one_can_load(where: Span) -> PlanError:
    """Return the refusal of nodes for a server that runs already."""
    return PlanError.of(ERRORS.shared(ERRORS.server_elsewhere), code="nodes.shared", where=where)


def _shared(plan: Plan) -> str | None:
    """Return what all nodes would have to share, as a clause; None where each can have its own."""
    module = members.load("loadrig.target", plan.target.member)
    if not getattr(module, "STARTS", True):
        return ERRORS.server_elsewhere
    if plan.fleet is not None and plan.fleet.ray is not None:
        return ERRORS.same_hosts
    if plan.nodes is not None and plan.nodes.ray is not None:
        return None  # a host has ports, sockets and cores of its own
    address = module.where(plan.target.options)
    if address is not None and address.unix:
        return ERRORS.same_socket(str(address.unix))
    if address is not None and address.port:
        return ERRORS.same_port(str(address.port))
    if plan.trial.cpus or getattr(plan.target.options, "cpus", ()):
        return ERRORS.same_cores
    return None


def _parsed(text: str) -> tuple[int, ...] | None:
    """Return the cores of a list such as `0-3,8`; None where it is none."""
    cores: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            return None
        cores += range(int(first), int(last if dash else first) + 1)
    return tuple(sorted({*cores})) or None
