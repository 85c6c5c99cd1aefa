"""The server of the pages: who may ask, what is answered, and what an order, a label and a removal do."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.exceptions import HTTPException

from loadrig.archive import labels
from loadrig.language.choice import language
from loadrig.recording import steering
from loadrig.recording.layout import RunFolder
from loadrig.recording.now_note import NowNote
from loadrig.recording.orders import OrderInbox
from loadrig.recording.steering import HandMark, SetLevel
from loadrig.testing.synthetic import write_recording
from loadrig.ui import checking
from loadrig.ui.routes import reports
from loadrig.ui.routes.pages import ASSETS, words_in
from tests.archive.test_index import RECORDED, make_run
from tests.conftest import Deadline
from tests.integration.program import loadrig
from tests.ui.served import PATIENCE_S, ServedPages, plant_modules, serving

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    make_run(folder, "shop/a", 2, name="shop", diagnosis={"sentence": "<b>Likely</b>"})
    make_run(folder, "gone", 1)
    shutil.copytree(RECORDED, folder / "few")
    trial = folder / "few" / "trials" / "0001"
    shutil.copy(folder / "few" / "result.json", trial)
    return folder


@pytest.fixture(scope="module")
def pages(root: Path) -> Iterator[ServedPages]:
    with serving(root) as server:
        # On a machine that stands still a look reads one of the runs.
        Deadline(PATIENCE_S).wait_for(lambda: server.ask("/api/runs").json["is_whole"], "all runs to be read")
        yield server


@pytest.mark.parametrize(
    "path", ["/", "/api/runs", "/runs/few", "/reports/runs/few", "/assets/run.js", "/none"]
)
def test_nobody_is_answered_without_the_token(pages: ServedPages, path: str) -> None:
    for cookie, query in (
        ("", ""),
        (f"loadrig-{pages.port}=wrong", ""),
        ("", "?token=wrong"),
        ("", "?token="),
    ):
        answer = pages.ask(path + query, Cookie=cookie)
        assert answer.status == 403
        assert b"Likely" not in answer.body
        assert pages.token.encode() not in answer.body


def test_the_token_goes_into_a_cookie_that_no_script_and_no_other_site_has(pages: ServedPages) -> None:
    answer = pages.ask(f"/runs/few?a=1&token={pages.token}&b=2", Cookie="")
    assert (answer.status, answer.headers["location"]) == (303, "/runs/few?a=1&b=2")
    words = {word.strip().lower() for word in answer.headers["set-cookie"].split(";")}
    assert {"httponly", "samesite=strict"} <= words
    away = pages.ask(f"//evil.example/?token={pages.token}", Cookie="")
    assert away.headers["location"].startswith("/evil")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1"])
def test_another_name_of_this_address_is_refused(pages: ServedPages, host: str) -> None:
    assert pages.ask("/api/runs", Host=host).status == 421


@pytest.mark.parametrize("origin", ["", "null", "http://evil.example", "http://127.0.0.1:1"])
@pytest.mark.parametrize(("method", "path"), [("POST", "/api/runs/few/orders"), ("DELETE", "/api/runs/few")])
def test_what_changes_something_is_asked_by_the_page_alone(
    pages: ServedPages, root: Path, method: str, path: str, origin: str
) -> None:
    assert pages.ask(path, method, {"do": "end"}, Origin=origin).status == 403
    assert (root / "few").is_dir()


def test_every_answer_says_what_a_browser_may_do_with_it(pages: ServedPages) -> None:
    for path in ("/", "/runs/few", "/assets/run.js", "/api/runs"):
        answer = pages.ask(path)
        assert answer.status == 200
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers
    for page in (pages.ask("/"), pages.ask("/runs/few"), pages.ask("/compare")):
        text = page.body.decode()
        assert "<script>" not in text
        assert "<style" not in text
        assert " style=" not in text
        assert " on" + "click" not in text


def test_a_report_is_shown_in_a_sandbox(pages: ServedPages) -> None:
    answer = pages.ask("/reports/runs/few")
    assert answer.status == 200
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox")
    assert "allow-same-origin" not in policy
    assert b"<!doctype html>" in answer.body[:100]


@pytest.mark.parametrize(("code", "shown"), [("ko", "ko"), ("en", "en"), ("xx", "en"), ("../ko", "en")])
@pytest.mark.parametrize("path", ["/", "/runs/few", "/compare?run=a&run=b"])
def test_a_page_is_in_the_language_that_the_browser_asks_for(
    pages: ServedPages, path: str, code: str, shown: str
) -> None:
    answer = pages.ask(path, Cookie=f"{pages.headers['Cookie']}; loadrig-lang={code}")
    page = answer.body.decode()
    assert f'<html lang="{shown}">' in page
    assert "{{" not in page
    assert bool(re.search("[가-힣]", page)) == (shown == "ko")


def test_every_word_that_a_script_asks_for_is_there() -> None:
    names, scripts = (
        words_in("ko"),
        (ASSETS / name for name in ("start.js", "run.js", "tiers.js", "course.js", "runs.js", "frame.js")),
    )
    asked = {
        name
        for script in scripts
        for call in re.findall(r"\bsay\(([^,()]*)", script.read_text(encoding="utf-8"))
        for name in re.findall(r'(?:^|[?:] )"(\w+)"', call)
    }
    assert len(asked) > 50
    assert asked <= names.keys()


def test_a_report_is_made_in_the_language_that_the_browser_asks_for(pages: ServedPages) -> None:
    here = pages.ask("/reports/runs/few").body.decode()
    there = pages.ask("/reports/runs/few", Cookie=f"{pages.headers['Cookie']}; loadrig-lang=ko").body.decode()
    assert '<html lang="en"' in here
    assert '<html lang="ko"' in there
    assert len(re.findall("[가-힣]+", there)) > 50


def test_a_report_in_another_language_runs_no_module_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace, run = plant_modules(tmp_path), shutil.copytree(RECORDED, tmp_path / "few")
    monkeypatch.chdir(tmp_path)
    assert '<html lang="ko"' in reports._page_written_by("ko", "report", str(run), "--out")
    assert not trace.exists()


def test_a_report_that_is_late_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MADE_WITHIN_S", 0.01)
    with pytest.raises(HTTPException) as raised:
        reports._page_written_by("ko", "report", str(RECORDED), "--out")
    assert raised.value.status_code == 503


def test_mistakes_that_are_late_in_another_language_come_in_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "CHECKED_WITHIN_S", 0.01)
    wrong = "loadrig: 1\n"
    assert checking.mistakes_in("ko", tmp_path, "plan.yaml", wrong)
    assert checking.mistakes_in("ko", tmp_path, "plan.yaml", wrong) == checking.mistakes_in(
        language(), tmp_path, "plan.yaml", wrong
    )


def test_runs_are_listed_and_searched(pages: ServedPages) -> None:
    every = pages.ask("/api/runs").json
    assert [run["id"] for run in every["runs"]] == ["few", "shop/a", "gone"]
    assert every["count"] == 3
    answer = pages.ask("/api/runs?search=likely%20shop").json
    assert [run["id"] for run in answer["runs"]] == ["shop/a"]
    assert answer["count"] == 3


@pytest.mark.parametrize(
    "path",
    [
        "/runs/none", "/runs/..%2f..%2fetc", "/api/runs/../../etc/news", "/reports/runs/shop", "/runs/.",
        "/assets/..%2fserve.py", "/assets/serve.py", "/assets/%2e%2e", "/reports/comparison?run=few&run=none",
    ],
)  # fmt: skip
def test_what_is_no_run_is_not_there(pages: ServedPages, path: str) -> None:
    assert pages.ask(path).status == 404


def test_runs_that_cannot_be_compared_say_why(pages: ServedPages) -> None:
    answer = pages.ask("/reports/comparison?run=few&run=gone")
    assert answer.status == 409
    assert answer.json["error"]
    assert pages.ask("/reports/comparison?run=few").status == 400
    assert pages.ask("/reports/comparison?run=few&run=few").status in (200, 409)


def test_labels_are_kept_in_the_folder_of_the_run(pages: ServedPages, root: Path) -> None:
    for written in ({"labels": ["<b>release</b>", "x"]}, {"is_pinned": True}):
        assert pages.ask("/api/runs/shop/a/labels", "PATCH", written).status == 200
    assert pages.ask("/api/runs").json["runs"][0]["labels"] == ["<b>release</b>", "x"]
    assert (root / "shop" / "a" / "labels.json").is_file()
    before = labels.read(RunFolder(root / "shop" / "a"))
    wrongs: list[Any] = [{"labels": [""]}, {"labels": "x"}, {"labels": ["y"] * 21}, [], b"{", b"x" * 99_999]
    for wrong in wrongs:
        assert pages.ask("/api/runs/shop/a/labels", "PATCH", wrong).status in (400, 413)
    assert labels.read(RunFolder(root / "shop" / "a")) == before


def test_orders_reach_the_rig_and_their_answers_come_back(pages: ServedPages, root: Path) -> None:
    run = RunFolder(root / "gone")
    assert pages.ask("/api/runs/gone/orders", "POST", {"do": "pause"}).status == 409
    note, inbox = NowNote(run, "loadrig attack"), OrderInbox(run)
    try:
        asked = pages.ask("/api/runs/gone/orders", "POST", {"do": "level", "to": 12.5})
        assert asked.status == 202
        pages.ask("/api/runs/gone/orders", "POST", {"do": "mark", "text": "<script>"})
        for wrong in (
            {"do": "rm"},
            {"do": "level", "to": -1},
            {"do": "level"},
            {"do": "mark", "text": ""},
            7,
        ):
            assert pages.ask("/api/runs/gone/orders", "POST", wrong).status == 400
        orders = inbox.take()
        assert [each.order for each in orders] == [SetLevel(to=12.5), HandMark(text="<script>")]
        inbox.answer(orders[0].id, "done", "changed")
        (answer,) = pages.ask("/api/runs/gone/orders").json
        assert (answer["id"], answer["outcome"]) == (asked.json["id"], "done")
        assert pages.ask("/api/runs/gone", "DELETE").status == 409
    finally:
        note.close()
    assert steering.answers(run)


def news_of(pages: ServedPages, run_id: str) -> list[tuple[str, str]]:
    """Return the kinds and data of all news of a run, up to their end."""
    answer = pages.ask(f"/api/runs/{run_id}/news")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    blocks = answer.body.decode().strip().split("\n\n")
    pairs = [block.split("\n") for block in blocks]
    return [(kind.removeprefix("event: "), data.removeprefix("data: ")) for kind, data in pairs]


def test_a_run_that_is_over_is_told_at_once(pages: ServedPages) -> None:
    *news, last = news_of(pages, "few")
    assert last[0] == "over"
    latest = json.loads(news[-1][1])
    assert (latest["is_running"], latest["has_result"]) == (False, True)
    assert latest["trial"]["number"] == 1


def test_a_folder_that_is_removed_while_it_is_watched_ends_the_news(pages: ServedPages, root: Path) -> None:
    run = make_run(root, "leaving", 3)
    note = NowNote(run, "loadrig attack")
    connection = http.client.HTTPConnection("127.0.0.1", pages.port, timeout=PATIENCE_S)
    try:
        connection.request("GET", "/api/runs/leaving/news", headers=pages.headers)
        answer = connection.getresponse()
        assert answer.readline() == b"event: news\n"
        shutil.rmtree(run.path)
        rest = answer.read().decode()
    finally:
        connection.close()
        note.close()
    assert rest.endswith("event: over\ndata: {}\n\n")
    assert json.loads(rest.strip().split("\n\n")[-2].split("data: ")[1])["is_gone"]


def test_a_run_is_removed_with_all_that_was_recorded(pages: ServedPages, root: Path) -> None:
    run = make_run(root, "old/run", 1)
    write_recording(run.trial(1).path, (20.0,) * 3)
    assert pages.ask("/api/runs/old/run", "DELETE").status == 200
    assert not run.path.exists()
    assert (root / "old").is_dir()
    assert "old/run" not in [each["id"] for each in pages.ask("/api/runs").json["runs"]]


def test_the_server_has_the_lowest_priority(pages: ServedPages) -> None:
    assert os.getpriority(os.PRIO_PROCESS, pages.process.pid) == 19


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_also_while_a_page_watches(
    root: Path, tmp_path: Path, number: signal.Signals
) -> None:
    run = make_run(root, "watched", 3)
    note = NowNote(run, "loadrig attack")
    connection = None
    errors = tmp_path / "errors.txt"
    try:
        with errors.open("w") as file, serving(root / "watched", errors=file) as pages:
            assert pages.ask("/").headers["location"] == "/runs/watched"
            connection = http.client.HTTPConnection("127.0.0.1", pages.port, timeout=PATIENCE_S)
            connection.request("GET", "/api/runs/watched/news", headers=pages.headers)
            connection.getresponse().readline()
            pages.process.send_signal(number)
            assert pages.process.wait(PATIENCE_S) == 0
        assert errors.read_text() == ""
    finally:
        note.close()
        if connection is not None:
            connection.close()
        shutil.rmtree(run.path)


def test_beside_a_run_it_ends_by_itself(root: Path) -> None:
    run = make_run(root, "beside", 3)
    note = NowNote(run, "loadrig attack")
    try:
        with serving(run.path, "--beside") as pages:
            note.close()
            assert news_of(pages, "beside")[-1][0] == "over"
            until = time.monotonic() + PATIENCE_S
            while pages.process.poll() is None and time.monotonic() < until:
                time.sleep(0.2)
            assert pages.process.returncode == 0
    finally:
        shutil.rmtree(run.path)


def test_an_address_that_cannot_be_used_says_why(root: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        ran = loadrig("ui", str(root), "--port", port, "--no-browser", cwd=tmp_path)
    assert (ran.code, "ui.cannot-listen" in ran.err) == (104, True)
    for words, code in (
        (["--host", "0.0.0.0"], "ui.no-tls"),
        (["--port", "x"], "cli.wrong-argument"),
        (["--port", "70000"], "cli.wrong-argument"),
        (["--tls-cert", "none.pem", "--tls-key", "none.key"], "ui.no-certificate"),
    ):
        ran = loadrig("ui", str(root), *words, "--no-browser", cwd=tmp_path)
        assert (ran.code, code in ran.err) == (104, True), ran.err
    ran = loadrig("ui", "nowhere", cwd=tmp_path)
    assert (ran.code, "ui.no-folder" in ran.err) == (104, True)
