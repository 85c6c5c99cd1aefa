"""The pages in a real browser: a run watched from its start to its end, steered, found again."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from loadrig.base.component import HOST, SERVER
from loadrig.recording import proof_blocks
from loadrig.recording.layout import RunFolder
from loadrig.recording.now_note import NowNote
from loadrig.recording.proof_blocks import BlockOutcome
from loadrig.testing.synthetic import Route, write_recording
from tests import warm
from tests.archive.test_index import make_run
from tests.conftest import Deadline
from tests.integration import servers
from tests.integration.test_hangup import running
from tests.lengths import length
from tests.report.hostile import HOSTILE
from tests.ui.served import PATIENCE_S, ServedPages, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = [pytest.mark.integration, pytest.mark.browser, pytest.mark.timeout(600)]

SHOWN_MS = 120_000

REPORTED_MS = 150_000
"""Longest time until a run that was ended has its report, on a machine with other tests."""

LOOK_EVERY_MS = 100

EVENT_TEXTS = "[...document.querySelectorAll('#events li')].map((item) => item.textContent)"


@contextmanager
def opened(browser: "Browser") -> Iterator[tuple["BrowserContext", list[str]]]:
    """Yield a context for pages, and what went wrong in them: scripts that failed, what a policy refused."""
    # Without a graphics card a dot that beats is drawn sixty times a second by the cores of the other tests.
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    faults: list[str] = []

    def hear(page: "Page") -> None:
        page.set_default_timeout(SHOWN_MS)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)

    context.on("page", hear)
    yield context, faults
    context.close()


def wait_for(page: "Page", condition: str) -> None:
    """Wait until an expression is true. The pages' policy lets nobody evaluate texts but the debugger."""
    for _ in range(SHOWN_MS // LOOK_EVERY_MS):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(LOOK_EVERY_MS)
    raise AssertionError(f"not within {SHOWN_MS} ms: {condition}")


def shown_seconds(page: "Page") -> int:
    return int(page.evaluate("state.seconds.length"))


def test_a_run_is_watched_steered_and_ended_by_its_pages(browser: "Browser", tmp_path: Path) -> None:
    with servers.serving(servers.ok, keep_open=True) as port, opened(browser) as (context, faults):
        command = [*warm.PROGRAM, "attack", f"http://127.0.0.1:{port}/", "-q", "20/1s",
                   "-z", "300s", "--out", "run", "--ui"]  # fmt: skip
        with warm.Popen(
            command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as rig:
            assert rig.stderr is not None
            try:
                lines = iter(rig.stderr.readline, "")
                address = (
                    next(line for line in lines if "watch it: " in line).partition("watch it: ")[2].strip()
                )
                page = context.new_page()
                page.goto(address)
                wait_for(page, "state.seconds.length >= 3 && state.seconds.at(-1).ok > 0")
                assert "token" not in page.url
                assert page.locator("#chart-rate canvas").count() == 1
                # Opened late, and twice: both are told what has been.
                other = context.new_page()
                other.goto(page.url)
                wait_for(other, "state.seconds.length >= 3")
                page.fill("#level", "50")
                page.click("#level-form button")
                wait_for(
                    page, "byId('answer').textContent.length > 0 && !byId('answer').textContent.endsWith('…')"
                )
                wait_for(other, "state.seconds.some((second) => second.due > 35)")
                page.fill("#mark", "<b>deployed</b>")
                page.press("#mark", "Enter")
                wait_for(page, EVENT_TEXTS + ".some((text) => text.includes('<b>deployed</b>'))")
                wait_for(
                    page,
                    "state.events.some((event) => event.kind === 'mark' && happened.includes(event.t_s))",
                )
                before = shown_seconds(page)
                page.reload()
                wait_for(page, f"state.seconds.length >= {before}")
                page.click("#end")
                page.click("#dialog-yes")
                for watching in (page, other):
                    watching.wait_for_selector("#report:not([hidden])", timeout=REPORTED_MS)
                    frame = watching.frame_locator("#report")
                    frame.locator("h1").wait_for()
                    assert frame.locator(".top").is_hidden()
                page.click("#show-live")
                assert page.locator("#chart-rate").is_visible()
                rig.communicate(timeout=REPORTED_MS / 1000)
            finally:
                rig.kill()
                context.close()
                Deadline(PATIENCE_S).wait_for(lambda: not running(tmp_path), "the end of the page's server")
        assert faults == []


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    make_run(folder, "hostile", 3, name=HOSTILE, diagnosis={"sentence": HOSTILE}, address=HOSTILE,
             routes={HOSTILE: {}}, validity={"verdict": HOSTILE}, kind=HOSTILE)  # fmt: skip
    make_run(folder, "plain", 2, name="plain", diagnosis={"sentence": "It is fine."})
    return folder


@pytest.fixture(scope="module")
def pages(root: Path) -> Iterator[ServedPages]:
    with serving(root) as server:
        yield server


@pytest.mark.parametrize("width", length([390], [390, 1280]))
def test_runs_are_found_labelled_pinned_and_removed(
    browser: "Browser", pages: ServedPages, root: Path, width: int
) -> None:
    make_run(root, "old", 1, name="old")
    with opened(browser) as (context, faults):
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"http://127.0.0.1:{pages.port}/?token={pages.token}")
        page.locator(".run").nth(2).wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.get_by_label("Label plain").click()
        page.fill("#dialog-input", "nightly, <i>7</i>")
        page.click("#dialog-yes")
        page.get_by_role("button", name="<i>7</i>").wait_for()
        page.get_by_label("Pin plain", exact=True).click()
        wait_for(page, "document.querySelector('.run .name').textContent === 'plain'")
        page.fill("#search", "nightly")
        wait_for(page, "document.querySelectorAll('.run').length === 1")
        page.fill("#search", "")
        wait_for(page, "document.querySelectorAll('.run').length === 3")
        page.get_by_label("Remove old").click()
        page.click("#dialog-yes")
        wait_for(page, "document.querySelectorAll('.run').length === 2")
        page.get_by_label("Unpin plain", exact=True).click()
        page.get_by_label("Pin plain", exact=True).wait_for()
        assert not (root / "old").exists()
        assert page.evaluate("window.__pwned") is None
        assert faults == []


def test_the_language_is_switched_and_stays(browser: "Browser", pages: ServedPages) -> None:
    with opened(browser) as (context, faults):
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{pages.port}/?token={pages.token}")
        for code in ("ko", "en"):
            page.click(f"#language[lang={code}]")
            page.locator(f"html[lang={code}]").wait_for()
            page.locator(".run").nth(1).wait_for()
            hangul = page.evaluate("/[가-힣]/.test(document.querySelector('main').innerText)")
            assert hangul == (code == "ko")
        assert faults == []


def test_hostile_news_are_text_and_many_events_do_not_hold_the_page_up(
    browser: "Browser", pages: ServedPages, root: Path
) -> None:
    run = RunFolder(root / "hostile")
    trial = run.trial(1)
    write_recording(trial.path, (50.0,) * 20, routes=(Route(HOSTILE),), is_sealed=False)
    event = {"kind": HOSTILE, "subject": "", "text": HOSTILE, "component": HOSTILE, "t_ns": 1}
    with trial.events.open("a") as file:
        file.writelines(json.dumps({**event, "t_ns": number}) + "\n" for number in range(10_000))
    trial.target_log.write_text(f"{HOSTILE}\n" * 5000)
    note = NowNote(run, HOSTILE)
    note.change(trial=1, setting=HOSTILE, total=3, notes=[HOSTILE])
    try:
        with opened(browser) as (context, faults):
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{pages.port}/runs/hostile?token={pages.token}")
            wait_for(page, "state.seconds.length >= 19 && state.events.length > 0")
            assert "window.__pwned" in page.locator("main").inner_text()
            # The page answers while it is told: a key that is typed is seen.
            page.fill("#level", "7")
            assert page.input_value("#level") == "7"
            assert page.evaluate("window.__pwned") is None
            assert (
                page.locator(
                    "main img, main iframe, main script, main style, main svg:not(#map-ways, .strip)"
                ).count()
                == 0
            )
            assert page.evaluate("document.querySelectorAll('#events li').length") <= 60
            assert faults == []
    finally:
        note.close()


MAP = {
    "components": [
        {"name": HOST, "kind": "host"},
        {"name": SERVER, "kind": "gunicorn", "address": "127.0.0.1:8000", "cpus": [0, 1]},
        {"name": "redis", "kind": "redis", "address": "127.0.0.1:6379"},
    ],
    "edges": [{"source": SERVER, "to": "redis", "address": "127.0.0.1:6379"}],
}


@contextmanager
def drawn_by_hand(browser: "Browser", run: RunFolder) -> Iterator["Page"]:
    """Yield the page of a run once it has its news; no further news come."""
    with serving(run.path) as pages, opened(browser) as (context, faults):
        page = context.new_page()
        page.goto(pages.address)
        wait_for(page, "typeof state !== 'undefined' && state.news !== null && state.seconds.length > 0")
        page.evaluate("source.close()")
        yield page
        assert faults == []


def texts(page: "Page", selector: str) -> list[str]:
    shown: list[str] = page.evaluate(
        f"[...document.querySelectorAll({json.dumps(selector)})].map((item) => item.textContent)"
    )
    return shown


def test_the_map_the_lights_and_the_tables_of_a_run(browser: "Browser", tmp_path: Path) -> None:
    run = make_run(tmp_path, "study", 5, name="study")
    write_recording(run.trial(1).path, (50.0,) * 8, facts={"map": MAP}, is_sealed=False)
    trials = [("workers=2", "valid", 98.0), ("workers=4", "disturbed", 180.0), ("workers=2", "void", 7.0)]
    rows: list[dict[str, Any]] = [{"kind": "study", "name": "study"}]
    rows += [
        {"kind": "trial", "index": number, "setting": {"workers": int(setting[-1])}, "validity": validity,
         "is_base": setting == "workers=2", "measures": {"throughput": {"value": rate}}}
        for number, (setting, validity, rate) in enumerate(trials, start=1)
    ]  # fmt: skip
    run.ledger.write_text("".join(json.dumps(row) + "\n" for row in rows))
    note = NowNote(run, "loadrig run study")
    note.change(trial=1, setting="workers=4", total=6, done=3)
    note.phase("measuring", 10.0)
    try:
        with drawn_by_hand(browser, run) as page:
            wait_for(page, "document.querySelectorAll('#settings tr').length === 2")
            assert texts(page, "#map .box b") == ["generator", SERVER, "redis"]
            assert page.locator("#map-ways path").count() == 2
            assert page.locator("#lights .light").count() >= 8
            assert page.locator("#lights .light.fine").count() >= 1
            # A setting has its trials in one row, and which one runs now is marked.
            assert texts(page, "#settings th")[0].startswith("workers=2")
            assert page.locator("#settings tr").first.locator(".trial").count() == 2
            assert page.locator("#settings tr.is-running").count() == 1
            before = page.locator("#map .box").nth(1).element_handle()
            page.evaluate(
                """() => {
                  const trial = state.news.trial;
                  trial.tiers = [{ name: "server", kind: "gunicorn", cores: 1.9, cores_most: 2,
                    memory_bytes: 1e8, full: "quota" }];
                  trial.used = [1, 2, 3].map((t) => ({ name: "redis", t_s: t, cores: null, awaited: t }));
                  trial.seconds = trial.happenings = trial.log = [];
                  trial.lights.find((light) => light.name === "steal").level = "grave";
                  const look = (level, verdict) => ({ level, doing: "search", verdict, leans: verdict,
                    seconds: 2, ok_rps: level, response_s: 0.1, at_least: 200, at_most: 400 });
                  const levels = [look(100, "meets"), look(400, "fails"), look(200, "meets")];
                  take({ ...state.news, over: [], course: { settings: [], levels, blocks: [] } });
                }"""
            )
            wait_for(page, "document.querySelectorAll('#levels tr').length === 4")
            # What is full is marked by a word, and its way with it.
            assert page.locator("#map li.is-full .full-word").inner_text() != ""
            assert page.locator("#map-ways path.is-full").count() == 1
            assert page.locator("#lights .light.grave").count() == 1
            assert page.locator("#tiers tr").count() == 1
            assert page.locator("#said").inner_text() != ""
            # The line of the limit stands between the level that is too high and the highest that is not.
            lines = page.evaluate("[...byId('levels').children].map((line) => line.className)")
            assert lines == ["", "limit", "", ""]
            assert "200" in page.locator("#limit-said").inner_text()
            assert page.locator("#settings-section").is_hidden()
            # What is there already is not made anew.
            assert before is not None
            assert before.evaluate("(box) => box.isConnected")
            for width in (1920, 390):
                page.set_viewport_size({"width": width, "height": 900})
                # Charts take their new width a moment after the page has.
                wait_for(page, f"document.documentElement.scrollWidth <= {width}")
    finally:
        note.close()


def test_a_proof_is_followed_with_its_blocks_beside_each_other(browser: "Browser", tmp_path: Path) -> None:
    run = make_run(tmp_path, "proved", 6, name="proved")
    write_recording(run.trial(1).path, (50.0,) * 4)
    run.proof.trials.mkdir(parents=True)
    write_recording(run.proof.trial(1).path, (50.0,) * 6, is_sealed=False)
    for block, title, value in ((0, "", 98.0), (0, HOSTILE, 80.0), (1, "", 100.0)):
        outcome = BlockOutcome(
            trial=1, is_live=True, block=block, title=title, measure="throughput", unit="1/s", value=value
        )
        proof_blocks.add(run.proof, outcome)
    note = NowNote(run, "loadrig diagnose --prove")
    note.change(trial=1, is_of_proof=True)
    note.phase("measuring", 10.0)
    try:
        with drawn_by_hand(browser, run) as page:
            wait_for(page, "document.querySelectorAll('#blocks tbody tr').length === 2")
            assert page.evaluate("state.news.trial.is_of_proof")
            assert page.evaluate("state.seconds.length") == 7  # with the drain
            assert page.locator("#blocks caption").count() == 1
            assert texts(page, "#blocks thead th")[2] == HOSTILE
            assert texts(page, "#blocks tbody tr:first-child td") == ["98/s", "80/s"]
            assert texts(page, "#blocks tbody tr:last-child td") == ["100/s", "–"]
            assert page.locator("#left").inner_text() != ""
            assert page.evaluate("window.__pwned") is None
    finally:
        note.close()


def test_a_page_without_its_server_says_so(browser: "Browser", root: Path) -> None:
    run = RunFolder(root / "plain")
    note = NowNote(run, "loadrig attack")
    try:
        with opened(browser) as (context, _):
            page = context.new_page()
            with serving(run.path) as server:
                page.goto(f"{server.address}")
                wait_for(page, "state.news !== null")
                before = page.locator("#phase").inner_text()
            wait_for(page, f"byId('phase').textContent !== {json.dumps(before)}")
            assert page.locator("#dot.bad").count() == 1
    finally:
        note.close()


def test_a_run_is_started_from_the_form_and_a_plan_is_mended_as_it_is_typed(
    browser: "Browser", tmp_path: Path
) -> None:
    with (
        servers.serving(servers.ok, keep_open=True) as port,
        serving(tmp_path) as pages,
        opened(browser) as (context, faults),
    ):
        page = context.new_page()
        page.goto(pages.address)
        page.click("#start")
        page.wait_for_url("**/start")
        page.fill("#address", f"http://127.0.0.1:{port}/")
        page.fill("#level", "3")
        command = f"loadrig attack http://127.0.0.1:{port}/ -c 3 -z 10s"
        wait_for(page, f"byId('command').textContent === '{command}'")
        page.click("#show-plan")
        page.locator("#checked").get_by_text("No mistake.").wait_for()
        text = page.locator("#text")
        text.fill(f"loadrig: 1\ntarget: {{external: 'http://127.0.0.1:{port}/'}}\nworkload:\n  users: many\n")
        page.locator("#problems li").first.wait_for()
        wait_for(
            page,
            "[...document.querySelectorAll('#gutter .wrong')].some((line) => line.textContent === '4\\n')",
        )
        # The key that is missing is proposed, taken, and nothing is wrong any more.
        text.press("Control+End")
        text.press_sequentially("  requ")
        page.locator("#proposals li").first.wait_for()
        text.press("Enter")
        text.press_sequentially("[get: /]")
        assert "  requests: [get: /]" in text.input_value()
        # What was typed is checked a moment later.
        wait_for(page, "problems.length === 1 && problems[0].line === 4")
        page.locator("#problems button").first.click()
        assert page.evaluate("text.value.slice(text.selectionStart, text.selectionEnd)") == "many"
        page.keyboard.type("2")
        page.locator("#checked").get_by_text("No mistake.").wait_for()
        page.fill("#path", "shop.yaml")
        page.click("#start-plan")
        page.wait_for_url("**/runs/*")
        wait_for(page, "typeof state !== 'undefined' && state.seconds.length >= 2")
        assert "users: 2" in (tmp_path / "shop.yaml").read_text()
        page.click("#end")
        page.click("#dialog-yes")
        page.wait_for_selector("#report:not([hidden])", timeout=REPORTED_MS)
    assert faults == []
