"""The page: one file that parses, escapes, fetches nothing, and stays small."""

import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig import report
from loadrig.report import html
from loadrig.report.figures._time import merged_note
from loadrig.report.model import Figure, PerView
from tests.lengths import length
from tests.wording import shape

from .built import report_of
from .folders import NASTY, single
from .studies import study

VOID_ELEMENTS = {"meta", "link", "br", "hr", "img", "input"}
MOST_BYTES = 3_000_000


class StrictPage(HTMLParser):
    """Reads a page strictly: every element is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tag_counts: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.data = ""
        self._holds_data = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tag_counts[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self._holds_data = ("id", "data") in attrs
        if tag not in VOID_ELEMENTS:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._holds_data and self.open and self.open[-1] == "script":
            self.data += data
        elif not self.open or self.open[-1] not in ("script", "style"):
            self.words.append(data)

    def all_of(self, name: str) -> list[str]:
        return [value for _, attribute, value in self.attributes if attribute == name]


@pytest.fixture(scope="module")
def pages(trial_run: Path, study_run: Path, proved_run: Path) -> dict[str, str]:
    runs = (trial_run, study_run, proved_run)
    return {folder.name: html.render(report_of(folder)) for folder in runs}


@pytest.mark.parametrize("name", ["trial", "study", "proved"])
def test_every_element_is_closed_and_every_id_is_used_once(pages: dict[str, str], name: str) -> None:
    page = StrictPage(pages[name])
    assert page.open == []
    assert max(Counter(page.all_of("id")).values()) == 1
    ids = set(page.all_of("id"))
    for attribute in ("aria-labelledby", "for"):
        assert set(page.all_of(attribute)) <= ids
    assert {link[1:] for link in page.all_of("href")} <= ids


@pytest.mark.parametrize("name", ["trial", "study", "proved"])
def test_the_page_asks_nothing_of_the_network(pages: dict[str, str], name: str) -> None:
    page = StrictPage(pages[name])
    assert all(link.startswith("#") for link in page.all_of("href"))
    assert page.all_of("src") == []
    assert page.tag_counts["link"] == page.tag_counts["iframe"] == page.tag_counts["img"] == 0
    style = re.search(r"<style>(.*?)</style>", pages[name], re.S)
    assert style is not None
    assert "@import" not in style[1]
    assert "url(" not in style[1]
    assert any(policy.startswith("default-src 'none'") for policy in page.all_of("content"))


@pytest.mark.parametrize("name", ["trial", "study", "proved"])
def test_the_name_of_a_route_is_text_and_never_an_element(pages: dict[str, str], name: str) -> None:
    page = StrictPage(pages[name])
    assert "<script>alert" not in pages[name]
    assert any(NASTY in words for words in page.words)
    assert page.tag_counts["script"] == 2


def test_hostile_names_of_knobs_plans_and_events_are_text_too(tmp_path: Path) -> None:
    nasty = '</script><img src=x onerror="boom()">'
    folder = study(tmp_path / "run", name=nasty, warnings=[nasty])
    page = html.render(report.build(folder))
    assert "<img" not in page
    assert StrictPage(page).open == []


@pytest.mark.parametrize("name", ["trial", "study", "proved"])
def test_every_figure_has_its_data_and_its_table(pages: dict[str, str], name: str) -> None:
    page = StrictPage(pages[name])
    data: Any = json.loads(page.data)
    places = page.all_of("data-figure")
    assert sorted(places) == sorted(data["figures"])
    assert page.tag_counts["details"] >= len(places)
    for figure in data["figures"].values():
        assert not figure["view"] or figure["view"] in data["views"]


def test_every_line_of_a_chart_is_as_long_as_its_axis(study_run: Path) -> None:
    built = report_of(study_run)
    axes = {view.id: len(view.axis["t"]) for view in built.views}
    drawn = 0
    for section in built.sections:
        for block in section.blocks:
            if isinstance(block, PerView):
                for view, inner in block.blocks.items():
                    for figure in inner:
                        if isinstance(figure, Figure) and figure.kind == "time":
                            lines = [line for panel in figure.data["panels"] for line in panel["lines"]]
                            assert {len(line["values"]) for line in lines} == {axes[view]}
                            drawn += len(lines)
    assert drawn > 50


def test_a_study_shows_the_recommended_setting_first_and_the_base_to_choose(study_run: Path) -> None:
    views = report_of(study_run).views
    assert [view.group for view in views] == ["recommended"] * 3 + ["base"] * 6
    assert "workers=2 threads=4" in views[0].label


def test_the_same_folder_gives_the_same_page(study_run: Path, pages: dict[str, str]) -> None:
    assert html.render(report.build(study_run)) == pages["study"]


@pytest.mark.slow
def test_hours_fit_in_three_megabytes_with_every_dip_kept(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    seconds = length(1800, 4 * 3600)
    folder = single(tmp_path / "run", seconds=seconds)
    run = report.read(folder)
    page = html.render(report.of_run(run))
    assert len(page.encode()) < MOST_BYTES
    data = json.loads(StrictPage(page).data)
    axis = data["views"]["v1"]
    assert len(axis["t"]) <= 900
    answered = data["figures"]["rate-v1"]["data"]["panels"][0]["lines"][0]
    dips = [low for low in answered["low"] if low < 0.7 * max(answered["values"])]
    # One dip in 97 s, columns of a 900th: each dip lies in one column or on the edge of two.
    assert seconds // 97 <= len(dips) <= 2 * (seconds // 97 + 1)
    note = merged_note(run.views[0].timeline)
    assert note in page
    assert shape(note) == snapshot
