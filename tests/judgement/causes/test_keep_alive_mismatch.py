"""Connections that are closed just when they are used again, and what only looks like it."""

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.diagnose import Diagnosis, diagnose
from loadrig.testing.cases import ACase


def closing(
    closed: float = 2.0,
    *,
    died: bool = False,
    no_more: str = "",
    keep_alive: bool = True,
    opened: float = 0.0,
    **failed: float,
) -> Diagnosis:
    """Return a server that answers 100 a second, and closes so many connections before it has answered."""
    case = ACase(
        seconds=30, rate=100.0, ok=100.0 - closed, failed={"closed": closed, **failed}, keep_alive=keep_alive,
        opened=opened,
    )  # fmt: skip
    case.tier("server", runtime="node").counter("server", "process.cpu_s", "tree", 0.1)
    if died:
        case.event(10.0, "process_died", "server")
    if no_more:
        facts = {"system": "a system", "resource": no_more, "what": "full", "count": 40, "numbers": {}}
        case.event(10.0, "server_fact", "server", "a system: a sentence", **facts)
    return diagnose(case.build())


def test_a_few_requests_on_connections_that_stood_idle(snapshot: SnapshotAssertion) -> None:
    diagnosis = closing()
    first = diagnosis.findings[0]
    assert (first.cause, first.component, first.verdict) == ("keep_alive_mismatch", "server", "likely")
    assert diagnosis.sentence == snapshot


@pytest.mark.parametrize(
    "other",
    [
        {"died": True},
        {"no_more": "connections"},
        {"no_more": "threads"},
        {"keep_alive": False},
        {"closed": 40.0},
        {"http_5xx": 3.0},
    ],
    ids=[
        "a process ended",
        "it has no room for more",
        "it can start no thread for more",
        "no connection is kept",
        "many are lost",
        "most fail in another way",
    ],
)
def test_what_only_looks_like_it(other: dict[str, float]) -> None:
    accused = {finding.cause for finding in closing(**other).findings}  # type: ignore[arg-type]
    assert "keep_alive_mismatch" not in accused


@pytest.mark.parametrize(("opened", "is_accused"), [(56.0, True), (100.0, False)], ids=["once", "each time"])
def test_connections_that_give_one_answer_each_and_do_not_say_so(opened: float, *, is_accused: bool) -> None:
    """Whoever asks a server that closes what it works on has a fresh connection."""
    findings = closing(44.0, opened=opened).findings
    accused = {(finding.cause, finding.detail) for finding in findings}
    assert (("keep_alive_mismatch", "after each answer") in accused) is is_accused
