"""A finding as a reader meets it: on the page, in the terminal, on the map."""

import json
import shutil
from pathlib import Path

import pytest

from loadrig import report
from loadrig.report import diagnosis, html
from loadrig.report.html_card import spark
from loadrig.report.model import Card, Figure, Table
from loadrig.report.sections import findings
from loadrig.report.text import render
from tests.report.built import report_of
from tests.report.diagnosed import DIAGNOSIS, FINDINGS, NASTY, SYMPTOM
from tests.report.test_sections import blocks

CHURN = FINDINGS[0]
"""The first finding of the run."""


def cards(run: Path) -> list[Card]:
    section = findings.build(report.read(run))
    assert section is not None
    return [block for block in section.blocks if isinstance(block, Card)]


def test_a_card_holds_what_it_rests_on_with_the_course_of_each_series(trial_run: Path) -> None:
    first, second = cards(trial_run)
    assert (first.title, first.component, first.standing) == (CHURN["title"], "redis", "likely")
    rests = [point.rests_on for point in first.points]
    assert rests == [
        "380/s / 412/s",
        "tcp_sockets.opened of out:127.0.0.1:6379, host",
        "process.cpu_s, server",
        "1 event worker_died, server",
        "the generator: load.successful_rps",
    ]
    assert [len(point.course) > 10 for point in first.points] == [False, True, True, False, False]
    assert first.symptoms == (f"{SYMPTOM['title']} (server)",)
    assert [rival.rests_on for rival in first.rivals] == ["gc_pressure (server)"]
    assert second.missing


def test_the_terminal_tells_it_in_about_eight_lines(trial_run: Path) -> None:
    text = render(diagnosis.build(report.read(trial_run)), 100)
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"◕ likely, ~80 %: {CHURN['title']}"))
    card = lines[start : lines.index("", start)]
    assert len(card) <= 9
    assert card[1].strip() == CHURN["effect"]
    assert card[2].startswith("  + ")
    assert "gc_pressure (server)" in card[-3]
    assert f"{SYMPTOM['title']} (server)" in card[-2]
    assert card[-1] == f"  → {CHURN['mend']}"


@pytest.mark.parametrize("width", [40, 64, 120])
def test_no_line_is_wider_than_the_terminal(trial_run: Path, width: int) -> None:
    text = render(diagnosis.build(report.read(trial_run), everything=True), width)
    assert max(map(len, text.splitlines())) <= width


def test_everything_means_what_was_cleared_too(trial_run: Path) -> None:
    run = report.read(trial_run)
    why = DIAGNOSIS["cleared"][0]["why"]
    # The card of the first finding says it of its rival; what was cleared says it once more.
    assert render(diagnosis.build(run), 120).count(why) == 1
    assert render(diagnosis.build(run, everything=True), 120).count(why) == 2


def test_nothing_that_a_server_says_becomes_markup(trial_run: Path) -> None:
    page = html.render(report_of(trial_run))
    assert NASTY not in page
    assert NASTY.replace("<", "&lt;").replace(">", "&gt;") in page


def test_the_map_marks_the_root_and_its_symptoms(trial_run: Path) -> None:
    (drawn,) = [b for b in blocks(report_of(trial_run)) if isinstance(b, Figure) and b.kind == "map"]
    marks = {node["id"]: (node.get("state"), node.get("said")) for node in drawn.data["nodes"]}
    assert marks["redis"] == ("root", f"likely: {CHURN['title']}")
    assert marks["server"] == ("symptom", f"symptom: {SYMPTOM['title']}")


def test_the_next_limits_are_drawn_as_far_as_they_matter(trial_run: Path) -> None:
    (drawn,) = [b for b in blocks(report_of(trial_run)) if isinstance(b, Figure) and b.kind == "ceilings"]
    (line,) = drawn.data["lines"]
    assert (line["label"], line["rps"]) == ("CPU of server", 455.0)
    assert len(line["dots"]) > 20
    (listed,) = [
        b for b in blocks(report_of(trial_run)) if isinstance(b, Table) and b.columns[0].title == "limit"
    ]
    assert [row[0].text for row in listed.rows] == ["CPU of server", "CPU of redis"]


def test_the_arithmetic_is_there_on_demand(trial_run: Path) -> None:
    folded = [b for b in blocks(report_of(trial_run)) if isinstance(b, Table) and b.folded]
    (cards,) = [table for table in folded if table.caption == "Arithmetic: 1"]
    (card,) = DIAGNOSIS["cards"]
    assert [cell.text for cell in cards.rows[0]] == ["ports, redis", card["formula"], card["says"]]


def test_a_study_tells_what_was_found_of_it_as_a_whole(study_run: Path) -> None:
    # Its trials have findings of their own; the study's result says nothing yet.
    assert findings.build(report.read(study_run)) is None


def test_a_result_of_before_there_were_findings_still_has_a_report(trial_run: Path, tmp_path: Path) -> None:
    run = report.read(trial_run)
    older = {name: value for name, value in run.result.items() if name != "diagnosis"}
    copy = tmp_path / "older"
    shutil.copytree(trial_run, copy)
    (copy / "result.json").write_text(json.dumps(older))
    assert findings.build(report.read(copy)) is None


def test_a_small_chart_needs_two_readings_and_leaves_gaps() -> None:
    assert spark(()) == spark((1.0, None)) == ""
    assert spark((1.0, 2.0, None, 2.0, 1.0)).count("<polyline") == 2
    assert "nan" not in spark((0.0, 0.0, 0.0))


def test_what_the_effect_says_and_what_stands_itself_is_not_told_again(
    trial_run: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "again"
    shutil.copytree(trial_run, copy)
    result = json.loads((copy / "result.json").read_text())
    root, standing = result["findings"]
    root["evidence"][0]["text"] = root["effect"]
    again = {**root["rivals"][0], "cause": "host_cpu"}
    root["rivals"] += [again, {**again, "cause": standing["cause"], "why": "it is likely too"}]
    (copy / "result.json").write_text(json.dumps(result))
    card, untouched = cards(copy)[0], cards(trial_run)[0]
    assert len(card.points) == len(untouched.points) - 1
    assert card.rivals == untouched.rivals
