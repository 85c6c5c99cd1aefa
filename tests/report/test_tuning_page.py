"""The pictures of a tuning in a browser: drawn, within the window, told under the cursor."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from loadrig import report
from loadrig.report import html
from tests.lengths import length
from tests.report.pages import opening
from tests.report.test_page import CROWDED
from tests.report.tunings import tuning

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.integration]

KINDS = ("pairs", "parallel", "scatter")


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuned")
    run = tuning(folder / "run")
    page = folder / "page.html"
    page.write_text(html.render(report.build(run)), encoding="utf-8")
    return page


@pytest.fixture(
    params=length(
        [(1280, "light"), (400, "dark")], [(1280, "light"), (400, "light"), (1280, "dark"), (400, "dark")]
    )
)
def page(request: pytest.FixtureRequest, browser: "Browser", page_file: Path) -> Iterator["Page"]:
    width, scheme = request.param
    with opening(browser, {"tuning": page_file}) as show:
        shown = show("tuning", width, scheme)
        shown.wait_for_selector("#tuning .scatter[data-drawn], #tuning .scatter svg")
        yield shown


def test_every_picture_is_drawn_within_the_window_and_no_text_is_cut(page: "Page") -> None:
    for kind in KINDS:
        assert page.locator(f"#tuning .{kind} svg").count() >= 1, kind
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert [page.evaluate(CROWDED, kind) for kind in KINDS] == [[], [], []]


def test_what_lies_under_the_cursor_is_told(page: "Page") -> None:
    cell = page.locator("#tuning .pairs .cell").first
    cell.scroll_into_view_if_needed()
    cell.dispatch_event("pointerenter")
    announced = page.locator("#tuning .pairs .told").inner_text()
    assert "/s" in announced
    assert "workers" in announced or "threads" in announced
