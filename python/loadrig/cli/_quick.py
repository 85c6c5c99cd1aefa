"""A quick command's plan: from a URL and flags, or a plan file with values of flags in place of its own."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path

from loadrig.base.errors import PlanError, Problem, Span
from loadrig.plan.load import load
from loadrig.plan.model import Plan
from loadrig.plan.quick import PROFILES, quick_plan, read_quick
from loadrig.plan.seeding import drawn

OF_A_URL = {
    "connections": "-c", "rate": "--rate", "arrivals": "--arrivals", "header": "-H", "method": "-m",
    "body": "-d", "insecure": "-k", "timeout": "-t", "allow": "--allow",
}  # fmt: skip
"""Flags, by the option's name, that only a URL takes: a plan file says the same in its own keys."""


def run_study(arguments: argparse.Namespace, find: str, study: Mapping[str, str | None], rate: str) -> int:
    """Make the plan of a command and run it, or print it; return the exit code.

    find: strategy of the study, by which the command is called. study: its keys, None where none is typed.
    rate: as of `planned`.
    """
    keys = {key: value for key, value in study.items() if value is not None}
    plan, text = planned(arguments, {"find": find, **keys}, rate)
    if arguments.print_plan:
        print(text, end="")
        return 0
    from loadrig.cli._runs import run_plan

    out = Path(arguments.out) if arguments.out else None
    command = f"loadrig {find} {arguments.what}"
    return run_plan(plan, command, out=out, as_json=arguments.json, resume=arguments.resume)


def planned(arguments: argparse.Namespace, study: Mapping[str, str], rate: str) -> tuple[Plan, str]:
    """Return the plan of a command, and its text. study: its keys; rate: where none is typed.

    Raises PlanError.
    """
    if is_plan(arguments.what):
        plan = of_file(arguments, study)
        return plan, plan.text
    quick = quick_plan(
        arguments.what,
        connections=arguments.connections,
        rate=arguments.rate if arguments.rate or arguments.connections else rate,
        arrivals=arguments.arrivals,
        headers=tuple(arguments.header),
        method=arguments.method,
        body=arguments.body,
        insecure=arguments.insecure,
        timeout=arguments.timeout,
        goals=tuple(arguments.goal),
        allow=tuple(arguments.allow),
        permit=tuple(arguments.permit),
        name=study["find"],
        study=dict(study),
        profile=getattr(arguments, "profile", None),
        seed=seed_of(arguments),
    )
    return read_quick(quick), quick.text


def is_plan(what: str) -> bool:
    """Return whether a word on the command line is a plan's file and not an address."""
    return "://" not in what and what.endswith((".yaml", ".yml"))


def of_file(arguments: argparse.Namespace, study: Mapping[str, str]) -> Plan:
    """Return the plan of a file with another study and, where some are typed, other goals."""
    for name, flag in OF_A_URL.items():
        if getattr(arguments, name, None):
            raise PlanError(
                Problem(
                    what=f"{flag} is of a URL, and {arguments.what} is a plan",
                    where=Span(flag),
                    why="a plan says by itself what is asked, and how",
                    mend=f"leave {flag} out, or write it into the plan",
                    code="cli.wrong-argument",
                )
            )
    overrides = {f"study.{key}": value for key, value in study.items()}
    if arguments.goal:
        overrides["goals"] = json.dumps(arguments.goal)
    seed, seed_typed = seed_override(arguments.seed)
    profile, profile_typed = profile_override(getattr(arguments, "profile", None))
    return load(arguments.what, overrides | seed | profile, typed(study) | seed_typed | profile_typed)


def seed_of(arguments: argparse.Namespace) -> str | None:
    """Return the seed of a URL's run: as typed, else a new one.

    None for a plan that is only printed, or goes on.
    """
    if arguments.seed is not None or arguments.print_plan or arguments.resume:
        return None if arguments.seed is None else str(arguments.seed)
    return str(drawn())


def seed_override(seed: str | None) -> tuple[dict[str, str], dict[str, str]]:
    """Return the value of --seed for the plan's seed, and what was typed, both by place in the plan."""
    return ({}, {}) if seed is None else ({"trial.seed": seed}, {"trial.seed": f"--seed {seed}"})


def profile_override(profile: bool | None) -> tuple[dict[str, str], dict[str, str]]:
    """Return the value of --profile or --no-profile, and what was typed, both by place in the plan."""
    if profile is None:
        return {}, {}
    value, flag = PROFILES[profile]
    return {"profile.when": value}, {"profile.when": flag}


def typed(study: Mapping[str, str]) -> dict[str, str]:
    """Return what a person typed for each key of a study, by its place in the plan."""
    return {
        f"study.{key}": f"loadrig {value}" if key == "find" else f"--{key} {value}"
        for key, value in study.items()
    }
