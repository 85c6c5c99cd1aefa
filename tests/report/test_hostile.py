"""Text of servers, plans and files is shown and never run: in a real browser, and on a terminal."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from loadrig import report
from loadrig.report import html, html_policy, junit, text
from loadrig.report.model import Report
from tests.conftest import Deadline
from tests.lengths import is_full, length

from .built import report_of
from .hostile import CONTROLS, HOSTILE, hostile, hostile_result
from .pages import Open, opening
from .profiled import profiled
from .tunings import tuning

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog

NAMES = ("trial", "study", "proved", "tuning", "soak", "spike", "profiled", "told")

EVERY_KIND = {
    "ceilings", "cpu", "curve", "flame", "intervals", "lanes", "map", "pairs", "parallel", "percentiles",
    "scatter", "slopes", "slots", "strips", "time",
}  # fmt: skip
"""Kinds of figures that these runs have between them."""

SMUGGLED = (
    "<script>(window.__smuggled ??= []).push('script')</script>",
    "<svg onload=\"(window.__smuggled ??= []).push('onload')\"></svg>",
    "<p style='color: red'>x</p>",
)
"""Texts that might slip through our escaping: each kind of thing that the policy has to refuse."""


@pytest.fixture(scope="module")
def reports(
    tmp_path_factory: pytest.TempPathFactory,
    trial_run: Path,
    study_run: Path,
    proved_run: Path,
    soak_run: Path,
    spike_run: Path,
) -> dict[str, Report]:
    folder = tmp_path_factory.mktemp("hostile")
    altered = Path(shutil.copytree(proved_run, folder / "told"))
    for path in (altered / "result.json", altered / "trials/0001/result.json"):
        if path.exists():
            path.chmod(0o600)
            path.write_text(json.dumps(hostile_result(json.loads(path.read_text()))), encoding="utf-8")
    runs = {
        "trial": trial_run, "study": study_run, "proved": proved_run, "tuning": tuning(folder / "tuning"),
        "soak": soak_run, "spike": spike_run,
        "profiled": profiled(trial_run, folder / "profiled"),
    }  # fmt: skip
    report_by_name = {name: hostile(report_of(run)) for name, run in runs.items()}
    return {**report_by_name, "told": report.build(altered)}


@pytest.fixture(scope="module")
def files(reports: dict[str, Report], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    page_by_name = {}
    for name, built in reports.items():
        page_by_name[name] = folder / f"{name}.html"
        page_by_name[name].write_text(html.render(built), encoding="utf-8")
    return page_by_name


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_a_run_says_steers_a_terminal(reports: dict[str, Report], name: str) -> None:
    for colour in (False, True):
        shown = text.render(reports[name], 100, colour)
        assert not set(shown) & (CONTROLS - {"\x1b"})
        assert "\x1b[2J" not in shown
        assert "\x1b]" not in shown
        assert colour or "\x1b" not in shown
    assert "window.__pwned" in shown


def test_a_file_for_a_pipeline_is_xml_whatever_a_run_says() -> None:
    from xml.etree import ElementTree

    case = junit.JunitCase(HOSTILE, HOSTILE, "failed", HOSTILE, HOSTILE)
    root = ElementTree.fromstring(junit.write("loadrig", HOSTILE, [case], 1.0))
    assert [each.tag for each in root.iter()] == ["testsuites", "testsuite", "testcase", "failure"]


@pytest.mark.browser
@pytest.mark.integration
class TestPages:
    """In a browser: no script of a run runs, no element of a run is there, nothing is fetched."""

    @pytest.fixture
    def show(self, browser: "Browser", files: dict[str, Path]) -> Iterator[Open]:
        # In the end it asserts that no script failed, nothing was refused by the policy, nothing was fetched.
        with opening(browser, files) as opener:
            yield opener

    @pytest.mark.parametrize("name", length(("trial", "profiled"), NAMES))
    def test_hostile_text_is_shown_and_never_run(self, show: Open, name: str) -> None:
        page = show(name)
        dialogs: list[str] = []

        def dismissed(dialog: "Dialog") -> None:
            dialogs.append(dialog.message)
            dialog.dismiss()  # else it would hold up all that follows

        page.on("dialog", dismissed)
        for view in page.locator("#view option").all():
            page.select_option("#view", view.get_attribute("value"))
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        plots = page.locator(".plot:visible")
        kinds_of_plots = plots.evaluate_all("(all) => all.map((one) => one.dataset.drawn)")
        # What a figure says under the pointer is written by the code of its kind.
        for n, kind in enumerate(kinds_of_plots):
            if is_full() or kind not in kinds_of_plots[:n]:
                plots.nth(n).hover(force=True, position={"x": 40, "y": 12})
        assert page.evaluate("window.__pwned") is None
        assert dialogs == []
        foreign = "img, iframe, form, base, link, meta[http-equiv=refresh], a[href^=javascript], main style"
        assert page.locator(foreign).count() == 0
        assert page.evaluate("document.scripts.length") == 2
        assert page.locator("main").is_visible()
        assert "window.__pwned" in page.locator("main").inner_text()
        drawn = "(all) => all.map((one) => one.dataset.drawn)"
        kinds = set(page.locator(".plot[data-drawn]").evaluate_all(drawn))
        assert kinds
        assert kinds <= EVERY_KIND | {"heat"}

    def test_what_slips_through_our_escaping_is_refused_by_the_policy(
        self, browser: "Browser", files: dict[str, Path], tmp_path: Path
    ) -> None:
        broken = files["told"].read_text(encoding="utf-8").replace("<main>", f"<main>{''.join(SMUGGLED)}", 1)
        guarded = _opened(browser, tmp_path / "guarded.html", broken, len(SMUGGLED))
        assert guarded["run"] == []
        assert guarded["refused"] >= len(SMUGGLED)
        # Without a policy the same page would have run it: the tripwire can fire.
        bare = broken.replace(html_policy.policy(html._style(), html._scripts()), "")
        ran = _opened(browser, tmp_path / "bare.html", bare, 2)
        assert ran == {"run": ["script", "onload"], "refused": 0}


def _opened(browser: "Browser", path: Path, page_text: str, least: int) -> dict[str, Any]:
    """Return what of the smuggled scripts a page ran, and how much its policy refused.

    least: how many of both together are to be waited for.
    """
    path.write_text(page_text, encoding="utf-8")
    refused: list[str] = []
    context = browser.new_context(offline=True)
    try:
        page = context.new_page()

        def says(message: "ConsoleMessage") -> None:
            if "Content Security Policy" in message.text:
                refused.append(message.text)

        page.on("console", says)
        page.goto(path.as_uri(), wait_until="domcontentloaded")
        deadline = Deadline()
        while page.evaluate("(window.__smuggled ?? []).length") + len(refused) < least and deadline.left_s:
            page.wait_for_timeout(50)
        page.wait_for_timeout(300)  # for what must not come besides
        return {"run": page.evaluate("window.__smuggled ?? []"), "refused": len(refused)}
    finally:
        context.close()


def test_the_policy_names_the_page_s_own_script_and_style_alone(files: dict[str, Path]) -> None:
    for path in files.values():
        page = path.read_text(encoding="utf-8")
        policy = page.split('Content-Security-Policy" content="', 1)[1].split('"', 1)[0]
        assert "unsafe" not in policy
        assert policy == html_policy.policy(html._style(), html._scripts())
        assert page.count("<style>") == 1
        assert page.count("<script>") == 1
        assert " style=" not in page.split("<body>", 1)[1].split('<script type="application/json"', 1)[
            0
        ].replace(HOSTILE, "")
