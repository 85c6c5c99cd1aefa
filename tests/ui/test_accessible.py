"""The pages of `loadrig ui` as people with other eyes or without a mouse meet them, by axe-core."""

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from loadrig.recording.layout import RunFolder
from loadrig.recording.now_note import NowNote
from loadrig.testing.synthetic import Route, write_recording
from tests.accessible import SCHEMES, SIZES, barriers
from tests.archive.test_index import make_run
from tests.report.conftest import BROWSER_ARGUMENTS
from tests.ui.served import ServedPages, serving
from tests.ui.test_browser import SHOWN_MS, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.integration, pytest.mark.browser, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no chromium on this machine: apt install chromium")
    api: Any = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=list(BROWSER_ARGUMENTS))
        yield started
        started.close()


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


@pytest.fixture(params=[(size, scheme) for size in SIZES for scheme in SCHEMES], ids=str)
def page(request: pytest.FixtureRequest, browser: "Browser", pages: ServedPages) -> Iterator["Page"]:
    """Open a page that may see the runs, of each size and theme."""
    (width, height), scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    shown = context.new_page()
    shown.set_default_timeout(SHOWN_MS)
    shown.goto(pages.address)
    yield shown
    context.close()


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
