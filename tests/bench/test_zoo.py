"""The zoo: cases are well-formed, labels exist, nothing that is read has one, harm decides the truth."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from bench.zoo import command, draw, faults, fit, judge, record, score, setup, stacks, trial
from bench.zoo.cases import ANY, DECOYS, LOADS, SEVERITIES, ZooCase, every, of_fault, of_pair
from bench.zoo.harm import harms
from bench.zoo.judge import ZooVerdict, placed
from bench.zoo.score import RESOURCES
from loadrig.base import members
from loadrig.judgement.declarations import ROOM
from loadrig.judgement.document import FindingDocument

CAUSES = set(members.names(ROOM))
WELL = {"ok_rps": 100.0, "offered_rps": 100.0, "p99_ms": 10.0, "failed_share": 0.0}


def a_case(*causes: str, **load: Any) -> ZooCase:
    return ZooCase("go-x", "go", causes, ("server",), {}, {}, load or {"share": 0.5}, {})


def a_verdict(case: ZooCase, harm: tuple[str, ...], *findings: FindingDocument) -> ZooVerdict:
    return ZooVerdict(case, harm, findings, *placed(findings, case, {"server"}), "valid")


def a_finding(
    cause: str, verdict: Literal["named", "likely", "possible"] = "likely", component: str = "server"
) -> FindingDocument:
    return FindingDocument(
        cause=cause, component=component, verdict=verdict, title="", effect="", evidence=(), against=(),
        mend="", decides="", weight=2.0, bound=None, gain=None, detail="", missing=(), symptoms=(), rivals=(),
    )  # fmt: skip


def test_there_are_enough_stacks_faults_and_healthy_cases() -> None:
    assert len(stacks.STACKS) >= 10
    assert len(faults.FAULTS) >= 40
    assert len(faults.HEALTHY) >= 10
    assert {fault.stack for fault in faults.FAULTS} == set(stacks.STACKS)
    names = [case.name for case in every()]
    assert len(set(names)) == len(names)


def test_every_label_is_a_cause_and_every_dial_and_decoy_exists() -> None:
    for fault in faults.FAULTS:
        assert set(fault.causes) <= CAUSES, fault.name
        assert fault.parts
        assert len(fault.values) == len(SEVERITIES), fault.name
        for severity in SEVERITIES:
            case = of_fault(fault, severity)
            dials = stacks.STACKS[case.stack].dials
            assert {*case.healthy, *case.sick} <= set(dials), case.name
            assert set(case.decoys) <= set(trial.DECOYS)
    for well in faults.HEALTHY:
        assert set(well.dials) <= set(stacks.STACKS[well.stack].dials), well.name


def test_every_range_of_ports_ends_where_ports_end() -> None:
    ranges = [
        value["sysctl"]["net.ipv4.ip_local_port_range"]
        for fault in faults.FAULTS
        for value in fault.values
        if isinstance(value, dict) and "net.ipv4.ip_local_port_range" in value.get("sysctl", {})
    ]
    assert ranges
    assert all(int(text.split()[0]) < int(text.split()[1]) < 2**16 for text in ranges)


def test_every_number_that_the_shop_on_spring_boot_reads_is_a_dial() -> None:
    source = (setup.APPS / "spring" / "Application.java").read_text(encoding="utf-8")
    (record,) = re.findall(r"record Dials\((.*?)\)", source, re.DOTALL)
    words = [field.split()[-1] for field in record.split(",")]
    read = {re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", word) for word in words}
    assert read - set(stacks.STACKS["spring"].dials) == {"quotes_port"}


def test_every_cause_is_about_one_resource() -> None:
    assert sorted(cause for causes in RESOURCES.values() for cause in causes) == sorted(CAUSES)


def test_nothing_that_the_diagnosis_reads_speaks_of_an_illness() -> None:
    for fault in faults.FAULTS:
        case = of_fault(fault, "strong")
        text = json.dumps(trial.workload(case.stack, case.load, 100.0))
        assert not [cause for cause in CAUSES if cause in text], case.name
        assert not {"causes", "parts", "name"} & set(case.spec())


def test_a_load_may_be_closed_open_or_a_ramp() -> None:
    fault = next(fault for fault in faults.FAULTS if fault.name == "quotes")
    for ending, load in LOADS.items():
        case = of_fault(fault, "mild", ending, DECOYS[:1] if ending else ())
        arrivals = {"users", "rate"} & set(trial.workload(case.stack, case.load, 200.0))
        assert arrivals == ({"rate"} if load else {"users"})
    opened = of_fault(fault, "mild", "open80")
    assert trial.workload(opened.stack, opened.load, 200.0)["rate"] == "160.0/1s"


@pytest.mark.parametrize(
    ("change", "is_harm"),
    [
        ({}, False),
        ({"ok_rps": 86.0}, False),
        ({"ok_rps": 85.0}, True),
        ({"p99_ms": 19.0}, False),
        ({"p99_ms": 20.0}, True),
        ({"failed_share": 0.004}, False),
        ({"failed_share": 0.005}, True),
    ],
)
def test_harm_is_lost_throughput_twice_the_p99_or_errors(change: dict[str, float], is_harm: bool) -> None:
    assert bool(harms({**WELL, **change}, WELL)) == is_harm


def test_a_p99_that_is_twice_nearly_nothing_is_no_harm() -> None:
    assert not harms({**WELL, "p99_ms": 2.0}, {**WELL, "p99_ms": 0.8})


def test_what_queues_at_the_twin_as_well_is_compared_by_throughput_and_real_failures() -> None:
    twin = {**WELL, "offered_rps": 120.0, "outcomes": {"ok": 500}}
    longer = {**twin, "p99_ms": 90.0, "failed_share": 0.4, "outcomes": {"ok": 60, "timeout": 40}}
    assert not harms(longer, twin)
    assert harms({**longer, "ok_rps": 80.0}, twin)
    assert harms({**longer, "outcomes": {"ok": 60, "timeout": 30, "reset": 10}}, twin)
    assert harms(longer, {**twin, "offered_rps": 100.0}), "a twin that keeps up is a measure of both"


def test_harm_decides_the_truth_and_not_the_switch() -> None:
    case = a_case("leak", "oom_kill")
    harmed = a_verdict(case, ("throughput -50%",), a_finding("host_cpu"), a_finding("oom_kill"))
    assert (harmed.is_sick, harmed.rank, harmed.is_right) == (True, 2, False)
    harmless = a_verdict(case, (), a_finding("leak"))
    assert (harmless.is_sick, harmless.is_right) == (False, False)
    assert a_verdict(case, (), a_finding("healthy")).is_right
    assert a_verdict(case, (), a_finding("leak", "possible")).is_right


def test_a_healthy_case_that_did_worse_with_its_decoy_has_no_truth() -> None:
    assert a_verdict(a_case(), ()).counts
    assert not a_verdict(a_case(), ("p99 ×3.0",)).counts


def test_a_fault_without_harm_has_no_truth_where_the_load_presses_the_server() -> None:
    for load in ({"users": 32}, {"share": 1.2}, {"ramp": (0.1, 1.2)}):
        assert not a_verdict(a_case("leak", **load), ()).counts
    assert a_verdict(a_case("leak", share=0.8), ()).counts
    assert a_verdict(a_case("leak", users=32, think="100ms"), ()).counts
    assert a_verdict(a_case("leak", users=32), ("throughput -50%",)).counts


def test_what_is_named_wrongly_counts_apart() -> None:
    case = a_case("leak")
    assert a_verdict(case, ("x",), a_finding("leak"), a_finding("gil", "named")).is_wrongly_named
    assert not a_verdict(case, ("x",), a_finding("leak", "named"), a_finding("gil")).is_wrongly_named


def test_a_cause_counts_wherever_it_is_laid_and_its_part_apart() -> None:
    findings = [a_finding("leak", component="redis")]
    assert placed(findings, a_case("leak"), {"server"}) == (1, False)
    anywhere = ZooCase("go-x", "go", ("leak",), (ANY,), {}, {}, {}, {})
    assert placed(findings, anywhere, {ANY}) == (1, True)
    assert placed(findings, a_case("gil"), {"server"}) == (None, False)


def test_either_of_two_faults_is_right_and_the_one_whose_mend_gains_more_comes_first() -> None:
    case = next(case for case in every() if case.pair)
    assert set(case.causes) == {cause for causes in case.pair for cause in causes}
    assert len(case.spec()["mended"]) == len(case.pair)
    first, second = (causes[0] for causes in case.pair)
    facts = {"mended": [{"ok_rps": 100.0}, {"ok_rps": 300.0}]}
    assert judge.dearer(case, facts) == case.pair[1]
    verdict = replace(
        a_verdict(case, ("x",), a_finding(first), a_finding(second)), dearer=judge.dearer(case, facts)
    )
    assert (verdict.is_right, verdict.is_dearer_first, verdict.has_both) == (True, False, True)
    assert "0/1" in score.pairs([verdict])
    assert judge.dearer(a_case("leak"), {}) == ()
    assert score.pairs([a_verdict(a_case("leak"), ("x",))]) == ""


def test_of_a_pair_each_half_is_sick_of_the_other_fault_alone() -> None:
    for first, second in faults.PAIRS:
        case = of_pair(first, second, "strong")
        of_first, of_second = (of_fault(fault, "strong").sick for fault in (first, second))
        assert case.mended == (of_second, of_first)
        assert case.sick == {**of_first, **of_second}
        assert not set(of_first) & set(of_second)
        assert all(not fault.sysctl and not fault.shape for fault in (first, second))


def test_the_tables_tell_shares_with_intervals_and_what_was_taken_for_what() -> None:
    verdicts = [
        a_verdict(a_case("leak"), ("x",), a_finding("leak")),
        a_verdict(a_case("leak"), ("x",), a_finding("host_cpu")),
        a_verdict(a_case(), (), a_finding("healthy")),
    ]
    text = score.text_of(verdicts)
    assert "1/2 = 50% (9% – 91%)" in text
    assert "| memory | 1 |  | 1 |" in text
    assert "| nothing |  |  |  |  |  |  | 1 |" in text


def test_no_recording_is_no_verdict(tmp_path: Path) -> None:
    assert judge.judge(tmp_path) == []


@pytest.mark.parametrize(
    ("words", "named"),
    [(["judge", "{folder}"], "{folder}"), (["list", "--only", "no-such-case"], "no-such-case")],
)
def test_what_is_not_there_is_told_and_not_scored(
    words: list[str], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main([word.format(folder=tmp_path) for word in words])
    assert ended.value.code == 2
    assert named.format(folder=tmp_path) in capsys.readouterr().err


def test_the_chance_of_findings_is_fitted_and_tried_on_stacks_that_were_left_out() -> None:
    # On three stacks the first finding is right nine times in ten, the second never.
    verdicts = [
        a_verdict(
            replace(a_case("gil"), stack=stack),
            ("throughput -50%",),
            a_finding("gil" if number else "row_lock"),
            a_finding("leak", "possible"),
        )
        for stack in ("go", "php", "node")
        for number in range(10)
    ]
    examples = fit.examples(verdicts)
    assert sum(example.is_right for example in examples) == 27
    chances = fit.left_out(examples)
    first = [chance for chance, is_right in chances if is_right]
    second = [chance for chance, _ in chances if chance < min(first)]
    assert min(first) == pytest.approx(0.9, abs=0.08)
    assert len(second) == 30
    assert max(second) < 0.1
    assert "27/30" in fit.text_of(verdicts)
    # How often a server is healthy says the choice of servers.
    assert not fit.examples([a_verdict(a_case("gil"), ("throughput -50%",), a_finding("healthy"))])


def test_a_case_whose_healthy_twin_answered_nothing_is_not_kept() -> None:
    broken = {**WELL, "ok_rps": 0.0}
    assert harms(broken, broken) == []  # as if it were healthy
    assert record.unusable({**broken, "twin": broken})
    assert not record.unusable({**broken, "twin": WELL})


def test_a_draw_has_different_cases_of_every_stack_and_the_same_ones_with_the_same_seed() -> None:
    well = [healthy.case() for healthy in faults.HEALTHY]
    cases = draw.drawn(faults.FAULTS, well, 300, seed=3)
    names = [case.name for case in cases]
    assert len(set(names)) == 300
    assert names == [case.name for case in draw.drawn(faults.FAULTS, well, 300, seed=3)]
    assert names != [case.name for case in draw.drawn(faults.FAULTS, well, 300, seed=4)]
    assert set(names) <= {case.name for case in every()}
    by_stack = Counter(case.stack for case in cases if case.causes)
    assert set(by_stack) == {fault.stack for fault in faults.FAULTS}
    assert max(by_stack.values()) <= 3 * min(by_stack.values()), "a stack with many faults is not drawn more"


def test_a_draw_ends_where_there_are_no_more_cases() -> None:
    few = faults.FAULTS[:1]
    most = len(SEVERITIES) * len(LOADS)
    assert len(draw.drawn(few, [], 10_000, seed=1)) <= most * (1 + len(DECOYS))
