"""The commands that faults are tried on, each on a plan as small as it can be."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.faults.harness import Command
from tests.sabotage.harness import SERVER, serving

SPACE = "[1, 2]"

PLAN = """\
loadrig: 1
name: small
target:
  command:
    argv: ['{python}', '{server}', '{{"port": {{port}}, "delay_s": 0.002}}']
    knob_flags: {{places: {{env: PLACES, low: 1, high: 64}}}}
knobs: {{places: {places}}}
workload: {{users: 2, requests: [{{get: /, expect: 200}}]}}
trial: {{warm_up: 0s, measure: 400ms, probe_every: 200ms}}
{more}
"""


def small_plan(more: str = "", places: str = "1") -> str:
    """Return a plan whose server loadrig starts itself, so that processes and groups are made as well."""
    return PLAN.format(python=sys.executable, server=SERVER, places=places, more=more)


def with_plan(text: str) -> Mapping[str, str]:
    """Return what a command finds in its folder: the plan."""
    return {"plan.yaml": text}


ATTACK = Command("attack", ("attack", "http://127.0.0.1:{port}/", "-c", "2", "-z", "400ms", "-o", "run"))

RUN = Command(
    "run",
    ("run", "plan.yaml", "--out", "run"),
    with_plan(small_plan("study: {find: grid, blocks: 1}", SPACE)),
    codes=frozenset({0, 111, 112}),
)

CAPACITY = Command(
    "capacity",
    ("capacity", "http://127.0.0.1:{port}/", "--goal", "p95 < 100ms", "--budget", "10s", "-o", "run"),
    codes=frozenset({0, 99, 111, 112}),
)

SOAK = Command(
    "soak",
    ("soak", "plan.yaml", "--out", "run", "--for", "10s"),
    with_plan(small_plan()),
    codes=frozenset({0, 99, 111, 112}),
)

TUNE = Command(
    "tune",
    ("tune", "plan.yaml", "--out", "run", "--objective", "throughput", "--trials", "4"),
    with_plan(small_plan("", SPACE)),
    codes=frozenset({0, 111, 112}),
)

PROVE = Command(
    "diagnose --prove",
    ("diagnose", "run", "--prove", "--budget", "25s"),
    recorded="few-threads",
    makes="run/proof/proof.json",
)
"""Diagnosis of a recorded run: whether a live one accuses anybody depends on who else uses the cores."""

COMMANDS = {command.name: command for command in (ATTACK, RUN, CAPACITY, SOAK, TUNE, PROVE)}


@contextmanager
def server() -> Iterator[Mapping[str, object]]:
    """Run the server of the commands that load a URL; yields the values of their words."""
    with serving(delay_s=0.002) as port:
        yield {"port": port}
