"""The pages of `loadrig ui` as people with other eyes or without a mouse meet them, by axe-core."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from loadrig.recording.layout import RunFolder
from loadrig.recording.now_note import NowNote
from loadrig.testing.synthetic import Route, write_recording
from tests.accessible import SCHEMES, SIZES, barriers
from tests.archive.test_index import make_run
from tests.lengths import length
from tests.ui.served import ServedPages, serving
from tests.ui.test_browser import SHOWN_MS, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = [pytest.mark.integration, pytest.mark.browser, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedPages]:
    """Serve two runs, of which one goes on."""
    root = tmp_path_factory.mktemp("runs")
    make_run(root, "done", 2, name="done", diagnosis={"sentence": "It is fine."})
    make_run(root, "live", 1, name="live")
    run = RunFolder(root / "live")
    write_recording(run.trial(1).path, (50.0,) * 20, routes=(Route("search"),), is_sealed=False)
    note = NowNote(run, "loadrig attack")
    note.change(trial=1, total=1)
    try:
        with serving(root) as server:
            yield server
    finally:
        note.close()


@pytest.fixture(scope="module")
def context(browser: "Browser") -> Iterator["BrowserContext"]:
    """Yield the context of all pages of this file: to open one for each takes three times the CPU time."""
    opened = browser.new_context(reduced_motion="reduce")
    yield opened
    opened.close()


LOOKS = [(size, scheme) for size in SIZES for scheme in SCHEMES]


@pytest.fixture(params=length([(SIZES[0], "dark")], LOOKS), ids=str)
def page(request: pytest.FixtureRequest, context: "BrowserContext", pages: ServedPages) -> Iterator["Page"]:
    """Open a page that may see the runs, of each size and theme."""
    (width, height), scheme = request.param
    shown = context.new_page()
    shown.set_viewport_size({"width": width, "height": height})
    shown.emulate_media(color_scheme=scheme)
    shown.set_default_timeout(SHOWN_MS)
    shown.goto(pages.address)
    yield shown
    shown.close()


def test_nothing_on_the_pages_keeps_a_person_out(page: "Page", pages: ServedPages) -> None:
    page.locator(".run").nth(1).wait_for()
    by_page = {"runs": barriers(page)}
    address = f"http://{pages.host}:{pages.port}"
    page.goto(f"{address}/start")
    page.locator("#show-plan").click()
    page.locator("#checked").get_by_text("No mistake.").wait_for()
    by_page["start"] = barriers(page)
    page.goto(f"{address}/runs/live")
    wait_for(page, "state.seconds.length >= 19")
    by_page["live"] = barriers(page)
    assert by_page == {"runs": [], "start": [], "live": []}
