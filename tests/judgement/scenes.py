"""Cases with an account: a server on a core of its own, loaded by 24 users, of which all is known."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from loadrig.account.observations import Observations
from loadrig.account.population import Held
from loadrig.account.trial_account import account
from loadrig.judgement.facts.case import Case
from loadrig.testing.cases import ACase
from tests.account.made import a_component, a_load

USERS = 24.0


def scene(
    rps: float,
    server: Mapping[str, Any],
    behind: Sequence[Observations] = (),
    *,
    cpu: float,
    busy: float | None = None,
    behind_cpu: float | None = None,
    held: float | None = None,
    facts: Mapping[str, Any] | None = None,
    counters: Mapping[str, float] | None = None,
    strangers: Mapping[str, float] | None = None,
    messages: float | None = None,
    waited_s: float | None = None,
) -> Case:
    """Return a case of 24 users who always wait.

    server: what was seen of it, as `a_component` takes it. behind: dependencies with an account. cpu: cores
    that it uses; behind_cpu: that a dependency uses of the same core; busy: that anybody uses of it. held:
    requests that it holds at most. facts: of its tier. counters: of its machine, a second. strangers: cores
    that other programs were seen to use, by core and name. messages: to each dependency, a second. waited_s:
    that the server's threads waited for a core, a second.
    """
    seconds = 30
    case = ACase(seconds=seconds, users=USERS, ok=rps, in_flight=USERS, latency_s=USERS / rps)
    case.tier("server", cpus=(1,), address="127.0.0.1:8000", **(facts or {}))
    case.counter("server", "process.cpu_s", "tree", cpu).counter("server", "process.cpu_s", "100", cpu)
    if waited_s is not None:
        case.counter("server", "process.run_delay_s", "tree", waited_s)
    case.host_cpu([0.2, cpu if busy is None else busy])
    case.counter("host", "tcp_sockets.active_opens", "", 0.0, "1")
    for name, value in (counters or {}).items():
        case.counter("host", f"tcp_sockets.{name}", "", value, "1")
    for name, cores in (strangers or {}).items():
        case.counter("host", "neighbours.cpu_s", name, cores)
    case.gauge("host", "tcp_sockets.accept_queue", "in:8000", 2.0)
    case.gauge("host", "tcp_sockets.backlog", "in:8000", 2.0)
    for dependency in behind:
        case.tier(dependency.name, cpus=(1,)).edge("server", dependency.name, "127.0.0.1:5432")
        if messages is not None:
            case.gauge("server", "socket_stages.sockets", "out:127.0.0.1:5432", 5.0)
        if messages:  # the probe tells nothing of what never was
            case.counter("server", "socket_stages.segments", "out:127.0.0.1:5432", messages, "1")
        if behind_cpu is not None:
            case.counter(dependency.name, "process.cpu_s", "tree", behind_cpu)
    components = [a_component(n=seconds, total=USERS, cores=1.0, running=cpu, **server), *behind]
    whole = account(components, a_load(rps, USERS, n=seconds))
    assert whole is not None
    limits = () if held is None else (Held("server", held, rps, rps, rps, 1.0),)
    return replace(case.build(), account=whole, held=limits, generator_cpus=(0,))
