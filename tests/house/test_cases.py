"""The five investigations: each row of the cases names a lab, a plan that can be read, and its own truth."""

import importlib.util
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.labs.fill import fill
from loadrig.labs.find import find, find_plan
from loadrig.labs.format import SICK
from loadrig.plan.load import read
from tests.report.tunings import recorded_part
from tests.study.documents import result_of_study, setting_row

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "cases"
SPEC = importlib.util.spec_from_file_location("cases", ROOT / "scripts" / "cases.py")
assert SPEC is not None
assert SPEC.loader is not None
script = importlib.util.module_from_spec(SPEC)
sys.modules["cases"] = script
SPEC.loader.exec_module(script)

ROWS = {case.plan: case for case in script.cases()}


def test_all_five_are_there() -> None:
    assert {row.case for row in ROWS.values()} == {1, 2, 3, 4, 5}
    assert set(ROWS) == {path.name for path in FOLDER.glob("*.yaml")} - {"cases.yaml"}


@pytest.mark.parametrize("plan", sorted(ROWS))
def test_a_case_is_a_plan_on_a_lab_of_it(plan: str) -> None:
    row, path = ROWS[plan], FOLDER / plan
    lab, name = find_plan(f"{row.lab}:{path}")
    assert lab.case == row.case
    meanings = {
        "python": lambda _: "python3", "core": lambda text: text, "hold": lambda _: "hold",
        "port": lambda service: str(lab.services[service].port), "rate": lambda _: "100",
    }  # fmt: skip
    text = lab.plan_file(name).read_text(encoding="utf-8")
    read(fill(text, meanings, plan), str(lab.folder / "plan.yaml"))
    assert " ".join(row.command) in text
    if row.finds:
        assert row.finds in find(row.lab).truths[SICK].causes


def test_an_answer_is_told_with_its_evidence_and_a_mend_first(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    proof = {
        "sentence": "Workers are too few.", "findings": [{"cause": "too_few_workers"}],
        "fix": {
            "title": "workers: 2 to 4", "measure": "throughput", "before": 100.0, "after": 190.0,
            "gain": {"value": 1.9, "low": 1.8, "high": 2.0}, "predicted": 2.0,
            "is_verified": True,
        },
        "experiments": [
            {"title": "workers: 2 to 4", "kind": "trials", "says": "workers: 2 to 4: throughput +90 %"},
            {"title": "CPU of db", "kind": "live", "says": "CPU of db: throughput +0 %"},
            {"title": "pool: 1 to 2", "kind": "trials", "says": "pool: 1 to 2: throughput +1 %"},
        ],
    }  # fmt: skip
    (tmp_path / "proof").mkdir()
    (tmp_path / "proof" / "proof.json").write_text(script.json.dumps(proof), encoding="utf-8")
    answer = script.answer_of({}, tmp_path, 61.0)
    assert answer.sentence == proof["sentence"]
    assert answer.cause == "too_few_workers"
    assert answer.evidence == snapshot
    line = script.row(ROWS["1-workers.yaml"], answer)
    assert line.startswith("| 1 | ")
    assert line.count("|") == len(script.HEAD) + 1


TRIED = ((0, 1, 2), (1, 4, 1))
"""Settings by number, each with its workers and the number of its trials."""


def test_of_a_tuning_the_winner_is_told_beside_the_base_and_the_runner_up(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    why = "it is the best of the finalists"
    trial = {
        "index": 1, "block": 0, "folder": "", "validity": "valid", "reasons": [], "seconds": 1.0,
        "values": {},
    }  # fmt: skip
    against = {
        "setting": {"workers": 1}, "effect": 3.9, "interval": [3.81, 4.02], "verdict": "better", "blocks": 6,
        "p": 0.03,
    }  # fmt: skip
    tuned = {**recorded_part("tuning"), "against_default": against, "against_runner_up": None}
    tuned["space"] = {"settings": 9, "knobs": []}
    chosen = {"setting_id": 1, "setting": {"workers": 4}, "why": why, "indistinguishable": []}
    parts = ("harms", "cleared", "unseen", "decides", "ceilings", "cards")
    empty: dict[str, list[str]] = {part: [] for part in parts}
    result = result_of_study(
        [setting_row(number, {"workers": n}, trials=[trial] * trials) for number, n, trials in TRIED],
        recommended=chosen, tuning=tuned, diagnosis={"sentence": "Too few workers.", **empty},
    )  # fmt: skip
    answer = script.answer_of(result, tmp_path, 61.0)
    assert answer.sentence == f"workers=4: {why}"
    assert answer.evidence == snapshot


def test_of_dips_and_growth_what_is_left_is_told(snapshot: SnapshotAssertion) -> None:
    fix = {
        "title": "expiry: aligned to staggered", "measure": "dips", "before": 0.098, "after": 0.004,
        "predicted": None, "is_verified": True,
    }  # fmt: skip
    assert script.mended(fix) == snapshot
