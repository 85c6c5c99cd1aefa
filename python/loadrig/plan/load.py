"""A plan from its file: read, filled in, checked; a frozen Plan, or every problem at once."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loadrig.base import user_files
from loadrig.base.errors import PlanError, Problem, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_load import PlanLoadErrors
from loadrig.plan.build import (
    build_probes,
    build_prove,
    build_study,
    build_trial,
    build_workload,
    check_unwatched,
)
from loadrig.plan.check_secrets import check_secrets
from loadrig.plan.checks import check
from loadrig.plan.draft import Draft
from loadrig.plan.goals import read_goal
from loadrig.plan.knobs import TARGETS, catalogue_of, read_knobs
from loadrig.plan.literals import Literals, without_literals
from loadrig.plan.model import ChosenMember, Plan, ProfileRules, TrialRules
from loadrig.plan.node import Node, Scalar, at, described, listed
from loadrig.plan.overrides import applied, rewritten
from loadrig.plan.reader import Reader
from loadrig.plan.servers import read_servers
from loadrig.plan.watching import BY_ITSELF, NEVER, SINGLE_LOADS
from loadrig.plan.written import WrittenPlan, WrittenProve, WrittenWorkload

ERRORS = texts_of(PlanLoadErrors)


def load(
    path: str | Path, overrides: Mapping[str, str] | None = None, typed: Mapping[str, str] | None = None
) -> Plan:
    """Return the plan of a file. Raises PlanError with all its problems.

    overrides: YAML texts by dotted keys ("trial.seed": "7"), which stand in for what is written; the plan's
    `text` has them in place. typed: what a person typed for the overrides, for the places of mistakes.
    """
    try:
        text = user_files.read_text(Path(path), encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = str(error.strerror) if isinstance(error, OSError) else ERRORS.not_utf8(error.reason)
        raise PlanError.of(
            ERRORS.unreadable_plan(reason), code="plan.file-not-readable", where=Span(str(path))
        ) from None
    return read(text, str(path), overrides, typed)


def read(
    text: str,
    file: str,
    overrides: Mapping[str, str] | None = None,
    typed: Mapping[str, str] | None = None,
    *,
    sends: bool = True,
) -> Plan:
    """Return the plan of a text. file: its path, which relative paths count from and places name.

    sends: whether the plan will send or start anything, so that its secrets must be there.
    """
    root, problems, text, literals = without_literals(text, file)
    if overrides:
        root = applied(root, overrides, typed or {})
        text = rewritten(text, overrides)
    return plan_of(root, problems, text, file, literals, sends=sends)


def plan_of(
    root: Node,
    problems: list[Problem],
    text: str,
    file: str,
    literals: Literals,
    *,
    sends: bool = True,
    is_of_flags: bool = False,
) -> Plan:
    """Return the plan of a tree. problems: problems that are known already. sends: as in `read`.

    is_of_flags: whether flags of a command stand in the place of the plan's keys.
    """
    reader = Reader(problems, is_of_flags=is_of_flags)
    if isinstance(root, Scalar) and root.value is None:
        raise PlanError.of(ERRORS.empty_plan, code="plan.missing-key", where=Span(file))
    written = reader.shape(WrittenPlan, root, ERRORS.plan)
    _check_version(reader, at(root, "loadrig"))
    parts = written if isinstance(written, WrittenPlan) else None
    target = parts.target if parts else _target_alone(root)
    draft = _draft(reader, root, Path(file).parent, target, parts)
    check_unwatched(reader, root)
    check(draft)
    check_secrets(draft, literals, must_be_there=sends)
    if reader.problems or parts is None or draft.target is None or draft.workload is None:
        raise PlanError(_without_repeats(reader.problems))
    return Plan(
        name=parts.name or Path(file).stem,
        target=draft.target,
        workload=draft.workload,
        goals=draft.goals,
        knobs=draft.knobs,
        trial=draft.trial,
        study=draft.study,
        probes=build_probes(parts),
        unwatched=parts.unwatched,
        observers=parts.observers,
        allow=parts.allow,
        path=file,
        text=text,
        profile=_profile(parts.profile, draft.study.strategy),
        prove=draft.prove,
        permit=parts.permit,
        fleet=parts.fleet,
        nodes=parts.nodes,
        servers=draft.servers,
        literals=literals,
    )


def _profile(written: ProfileRules | None, strategy: str) -> ProfileRules | None:
    """Return what is profiled: what the plan says, else bursts where no trials are compared.

    None: nothing is profiled.
    """
    if written is None:
        return BY_ITSELF if strategy in SINGLE_LOADS else None
    return None if written.when == NEVER else written


def _draft(
    reader: Reader, root: Node, folder: Path, target: ChosenMember | None, written: WrittenPlan | None
) -> Draft:
    """Return the parts that can be read, also of a plan that lacks one of its keys."""
    workload_node = at(root, "workload")
    work = written.workload if written else _quietly(WrittenWorkload, workload_node)
    trial = written.trial if written else _quietly(TrialRules, at(root, "trial")) or TrialRules()
    prove = written.prove if written else _quietly(WrittenProve, at(root, "prove"))
    catalogue, name = (catalogue_of(target), target.member) if target else (None, ERRORS.target)
    goals = [read_goal(reader, node) for node in listed(at(root, "goals"))]
    allow = [host.text for host in listed(at(root, "allow")) if isinstance(host, Scalar)]
    return Draft(
        reader=reader,
        root=root,
        folder=folder,
        target=target,
        workload=build_workload(reader, work, root) if isinstance(work, WrittenWorkload) else None,
        goals=tuple(goal for goal in goals if goal is not None),
        knobs=read_knobs(reader, at(root, "knobs"), catalogue, name),
        trial=build_trial(reader, trial, root),
        study=build_study(reader, at(root, "study")),
        prove=build_prove(reader, prove, root, catalogue, name),
        allow=tuple(allow),
        fleet=written.fleet if written else None,
        servers=read_servers(reader, at(root, "servers")),
    )


def _target_alone(root: Node) -> ChosenMember | None:
    """Return the target of a plan that could not be read whole; its problems are reported already."""
    node = at(root, "target")
    targets = Reader().member(TARGETS, node, "target") if node is not None else ()
    return targets[0] if len(targets) == 1 else None


def _quietly(cls: type[Any], node: Node | None) -> Any:
    """Return a part of a plan that could not be read whole; its problems are reported already."""
    if node is None:
        return None
    part = Reader().shape(cls, node, "")
    return part if isinstance(part, cls) else None


def _check_version(reader: Reader, node: Node | None) -> None:
    if node is None or (isinstance(node, Scalar) and node.value == 1 and node.text == "1"):
        return
    reader.reject(ERRORS.other_version(described(node)), code="plan.version", where=node.span)


def _without_repeats(problems: list[Problem]) -> list[Problem]:
    """Return problems once each, in the order of their places."""
    return sorted(
        dict.fromkeys(problems), key=lambda problem: (problem.where is None, problem.where or Span(""))
    )
