"""Flame graphs: their figures, and the page in a real browser: zoom, search, what grew, keys, widths."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig import report
from loadrig.base.series import Event
from loadrig.profilers import Profile, Stack, StackFrame, profiles_of, throughput_change
from loadrig.recording import events
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from loadrig.recording.window import Window
from loadrig.report import html, text, top_frames
from loadrig.report.figures import flame_graph
from tests.conftest import Deadline

from . import profiled
from .built import report_of
from .folders import T0, S
from .pages import BrowserPages

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def run(trial_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return profiled.profiled(trial_run, tmp_path_factory.mktemp("profiled") / "run")


@pytest.fixture(scope="module")
def recording(run: Path) -> Recording:
    return Recording.open(RunFolder(run).trial(1).path)


def section_text(run: Path) -> str:
    """Return the section of profiles alone, as a terminal shows it."""
    whole = report.build(run)
    (section,) = [section for section in whole.sections if section.id == "profiles"]
    only = text.render(replace(whole, sections=(section,)), 100)
    return only.partition("\nProfiles\n")[2].partition("\nnext: ")[0]


# --- the figure -----------------------------------------------------------------------------------


def drawn(recording: Recording, most_nodes: int = flame_graph.MOST_NODES) -> dict[str, Any]:
    low, high = profiles_of(recording)
    figure = flame_graph.draw("v1", high, low, most_nodes)
    assert figure is not None
    data: dict[str, Any] = json.loads(json.dumps(figure.data))
    return data


def test_nodes_stand_under_their_callers_with_their_shares(recording: Recording) -> None:
    data = drawn(recording)
    nodes = {data["names"][data["frames"][node[1]][0]]: node for node in data["nodes"]}
    assert [nodes[name][0] for name in ("all", "Thread.run", "ThreadWorker.handle", "search", "rank")] == [
        0, 1, 2, 3, 4,
    ]  # fmt: skip
    whole_high, whole_low = 1000 + 300 + 20 + 1, 300 + 600 + 20
    assert nodes["rank"][2:] == [
        round(1e6 * 1000 / whole_high), round(1e6 * 250 / whole_high),
        round(1e6 * 300 / whole_low), round(1e6 * 75 / whole_low),
    ]  # fmt: skip
    assert nodes["all"][2] == nodes["all"][4] == 1_000_000
    origins = {name: flame_graph.ORDER[data["frames"][node[1]][2]] for name, node in nodes.items()}
    assert (origins["rank"], origins["render"], origins["Thread.run"]) == ("own", "library", "runtime")
    places = {data["names"][row[0]]: data["places"][row[1]] for row in data["frames"]}
    assert places["render"] == "jinja2/environment.py:1290"
    assert places["trigrams"] == "srv/shop/search.py:17"


def test_what_is_too_thin_to_see_is_folded(recording: Recording) -> None:
    assert "tiny" not in drawn(recording)["names"]


def test_a_profile_of_thousands_of_stacks_stays_small(run: Path) -> None:
    wide = Profile()
    for n in range(6000):
        frames = tuple(
            StackFrame(f"package.module{n % 700}.function_{n % 3000}_{d}", "/srv/x.py", n) for d in range(8)
        )
        wide.add(Stack(frames), 1 + n % 7, 10_000_000 * (1 + n % 7))
    root = flame_graph.tree(wide, None)
    threshold = flame_graph._threshold(root, 500)
    assert threshold >= flame_graph.FOLDED * flame_graph.PPM
    nodes = flame_graph._flattened(root, threshold, profiled.OWN)["nodes"]
    assert len(nodes) <= 500 + 1


def test_a_profile_that_cannot_be_read_is_told_and_the_page_is_made(
    trial_run: Path, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    broken = profiled.profiled(trial_run, tmp_path / "run", low=False)
    profile = RunFolder(broken).trial(1).profile("server", "high", "py-spy")
    profile.write_bytes(b"nothing")
    assert profile.name in html.render(report.build(broken))
    assert section_text(broken) == snapshot


def test_what_could_not_be_profiled_is_told(trial_run: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(trial_run, tmp_path / "run")
    trial = RunFolder(tmp_path / "run").trial(1)
    trial.events.chmod(0o644)
    notice = "py-spy does not profile server: it needs a right; sudo something"
    with trial.events.open("ab") as file:
        file.write(events.line(Event(T0, "note", "profile", notice, {"code": "probe.no-right"}, "server")))
    assert notice in html.render(report.build(tmp_path / "run"))


def test_a_run_without_profiles_has_no_such_section(trial_run: Path) -> None:
    assert "profiles" not in [section.id for section in report_of(trial_run).sections]


def test_the_first_own_function_is_there_however_little_it_takes(recording: Recording) -> None:
    profile = Profile()
    for n in range(9):
        profile.add(Stack((profiled.SEARCH, StackFrame(f"lib{n}", f"{profiled.SITE}/x.py", n + 1))), 10, 100)
    profile.add(Stack((profiled.SEARCH,)), 1, 1)
    from loadrig.profilers import summary

    names = [use.name for use in top_frames.top(summary(profile, profiled.OWN), 5)]
    assert names == ["lib0", "lib1", "lib2", "lib3", "search"]


def test_the_text_report_has_the_table_and_the_cost_as_in_the_golden_file(
    run: Path, snapshot: SnapshotAssertion
) -> None:
    assert section_text(run) == snapshot
    assert section_text(run).strip()
    assert section_text(run) in text.render(report.build(run), 100)


# --- what it cost ---------------------------------------------------------------------------------


def test_throughput_during_a_profile_is_set_against_just_before_and_after(recording: Recording) -> None:
    # The run dips to half for three seconds from the sixtieth on.
    during = Window(T0 + 60 * S, T0 + 63 * S)
    dip = throughput_change(recording, during, [during])
    assert dip is not None
    assert dip.ratio == pytest.approx(0.5, abs=0.05)
    assert dip.ratio_interval[1] < 0.7
    even = Window(T0 + 80 * S, T0 + 85 * S)
    nothing = throughput_change(recording, even, [even, during])
    assert nothing is not None
    assert nothing.ratio_interval[0] < 1 < nothing.ratio_interval[1]


def test_where_there_is_nothing_to_compare_with_no_cost_is_told(recording: Recording) -> None:
    short = Window(T0 + 80 * S, T0 + 81 * S)
    assert throughput_change(recording, short, [short]) is None
    whole = Window(T0, T0 + 150 * S)
    assert throughput_change(recording, whole, [whole]) is None
    never = Window(T0 - 50 * S, T0 - 40 * S)
    assert throughput_change(recording, never, [never]) is None


# --- in a browser ---------------------------------------------------------------------------------

Open = Callable[..., "Page"]
FIGURE = "#flame-v1-server"


@pytest.fixture(scope="module")
def pages(browser: "Browser", run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserPages]:
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(html.render(report.build(run)), encoding="utf-8")
    opened = BrowserPages(browser, {"page": file}, f"document.querySelector('{FIGURE} [data-node]')")
    yield opened
    opened.close()


@pytest.fixture
def show(pages: BrowserPages) -> Iterator[Open]:
    """Opens the page; when a test ends no script may have failed, and nothing may have been fetched.

    A test that leaves it as it was may look at the one of others.
    """

    def flames(width: int = 1280, scheme: Any = "light", is_own: bool = True) -> "Page":
        return pages.own("page", width, scheme) if is_own else pages("page", width, scheme)

    yield flames
    pages.check()


def bar(page: "Page", name: str) -> Any:
    return page.locator(f'{FIGURE} [role=treeitem][aria-label^="{name}, "]')


def width_share(page: "Page", name: str) -> float:
    whole = page.locator(f"{FIGURE} .flame-stack").bounding_box()
    box = bar(page, name).bounding_box()
    assert whole is not None
    assert box is not None
    return float(box["width"] / whole["width"])


def keep_picture(page: "Page", name: str) -> None:
    """Take a picture of the figure, to be looked at, where LOADRIG_PICTURES names a folder."""
    folder = os.environ.get("LOADRIG_PICTURES")
    if folder:
        page.locator(FIGURE).screenshot(path=Path(folder) / f"flame-{name}.png")


browsed = [pytest.mark.browser, pytest.mark.integration]


class TestPage:
    pytestmark = browsed

    @pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
    def test_it_is_drawn_to_scale_and_no_wider_than_the_window(
        self, show: Open, width: int, scheme: str
    ) -> None:
        page = show(width, scheme, is_own=False)
        assert width_share(page, "rank") == pytest.approx(1000 / 1321, abs=0.01)
        assert width_share(page, "render") == pytest.approx(300 / 1321, abs=0.01)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert "own code 77.3 %" in page.locator(f"{FIGURE} .flame-key").inner_text()
        colours = {
            page.evaluate(
                "(made) => getComputedStyle(made.firstChild).backgroundColor",
                bar(page, name).element_handle(),
            )
            for name in ("rank", "render", "Thread.run")
        }
        assert len(colours) == 3
        keep_picture(page, f"{width}-{scheme}")

    def test_classes_are_bars_as_wide_as_their_shares(self, show: Open) -> None:
        page = show(is_own=False)
        bars = page.locator(".figure.cpu rect.part")
        widths = [float(bars.nth(place).get_attribute("width") or 0) for place in range(bars.count())]
        classes = [bars.nth(place).get_attribute("class") for place in range(bars.count())]
        assert classes[:2] == ["part cpu-own", "part cpu-other"]
        assert widths[1] / widths[0] == pytest.approx(300 / 1021, abs=0.01)

    def test_a_click_zooms_and_escape_shows_the_whole(self, show: Open) -> None:
        page = show()
        bar(page, "rank").click()
        assert width_share(page, "rank") == pytest.approx(1, abs=0.01)
        assert width_share(page, "trigrams") == pytest.approx(0.75, abs=0.01)
        assert bar(page, "render").count() == 0
        assert "above" in (bar(page, "search").get_attribute("class") or "")
        assert "srv/shop/search.py:33" in page.locator(f"{FIGURE} .flame-said").inner_text()
        page.keyboard.press("Escape")
        assert width_share(page, "rank") == pytest.approx(1000 / 1321, abs=0.01)
        bar(page, "rank").click()
        page.locator(f"{FIGURE} .flame-whole").click()
        assert bar(page, "render").count() == 1
        assert page.locator(f"{FIGURE} .flame-whole").is_hidden()

    def test_a_search_marks_what_matches_and_says_its_share_counted_once(self, show: Open) -> None:
        page = show(is_own=False)
        field = page.get_by_label("Search functions by name")
        field.fill("r")  # rank, and trigrams within it; render, search, Thread.run above them all
        field.fill("RA")  # rank and trigrams
        assert page.locator(f"{FIGURE} .match").count() == 2
        assert page.locator(f"{FIGURE} .flame-matched").inner_text().startswith("75.7 %")
        field.fill("no such")
        assert page.locator(f"{FIGURE} .match").count() == 0
        assert page.locator(f"{FIGURE} .flame-matched").inner_text().startswith("0 %")
        field.fill("")
        assert page.locator(f"{FIGURE} .searched").count() == 0

    def test_what_grew_is_told_by_colour_and_number(self, show: Open) -> None:
        page = show()
        page.get_by_role("button", name="What grew").click()
        assert "more" in (bar(page, "rank").get_attribute("class") or "").split()
        assert "less" in (bar(page, "render").get_attribute("class") or "").split()
        # 1,000 of 1,321 against 300 of 920.
        assert bar(page, "rank").inner_text() == "+43.1 rank"
        assert bar(page, "render").inner_text().startswith("−42.5")
        # 20 of 1,321 against 20 of 920: too few to tell.
        assert "same" in (bar(page, "</script><b>nasty</b>").get_attribute("class") or "").split()
        bar(page, "render").hover()
        spoken = page.locator(f"{FIGURE} .flame-said").inner_text()
        assert "−42.5" in spoken
        assert "65.2 %" in spoken
        page.get_by_role("button", name="Low load").click()
        assert width_share(page, "render") == pytest.approx(600 / 920, abs=0.01)

    def test_keys_walk_zoom_and_come_back(self, show: Open) -> None:
        page = show()
        page.get_by_label("Search functions by name").focus()
        page.keyboard.press("Tab")
        focused = "document.activeElement.getAttribute('aria-label')"
        assert page.evaluate(focused).startswith("all")
        for _ in range(4):
            page.keyboard.press("ArrowDown")
        assert page.evaluate(focused).startswith("rank, ")
        assert "75.7 %" in page.evaluate(focused)
        page.keyboard.press("ArrowRight")
        assert page.evaluate(focused).startswith("render, libraries")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowUp")
        assert page.evaluate(focused).startswith("search")
        page.keyboard.press("Enter")
        assert width_share(page, "search") == pytest.approx(1, abs=0.01)
        assert page.evaluate(focused).startswith("search")
        page.keyboard.press("Escape")
        assert page.evaluate(focused).startswith("all")
        assert page.locator(f"{FIGURE} .flame-stack [tabindex='0']").count() == 1

    def test_another_width_is_drawn_anew(self, show: Open, deadline: Deadline) -> None:
        page = show(1280)
        before = page.locator(f"{FIGURE} [data-node]").count()
        page.set_viewport_size({"width": 360, "height": 900})
        # See tests.report.pages: no waiting of Playwright's own.
        width = "document.documentElement.scrollWidth"
        deadline.wait_for(lambda: page.evaluate(width) <= 360, "the page to fit its new width")
        assert 0 < page.locator(f"{FIGURE} [data-node]").count() <= before
        assert width_share(page, "rank") == pytest.approx(1000 / 1321, abs=0.02)

    def test_names_of_a_run_are_no_markup(self, show: Open) -> None:
        page = show(is_own=False)
        assert page.locator("b", has_text="nasty").count() == 0
