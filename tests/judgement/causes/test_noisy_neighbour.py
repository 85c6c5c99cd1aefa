"""Somebody else on the server's cores, against what only looks like it."""

from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.evidence import Cleared
from loadrig.judgement.facts.case import Case
from loadrig.testing.cases import ACase
from tests.wording import numbers


def server(case: ACase, used: float, waited_s: float = 0.5) -> ACase:
    """Return a server held on core 1."""
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=4)
    case.counter("server", "process.run_delay_s", "tree", waited_s)
    return case.counter("server", "process.cpu_s", "tree", used)


def behind(per_core: list[float], used: float, *, steal: float = 0.0, waited_s: float = 0.5) -> ACase:
    """Return an open load that the server does not keep up with."""
    case = ACase(seconds=30, rate=100.0, ok=70.0, latency_s=1.5)
    return server(case.host_cpu(per_core, steal), used, waited_s)


def causes(case: Case) -> list[tuple[str, str, str]]:
    return [(finding.verdict, finding.cause, finding.component) for finding in diagnose(case).findings]


def cleared(case: Case) -> dict[str, Cleared]:
    return {clearance.cause: clearance for clearance in diagnose(case).cleared}


def test_a_stranger_on_the_servers_core_comes_first(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnose(behind([0.2, 0.99], 0.5).build())
    assert causes(behind([0.2, 0.99], 0.5).build())[0] == ("likely", "noisy_neighbour", "host")
    assert diagnosis.findings[0].weight >= 3
    # 0.5 cores for 70 requests a second: 100 need 0.714.
    assert [evidence.text for evidence in diagnosis.findings[0].evidence] == snapshot


def test_a_stranger_that_gives_way_costs_no_more_than_threads_waited() -> None:
    """Let both fill the core: threads of the server waited for a twentieth of the time that they worked."""
    case = behind([0.2, 0.99], 0.56, waited_s=0.03).build()
    assert "noisy_neighbour" not in [cause for _, cause, _ in causes(case)]
    assert 1.05 in numbers(cleared(case)["noisy_neighbour"].why)


def test_steal_is_somebody_else_too(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnose(behind([0.2, 0.7], 0.68, steal=0.28, waited_s=0.0).build())
    assert (diagnosis.findings[0].verdict, diagnosis.findings[0].cause) == ("likely", "noisy_neighbour")
    assert diagnosis.findings[0].effect == snapshot


def test_a_server_that_fills_its_core_by_itself_has_no_neighbour() -> None:
    named = causes(behind([0.2, 0.99], 0.97).build())
    assert named[0] == ("likely", "host_cpu", "server")
    assert "noisy_neighbour" not in [cause for _, cause, _ in named]


def test_what_the_server_calls_on_the_same_core_is_no_neighbour() -> None:
    case = behind([0.2, 0.99], 0.5).tier("redis", kind="redis", cpus=(1,))
    case.counter("redis", "process.cpu_s", "tree", 0.45)
    assert "noisy_neighbour" not in [cause for _, cause, _ in causes(case.build())]


def test_a_busy_other_core_is_nobodys_harm() -> None:
    case = server(ACase(seconds=30, rate=100.0, ok=100.0).host_cpu([0.99, 0.4]), 0.35, 0.0)
    assert causes(case.build()) == [("likely", "healthy", "server")]


def test_a_stranger_that_leaves_the_server_room_is_cleared(snapshot: SnapshotAssertion) -> None:
    case = ACase(seconds=30, users=20, ok=100.0, latency_s=0.2, in_flight=20.0).host_cpu([0.1, 0.6])
    assert cleared(server(case, 0.2, 0.0).build())["noisy_neighbour"].why == snapshot


def test_a_program_whose_time_is_not_known_may_be_who_it_was() -> None:
    case = behind([0.2, 0.99], 0.5).tier("mystery", kind="program", cpus=(1,), address="127.0.0.1:9000")
    verdicts = {cause: verdict for verdict, cause, _ in causes(case.build())}
    assert verdicts["noisy_neighbour"] == "possible"


def test_the_generators_own_time_is_taken_off_generously() -> None:
    case = ACase(seconds=30, users=50, ok=4000.0, latency_s=0.012, in_flight=50.0).host_cpu([0.97, 0.97])
    case.tier("server", kind="program", runtime="go", cpus=(0, 1)).counter(
        "server", "process.cpu_s", "tree", 1.2
    )
    case.counter("server", "process.run_delay_s", "tree", 1.0)
    assert "noisy_neighbour" not in [cause for _, cause, _ in causes(case.build())]


def test_what_others_use_of_a_core_that_a_quota_forbids_was_not_taken_from_it() -> None:
    case = ACase(seconds=30, rate=100.0, ok=70.0, latency_s=1.5).host_cpu([0.2, 0.99])
    case.tier("server", kind="program", runtime="native", cpus=(1,), limits={"cores": 0.5})
    case.counter("server", "process.cpu_s", "tree", 0.499)
    case.counter("server", "process.run_delay_s", "tree", 0.5)
    assert "noisy_neighbour" not in [cause for _, cause, _ in causes(case.build())]
