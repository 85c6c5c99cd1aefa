"""The page in a real browser: drawn without a fault, answering to the mouse, the theme and the width."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from loadrig import report
from loadrig.base import units
from loadrig.report import html
from tests.lengths import length

from . import proofs
from .pages import BrowserPages, Open

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect, Page

pytestmark = [pytest.mark.browser, pytest.mark.integration]

# Colours seen on a grid of points of a canvas: one alone would be a blank one.
COLOURS = """() => [...document.querySelectorAll("canvas")]
  .filter((canvas) => canvas.offsetParent !== null)
  .map((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4 * 37) seen.add(data.slice(i, i + 4).join());
    return seen.size;
  })"""
SCALES = """() => loadrig.charts.filter((chart) => chart.timed && !chart.place.closest("[hidden]"))
  .map((chart) => [chart.plot.scales.x.min, chart.plot.scales.x.max])"""


@pytest.fixture(scope="module")
def files(
    tmp_path_factory: pytest.TempPathFactory, trial_run: Path, study_run: Path, proved_page: Path
) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    unsure = proofs.proved(trial_run, folder / "unsure", proofs.ended_by_budget())
    apart = proofs.proved(trial_run, folder / "apart", proofs.spread_logins())
    page_by_name = {"proved": proved_page}
    for run in (trial_run, study_run, unsure, apart):
        page_by_name[run.name] = folder / f"{run.name}.html"
        page_by_name[run.name].write_text(html.render(report.build(run)), encoding="utf-8")
    return page_by_name


@pytest.fixture(scope="module")
def pages(browser: "Browser", files: dict[str, Path]) -> Iterator[BrowserPages]:
    opened = BrowserPages(browser, files, "window.loadrig && loadrig.charts.length > 0")
    yield opened
    opened.close()


@pytest.fixture
def show(pages: BrowserPages) -> Iterator[BrowserPages]:
    """Opens a page by its name; the tests of this file leave it as it was, or ask for one of their own."""
    yield pages
    pages.check()


def frames(page: "Page") -> None:
    """Wait until what was changed has been painted."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def plot_area(page: "Page", figure: str) -> "FloatRect":
    """Return where a chart's plot is in the window, after bringing it there."""
    over = page.locator(f"#{figure} .u-over").first
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    assert box is not None
    return box


def keep_picture(page: "Page", name: str) -> None:
    """Take a picture of the whole page, to be looked at, where LOADRIG_PICTURES names a folder."""
    folder = os.environ.get("LOADRIG_PICTURES")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(full_page=True, path=Path(folder) / f"{name}.png")


@pytest.mark.parametrize("name", ["trial", "study", "proved"])
@pytest.mark.parametrize(
    ("width", "scheme"),
    length(
        [(1600, "light"), (400, "dark")], [(1600, "light"), (1600, "dark"), (400, "light"), (1024, "dark")]
    ),
)
def test_every_chart_is_drawn_and_nothing_is_wider_than_the_window(
    show: Open, name: str, width: int, scheme: str
) -> None:
    page = show(name, width, scheme)
    waiting = page.locator(".plot[data-figure]:not([data-drawn]):visible")
    assert waiting.count() == 0
    colour_counts = page.evaluate(COLOURS)
    assert len(colour_counts) >= 9
    assert min(colour_counts) > 3
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    keep_picture(page, f"{name}-{width}-{scheme}")


# Texts of a drawn chart that leave it, or that lie on each other.
CROWDED = """(kind) => [...document.querySelectorAll(`.figure.${kind} svg`)].flatMap((svg) => {
  const room = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")]
    .map((one) => [one.textContent, one.getBoundingClientRect()]);
  const out = texts.filter(([, box]) => box.left < room.left - 1 || box.right > room.right + 1
    || box.top < room.top - 1 || box.bottom > room.bottom + 1).map(([text]) => "outside: " + text);
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
    && a.top < b.bottom - 2 && b.top < a.bottom - 2;
  const on = texts.flatMap(([text, a], i) => texts.slice(i + 1)
    .filter(([, b]) => meet(a, b)).map(([other]) => text + " on " + other));
  return [...out, ...on];
})"""


@pytest.mark.parametrize("width", length([1200, 330], [1200, 400, 330]))
@pytest.mark.parametrize("name", ["proved", "unsure", "apart"])
def test_no_text_in_a_chart_of_a_proof_is_cut_or_lies_on_another(show: Open, name: str, width: int) -> None:
    page = show(name, width)
    assert [page.evaluate(CROWDED, kind) for kind in ("slots", "slopes")] == [[], []]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    drawn = page.locator("#proof .plot[data-drawn]").count()
    assert drawn == {"proved": 4, "unsure": 2, "apart": 2}[name]


def test_the_bands_of_an_experiment_lie_under_its_marks(show: Open) -> None:
    page = show("proved")
    assert page.locator(".figure.slots rect.changed").count() == 30
    assert page.locator(".figure.slots .strip i").count() == 30
    lane = page.locator(".figure.slots .slot-lanes li").nth(1)
    assert "CPU of mariadb" in lane.inner_text()
    assert "limits" in lane.inner_text()
    strip, band = (
        lane.locator(".strip i").first.bounding_box(),
        page.locator("rect.changed").first.bounding_box(),
    )
    assert strip is not None
    assert band is not None
    assert strip["x"] == pytest.approx(band["x"], abs=1.5)
    assert strip["width"] == pytest.approx(band["width"], abs=1.5)


def test_the_axis_of_elasticities_is_told_under_its_lines(show: Open) -> None:
    page = show("proved")
    centre = "(one) => { const box = one.getBoundingClientRect(); return box.left + box.width / 2; }"
    ticks = page.locator("#elasticities .axis span")
    lines = page.locator("#elasticities .row").first.locator(".grid")
    assert ticks.all_inner_texts() == ["0", "0.15", "0.5", "1"]
    names = show("proved", 400).locator("#elasticities .zones span")
    assert names.all_inner_texts() == ["moves nothing", "shares", "limits"]
    assert names.evaluate_all("(all) => all.every((one) => one.scrollWidth <= one.clientWidth)")
    for n in range(4):
        assert ticks.nth(n).evaluate(centre) == pytest.approx(lines.nth(n).evaluate(centre), abs=1)


def test_the_cursor_is_shared_and_shows_the_values_under_it(show: Open) -> None:
    page = show("trial")
    box = plot_area(page, "rate-v1")
    other = page.locator("#latency-v1 .legend")
    at_rest = other.inner_text()
    assert "median" in at_rest
    page.mouse.move(box["x"] + box["width"] * 60.5 / 150, box["y"] + box["height"] / 2)
    frames(page)
    assert "at 1:0" in page.locator("#rate-v1 .legend .when").inner_text()
    assert other.inner_text() != at_rest
    page.mouse.move(5, 5)
    frames(page)
    assert other.inner_text() == at_rest


def test_the_heatmap_says_how_many_answers_a_cell_holds(show: Open) -> None:
    page = show("trial")
    over = page.locator("#heat-v1 .u-over")
    over.scroll_into_view_if_needed()
    over.hover()
    frames(page)
    assert "answer" in page.locator("#heat-v1 .scale .when").inner_text()


def test_a_drag_zooms_all_charts_and_a_double_click_shows_the_whole(show: Open) -> None:
    page = show("trial")
    whole = page.evaluate(SCALES)
    assert all(scale == [0, 150] for scale in whole)
    box = plot_area(page, "rate-v1")
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.2, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, y, steps=8)
    page.mouse.up()
    frames(page)
    zoomed = page.evaluate(SCALES)
    assert all(low == pytest.approx(30, abs=1) and high == pytest.approx(75, abs=1) for low, high in zoomed)
    page.mouse.dblclick(box["x"] + box["width"] * 0.3, y)
    frames(page)
    assert page.evaluate(SCALES) == whole


def test_a_line_can_be_hidden_and_shown_again(show: Open) -> None:
    page = show("trial")
    button = page.locator("#latency-v1 .legend button").first
    shown = page.evaluate(COLOURS)
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    page.mouse.move(5, 5)
    frames(page)
    assert page.evaluate(COLOURS) != shown
    button.click()
    assert button.get_attribute("aria-pressed") == "true"


def test_the_theme_follows_the_system_and_can_be_chosen(show: BrowserPages) -> None:
    page = show.own("trial")
    background = "getComputedStyle(document.body).backgroundColor"
    corner = (
        "() => { const c = document.querySelector('#rate-v1 canvas');"
        " return [...c.getContext('2d').getImageData(c.width - 60, 30, 1, 1).data]; }"
    )
    light = page.evaluate(background), page.evaluate(corner)
    page.emulate_media(color_scheme="dark")
    frames(page)
    dark = page.evaluate(background), page.evaluate(corner)
    assert dark[0] != light[0]
    assert sum(dark[1][:3]) < sum(light[1][:3])
    page.click("#theme")
    frames(page)
    assert page.locator("#theme-word").inner_text() == "light"
    assert (page.evaluate(background), page.evaluate(corner)) == light
    page.click("#theme")
    frames(page)
    assert page.evaluate(background) == dark[0]


def test_another_trial_can_be_chosen(show: BrowserPages) -> None:
    page = show.own("study")
    assert page.locator("#rate-v1").is_visible()
    assert page.locator("#rate-v4").is_hidden()
    page.select_option("#view", "v4")
    frames(page)
    assert page.locator("#rate-v1").is_hidden()
    assert page.locator("#rate-v4").is_visible()
    assert min(page.evaluate(COLOURS)) > 3
    assert page.evaluate("document.documentElement.scrollWidth") <= 1200


def test_paper_is_light_and_holds_the_charts(show: BrowserPages) -> None:
    page = show.own("study", 1600, "dark")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    frames(page)
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    assert max(page.evaluate("loadrig.charts.map((chart) => chart.plot.width)")) <= 700
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    frames(page)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert max(page.evaluate("loadrig.charts.map((chart) => chart.plot.width)")) > 900
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.parametrize("unit", ["s", "B", "1", "1/s", "", "cores"])
def test_numbers_under_the_cursor_are_written_as_in_the_text(show: Open, unit: str) -> None:
    page = show("trial")
    values = [
        0,
        1.5e-8,
        8.5e-7,
        0.00999,
        0.0412,
        0.9996,
        1,
        1.25,
        9.99,
        12.34,
        99.4,
        99.6,
        123.4,
        1234.6,
        4321,
        5.5e6,
        2.5e9,
    ]
    written = page.evaluate(
        "([values, unit]) => values.map((value) => loadrig.show(value, unit))", [values, unit]
    )
    assert written == [units.show(value, unit) for value in values]


@pytest.mark.parametrize("name", ["trial", "study", "proved"])
def test_every_figure_can_be_kept_in_three_ways(show: Open, name: str) -> None:
    for figure in show(name).locator("figure.figure:visible").all():
        offered = figure.locator(".save button").all_inner_texts()
        assert offered == ["CSV", "SVG", "PNG"], figure.get_attribute("id")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12.5", "12.5"), ("-3", "-3"), ('a "b", c', '"a ""b"", c"'), ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"), ("-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0"),
        ("two\nlines", '"two\nlines"'),
    ],
)  # fmt: skip
def test_no_cell_of_a_file_is_a_formula(show: Open, text: str, expected: str) -> None:
    assert show("trial").evaluate("(text) => window.loadrig.quoted(text)", text) == expected
