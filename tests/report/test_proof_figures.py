"""The figures of a proof: elasticities and gains, what was changed when, the fix before and after."""

import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.proving.document import BoundedEstimate
from loadrig.report import proof_words
from loadrig.report.figures import before_after, elasticities, interventions
from loadrig.report.proof import ShownExperiment, ShownProof

from . import proofs
from .test_proof import read


@pytest.fixture
def database(tmp_path: Path) -> ShownProof:
    return read(tmp_path, proofs.database_cpu())


@pytest.fixture
def logins(tmp_path: Path) -> ShownProof:
    return read(tmp_path, proofs.spread_logins())


# --- elasticities -------------------------------------------------------------------------------


def test_capacities_stand_on_a_scale_with_its_zones_those_that_limit_first(database: ShownProof) -> None:
    drawn = elasticities.draw(database.experiments)
    assert drawn is not None
    data = drawn.data
    assert [row["label"] for row in data["rows"]] == [
        "CPU of mariadb, −20 %", "CPU of server, −20 %", "CPU of redis, −20 %",
    ]  # fmt: skip
    assert [row["verdict"] for row in data["rows"]] == ["● limits", "○ cleared", "○ cleared"]
    assert [row["tone"] for row in data["rows"]] == ["bad", "plain", "plain"]
    assert data["rows"][0]["note"] == "0.5 to 0.4 cores"
    assert [tick["text"] for tick in data["ticks"]] == ["0", "0.15", "0.5", "1"]
    nothing, shares, limits = data["zones"]
    assert (nothing["from"], limits["to"]) == (0.0, 1.0)
    assert nothing["to"] == shares["from"] == data["ticks"][1]["at"]
    assert shares["to"] == limits["from"] == data["ticks"][2]["at"]
    assert shares["to"] < data["rows"][0]["low"] < data["rows"][0]["at"] < data["rows"][0]["high"]
    assert data["rows"][1]["high"] < nothing["to"]
    assert data["line"]["at"] == data["ticks"][3]["at"]


def test_a_wide_interval_is_cut_and_says_that_it_goes_on(tmp_path: Path) -> None:
    document = proofs.database_cpu()
    document["experiments"][0] |= {
        "elasticity": {"value": 0.9, "low": -4.0, "high": 6.0},
        "standing": "unsure",
    }
    document["experiments"][1]["elasticity"] = {"value": 1.8, "low": 1.6, "high": 2.0}
    drawn = elasticities.draw(read(tmp_path, document).experiments)
    assert drawn is not None
    row = next(row for row in drawn.data["rows"] if row["label"].startswith("CPU of mariadb"))
    assert (row["low"], row["high"]) == (0.0, 1.0)
    assert row["goes_on"] == (True, True)
    assert row["hollow"]
    other = next(row for row in drawn.data["rows"] if row["label"].startswith("CPU of server"))
    # The estimate itself is never cut.
    assert other["at"] < 1.0
    assert other["goes_on"] == (False, False)


def test_settings_and_loads_are_told_by_what_they_gained_and_which_way_is_better(
    logins: ShownProof, snapshot: SnapshotAssertion
) -> None:
    assert elasticities.draw(logins.experiments) is None
    drawn = elasticities.gains(logins.experiments)
    assert drawn is not None
    first, *others = drawn.data["rows"]
    assert first["label"] == logins.experiments[0].title
    assert re.findall(r"[\d.]+ %", first["note"]) == ["21.2 %", "1.9 %"]
    assert first["note"] == snapshot
    assert first["text"].startswith("×0.09 (")
    assert (first["verdict"], [row["verdict"] for row in others]) == (
        "● moves it",
        ["○ cleared", "○ cleared"],
    )
    assert first["high"] < drawn.data["line"]["at"]


def test_a_knob_is_judged_by_its_gain_and_not_by_an_elasticity(tmp_path: Path) -> None:
    """Twice the workers for a third more: it moved, though by its elasticity it would only share."""
    pairs = [(300.0, 402.0), (300.0, 400.0), (301.0, 399.0)]
    result = proofs.experiment(
        "workers: 2 to 4", ("knob", "server", "workers"), pairs, ratio=2.0, kind="trials"
    )
    assert result["elasticity"]["high"] < 0.5
    experiment = read(
        tmp_path, {**proofs.database_cpu(), "experiments": [{**result, "standing": "limits"}]}
    ).experiments[0]
    assert elasticities.draw([experiment]) is None
    gains = elasticities.gains([experiment])
    assert gains is not None
    assert gains.data["rows"][0]["label"] == "workers: 2 to 4"
    assert gains.data["rows"][0]["verdict"] == "● moves it"
    assert proof_words.figure(experiment).startswith("×1.33 (")


def test_what_is_gone_altogether_has_a_place_among_ratios(tmp_path: Path) -> None:
    document = proofs.spread_logins()
    document["experiments"][0]["gain"] = {"value": 0.0, "low": 0.0, "high": 0.01}
    drawn = elasticities.gains(read(tmp_path, document).experiments)
    assert drawn is not None
    row = drawn.data["rows"][0]
    assert 0 <= row["at"] < row["high"] < drawn.data["line"]["at"]


def test_where_the_generator_was_the_limit_a_gain_is_a_least_one(tmp_path: Path) -> None:
    document = proofs.spread_logins()
    document["experiments"][0]["is_at_least"] = True
    assert proof_words.figure(read(tmp_path, document).experiments[0]).startswith("at least ×0.09")


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        (BoundedEstimate(0.9, 0.81, 0.99), "0.90 (0.81 to 0.99)"),
        (BoundedEstimate(0.03, -0.05, 0.11), "0.03 (−0.05 to 0.11)"),
        (BoundedEstimate(-0.001, -0.004, 0.004), "0.00 (0.00 to 0.00)"),
        (BoundedEstimate(1.0, None, None), "1.00 (interval not known)"),
        (None, "–"),
    ],
)
def test_elasticities_are_written_to_two_places(effect: BoundedEstimate | None, expected: str) -> None:
    assert proof_words.elasticity(effect) == expected


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        (BoundedEstimate(1.36, 1.2, 1.5), "×1.36 (1.20 to 1.50)"),
        (BoundedEstimate(0.004, 0.0, 0.02), "×0.004 (0 to 0.02)"),
        (BoundedEstimate(12.34, 10.0, 5e9), "×12.3 (10 to 1,000 and more)"),
    ],
)
def test_gains_are_written_as_factors(effect: BoundedEstimate, expected: str) -> None:
    assert proof_words.factor(effect) == expected


# --- what was changed when ----------------------------------------------------------------------


def test_the_slots_of_a_trial_share_one_chart_with_a_lane_for_each_change(database: ShownProof) -> None:
    (drawn,) = interventions.draw(database)
    data = drawn.data
    assert len(data["unchanged"]["slots"]) == 10  # each is of all three experiments, and drawn once
    assert [lane["label"] for lane in data["lanes"]] == [
        "CPU of mariadb, −20 %", "CPU of server, −20 %", "CPU of redis, −20 %",
    ]  # fmt: skip
    for lane in data["lanes"]:
        assert len(lane["slots"]) == len(lane["bands"]) == 10
        for (from_s, length_s, _), (band_from, band_to, _) in zip(lane["slots"], lane["bands"], strict=True):
            assert band_from <= from_s
            assert from_s + length_s <= band_to + 1e-9 <= data["end"] + 1e-9
    assert drawn.table is not None
    assert len(drawn.table.rows) == 40


def test_without_bands_the_slots_say_when_it_was_changed(tmp_path: Path) -> None:
    proof = read(tmp_path, {**proofs.database_cpu(), "bands": []})
    (drawn,) = interventions.draw(proof)
    assert [len(lane["bands"]) for lane in drawn.data["lanes"]] == [10, 10, 10]
    lasted = proof_words.lasted(proof, proof.experiments[0])
    assert lasted.startswith("10 ")
    assert "15 s" in lasted
    assert proof_words.lasted(proof, proof.experiments[3]) == ""


def test_a_slot_without_an_answer_is_a_gap(tmp_path: Path) -> None:
    document = proofs.ended_by_budget()
    document["experiments"][0]["slots"][0]["outcome"] = None
    (drawn,) = interventions.draw(read(tmp_path, document))
    values = [slot[2] for lane in (drawn.data["unchanged"], *drawn.data["lanes"]) for slot in lane["slots"]]
    assert values.count(None) == 1


def test_trials_of_their_own_have_no_time_in_common(logins: ShownProof) -> None:
    assert interventions.draw(logins) == []


# --- the fix ------------------------------------------------------------------------------------


def test_a_fix_is_shown_in_pairs_with_the_gain_and_what_was_predicted(database: ShownProof) -> None:
    assert database.fix is not None
    drawn = before_after.draw(database.fix)
    assert len(drawn.data["pairs"]) == 5
    assert drawn.data["verdict"] == {"text": "✓ verified", "tone": "good"}
    assert drawn.data["low"] < drawn.data["predicted"] < drawn.data["high"]
    assert [name for name, _, _ in drawn.data["facts"]] == ["before", "after", "gain", "predicted"]


def test_nothing_is_drawn_of_what_was_not_predicted(logins: ShownProof) -> None:
    assert logins.fix is not None
    drawn = before_after.draw(logins.fix)
    assert drawn.data["predicted"] is None
    assert [name for name, _, _ in drawn.data["facts"]] == ["before", "after", "gain"]
    assert "diamond" not in drawn.about
    assert logins.experiments[0].better in drawn.about


@pytest.mark.parametrize(
    ("gain", "predicted"),
    [
        pytest.param((1.02, 0.97, 1.07), 1.25, id="not told from none"),
        pytest.param((0.8, 0.7, 0.9), 1.25, id="worse"),
        pytest.param((1.08, 1.05, 1.11), 1.25, id="less than predicted"),
        pytest.param((1.08, 1.05, 1.11), None, id="too little"),
    ],
)
def test_a_fix_that_is_not_verified_says_why(
    tmp_path: Path,
    gain: tuple[float, float, float],
    predicted: float | None,
    snapshot: SnapshotAssertion,
) -> None:
    document = proofs.database_cpu()
    document["fix"] |= {
        "gain": dict(zip(("value", "low", "high"), gain, strict=True)), "predicted": predicted,
        "is_verified": False,
    }  # fmt: skip
    fix = read(tmp_path, document).fix
    assert fix is not None
    symbol, sentence, tone = before_after.verdict(fix)
    assert (symbol, tone) == ("✗", "bad")
    assert sentence == snapshot


# --- an experiment in words ----------------------------------------------------------------------


def test_latency_that_rises_is_said_to_be_of_latency(tmp_path: Path) -> None:
    pairs = [(0.02, 0.025), (0.021, 0.026), (0.02, 0.0251)]
    result = proofs.experiment("CPU of server: 1 to 0.8 cores", ("cpu", "server", ""), pairs, ratio=0.8)
    result |= {"measure": "latency", "unit": "s"}
    experiment: ShownExperiment = read(
        tmp_path, {**proofs.database_cpu(), "experiments": [result]}
    ).experiments[0]
    assert proof_words.came(experiment) == "−20 % gives +25 % latency"
    rate: ShownExperiment = read(tmp_path, proofs.database_cpu()).experiments[0]
    assert experiment.better != rate.better


def test_of_a_way_to_a_dependency_the_title_says_by_how_much(tmp_path: Path) -> None:
    pairs = [(300.0, 260.0), (300.0, 261.0), (301.0, 259.0)]
    title = "way to redis: 2 ms longer"
    result = proofs.experiment(title, ("delay", "redis", ""), pairs, ratio=0.87)
    experiment = read(tmp_path, {**proofs.database_cpu(), "experiments": [result]}).experiments[0]
    assert experiment.label == title
    assert proof_words.came(experiment) == "gives −13 %"
