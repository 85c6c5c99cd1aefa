"""Observers on other hosts: what a plan may say of them, and what is refused before anything starts."""

from pathlib import Path

import pytest

from loadrig.base.errors import PlanError, Problem
from loadrig.plan.load import read
from loadrig.plan.model import ObservedHost, Plan

HEAD = """\
loadrig: 1
target: {external: http://127.0.0.1:8000}
workload: {users: 1, requests: [{get: /}]}
observers:
"""


def plan_of(*items: str) -> Plan:
    return read(HEAD + "".join(f"  - {item}\n" for item in items), str(Path("plan.yaml")))


def problems_of(*items: str) -> list[Problem]:
    with pytest.raises(PlanError) as caught:
        plan_of(*items)
    return list(caught.value.problems)


def test_a_host_alone_needs_a_name_and_a_command() -> None:
    assert plan_of("{name: web1, via: ssh web1}").observers == (ObservedHost(name="web1", via="ssh web1"),)


def test_a_plan_without_observers_has_none() -> None:
    text = HEAD.removesuffix("observers:\n")
    assert read(text, "plan.yaml").observers == ()


def test_probes_on_another_host_have_options_of_their_own() -> None:
    (observer,) = plan_of(
        "{name: a, via: ssh a, port: 80, probes: [{process: {threads: 3}}], unwatched: [memory]}"
    ).observers
    assert [(probe.member, probe.options.threads) for probe in observer.probes] == [("process", 3)]
    assert (observer.unwatched, observer.port, observer.python) == (("memory",), 80, "python3")


def test_probes_that_do_not_exist_are_told_where_they_stand() -> None:
    problems = problems_of("{name: a, via: ssh a, probes: [procces], unwatched: [memmory]}")
    assert [problem.code for problem in problems] == ["plan.unknown-member"] * 2
    assert "'procces'" in problems[0].what
    assert "'memmory'" in problems[1].what
    assert [problem.where.column for problem in problems if problem.where] == [36, 58]


@pytest.mark.parametrize("port", ["0", "65536", "-1"])
def test_a_port_is_one_that_exists(port: str) -> None:
    (problem,) = problems_of(f"{{name: a, via: ssh a, port: {port}}}")
    assert problem.code == "plan.out-of-range"


@pytest.mark.parametrize(
    "via",
    [
        "ssh -o BatchMode=yes -i ~/.ssh/id web1",
        "kubectl -n shop exec -i web-0 -c app --",
        "kubectl exec --stdin web-0 --",
        "docker exec -i web",
        "podman exec --interactive=true web",
        "nsenter -t 4711 -n",
        "env",
    ],
)
def test_commands_that_keep_the_pipe_open_are_fine(via: str) -> None:
    assert plan_of(f"{{name: a, via: '{via}'}}").observers[0].via == via


@pytest.mark.parametrize(
    ("via", "mend"),
    [
        ("ssh -tt web1", "write ssh web1"),
        ("/usr/bin/docker exec -ti web", "write /usr/bin/docker exec -i web"),
        ("kubectl exec --tty -i web-0 --", "write kubectl exec -i web-0 --"),
        ("podman exec web", "write podman exec -i web"),
        ("docker exec 'my web'", "write docker exec -i 'my web'"),
    ],
)
def test_commands_that_spoil_the_pipe_are_told_how_to_keep_it(via: str, mend: str) -> None:
    (problem,) = problems_of(f'{{name: a, via: "{via}"}}')
    assert (problem.code, problem.mend) == ("plan.observer", mend)
