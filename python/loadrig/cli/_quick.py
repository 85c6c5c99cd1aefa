"""A quick command's plan: from a URL and flags, or a plan file with values of flags in place of its own."""

import argparse
import json
from collections.abc import Callable, Mapping
from typing import Any

from loadrig.base.errors import PlanError, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli_run import CliQuickErrors
from loadrig.plan.load import load
from loadrig.plan.model import Plan
from loadrig.plan.quick import PROFILES, Quick, quick_plan, read_quick
from loadrig.plan.seeding import drawn

ERRORS = texts_of(CliQuickErrors)

OF_A_URL = {
    "connections": "-c", "rate": "--rate", "arrivals": "--arrivals", "header": "-H", "method": "-m",
    "body": "-d", "insecure": "-k", "timeout": "-t", "allow": "--allow",
}  # fmt: skip
"""Flags, by the option's name, that only a URL takes: a plan file says the same in its own keys."""


def run_study(arguments: argparse.Namespace, study: Mapping[str, str | None], rate: str) -> int:
    """Make the plan of a study from a URL or a plan's file; run it, or print it, and return the exit code.

    study: its keys, those that are None left out; rate: where none is typed. Raises PlanError.
    """
    typed = {key: value for key, value in study.items() if value is not None}
    if "://" not in arguments.what and arguments.what.endswith((".yaml", ".yml")):
        _refuse_flags_of_a_url(arguments)
        plan = load(arguments.what, *overrides(arguments, typed))
        return run_or_print(arguments, f"{typed['find']} {arguments.what}", plan.text, lambda: plan)
    if getattr(arguments, "nodes", None) is not None:
        from loadrig.study.node_places import only_one_can_load

        raise only_one_can_load(Span("--nodes"))
    quick = quick_of(
        arguments,
        arguments.what,
        rate=arguments.rate if arguments.rate or arguments.connections else rate,
        name=typed["find"],
        study=typed,
    )
    plan = read_quick(quick)
    return run_or_print(arguments, f"{typed['find']} {arguments.what}", quick.text, lambda: plan)


def quick_of(arguments: argparse.Namespace, url: str, **more: Any) -> Quick:
    """Return the plan of a URL. more: what `quick_plan` takes beside the options that all commands share."""
    return quick_plan(
        url,
        connections=arguments.connections,
        arrivals=arguments.arrivals,
        headers=tuple(arguments.header),
        method=arguments.method,
        body=arguments.body,
        insecure=arguments.insecure,
        timeout=arguments.timeout,
        goals=tuple(arguments.goal),
        allow=tuple(arguments.allow),
        permit=tuple(arguments.permit),
        profile=arguments.profile,
        seed=_seed_of(arguments),
        fleet=arguments.fleet,
        fleet_ray=arguments.fleet_ray,
        **more,
    )


def run_or_print(arguments: argparse.Namespace, words: str, text: str, plan: Callable[[], Plan]) -> int:
    """Run a plan, or print its text where that is asked for; return the exit code. words: the command's."""
    if arguments.print_plan:
        print(text, end="")
        return 0
    read_plan = plan()
    from loadrig.cli._runs import run_plan

    return run_plan(
        read_plan, f"loadrig {words}", out=arguments.out, as_json=arguments.json, resume=arguments.resume,
        has_page=arguments.ui, has_screen=arguments.live, receivers=arguments.receivers,
        verbose=arguments.verbose,
    )  # fmt: skip


def run_or_describe(arguments: argparse.Namespace, words: str, plan: Plan, out: str | None) -> int:
    """Run a plan, or say what would run where that is asked for; return the exit code."""
    if arguments.dry:
        if plan.nodes is not None:
            from loadrig.study import carry_out, node_places

            node_places.check(plan, carry_out.planned(plan))
        from loadrig.cli._dry import describe

        print(describe(plan))
        return 0
    from loadrig.cli._runs import run_plan

    return run_plan(
        plan, f"loadrig {words}", out=out, resume=arguments.resume, most_trials=arguments.trials,
        as_json=arguments.json, has_page=arguments.ui, has_screen=arguments.live,
        receivers=arguments.receivers, verbose=arguments.verbose,
    )  # fmt: skip


def _refuse_flags_of_a_url(arguments: argparse.Namespace) -> None:
    for name, flag in OF_A_URL.items():
        if getattr(arguments, name, None):
            raise PlanError.of(
                ERRORS.flag_of_a_url(flag, arguments.what), code="cli.wrong-argument", where=Span(flag)
            )


def _seed_of(arguments: argparse.Namespace) -> str | None:
    """Return the seed of a URL's run: as typed, else a new one.

    None for a plan that is only printed, or goes on.
    """
    if arguments.seed is not None or arguments.print_plan or arguments.resume:
        return None if arguments.seed is None else str(arguments.seed)
    return str(drawn())


def overrides(
    arguments: argparse.Namespace, study: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return values of flags that stand in for a plan's own, and what was typed, both by place in the plan.

    study: keys of the study, each typed as a flag of its name but `find`, which is the command.
    """
    values = {f"study.{key}": value for key, value in study.items()}
    typed = {
        f"study.{key}": f"loadrig {value}" if key == "find" else f"--{key} {value}"
        for key, value in study.items()
    }
    if goals := getattr(arguments, "goal", None):
        values["goals"] = json.dumps(goals)
    if arguments.seed is not None:
        values["trial.seed"], typed["trial.seed"] = arguments.seed, f"--seed {arguments.seed}"
    if (fleet := getattr(arguments, "fleet", None)) is not None:
        values["fleet.generators"], typed["fleet.generators"] = fleet, f"--fleet {fleet}"
    if (ray := getattr(arguments, "fleet_ray", None)) is not None:
        values["fleet.ray"], typed["fleet.ray"] = json.dumps(ray), f"--fleet-ray {ray}"
    if (nodes := getattr(arguments, "nodes", None)) is not None:
        values["nodes.count"], typed["nodes.count"] = nodes, f"--nodes {nodes}"
    if (profile := getattr(arguments, "profile", None)) is not None:
        values["profile.when"], typed["profile.when"] = PROFILES[profile]
    return values, typed
