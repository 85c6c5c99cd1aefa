"""Questions about a recorded run: its claims, and what would decide between them."""

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from loadrig.interventions import Lever, Variant
from loadrig.judgement.experiments.credence import LEAST_BITS, SURE, UNMOVED, Credence
from loadrig.judgement.experiments.suspects import Suspect
from loadrig.judgement.gains import Accusation
from loadrig.plan.load import load, read
from loadrig.plan.model import PlannedKnob
from loadrig.proving import carry_out
from loadrig.proving.carry_out import Wish
from loadrig.proving.question import ProofQuestion, question_of
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from loadrig.trial.spec import Watcher
from tests.integration.recorded_runs import recorded_run
from tests.judgement.experiments.examples import cleared, result

EXTERNAL = """\
loadrig: 1
target: {external: "http://127.0.0.1:1"}
workload: {users: 24, requests: [{get: /a}, {get: /b}]}
"""
THREADS = Lever("knob", "server", "threads")


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder(recorded_run("few-threads", tmp_path))


@pytest.fixture
def question(run: RunFolder, tmp_path: Path) -> ProofQuestion:
    return question_of(load(str(tmp_path / "plan.yaml")), Recording.open(run.trial(1).path))


def change(question: ProofQuestion, lever: Lever, ratio: float | None) -> Variant:
    return Variant(lever, lever.what, question.plan, question.plan.base_setting, ratio)


def test_the_knob_of_the_first_claim_tells_more_than_one_of_nobody(question: ProofQuestion) -> None:
    assert question.credence.likeliest([])[0].cause == "too_few_workers"
    threads, other = question.doubt_after([]).tells(
        [change(question, THREADS, 4.0), change(question, Lever("knob", "server", "backlog"), 4.0)], []
    )
    assert threads > LEAST_BITS > other


def test_it_is_decided_once_the_likeliest_claim_is_sure_and_proved(question: ProofQuestion) -> None:
    assert not question.is_decided([])
    moved = result(THREADS, "limits", ratio=4.0, gain=3.6)
    assert question.credence.likeliest([moved])[1] >= SURE
    assert question.is_decided([moved])
    # As much of a move with an interval that is not sure yet: it is likely, and nothing is proved.
    perhaps = replace(moved, standing="unsure")
    assert not question.is_decided([perhaps])
    assert question.doubt_after([perhaps]).tells([change(question, THREADS, 4.0)], []) == [1.0]


def test_what_decides_about_the_likeliest_claim_is_awaited(question: ProofQuestion) -> None:
    assert question.doubt_after([]).is_awaited(THREADS, [])
    assert not question.doubt_after([]).is_awaited(Lever("knob", "server", "heap"), [])


def test_of_a_server_that_runs_already_the_load_is_changed_and_what_knobs_would_need_is_said(
    run: RunFolder, tmp_path: Path
) -> None:
    plan = read(EXTERNAL, str(tmp_path / "external.yaml"))
    proof = carry_out._Proof(Wish(run, 1, plan, 180.0), lambda _: Watcher())
    variants = proof._variants([THREADS, Lever("load", "", "half_rate")], plan, [])
    assert [variant.lever.change for variant in variants] == ["load"]
    assert [(skip.lever, skip.code) for skip in proof._course.skipped] == [(THREADS, "prove.no-knob")]
    assert all(skip.mend for skip in proof._course.skipped)


def test_what_the_plan_names_is_tried_though_it_tells_little(run: RunFolder, tmp_path: Path) -> None:
    plan = load(str(tmp_path / "plan.yaml"))
    assert plan.prove is not None
    named = replace(plan, prove=replace(plan.prove, knobs={"keepalive": (20,)}))
    proof = carry_out._Proof(Wish(run, 1, named, 180.0), lambda _: Watcher())
    with patch.object(proof, "_run_live"), patch.object(proof, "_run_pairs") as pairs:
        proof._run_experiments()
    _, variants, wanted, _ = pairs.call_args_list[0].args
    (asked,) = wanted
    assert asked in {variant.title for variant in variants}
    keepalive = next(variant for variant in variants if variant.title == asked)
    assert proof._question.bits(keepalive.lever, keepalive.ratio, []) < LEAST_BITS


def test_where_nothing_is_accused_there_is_nothing_to_tell_apart(question: ProofQuestion) -> None:
    nobody = replace(question, suspects=[], credence=Credence([], lambda *_: UNMOVED))
    assert nobody.credence.tied([]) == []
    assert nobody.credence.chances([]).tolist() == pytest.approx([0.1])


def test_the_knobs_of_the_plan_are_tried_where_nobody_is_proved_and_time_is_left(
    run: RunFolder, tmp_path: Path
) -> None:
    plan = load(str(tmp_path / "plan.yaml"))
    proof = carry_out._Proof(Wish(run, 1, plan, 180.0), lambda _: Watcher())
    question, pool = proof._question, Suspect(Accusation("pool_too_small", "server"), 0.0, cleared("", ""))
    knobs = (PlannedKnob("db_pool", (4,), 4, {}),)
    proof._question = replace(question, suspects=[*question.suspects, pool], plan=replace(plan, knobs=knobs))
    tried = Variant(Lever("knob", "server", "pool"), "db_pool: 4 to 8", plan, {}, 2.0)
    with patch.object(proof, "_variants", return_value=[tried]), patch.object(proof, "_run_pairs") as pairs:
        proof._try_own_knobs(proof._question.plan)
        assert list(pairs.call_args.args[1]) == [tried]
        pairs.reset_mock()
        proof._course.results = [result(THREADS, "limits", ratio=4.0, gain=3.6)]
        proof._try_own_knobs(proof._question.plan)
        proof._course.results, proof._course.budget_s = [], 10.0
        proof._try_own_knobs(proof._question.plan)
        pairs.assert_not_called()
