"""A diagnosis is right when the true cause comes first, surely enough, and no innocent is accused."""

from types import SimpleNamespace

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.labs.format import Truth
from loadrig.labs.truth import TruthCheck, compare, compare_all

LEAK = Truth(("leak",), ("server",), "likely", ("gil",))
HEALTHY = Truth(("healthy",))


def finding(cause: str, component: str = "server", verdict: str = "likely") -> SimpleNamespace:
    return SimpleNamespace(cause=cause, component=component, verdict=verdict)


RIGHT = {
    "it comes first": (LEAK, [finding("leak"), finding("host_cpu")]),
    "an innocent is only possible": (LEAK, [finding("leak"), finding("gil", verdict="possible")]),
    "it was named": (LEAK, [finding("leak", verdict="named")]),
    "one of several": (Truth(("leak", "restarts_in_step")), [finding("restarts_in_step", "anywhere")]),
    "by the beginning of a name": (
        Truth(("cpu_quota",), ("mariadb*",)),
        [finding("cpu_quota", "mariadb:9506")],
    ),
    "nobody is accused": (HEALTHY, [finding("healthy"), finding("gil", verdict="possible")]),
    "nothing is known": (HEALTHY, []),
}

WRONG = {
    "another comes first": (LEAK, [finding("host_cpu"), finding("leak")]),
    "it was not found": (LEAK, [finding("healthy")]),
    "nothing was found": (LEAK, []),
    "not sure enough": (LEAK, [finding("leak", verdict="possible")]),
    "in another place": (LEAK, [finding("leak", "redis")]),
    "an innocent was accused": (LEAK, [finding("leak"), finding("gil")]),
    "a healthy server was accused": (HEALTHY, [finding("healthy"), finding("gil")]),
}


@pytest.mark.parametrize("name", RIGHT)
def test_it_is_right(name: str) -> None:
    truth, findings = RIGHT[name]
    assert compare(truth, findings, "said").is_right


@pytest.mark.parametrize("name", WRONG)
def test_it_is_wrong_and_says_why(name: str, snapshot: SnapshotAssertion) -> None:
    truth, findings = WRONG[name]
    answer = compare(truth, findings, "said")
    assert not answer.is_right
    assert answer.text == snapshot


def test_of_several_trials_most_decide() -> None:
    right, wrong = TruthCheck(True, "it is"), TruthCheck(False, "it is not")
    most = compare_all([right, wrong, right])
    assert most.is_right
    assert most.text.startswith(right.text)
    assert "2 of 3" in most.text
    assert not compare_all([right, wrong]).is_right
    assert compare_all([right]) == right
    assert not compare_all([]).is_right
