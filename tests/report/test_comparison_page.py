"""The pages of a comparison and a history in a real browser: drawn without a fault, in narrow windows too."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from loadrig.comparing.history import history as of_runs
from loadrig.comparing.judged import compare
from loadrig.comparing.read import read_side, runs_in
from loadrig.comparing.yardsticks import asked
from loadrig.report import comparison, history, html
from tests.comparing import fabricated
from tests.report.pages import Open, opening

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.integration]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    rng = np.random.default_rng(1)
    for name, slow in (("a", 1.0), ("b", 1.2)):
        for number in range(3):
            seed = 2 * number + (name == "b") + 1
            fabricated.recorded(
                folder / name / str(number), slow=slow * np.exp(rng.normal(0, 0.01)), seed=seed
            )
    sides = read_side(str(folder / "a")), read_side(str(folder / "b"))
    compared = compare(*sides, asked(*sides))
    fabricated.runs(folder / "nightly", [400, 402, 399, 401, 398, 400, 370, 372, 369, 371])
    over_time = of_runs(runs_in(folder / "nightly"))
    pages = {"compared": comparison.build(compared), "history": history.build(over_time)}
    page_by_name = {}
    for name, page in pages.items():
        page_by_name[name] = folder / f"{name}.html"
        page_by_name[name].write_text(html.render(page), encoding="utf-8")
    return page_by_name


@pytest.fixture
def show(browser: "Browser", files: dict[str, Path]) -> Iterator[Open]:
    """Opens a page by its name."""
    with opening(browser, files) as opener:
        yield opener


@pytest.mark.parametrize("name", ["compared", "history"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_every_figure_is_drawn_and_nothing_is_wider_than_the_window(
    show: Open, name: str, width: int, scheme: str
) -> None:
    page = show(name, width, scheme)
    assert page.locator(".plot[data-figure]:not([data-drawn]):visible").count() == 0
    assert page.locator("figure.figure").count() >= 2
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_panel_is_drawn_for_each_route_and_says_its_numbers_under_the_mouse(show: Open) -> None:
    page = show("compared", 1280, "light")
    panels = page.locator("#shift .of-route")
    assert panels.locator("h4").all_inner_texts() == ["all routes", "search", "order"]
    panels.nth(1).locator("circle").last.hover()
    assert page.locator("#shift .told").inner_text().startswith("p99: ")


def test_a_course_has_a_dot_for_each_run_and_a_mark_for_each_change(show: Open) -> None:
    page = show("history", 400, "light")
    course = page.locator("#history-throughput")
    assert course.locator("circle").count() == 10
    assert course.locator("line.level").count() == 2
    assert course.locator("text.said").all_text_contents() == ["−7.4 % worse"]
