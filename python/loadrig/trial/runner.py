"""Trial from a setting to a sealed folder. `run_trial` is the whole story on one screen."""

import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadrig.base import members
from loadrig.base.clock import NS
from loadrig.base.masks import masked_argv
from loadrig.base.running import RunningTarget
from loadrig.base.series import Event
from loadrig.engine.compile import compile_config, connections_most, longest_s
from loadrig.engine.config import CompiledConfig
from loadrig.engine.process import Generator
from loadrig.engine.secrets import as_written
from loadrig.plan.model import Plan
from loadrig.plan.secrets import revealed
from loadrig.plan.watching import WHEN_FULL
from loadrig.recording.layout import TrialFolder
from loadrig.recording.writer import TrialWriter
from loadrig.trial import calibration, further_servers, surroundings
from loadrig.trial.bursts import Bursts
from loadrig.trial.course import LoadCourse, facts_of_load
from loadrig.trial.levels import most_level
from loadrig.trial.observing import Watching, environment
from loadrig.trial.placement import Placement, note_beside, place
from loadrig.trial.profiling import Profiling
from loadrig.trial.spec import TrialSpec, Watcher
from loadrig.trial.witness import Witness

if TYPE_CHECKING:  # with scipy it takes a second to import, and the load does not wait for what judges it
    from loadrig.fleet.fleet import GeneratorFleet
    from loadrig.trial.result import TrialResult

    Load = Generator | GeneratorFleet


def run_trial(spec: TrialSpec, folder: TrialFolder, watch: Watcher) -> "TrialResult":
    """Run one setting once and leave its sealed folder; return what the folder says.

    Raises TargetError when the server does not start or dies, VoidError when the rig cannot do its
    work, Interrupted after Ctrl-C; in each case what was measured is in the folder, sealed.
    """
    plan = spec.plan
    placement = _placement(plan)
    generator = _generator(spec, folder, watch)
    # A server that runs already is asked at once, and the machine is looked at when the load is over.
    starts = _starts_target(plan)
    watch.phase("starting" if starts else "reaching", 2.0)
    own = os.sched_getaffinity(0) if spec.node else None
    before = surroundings.look(cores=own) if starts else surroundings.glance()
    with TrialWriter(folder, _manifest(spec, placement, before)) as writer:
        try:
            with ExitStack() as stack:
                # The generator first, so that its process comes up while all that follows is done.
                stack.enter_context(generator)
                watching = stack.enter_context(Watching(plan, writer, folder.path))
                running = stack.enter_context(_start(spec, folder, placement))
                if not starts:
                    placement = replace(placement, note=note_beside(placement, running.target.pid))
                writer.event(
                    Event(running.target.ready_ns, "target_ready", "target", running.target.address.url)
                )
                writer.manifest_note(
                    generator=_generator_facts(plan, placement), **_target_facts(plan, running)
                )
                for note in (placement.note, *running.notes):
                    if note:
                        watch.note(note)
                further_servers.reach(plan)
                config = _config(spec, running.target, placement, watch)
                folder.write_config(as_written(config).plain())
                stack.enter_context(watching.at(running.target))
                profiling = _profiling(plan, watching, writer, folder, watch)
                stack.enter_context(profiling)
                witness = stack.enter_context(
                    Witness(running.target, placement.generator, plan.trial.threads)
                )
                # Whatever happens, the load ends before those who watch it and before its server.
                stack.callback(generator.close)
                if spec.experiment is not None:
                    stack.callback(spec.experiment.close)
                course = LoadCourse(spec, generator, running, writer, watch, watching, witness)
                failure = course.run(config, profiling)
                watch.phase("stopping" if starts else "leaving", 1.0)
            writer.manifest_update(**watching.facts())
            if not starts:
                after = surroundings.look_after(before, watching.components())
                writer.manifest_update(surroundings=after.to_json())
        finally:
            writer.seal()
    if failure is not None:
        raise failure
    from loadrig.recording.reader import Recording
    from loadrig.trial.result import result_of

    return result_of(Recording.open(folder.path))


def _profiling(
    plan: Plan, watching: Watching, writer: TrialWriter, folder: TrialFolder, watch: Watcher
) -> Profiling | Bursts:
    """Return the work that takes the profiles of a trial.

    It takes them as the plan asks, or by itself when something is nearly full.
    """
    if plan.profile is not None and plan.profile.when == WHEN_FULL:
        return Bursts(plan, watching.components, writer, folder)
    return Profiling(plan, watching.components, writer, folder, watch)


def _generator(spec: TrialSpec, folder: TrialFolder, watch: Watcher) -> "Load":
    """Return who makes the load. Raises PlanError where a fleet cannot make it."""
    rules = spec.plan.fleet
    if rules is None:
        return Generator(folder.engine_log)
    # Only here: a generator alone does not wait for what a fleet needs.
    from loadrig.fleet.fleet import GeneratorFleet, check_connections
    from loadrig.fleet.places import hosts_of

    check_connections(connections_most(spec.plan, _level_most(spec, watch)), rules.generators)
    return GeneratorFleet(hosts_of(rules, folder.engine_log), rules.generators, rules.labels)


def _start(spec: TrialSpec, folder: TrialFolder, placement: Placement) -> Any:
    chosen = spec.plan.target
    base = Path(spec.plan.path).parent if spec.plan.path else Path()
    module = members.load("loadrig.target", chosen.member)
    # A target of a third party may know nothing of what probes need: it is told only where there is any.
    needs = environment(spec.plan, folder.path)
    more = {"environment": needs} if needs else {}
    options = revealed(chosen.options, spec.plan, getattr(chosen.options, "files", ()))
    return module.start(options, spec.setting, folder.path, base, cpus=placement.target, **more)


def _config(spec: TrialSpec, target: RunningTarget, placement: Placement, watch: Watcher) -> CompiledConfig:
    return compile_config(
        spec.plan,
        target.address,
        seed=spec.seed,
        cpus=placement.generator,
        frame_s=(spec.experiment.frame_s if spec.experiment else None) or _frame_s(spec.plan),
        level_most=_level_most(spec, watch),
    )


def _level_most(spec: TrialSpec, watch: Watcher) -> float | None:
    """Return the highest level that the load may be given while it runs; None where it keeps the plan's."""
    if spec.experiment is not None:
        return spec.experiment.level_most
    if not (watch.is_alone and spec.plan.workload.arrivals.has_users):
        return None
    return most_level(spec.plan) or None


def _starts_target(plan: Plan) -> bool:
    """Return whether the rig starts the server; otherwise it runs already."""
    return bool(getattr(members.load("loadrig.target", plan.target.member), "STARTS", True))


def _placement(plan: Plan) -> Placement:
    # Generators of a fleet on this machine share what cores it has for them.
    generators = plan.generators if plan.fleet and plan.fleet.ray is None else 1
    return place(
        threads=plan.trial.threads * generators,
        generator=plan.trial.cpus,
        target=tuple(getattr(plan.target.options, "cpus", ())),
        starts_target=_starts_target(plan),
    )


def _frame_s(plan: Plan) -> float:
    """Return the length of a frame, in seconds.

    It is a second, and less in a short trial, so that MSER-5 has forty frames to judge by.
    """
    rules = plan.trial
    expected = (
        longest_s(plan) if plan.workload.ends_itself else rules.warm_up.at_most + rules.measure.at_least
    )
    return min(1.0, max(0.1, round(expected / 40, 2)))


def _manifest(spec: TrialSpec, placement: Placement, before: surroundings.Surroundings) -> dict[str, Any]:
    plan = spec.plan
    return {
        "plan_name": plan.name,
        "find": plan.study.strategy,
        "plan_path": str(Path(spec.plan_path or plan.path).absolute()) if plan.path else None,
        "setting": dict(spec.setting),
        "seed": spec.seed,
        "index": spec.index,
        "block": spec.block,
        "repeat": spec.repeat,
        "is_base": spec.is_base,
        **({"node": spec.node} if spec.node else {}),
        "machine": surroundings.machine().to_json(),
        "surroundings": before.to_json(),
        "calibration": ceiling.to_json() if (ceiling := calibration.of_this_machine()) else None,
        "generator": _generator_facts(plan, placement),
        "load": facts_of_load(plan),
        "goals": [
            {
                "text": goal.text,
                "measure": goal.measure,
                "below": goal.below,
                "limit": goal.limit,
                "unit": goal.unit,
                "route": goal.route,
                "over_s": goal.over,
            }
            for goal in plan.goals
        ],
    }


def _generator_facts(plan: Plan, placement: Placement) -> dict[str, Any]:
    return {
        "cpus": list(placement.generator),
        "threads": plan.trial.threads * plan.generators,
        "note": placement.note,
    }


def _target_facts(plan: Plan, running: Any) -> dict[str, Any]:
    target: RunningTarget = running.target
    return {
        "address": target.address.url,
        "target": {
            "kind": plan.target.member,
            "pid": target.pid,
            "argv": list(masked_argv(target.argv)),
            "facts": dict(running.facts),
            "cpus": list(target.cpus),
            "cgroup": str(target.cgroup) if target.cgroup else None,
            "ready_s": (target.ready_ns - target.started_ns) / NS if target.started_ns else None,
        },
    }
