"""A plan made of a locustfile sends what Locust itself sends: which requests, how often, and in which order.

Locust and loadrig load the same recording server, each with one user, without pauses and with a seed of its
own, so that each sends the same requests every time. Two of the files are Locust's own examples.
"""

import itertools
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.converters import convert_files
from tests.converters.recording import recording
from tests.house.places import ROOT

pytestmark = [pytest.mark.integration, pytest.mark.slow, pytest.mark.nightly]

CASES = Path(__file__).parent / "cases" / "locust"
EXAMPLES = ("examples/locustfile", "examples/nested_inline_tasksets")
NAMES = ("answers", *(pytest.param(name, marks=pytest.mark.nightly) for name in EXAMPLES))

REQUESTS = 300
"""Requests of each: chance puts two shares of a route 0.04 apart then, as a standard deviation."""

MOST_APART = 0.15
"""Difference of two shares of a route that chance may make."""

LEAST_SEEN = 0.04
"""Share of pairs of requests from which a pair is no rare chance: the other has it, too."""

RUN_S = 140
ANY_SERVER = re.compile(r"http://127\.0\.0\.1:\d+")

WITHOUT_PAUSES = f"""
import os, random, time
import gevent
from locust import events
from locust.user.task import TaskSet

sent = []
random.seed(5)
TaskSet._sleep = lambda self, seconds: gevent.sleep(0)
time.sleep = lambda seconds: gevent.sleep(0)

@events.request.add_listener
def count(**_):
    sent.append(1)
    if len(sent) > {REQUESTS}:
        os._exit(0)
"""
"""File that Locust loads beside the case: it takes the pauses out, and ends after enough requests."""


def locust_program() -> str:
    place = f"{ROOT / '.tools' / 'peers' / 'bin'}:{os.environ['PATH']}"
    program = shutil.which("locust", path=place)
    if program is None:
        pytest.skip("locust is not installed: scripts/peers.sh")
    return program


def sent_by_locust(case: Path, folder: Path) -> list[tuple[str, ...]]:
    program = locust_program()
    with recording() as server:
        server_url = f"http://127.0.0.1:{server.server_port}"
        (folder / "pauses.py").write_text(WITHOUT_PAUSES, encoding="utf-8")
        (folder / "case.py").write_text(ANY_SERVER.sub(server_url, case.read_text(encoding="utf-8")))
        words = ["--headless", "-u", "1", "-r", "1", "--host", server_url, "--loglevel", "ERROR"]
        subprocess.run(
            [program, "-f", "pauses.py,case.py", *words],
            cwd=folder, capture_output=True, timeout=RUN_S, check=True,
        )  # fmt: skip
        return [comparable(request) for request in server.requests[:REQUESTS]]


def sent_by_loadrig(case: Path, folder: Path) -> list[tuple[str, ...]]:
    with recording() as server:
        server_url = f"http://127.0.0.1:{server.server_port}"
        (folder / "ours.py").write_text(case.read_text(encoding="utf-8"))
        member = members.load("loadrig.converters", "locust")
        plan = convert_files([folder / "ours.py"], member, folder / "plan" / "plan.yaml").path
        text = ANY_SERVER.sub(server_url, plan.read_text(encoding="utf-8"))
        text = re.sub(r"^ +think: .*\n", "", text, flags=re.MULTILINE)
        text = text.replace("\n  users: 1\n", f"\n  users: 1\n  limit: {{requests: {REQUESTS}}}\n")
        plan.write_text(f"{text}trial: {{seed: 5}}\n", encoding="utf-8")
        words = [sys.executable, "-m", "loadrig.cli", "run", str(plan), "-o", str(folder / "run")]
        subprocess.run(words, capture_output=True, timeout=RUN_S, check=False)
        return [comparable(request) for request in server.requests[:REQUESTS]]


def comparable(request: dict[str, object]) -> tuple[str, ...]:
    return tuple(str(request[key]) for key in ("method", "path", "headers", "body"))


def shares(things: list[tuple[str, ...]]) -> dict[tuple[str, ...], float]:
    return {request: count / len(things) for request, count in Counter(things).items()}


def pairs(requests: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [(*before, *after) for before, after in itertools.pairwise(requests)]


@pytest.mark.parametrize("name", NAMES)
def test_a_user_sends_what_locusts_user_sends_as_often_and_in_its_order(name: str, tmp_path: Path) -> None:
    case = CASES / f"{name}.py.txt"
    theirs = sent_by_locust(case, tmp_path)
    ours = sent_by_loadrig(case, tmp_path)
    assert len(ours) == len(theirs) == REQUESTS
    assert set(ours) == set(theirs)
    of_ours, of_theirs = shares(ours), shares(theirs)
    apart = {request: abs(share - of_theirs[request]) for request, share in of_ours.items()}
    assert max(apart.values()) < MOST_APART, apart
    our_pairs, their_pairs = shares(pairs(ours)), shares(pairs(theirs))
    for shares_of_pairs, others in ((our_pairs, their_pairs), (their_pairs, our_pairs)):
        assert {pair for pair, share in shares_of_pairs.items() if share >= LEAST_SEEN} <= others.keys()
