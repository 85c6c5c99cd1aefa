"""Sabotage of connections: too few, no ports, no descriptors, closed where they should be kept."""

from pathlib import Path

from tests.sabotage import injuries
from tests.sabotage.harness import Sabotage, SabotageOutcome, command_target, cores, plan, run, serving


def _far_too_few(folder: Path) -> SabotageOutcome:
    workload = ("connections: {most: 2}", "timeout: 500ms")
    with serving() as port:
        return run(plan(port, "rate: 1000/1s", workload=workload), folder)


def _too_few(folder: Path) -> SabotageOutcome:
    with serving() as port:
        return run(plan(port, "rate: 300/1s", workload=("connections: {most: 4}",)), folder)


def _silent(folder: Path) -> SabotageOutcome:
    workload = ("connections: {most: 50}", "timeout: 1s")
    with serving(delay_s=30.0) as port:
        return run(plan(port, "rate: 300/1s", workload=workload), folder)


def _no_ports(folder: Path) -> SabotageOutcome:
    text = plan(
        command_target(core=cores()[1]), "rate: 200/1s", workload=("connections: {keep_alive: false}",)
    )
    return run(text, folder, injuries.with_ports(40000, 40063))


def _few_ports(folder: Path) -> SabotageOutcome:
    text = plan(command_target(core=cores()[1]), "users: 40", workload=("think: 50ms",))
    return run(text, folder, injuries.with_ports(40000, 40063))


def _no_descriptors(folder: Path) -> SabotageOutcome:
    with serving() as port:
        text = plan(port, "users: 100", workload=("think: 50ms",))
        return run(text, folder, injuries.with_descriptors(64))


def _few_descriptors(folder: Path) -> SabotageOutcome:
    with serving() as port:
        text = plan(port, "users: 60", workload=("think: 50ms",))
        return run(text, folder, injuries.with_descriptors(100))


def _closing(folder: Path) -> SabotageOutcome:
    with serving(close_after=1) as port:
        return run(plan(port, "rate: 200/1s"), folder)


def _closing_sometimes(folder: Path) -> SabotageOutcome:
    with serving(close_after=8) as port:
        return run(plan(port, "users: 4"), folder)


def _slow_accept(folder: Path) -> SabotageOutcome:
    workload = ("connections: {keep_alive: false}", "connect_timeout: 1s")
    with serving(accept_every_s=0.05, backlog=2) as port:
        return run(plan(port, "rate: 60/1s", workload=workload), folder)


SABOTAGES = (
    Sabotage(
        "far too few connections for the rate", "G5", "were not sent: no connection", _far_too_few, ("grave",)
    ),
    # Where the server lacks CPU as well, some are not sent.
    Sabotage(
        "too few connections now and then",
        "G5",
        "requests waited|were not sent: no connection",
        _too_few,
        is_variant=True,
    ),
    Sabotage("a server that falls silent", "G1", "were not sent", _silent, ("grave",)),
    Sabotage("local ports that run out", "G6", "ran out of local ports", _no_ports, ("grave",)),
    Sabotage(
        "local ports that run low", "G6", "of 64 local ports", _few_ports, ("disturbed",), is_variant=True
    ),
    Sabotage(
        "descriptors that run out",
        "G6",
        "ran out of file descriptors",
        _no_descriptors,
        ("grave",),
        is_variant=True,
    ),
    Sabotage(
        "descriptors that run low",
        "G6",
        "of 100 file descriptors",
        _few_descriptors,
        ("disturbed",),
        is_variant=True,
    ),
    Sabotage("keep-alive asked of a server that closes", "G11", "server closes them", _closing),
    Sabotage(
        "keep-alive asked of one that closes at times",
        "G11",
        "server closes them",
        _closing_sometimes,
        is_variant=True,
    ),
    Sabotage("a server that accepts slowly", "G12", "connect_timeout", _slow_accept),
)
