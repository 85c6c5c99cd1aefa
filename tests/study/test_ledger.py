import dataclasses
import json
import os
import subprocess
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.commits import commit_of
from loadrig.base.errors import PlanError, VoidError
from loadrig.base.estimate import Estimate
from loadrig.base.units import Seconds
from loadrig.plan.load import read
from loadrig.plan.model import Goal, Plan, StudyRules, TrialRules
from loadrig.study.identity import differing, identity
from loadrig.study.ledger import Ledger
from loadrig.study.trials import DoneTrial, GoalRow, line_of

from .fakes import DEMO, FakeServers, cores, plan, simulate

finite = st.floats(allow_nan=False, allow_infinity=False)
words = st.text(max_size=20)

estimates = st.builds(
    Estimate,
    value=finite,
    unit=words,
    low=st.none() | finite,
    high=st.none() | finite,
    n=st.integers(0, 10**9),
    of=words,
    warnings=st.lists(words, max_size=2).map(tuple),
)

done_trials = st.builds(
    DoneTrial,
    index=st.integers(1, 10**6),
    block=st.integers(0, 100),
    repeat=st.integers(0, 3),
    setting=st.dictionaries(words, st.integers() | words | st.booleans() | finite, max_size=3),
    is_base=st.booleans(),
    seed=st.integers(),
    validity=st.sampled_from(["valid", "disturbed", "void", "failed"]),
    reasons=st.lists(words, max_size=2).map(tuple),
    measures=st.dictionaries(words, estimates, max_size=3),
    goals=st.lists(st.builds(GoalRow, words, st.none() | st.booleans(), st.none() | finite), max_size=2).map(
        tuple
    ),
    folder=words,
    seconds=finite,
    node=words,
)


def some(study_plan: Plan) -> list[DoneTrial]:
    return simulate(study_plan, FakeServers(cores(2)))[1]


@given(done_trials)
def test_a_trial_comes_back_from_its_line_as_it_was(trial: DoneTrial) -> None:
    assert msgspec.convert(json.loads(json.dumps(line_of(trial))), DoneTrial) == trial


def test_a_line_has_the_keys_that_earlier_versions_read() -> None:
    trial = some(plan(*DEMO))[0]
    assert list(line_of(trial)) == [
        "index", "block", "repeat", "is_base", "seed", "setting", "validity", "reasons", "measures", "goals",
        "folder", "seconds",
    ]  # fmt: skip
    assert list(line_of(dataclasses.replace(trial, node="left")))[-1] == "node"


def test_a_trial_that_an_earlier_version_called_suspect_was_disturbed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger.open(path, plan(*DEMO)) as ledger:
        ledger.add(some(plan(*DEMO))[0])
    path.write_text(path.read_text().replace('"validity": "valid"', '"validity": "suspect"'))
    with Ledger.open(path, plan(*DEMO)) as ledger:
        (trial,) = ledger.trials
    assert trial.validity == "disturbed"
    assert trial.is_usable


def test_a_ledger_goes_on_where_it_stopped(tmp_path: Path) -> None:
    study_plan, path = plan(*DEMO, blocks=1), tmp_path / "ledger.jsonl"
    trials = some(study_plan)
    with Ledger.open(path, study_plan, {"cores": 2}) as ledger:
        for trial in trials[:4]:
            ledger.add(trial)
    with Ledger.open(path, study_plan) as ledger:
        assert ledger.trials == tuple(trials[:4])
        assert ledger.machine == {"cores": 2}
        ledger.add(trials[4])
        ledger.end("done")
    with Ledger.open(path, study_plan) as ledger:
        assert ledger.trials == tuple(trials[:5])


@given(st.integers(0, 4000))
def test_whatever_was_torn_off_the_end_whole_trials_stay(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    study_plan, path = plan(*DEMO, blocks=1), tmp_path_factory.mktemp("torn") / "ledger.jsonl"
    trials = some(study_plan)
    with Ledger.open(path, study_plan) as ledger:
        for trial in trials:
            ledger.add(trial)
    content = path.read_bytes()
    content_left = content[: max(0, len(content) - cut)]
    path.write_bytes(content_left)
    whole = max(0, content_left.count(b"\n") - 1)
    with Ledger.open(path, study_plan) as ledger:
        assert ledger.trials == tuple(trials[:whole])
        ledger.add(trials[whole]) if whole < len(trials) else None
    assert all(json.loads(line) for line in path.read_bytes().splitlines())


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"knobs": DEMO[:2]}, "knobs"),
        ({"trial": TrialRules(seed=9)}, "trial"),
        ({"study": StudyRules(strategy="one_at_a_time")}, "strategy"),
    ],
)
def test_a_ledger_of_another_plan_is_refused(tmp_path: Path, change: dict[str, object], part: str) -> None:
    study_plan, path = plan(*DEMO), tmp_path / "ledger.jsonl"
    with Ledger.open(path, study_plan):
        pass
    before = path.read_bytes()
    with pytest.raises(PlanError) as caught:
        Ledger.open(path, dataclasses.replace(study_plan, **change))  # type: ignore[arg-type]
    problem = caught.value.problems[0]
    assert problem.code == "study.another-plan"
    assert f"{part} differs" in problem.what
    assert path.read_bytes() == before


def test_what_trials_do_not_depend_on_may_change() -> None:
    study_plan = plan(*DEMO)
    goal = Goal("p95 < 1s", "p95", True, 1.0, "s")
    rules = StudyRules(strategy="grid", blocks=study_plan.study.blocks, by="p95", budget=Seconds(60.0))
    other = dataclasses.replace(study_plan, name="another", goals=(goal,), study=rules)
    assert differing(identity(study_plan), identity(other)) == ()


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    study_plan, path = plan(*DEMO), tmp_path / "ledger.jsonl"
    with Ledger.open(path, study_plan):
        with pytest.raises(PlanError) as caught:
            Ledger.open(path, study_plan)
        assert caught.value.problems[0].code == "study.in-use"
    Ledger.open(path, study_plan).__exit__(None, None, None)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("hello\n", "line 1 is not JSON"),
        ('{"kind": "other"}\n', "line 1 is no line"),
        ('{"kind": "end"}\n', "first line"),
        ('{"kind": "study", "ledger": 99, "identity": {}}\n', "version 99"),
        ('{"kind": "study", "ledger": 1, "identity": {}}\n{"kind": "trial"}\n', "line 2 is no trial"),
    ],
)
def test_what_is_not_a_ledger_is_refused(tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_text(content)
    with pytest.raises(PlanError) as caught:
        Ledger.open(path, plan(*DEMO))
    problem = caught.value.problems[0]
    assert problem.code == "study.ledger-broken"
    assert why in problem.why
    assert path.read_text() == content


def test_a_full_disk_loses_no_trial_that_was_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study_plan, path = plan(*DEMO), tmp_path / "ledger.jsonl"
    trials = some(study_plan)
    ledger = Ledger.open(path, study_plan)
    ledger.add(trials[0])
    real = os.write

    def half(handle: int, data: bytes) -> int:
        if len(data) > 20:
            return real(handle, data[:20])
        raise OSError(28, "No space left on device")

    def no_sync(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", half)
        patch.setattr(os, "fsync", no_sync)
        with pytest.raises(VoidError) as caught:
            ledger.add(trials[1])
    assert caught.value.problems[0].code == "recording.disk-full"
    ledger.add(trials[1])
    ledger.__exit__(None, None, None)
    with Ledger.open(path, study_plan) as again:
        assert again.trials == tuple(trials[:2])


def test_the_commit_is_that_of_the_servers_folder_else_of_the_plans(tmp_path: Path) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "--quiet", "--allow-empty")
    for name in ("plans", "shop"):
        (tmp_path / name).mkdir()
        for words in (("init", "--quiet"), (*identity, "-m", name)):
            subprocess.run(["git", "-C", str(tmp_path / name), *words], check=True)
    commits = {name: commit_of(tmp_path / name) for name in ("plans", "shop")}
    assert commits["plans"] != commits["shop"]
    workload = "workload: {users: 1, requests: [get: /]}\n"
    (tmp_path / "shop" / "shop.py").write_text("")
    targets = {
        "plans": "external: 'http://127.0.0.1:1/'",
        "shop": "gunicorn: {app: 'shop:app', chdir: ../shop}",
    }
    for name, target in targets.items():
        written = f"loadrig: 1\nname: n\ntarget: {{{target}}}\n"
        path = tmp_path / "plans" / f"{name}.yaml"
        with Ledger.open(tmp_path / f"{name}.jsonl", read(written + workload, str(path))):
            pass
        head = json.loads((tmp_path / f"{name}.jsonl").read_text().splitlines()[0])
        assert head["commit"] == commits[name]
