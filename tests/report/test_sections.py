"""The room of sections and the room of figures: what every member keeps, and what sections say when."""

import ast
import importlib
import json
import re
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from loadrig import report
from loadrig.base import members
from loadrig.report import text
from loadrig.report.figures import _intervals
from loadrig.report.model import Badge, Block, Facts, Figure, Paragraph, PerView, Report, Section, Table
from loadrig.report.sections import latency

from .built import report_of
from .folders import single
from .studies import BASE, BEST, study

SECTIONS = "loadrig.report.sections"
FIGURES = "loadrig.report.figures"


def blocks(built: Report) -> list[Block]:
    flat: list[Block] = []
    for section in built.sections:
        for block in section.blocks:
            flat += (
                [each for inner in block.blocks.values() for each in inner]
                if isinstance(block, PerView)
                else [block]
            )
    return flat


def figure(built: Report, name: str) -> Figure:
    return next(block for block in blocks(built) if isinstance(block, Figure) and block.id == name)


def badge(built: Report) -> Badge:
    return next(block for block in blocks(built) if isinstance(block, Badge))


@pytest.mark.parametrize("name", members.names(SECTIONS))
def test_a_section_has_a_place_a_title_and_a_builder(name: str) -> None:
    module: Any = members.load(SECTIONS, name)
    assert isinstance(module.ORDER, int)
    assert isinstance(module.TITLE, str)
    assert callable(module.build)
    assert module.__doc__.strip().endswith(".")


def test_no_two_sections_want_the_same_place() -> None:
    orders = [members.load(SECTIONS, name).ORDER for name in members.names(SECTIONS)]
    assert len(set(orders)) == len(orders)


@pytest.mark.parametrize("name", members.names(FIGURES))
def test_a_figure_is_drawn_by_a_function_of_its_own(name: str) -> None:
    module: Any = importlib.import_module(f"{FIGURES}.{name}")
    assert any(callable(getattr(module, each, None)) for each in ("draw", "of_settings"))


def named_kinds() -> set[str]:
    """Return the second argument of every Figure(…) in the source: no single run has figures of all kinds."""
    kinds = set()
    for path in Path(report.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Figure":
                kind = node.args[1]
                assert isinstance(kind, ast.Constant), f"{path.name}:{node.lineno} names no kind"
                kinds.add(str(kind.value))
    return kinds


def test_every_kind_of_figure_has_its_renderer_and_the_reverse() -> None:
    folder = files("loadrig.report") / "assets" / "kinds"
    scripts = {item.name.removesuffix(".js"): item.read_text(encoding="utf-8") for item in folder.iterdir()}
    assert set(scripts) == named_kinds()
    for kind, script in scripts.items():
        assert f"kinds.{kind} = " in script


def test_the_vendored_charts_carry_their_licence() -> None:
    vendor = files("loadrig.report") / "assets" / "vendor"
    assert "The MIT License" in (vendor / "uPlot.LICENSE.txt").read_text(encoding="utf-8")
    assert "v1.6.32" in (vendor / "uPlot.iife.min.js").read_text(encoding="utf-8")[:200]


def test_the_verdict_comes_first_in_at_most_three_sentences(trial_run: Path, study_run: Path) -> None:
    for run in (trial_run, study_run):
        first: Section = report.build(run).sections[0]
        assert first.id == "verdict"
        assert 1 <= sum(hasattr(block, "size") for block in first.blocks) <= 3


def test_a_void_trial_says_nothing_of_the_server(tmp_path: Path) -> None:
    why = {"check": "G6", "level": "void", "text": "no local port was left", "mend": "use keep-alive"}
    built = report.build(single(tmp_path / "run", verdict="void", reasons=[why]))
    verdict = text.render(built, 100).split("Load")[0]
    assert badge(built).verdict == "void"
    assert why["text"] in verdict
    assert not re.search(r"\d ms|/s\b|✓ met|✗ missed", verdict)


def test_a_disturbed_trial_says_why_beside_its_figures(tmp_path: Path) -> None:
    why = {
        "check": "G4",
        "level": "disturbed",
        "text": "The generator waited 3 % of the time for a core",
        "mend": "",
    }
    built = report.build(single(tmp_path / "run", verdict="disturbed", reasons=[why]))
    assert badge(built).reasons == (f"{why['text']} (G4)",)
    assert why["text"][1:] in text.render(built, 200)


def test_a_disturbed_trial_says_what_weakens_and_by_how_much(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    by = {
        "rates": ("wider", 0.15),
        "times": ("wider", 0.15),
        "tails": ("lost", 0.6),
        "ratios": ("doubtful", None),
    }
    weakened = [
        {"claim": claim, "effect": effect, "by": share, "checks": ["G4"], "why": "time was stolen"}
        for claim, (effect, share) in by.items()
    ]
    built = report.build(single(tmp_path / "run", verdict="disturbed", weakened=weakened))
    (badge,) = [block for block in blocks(built) if isinstance(block, Badge)]
    (weaker,) = badge.notes
    assert weaker == snapshot


def test_a_load_that_fell_short_is_told_before_what_it_brought(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    why = {"claim": "load", "effect": "lost", "by": 0.1, "checks": ["G1"], "why": "5,400 of 6,000 were sent"}
    reason = {"check": "G1", "level": "grave", "text": "10 % were not sent", "mend": ""}
    built = report.build(
        single(tmp_path / "run", model="rate", verdict="disturbed", reasons=[reason], weakened=[why])
    )
    first = next(block.text for block in built.sections[0].blocks if isinstance(block, Paragraph))
    assert "5,400 of 6,000" in first
    assert first == snapshot


def test_a_note_is_not_a_reason_to_doubt(tmp_path: Path) -> None:
    note = {"check": "G8", "level": "note", "text": "requests in flight grew", "mend": ""}
    built = report.build(single(tmp_path / "run", reasons=[note]))
    assert badge(built).reasons == ()
    assert f"{note['text']} (G8)" in text.render(built, 100, verbose=True)


def test_a_run_without_failures_says_so(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    built = report.build(single(tmp_path / "run", fail=0.0))
    (section,) = [section for section in built.sections if section.id == "outcomes"]
    first = next(block for block in blocks(Report("", "", (section,))) if isinstance(block, Paragraph))
    assert first.text in text.render(built, 200)
    assert first.text == snapshot
    assert not any(isinstance(block, Figure) and block.id.startswith("outcomes") for block in blocks(built))


def test_what_a_quantile_rests_on_is_said_once_of_response_and_service_time(tmp_path: Path) -> None:
    trial = report.read(single(tmp_path / "run")).views[0].trial
    warned = {
        name: replace(trial.estimates["p50"], warnings=(f"{name} rests on few answers",))
        for name in ("p99", "service_p99", "service_p95")
    }
    table = latency._table(structs.replace(trial, estimates={**trial.estimates, **warned}))
    warnings = [note for note in table.notes if "rests on" in note]
    assert [note.partition(" ")[0] for note in warnings] == ["service_p95", "p99"]


def test_an_open_load_shows_what_was_planned(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    built = report.build(single(tmp_path / "run", model="rate"))
    labels = [line["label"] for line in figure(built, "rate-v1").data["panels"][0]["lines"]]
    assert "planned" in labels
    first = next(block for block in blocks(built) if isinstance(block, Paragraph))
    assert first.text.partition(";")[0] == snapshot


def test_the_recommended_setting_is_marked_and_the_base_named(study_run: Path) -> None:
    built = report_of(study_run)
    table = next(
        block
        for block in blocks(built)
        if isinstance(block, Table) and block.caption.startswith("All settings")
    )
    marked = [row for number, row in enumerate(table.rows) if number in table.marked]
    assert [[cell.text for cell in row[1:4]] for row in marked] == [["gthread", "2", "4"]]
    assert sum(any(cell.text == "base" for cell in row) for row in table.rows) == 1


def test_undecided_is_a_tilde_with_the_price_of_deciding(study_run: Path) -> None:
    printed = text.render(report_of(study_run), 130)
    assert re.search(r"gthread +1 +1 .* ~ ", printed)
    price = r"~ worker_class=gthread workers=4 threads=1: 9 \D*\(38 min 20 s\)"
    assert re.search(price, " ".join(printed.split()))


def test_the_band_that_does_not_matter_holds_no_change(study_run: Path) -> None:
    data = figure(report_of(study_run), "forest-settings").data
    assert data["band"]["from"] < data["line"]["at"] < data["band"]["to"]


def test_the_texts_of_a_scale_keep_apart_and_no_change_is_among_them(study_run: Path) -> None:
    for name in ("forest-settings", "forest-knobs", "settings-dots"):
        ticks = figure(report_of(study_run), name).data["ticks"]
        places = [tick["at"] for tick in ticks]
        assert len(places) >= 2
        assert all(b - a >= _intervals.LEAST_GAP for a, b in pairwise(places))
        assert name == "settings-dots" or "0 %" in [tick["text"] for tick in ticks]


def test_the_charts_of_a_recommended_trial_have_the_base_beside_them(study_run: Path) -> None:
    lines = figure(report_of(study_run), "percentiles-v1").data["lines"]
    *of_trial, of_base = [line["label"] for line in lines]
    assert of_trial == ["response", "service"]
    assert of_base.startswith("response ")
    assert "trial 1" in of_base


def test_a_study_of_shares_is_told_in_points(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    document = study_of_errors(folder)
    printed = text.render(report.build(folder), 120)
    assert document["question"]["scale"] == "difference"
    assert "−0.18 points (−0.3 … −0.06 points)" in printed
    assert "×" not in printed.split("Comparisons")[1]


def test_the_band_is_drawn_around_a_best_of_exactly_zero(tmp_path: Path) -> None:
    document = study_of_errors(tmp_path)
    document["settings"][BEST]["measures"]["errors"] |= {"value": 0.0, "low": 0.0}
    (tmp_path / "result.json").write_text(json.dumps(document), encoding="utf-8")
    band = figure(report.build(tmp_path), "settings-dots").data["band"]
    assert band["from"] < band["to"]


def study_of_errors(folder: Path) -> Any:
    study(folder)
    path = folder / "result.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["question"] = {
        "by": "errors",
        "unit": "1",
        "better": "lower",
        "equal_within": 0.001,
        "scale": "difference",
    }
    for compared in document["comparisons"]:
        compared |= {"measure": "errors", "effect": -0.0018, "interval": [-0.003, -0.0006]}
    for each in document["knob_effects"]:
        each |= {"effect": -0.0018, "interval": [-0.003, -0.0006]}
    path.write_text(json.dumps(document), encoding="utf-8")
    return document


def test_staying_with_the_base_is_a_recommendation_too(tmp_path: Path) -> None:
    chosen = {"setting_id": BASE, "setting": {}, "why": "it alone may be the best", "indistinguishable": []}
    printed = text.render(report.build(study(tmp_path / "run", recommended=chosen)), 120)
    assert "Stay with worker_class=sync workers=1" in printed


def test_a_study_that_lost_many_trials_is_doubted(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    built = report.build(
        study(tmp_path / "run", validity={"valid": 20, "disturbed": 0, "void": 6, "failed": 4})
    )
    assert badge(built).verdict == "disturbed"
    assert re.findall(r"\d+", badge(built).detail) == ["20", "6", "4"]
    assert badge(built).detail == snapshot


def test_an_interval_without_bounds_does_not_press_the_rest_into_a_point() -> None:
    rows = [
        _intervals.IntervalRow("a", 1.2, 1e-300, 1e300, ""),
        _intervals.IntervalRow("b", 0.9, 0.8, 1.0, ""),
    ]
    placed = _intervals.scaled(rows, tick=str, is_ratio=True).rows
    assert (placed[0].low, placed[0].high) == pytest.approx((0.0, 1.0), abs=0.05)
    assert placed[0].at is not None
    assert placed[1].at is not None
    assert placed[0].at - placed[1].at > 0.1


def test_the_best_of_the_fixture_is_the_recommended_one(study_run: Path) -> None:
    run = report.read(study_run)
    assert run.study is not None
    assert run.study.recommended is not None
    assert run.study.recommended.id == BEST


def test_routes_to_servers_beside_the_target_say_which(tmp_path: Path) -> None:
    path = single(tmp_path) / "result.json"
    result = json.loads(path.read_text(encoding="utf-8"))
    result["routes"]["search"]["server"] = "auth"
    path.write_text(json.dumps(result), encoding="utf-8")
    built = report.build(tmp_path)
    (routes,) = (block for block in blocks(built) if isinstance(block, Table) and "server" in titles(block))
    assert [row[1].text for row in routes.rows] == ["auth", "", ""]
    shares = [value for block in blocks(built) if isinstance(block, Facts) for _, value in block.pairs]
    assert any(share.startswith("auth ") for share in shares)


def titles(table: Table) -> list[str]:
    return [column.title for column in table.columns]
