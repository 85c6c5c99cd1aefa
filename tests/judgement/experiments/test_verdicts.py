"""Verdicts of experiments on the suspects."""

from dataclasses import replace

import pytest
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from loadrig.base.documents import ABSENT
from loadrig.interventions import Lever
from loadrig.judgement.document import (
    NOTHING_SAID,
    ClearedDocument,
    DiagnosisDocument,
    FindingDocument,
    Harm,
)
from loadrig.judgement.evidence import ExperimentSource
from loadrig.judgement.experiments.conclusions import conclusion_of
from loadrig.judgement.experiments.credence import SuspectBelief
from loadrig.judgement.experiments.results import Gain, Result
from loadrig.judgement.experiments.suspects import suspects_in
from loadrig.judgement.experiments.verdicts import updated
from tests.judgement.experiments.examples import cleared, finding, result

DATABASE = Lever("cpu", "mariadb")
SERVER_CPU = Lever("cpu", "server")
POOL = Lever("knob", "server", "pool")
HARMS = (Harm("saturated", "users wait"),)

Told = tuple[tuple[FindingDocument, ...], tuple[ClearedDocument, ...], DiagnosisDocument]


def judged(
    findings: list[FindingDocument],
    results: list[Result],
    nearly: list[ClearedDocument] | None = None,
    tied: list[tuple[str, str]] | None = None,
    beliefs: dict[tuple[str, str], SuspectBelief] | None = None,
    harms: tuple[Harm, ...] = HARMS,
) -> Told:
    near = nearly or []
    before = structs.replace(NOTHING_SAID, sentence="as it was.", harms=harms, cleared=tuple(near))
    concluded = [conclusion_of(suspect, results, ["mariadb"]) for suspect in suspects_in(findings, near)]
    proved, diagnosis = updated(concluded, findings, before, "prove it", tied or [], beliefs or {})
    return proved, diagnosis.cleared, diagnosis


def test_a_cause_whose_own_lever_moves_throughput_is_named_and_says_by_how_much(
    snapshot: SnapshotAssertion,
) -> None:
    findings, _, diagnosis = judged([finding("database_cpu", "mariadb")], [result(DATABASE, "limits")])
    first = findings[0]
    assert first.verdict == "named"
    assert first.evidence[0].source == ExperimentSource("prove it")
    assert first.evidence[0].text == snapshot
    assert first.decides == ""
    assert diagnosis.sentence == snapshot


def test_a_cause_whose_lever_moves_nothing_is_cleared_with_the_figure(snapshot: SnapshotAssertion) -> None:
    both = [finding("database_cpu", "mariadb"), finding("cpu_quota", "server", 4.0)]
    findings, gone, _ = judged(both, [result(DATABASE, "limits"), result(SERVER_CPU, "cleared", gain=1.0)])
    assert [entry.cause for entry in findings] == ["database_cpu"]
    assert [entry.cause for entry in gone] == ["cpu_quota"]
    assert gone[0].why == snapshot
    assert findings[0].rivals[0].cause == "cpu_quota"


def test_an_unsure_answer_changes_no_verdict(snapshot: SnapshotAssertion) -> None:
    findings, _, diagnosis = judged([finding("database_cpu", "mariadb")], [result(DATABASE, "unsure")])
    assert findings[0].verdict == "likely"
    assert diagnosis.sentence == snapshot


def test_what_a_cleared_cause_explained_stands_alone() -> None:
    symptom = finding("pool_too_small", "server", 2.0)
    root = finding("database_cpu", "mariadb", symptoms=[symptom])
    findings, gone, _ = judged([root], [result(DATABASE, "cleared", gain=1.0)])
    assert [entry.cause for entry in findings] == ["pool_too_small"]
    assert [entry.cause for entry in gone] == ["database_cpu"]


def test_a_symptom_is_cleared_by_its_own_knob() -> None:
    root = finding("database_cpu", "mariadb", symptoms=[finding("pool_too_small", "server", 2.0)])
    still = result(POOL, "cleared", ratio=2.0, gain=1.0)
    findings, gone, _ = judged([root], [result(DATABASE, "limits"), still])
    assert findings[0].symptoms == ()
    assert [entry.cause for entry in gone] == ["pool_too_small"]


def test_a_cause_that_signs_cleared_is_convicted_by_its_own_lever() -> None:
    near = [cleared("pool_too_small", "server", 0.5)]
    moved = [
        result(DATABASE, "cleared", gain=1.0),
        result(POOL, "limits", ratio=2.0, gain=1.5),
    ]
    findings, gone, _ = judged([finding("database_cpu", "mariadb")], moved, near)
    assert [(entry.cause, entry.verdict) for entry in findings] == [("pool_too_small", "named")]
    assert findings[0].title
    assert findings[0].mend
    assert {entry.cause for entry in gone} == {"database_cpu"}


def test_beside_what_the_kernel_itself_has_said_a_conviction_is_only_likely() -> None:
    near = [cleared("pool_too_small", "server", 0.5)]
    moved = [result(POOL, "limits", ratio=2.0, gain=1.5)]
    findings, _, _ = judged([finding("descriptor_limit", "server", 4.0)], moved, near)
    assert [(entry.cause, entry.verdict) for entry in findings] == [
        ("descriptor_limit", "likely"), ("pool_too_small", "likely"),
    ]  # fmt: skip


def test_a_cpu_that_was_seen_idle_is_not_convicted_by_what_waits_in_a_row_behind_it() -> None:
    near, standing = [cleared("host_cpu", "server", 0.5)], [finding("row_lock", "postgresql", 4.0)]
    by_cores = result(Lever("cores", "host"), "limits", ratio=0.8)
    findings, _, _ = judged(standing, [by_cores], near)
    assert [(entry.cause, entry.verdict) for entry in findings] == [("row_lock", "likely")]
    seen_full = [*standing, finding("host_cpu", "server")]
    findings, _, _ = judged(seen_full, [by_cores])
    assert findings[0].cause == "host_cpu"


def test_who_is_not_suspected_is_not_convicted_by_what_may_be_chance() -> None:
    near, standing = [cleared("gc_pressure", "server", 0.5)], [finding("database_cpu", "mariadb")]
    heap = Lever("knob", "server", "heap")
    helped = result(heap, "limits", ratio=2.0, gain=1.12)
    perhaps = replace(helped, gain=Gain(1.12, 1.01, 1.23))
    findings, _, _ = judged(standing, [perhaps], near)
    assert [(entry.cause, entry.verdict) for entry in findings] == [("database_cpu", "likely")]
    surely = replace(helped, gain=Gain(1.12, 1.09, 1.15))
    findings, _, _ = judged(standing, [surely], near)
    assert [(entry.cause, entry.verdict) for entry in findings] == [
        ("gc_pressure", "named"), ("database_cpu", "likely"),
    ]  # fmt: skip


def test_more_workers_convict_nobody_who_was_seen_not_to_fill_them() -> None:
    near, standing = [cleared("blocked_event_loop", "server", 0.5)], [finding("row_lock", "postgresql", 4.0)]
    more = result(Lever("knob", "server", "workers"), "limits", ratio=2.0, gain=1.8)
    findings, _, _ = judged(standing, [more], near)
    assert [(finding.cause, finding.verdict) for finding in findings] == [("row_lock", "likely")]
    suspected = [*standing, finding("blocked_event_loop", "server", 3.0)]
    findings, _, _ = judged(suspected, [more])
    assert (findings[0].cause, findings[0].verdict) == ("blocked_event_loop", "named")


def test_where_everything_is_cleared_it_says_so(snapshot: SnapshotAssertion) -> None:
    findings, _, diagnosis = judged(
        [finding("database_cpu", "mariadb")], [result(DATABASE, "cleared", gain=1.0)]
    )
    assert findings == ()
    assert diagnosis.sentence == snapshot


def test_a_shared_lever_names_the_only_one_that_stands() -> None:
    only = [finding("missing_index", "mariadb", symptoms=[finding("database_cpu", "mariadb", 2.0)])]
    findings, _, _ = judged(only, [result(DATABASE, "limits")])
    assert findings[0].cause == "missing_index"
    assert findings[0].verdict == "named"


def test_more_of_a_resource_proves_that_it_is_full_and_not_who_uses_it(snapshot: SnapshotAssertion) -> None:
    full = finding("host_cpu", "server", 2.0)
    for churn in (
        [finding("connection_churn", "server", symptoms=[full])],
        [finding("connection_churn", "server"), full],
    ):
        (root,), _, diagnosis = judged(churn, [result(Lever("cores", "host"), "limits")])
        assert (root.cause, root.verdict) == ("connection_churn", "likely")
        assert [(symptom.cause, symptom.verdict) for symptom in root.symptoms] == [("host_cpu", "named")]
        assert root.resource
        assert root.evidence[0].source == ExperimentSource("prove it")
        assert diagnosis.sentence == snapshot


@pytest.mark.parametrize(("harm", "first"), [("drift", "leak"), ("growth", "host_cpu")])
def test_a_leak_that_makes_requests_dearer_stays_first_where_the_processor_is_shown_to_be_full(
    harm: str, first: str
) -> None:
    findings = [finding("leak", "server"), finding("host_cpu", "server", 2.0)]
    proved, _, _ = judged(
        findings, [result(Lever("cores", "host"), "limits")], harms=(*HARMS, Harm(harm, "it grows"))
    )
    assert proved[0].cause == first
    assert ("host_cpu", "named") in {
        (part.cause, part.verdict) for root in proved for part in (root, *root.symptoms)
    }


def test_less_of_a_processor_names_nobody_who_is_only_held_to_use_it() -> None:
    for cause in ("gc_pressure", "gil", "connection_churn"):
        (root,), _, _ = judged([finding(cause, "server")], [result(SERVER_CPU, "limits")])
        assert root.verdict == "likely"


def test_a_shared_lever_names_nobody_whose_own_was_tried_and_did_not() -> None:
    waits = [finding("pool_too_small", "server"), finding("oom_kill", "server", 5.0)]
    delayed = result(Lever("delay", "mariadb"), "limits", ratio=None)
    assert judged(waits, [delayed])[0][0].cause == "pool_too_small"
    tried = result(POOL, "unsure", ratio=2.0, gain=1.05)
    findings, _, _ = judged(waits, [delayed, tried])
    assert [(entry.cause, entry.verdict) for entry in findings] == [
        ("pool_too_small", "likely"), ("oom_kill", "likely"),
    ]  # fmt: skip


def test_one_of_two_knobs_that_moves_it_is_enough() -> None:
    both = [
        result(Lever("knob", "server", "workers"), "limits", ratio=2.0, gain=1.8),
        result(Lever("knob", "server", "threads"), "cleared", ratio=2.0, gain=1.0),
    ]
    suspect = suspects_in([finding("too_few_workers", "server")], [])[0]
    conclusion = conclusion_of(suspect, both, [])
    assert conclusion.is_proved
    assert not conclusion.is_cleared


def test_a_cause_is_not_cleared_while_one_of_its_knobs_was_not_tried() -> None:
    workers = result(Lever("knob", "server", "workers"), "cleared", ratio=2.0, gain=1.0)
    suspect = suspects_in([finding("too_few_workers", "server")], [])[0]
    assert conclusion_of(suspect, [workers], []).is_cleared
    assert not conclusion_of(suspect, [workers], [], [Lever("knob", "server", "threads")]).is_cleared


def test_a_knob_by_its_own_name_speaks_for_the_role_that_it_has() -> None:
    moved = result(Lever("knob", "server", "maxThreads"), "limits", ratio=2.0, gain=1.9)
    suspect = suspects_in([finding("too_few_workers", "server")], [])[0]
    assert conclusion_of(suspect, [moved], []).is_proved


def test_who_could_not_be_seen_and_is_convicted_stands_over_what_it_looked_like(
    snapshot: SnapshotAssertion,
) -> None:
    looked_like = [finding("host_cpu", "server")]
    asked = suspects_in(looked_like, [])
    assert [(suspect.cause, suspect.is_standing) for suspect in asked] == [
        ("host_cpu", True),
        ("request_overhead", False),
    ]
    # Where a profile was taken it could be seen, and is cleared by it.
    suspects = suspects_in(looked_like, [cleared("request_overhead", "server", -2.0)])
    assert [suspect.cause for suspect in suspects] == ["host_cpu"]
    identity = result(Lever("load", "", "identity"), "limits", ratio=None, gain=3.0)
    findings, _, _ = judged(looked_like, [identity, result(Lever("cores", "host"), "limits")])
    assert [(entry.cause, entry.verdict) for entry in findings] == [("request_overhead", "named")]
    assert [symptom.cause for symptom in findings[0].symptoms] == ["host_cpu"]
    assert findings[0].against[0].text == snapshot


def test_causes_that_experiments_cannot_tell_apart_are_told_as_a_tie(snapshot: SnapshotAssertion) -> None:
    both = [finding("connection_churn", "server"), finding("gc_pressure", "server")]
    keys = [each.accused for each in both]
    _, _, diagnosis = judged(both, [result(SERVER_CPU, "limits")], tied=keys)
    assert diagnosis.sentence == snapshot
    # A tie with a cause that was cleared meanwhile is none, and neither is one whose cause was named.
    _, _, alone = judged(both[:1], [result(SERVER_CPU, "limits")], tied=keys)
    _, _, plain = judged(both[:1], [result(SERVER_CPU, "limits")])
    assert alone == plain


def test_a_leak_is_not_cleared_by_answers_that_half_the_load_leaves_as_many() -> None:
    half = Lever("load", "", "half_rate")
    both = [finding("pool_too_small", "server"), finding("leak", "server")]
    findings, gone, _ = judged(both, [result(half, "cleared", gain=1.0)])
    assert [each.cause for each in findings] == ["pool_too_small", "leak"]
    assert not gone
    _, gone, _ = judged(both, [result(half, "cleared", gain=1.0, measure="growth")])
    assert [entry.cause for entry in gone] == ["leak"]


CORES = Lever("cores", "host")


def test_a_neighbour_is_named_where_the_cores_are_what_is_lacking_and_counters_show_who_takes_them() -> None:
    findings, _, _ = judged([finding("noisy_neighbour", "host")], [result(CORES, "limits")])
    assert [(each.cause, each.verdict) for each in findings] == [("noisy_neighbour", "named")]
    # The server's own work would use these cores, too: who it is that must give way is not shown.
    both = [finding("noisy_neighbour", "host"), finding("host_cpu", "server")]
    findings, _, _ = judged(both, [result(CORES, "limits")])
    assert ("noisy_neighbour", "named") not in [(each.cause, each.verdict) for each in findings]


def test_a_neighbour_is_cleared_where_less_of_the_cores_costs_no_answers() -> None:
    both = [finding("noisy_neighbour", "host"), finding("too_few_workers", "server")]
    findings, gone, _ = judged(both, [result(CORES, "cleared", gain=1.0)])
    assert [each.cause for each in findings] == ["too_few_workers"]
    assert [entry.cause for entry in gone] == ["noisy_neighbour"]
    # Who comes now and then harms the slowest requests, and hardly their mean.
    findings, _, _ = judged(both, [result(CORES, "cleared", gain=1.0, measure="latency")])
    assert [each.cause for each in findings] == ["noisy_neighbour", "too_few_workers"]


def test_beside_a_cause_that_no_experiment_proves_nobody_is_named_against_the_signs() -> None:
    near = [cleared("pool_too_small", "server")]
    moved = result(POOL, "limits", ratio=2.0, gain=1.9)
    findings, _, _ = judged([finding("slow_dependency", "pricing")], [moved], near)
    assert ("pool_too_small", "likely") in [(each.cause, each.verdict) for each in findings]


def test_cores_that_several_share_name_none_of_them_where_a_likelier_one_uses_them() -> None:
    server, database = finding("host_cpu", "server"), finding("database_cpu", "mariadb")
    verdicts = {each.cause: each.verdict for each in judged([database, server], [result(CORES, "limits")])[0]}
    assert verdicts == {"database_cpu": "likely", "host_cpu": "likely"}
    findings, _, _ = judged([server, database], [result(CORES, "limits")])
    assert (findings[0].cause, findings[0].verdict) == ("host_cpu", "named")
    # Its own CPU tells the one from the other.
    both = [result(CORES, "limits"), result(SERVER_CPU, "limits")]
    findings, _, _ = judged([database, server], both)
    assert ("host_cpu", "named") in [(each.cause, each.verdict) for each in findings]


def test_what_experiments_leave_as_likeliest_comes_first_and_is_possible(snapshot: SnapshotAssertion) -> None:
    # A fifth less of the cores costs a thirtieth of the answers: hardly what is lacking, nor surely cleared.
    hardly = result(CORES, "unsure", gain=0.97)
    neighbour, waited = ("noisy_neighbour", "host"), ("slow_dependency", "pricing")
    findings, gone, diagnosis = judged(
        [finding(*neighbour)], [hardly], [cleared(*waited)],
        beliefs={neighbour: SuspectBelief(0.67, 0.11), waited: SuspectBelief(0.19, 0.51, hardly)},
    )  # fmt: skip
    assert [(each.accused, each.verdict) for each in findings] == [
        (waited, "possible"),
        (neighbour, "possible"),
    ]
    assert not gone
    assert diagnosis.sentence == snapshot
    # Nothing has changed what was believed of the two: the first stays first.
    same = {neighbour: SuspectBelief(0.67, 0.67), waited: SuspectBelief(0.51, 0.51)}
    findings, gone, _ = judged([finding(*neighbour)], [hardly], [cleared(*waited)], beliefs=same)
    assert [(each.accused, each.verdict) for each in findings] == [(neighbour, "likely")]
    assert [entry.accused for entry in gone] == [waited]


def test_likely_causes_stand_in_the_order_of_their_chances_after_experiments() -> None:
    first, second = ("pool_too_small", "server"), ("too_few_workers", "server")
    both = [finding(*first), finding(*second)]
    nearly = {first: SuspectBelief(0.7, 0.3), second: SuspectBelief(0.2, 0.5)}
    much = {first: SuspectBelief(0.7, 0.1), second: SuspectBelief(0.2, 0.8)}
    findings, _, _ = judged(both, [], beliefs=nearly)
    assert [(each.accused, each.verdict) for each in findings] == [(second, "likely"), (first, "likely")]
    findings, _, _ = judged(both, [], beliefs=much)
    assert [(each.accused, each.verdict) for each in findings] == [(second, "likely"), (first, "possible")]


def test_neighbours_are_named_by_a_server_that_goes_first_and_cleared_by_one_that_gains_nothing() -> None:
    first = Lever("precedence", "server")
    both = [finding("noisy_neighbour", "host"), finding("host_cpu", "server")]
    findings, _, _ = judged(both, [result(first, "limits", ratio=2.0, gain=1.8, is_mend=True)])
    assert [(each.cause, each.verdict) for each in findings][:1] == [("noisy_neighbour", "named")]
    _, gone, _ = judged(both, [result(first, "cleared", ratio=2.0, gain=1.0)])
    assert [entry.cause for entry in gone] == ["noisy_neighbour"]


def test_a_cause_that_experiments_made_thrice_less_likely_is_no_more_than_possible() -> None:
    neighbour, other = ("noisy_neighbour", "host"), ("n_plus_one", "server")
    fallen = {neighbour: SuspectBelief(0.64, 0.19), other: SuspectBelief(0.21, 0.37)}
    findings, gone, _ = judged([finding(*neighbour)], [], [cleared(*other)], beliefs=fallen)
    assert [(each.accused, each.verdict) for each in findings] == [(neighbour, "possible")]
    # Likelier than all others together it is not, so the signs that cleared the other one stand.
    assert [entry.accused for entry in gone] == [other]


def test_experiments_make_a_chance_as_much_likelier_as_they_made_the_claim() -> None:
    accused = ("host_cpu", "server")
    roots = [finding(*accused, chance=0.75)]
    for posterior, chance in ((0.4, 0.75), (0.8, 0.95), (0.1, 0.33)):
        findings, _, _ = judged(roots, [], beliefs={accused: SuspectBelief(0.4, posterior)})
        assert findings[0].chance == pytest.approx(chance, abs=0.01)
    untold, _, _ = judged([finding(*accused)], [], beliefs={accused: SuspectBelief(0.4, 0.8)})
    assert untold[0].chance is ABSENT
