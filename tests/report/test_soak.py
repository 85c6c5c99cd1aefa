"""The report of a soak and of a spike: the words, the strips, the tables, and the page."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from loadrig import report
from loadrig.base.exits import Exit
from loadrig.cli._finish import exit_of_study
from loadrig.judgement.soak.document import DipDocument, SoakDocument, SpikeDocument
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.recording.reader import Recording
from loadrig.report import html, numbers, read, soak, text
from loadrig.report.figures import soak_strips, spike_strips
from loadrig.report.model import Figure, Section, Table
from loadrig.soaking.result import document as made_again

from . import soaks
from .built import report_of
from .pages import opening

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def runs(soak_run: Path, spike_run: Path) -> dict[str, Path]:
    return {"soak": soak_run, "spike": spike_run}


def section(folder: Path, name: str) -> Section:
    return next(section for section in report_of(folder).sections if section.id == name)


def figures(spiked_section: Section) -> dict[str, Figure]:
    return {block.id: block for block in spiked_section.blocks if isinstance(block, Figure)}


def soaked(folder: Path) -> SoakDocument:
    answer = soak.soak_in(read(folder))
    assert isinstance(answer, SoakDocument)
    return answer


def spiked(folder: Path) -> SpikeDocument:
    answer = soak.spike_in(read(folder))
    assert isinstance(answer, SpikeDocument)
    return answer


def test_a_soak_is_told_with_its_leak_its_limit_and_what_it_missed(runs: dict[str, Path]) -> None:
    document = soaked(runs["soak"])
    printed = " ".join(text.render(report_of(runs["soak"]), width=200, colour=False).split())
    assert "leaks" in [row.verdict for row in document.growth]
    assert [goal.text for goal in document.goals if goal.met is False] == ["p95 < 60ms for 30s"]
    assert all(sentence in printed for sentence in soak.sentences(document))
    assert "✗ leaks" in printed


def test_the_strips_of_a_soak_share_one_axis(runs: dict[str, Path]) -> None:
    figure_by_id = figures(section(runs["soak"], "soak"))
    strips = figure_by_id["soak-strips"].data
    titles = [strip["title"] for strip in strips["strips"]]
    assert titles[0] == "Memory of server"
    assert titles[-1] == "Throughput"
    assert "Latency" in titles
    for strip in strips["strips"]:
        for line in strip["lines"]:
            assert len(line["t"]) == len(line["values"])
            assert 0 <= line["t"][0] <= line["t"][-1] <= strips["end"] + 1
    latency = strips["strips"][titles.index("Latency")]
    assert [area["tone"] for area in latency["areas"]] == ["bad"]


def test_dips_are_shaded_where_they_were(runs: dict[str, Path]) -> None:
    dips = tuple(DipDocument(60.0 * n, 60.0 * n + 2, depth=0.4) for n in range(1, 9))
    sentences = ("throughput dipped 8 times in 14 min, every 60 s, by 40 %",)
    figure = soak_strips.draw(replace(soaked(runs["soak"]), dips_at=dips, dips=sentences))
    assert figure is not None
    strip = figure.data["strips"][-1]
    assert [area["from"] for area in strip["areas"]] == [dip.from_s for dip in dips]
    assert {area["tone"] for area in strip["areas"]} == {"warn"}
    assert strip["text"].startswith(sentences[0])


def test_soaks_of_several_settings_are_told_each(runs: dict[str, Path], tmp_path: Path) -> None:
    folder = shutil.copytree(runs["soak"], tmp_path / "soak")
    path = RunFolder(folder).result
    document = json.loads(path.read_text(encoding="utf-8"))
    (base,) = document["settings"]
    document["settings"] = [base, {**base, "id": 1, "label": "workers=9", "is_base": False, "goals": []}]
    sound = {
        "verdict": "sound",
        "headline": "Nothing of it grows.",
        "sentences": [],
        "schema": "loadrig.soak/1",
    }
    answers = [{**document["soak"], "setting_id": 0, "trial": 1}, {**sound, "setting_id": 1, "trial": 2}]
    document["soaks"] = answers
    path.write_text(json.dumps(document), encoding="utf-8")
    (table,) = [block for block in section(folder, "soak").blocks if isinstance(block, Table)]
    assert [[cell.text for cell in row][::2] for row in table.rows] == [
        [base["label"], answers[0]["headline"]], ["workers=9", answers[1]["headline"]],
    ]  # fmt: skip
    printed = " ".join(text.render(report.build(folder), width=200, colour=False).split())
    assert all(answer["headline"] in printed for answer in answers)
    # Some setting leaks, and another one is sound: that one can be had.
    study = read(folder).study
    assert study is not None
    assert exit_of_study(study.document) is Exit.FINE
    leaks = replace(study.document, soaks=(answers[0],))
    assert exit_of_study(leaks) is Exit.GOAL_MISSED


def test_a_course_that_fell_to_nothing_has_its_interval(runs: dict[str, Path], tmp_path: Path) -> None:
    folder = shutil.copytree(runs["soak"], tmp_path / "soak")
    path = RunFolder(folder).result
    document = json.loads(path.read_text(encoding="utf-8"))
    document["soak"]["drift"] = [
        {
            "route": None, "measure": "throughput", "verdict": "slope", "text": "", "before": 40.0,
            "after": 0.4, "ratio": 0.01, "low": 0.0, "high": 0.02, "p": 0.0, "at_s": None,
        }
    ]  # fmt: skip
    path.write_text(json.dumps(document), encoding="utf-8")
    table = next(
        block
        for block in section(folder, "soak").blocks
        if isinstance(block, Table) and block.rows[0][0].text == "throughput"
    )
    assert table.rows[0][3].note == numbers.change_span(0.0, 0.02)


def test_what_leaks_is_carried_on_to_its_limit(runs: dict[str, Path]) -> None:
    forecast = figures(section(runs["soak"], "soak"))["soak-forecast"].data
    (strip,) = forecast["strips"]
    assert strip["limit"]["y"] == soaks.LIMIT
    assert max(strip["lines"][1]["values"]) == pytest.approx(soaks.LIMIT, rel=1e-3)
    assert forecast["end"] > strip["marks"][0]["t"]


def test_what_does_not_grow_is_not_carried_on(tmp_path: Path) -> None:
    folder = soaks.soak(tmp_path / "level", seconds=300, grows_to=120e6)
    document = soaked(folder)
    assert soak_strips.ends(document) is None
    assert not any(row.is_leak for row in document.growth)


def test_a_spike_is_told_with_its_way_back(runs: dict[str, Path]) -> None:
    printed = " ".join(text.render(report_of(runs["spike"]), width=200, colour=False).split())
    assert soak.spike_sentence(spiked(runs["spike"])) in printed
    assert "✓ is back" in printed
    assert "latency (p90)" in printed


def test_the_strips_of_a_spike_shade_it_and_show_the_usual_band(runs: dict[str, Path]) -> None:
    figure = spike_strips.draw(spiked(runs["spike"]))
    assert figure is not None
    for strip in figure.data["strips"]:
        (area,) = strip["areas"]
        assert area["to"] - area["from"] == pytest.approx(10.0)
    assert [strip["title"] for strip in figure.data["strips"]] == [
        "Requests a second",
        "In flight",
        "Latency",
    ]
    band = figure.data["strips"][2]["lines"][-1]
    assert band["low"][0] < band["values"][0] < band["high"][0]


def test_a_band_is_told_only_where_one_is_drawn(runs: dict[str, Path]) -> None:
    leaks, spike = soaked(runs["soak"]), spiked(runs["spike"])
    level = tuple(replace(row, verdict="level") for row in leaks.growth)
    assert any(row.is_leak for row in leaks.growth)
    assert not any(row.is_leak for row in level)
    for answer, is_told in ((leaks, True), (replace(leaks, growth=level), False)):
        figure = soak_strips.draw(answer)
        assert figure is not None
        assert (soak_strips.TEXTS.dashed_line in figure.about) is is_told
    for summary, is_told in ((spike, True), (replace(spike, measures={}), False)):
        figure = spike_strips.draw(summary)
        assert figure is not None
        assert (spike_strips.TEXTS.grey_band in figure.about) is is_told


def test_a_soak_that_was_killed_has_its_answer_in_the_report_of_its_trial(
    runs: dict[str, Path], tmp_path: Path
) -> None:
    whole = RunFolder(runs["soak"]).trial(1)
    trial = TrialFolder(tmp_path / "0001")
    trial.path.mkdir()
    for path in (
        whole.manifest,
        whole.frames,
        whole.latency,
        whole.events,
        whole.series_stream,
        whole.config,
    ):
        if path.is_file():
            shutil.copy(path, trial.path / path.name)
    manifest = json.loads(trial.manifest.read_text(encoding="utf-8"))
    del manifest["measured"]
    trial.manifest.write_text(json.dumps({**manifest, "find": "soak"}), encoding="utf-8")
    soak_section = section(trial.path, "soak")
    again = made_again(Recording.open(trial.path))
    assert isinstance(again, SoakDocument)
    assert soak_section.lead == soak.ended(again)
    assert figures(soak_section)["soak-strips"].data["strips"][0]["title"] == "Memory of server"


@pytest.fixture(scope="module")
def files(runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    page_by_name = {}
    for name, run in runs.items():
        page_by_name[name] = folder / f"{name}.html"
        page_by_name[name].write_text(html.render(report.build(run)), encoding="utf-8")
    return page_by_name


@pytest.mark.browser
@pytest.mark.integration
@pytest.mark.parametrize("name", ["soak", "spike"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_its_strips_are_drawn_and_answer_to_the_pointer(
    browser: "Browser", files: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    with opening(browser, files, "window.loadrig && loadrig.charts.length > 0") as show:
        page = show(name, width, scheme)
        strips = page.locator(f"#{name}-strips svg:not(.key svg)")
        assert strips.count() >= 3
        strips.first.scroll_into_view_if_needed()
        box = strips.first.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2)
        assert " · " in page.locator(f"#{name}-strips .told").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
