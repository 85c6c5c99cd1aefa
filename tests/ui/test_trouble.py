"""Trouble as who watches sees it: the server dies, the disk fills, the run is of an older version."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import warm
from tests.archive.test_index import RECORDED
from tests.conftest import Deadline
from tests.integration import servers
from tests.integration.test_hangup import running
from tests.recording.test_failing_disk import needs_tmpfs, small_disk
from tests.ui.served import PATIENCE_S, serving
from tests.ui.test_browser import REPORTED_MS, opened, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["small_disk"]

pytestmark = [pytest.mark.integration, pytest.mark.browser]


@contextmanager
def watched(
    browser: "Browser", folder: Path, *words: str
) -> Iterator[tuple["subprocess.Popen[str]", "Page"]]:
    """Yield an attack that serves its page, and that page in a browser; end both."""
    command = [*warm.PROGRAM, "attack", *words, "--out", "run", "--ui"]
    with (
        opened(browser) as (context, _),
        warm.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as rig,
    ):
        assert rig.stderr is not None
        try:
            line = next(text for text in iter(rig.stderr.readline, "") if "watch it: " in text)
            page = context.new_page()
            page.goto(line.partition("watch it: ")[2].strip())
            yield rig, page
        finally:
            rig.kill()
            context.close()
            Deadline(PATIENCE_S).wait_for(lambda: not running(folder), "the end of the page's server")


def test_a_server_that_dies_is_seen_to_answer_no_more(browser: "Browser", tmp_path: Path) -> None:
    mortal = [sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "0"]
    folder = tmp_path / "rig"
    folder.mkdir()
    with subprocess.Popen(
        mortal, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            port = re.findall(r"port (\d+)", server.stdout.readline())[0]
            words = (f"http://127.0.0.1:{port}/", "-q", "20/1s", "-z", "300s")
            with watched(browser, folder, *words) as (_, page):
                wait_for(page, "state.seconds.length > 0 && state.seconds.at(-1).ok > 0")
                server.kill()
                # Nobody has to end it: a load without a server is over.
                page.wait_for_selector("#report:not([hidden])", timeout=REPORTED_MS)
                page.frame_locator("#report").locator("h1").wait_for()
                assert page.evaluate("state.outcomes.connect_refused > 0")
        finally:
            server.kill()


@needs_tmpfs
def test_a_disk_that_fills_ends_the_run_and_the_page_keeps_what_it_was_told(
    browser: "Browser", small_disk: Path
) -> None:
    with servers.serving(servers.ok, keep_open=True) as port:
        address = f"http://127.0.0.1:{port}/"
        with watched(browser, small_disk, address, "-q", "20/1s", "-z", "300s") as (rig, page):
            wait_for(page, "state.seconds.length > 0 && state.seconds.at(-1).ok > 0")
            filling = ["dd", "if=/dev/zero", f"of={small_disk / 'rest'}", "bs=4k"]
            assert subprocess.run(filling, capture_output=True, check=False).returncode != 0
            _, errors = rig.communicate(timeout=REPORTED_MS / 1000)
            assert "recording.disk-full" in errors
            assert rig.returncode != 0
            assert page.evaluate("state.seconds.length") > 0


def test_a_run_of_an_older_version_is_listed_and_opened(browser: "Browser", tmp_path: Path) -> None:
    shutil.copytree(RECORDED, tmp_path / "old")
    manifest = tmp_path / "old" / "trials" / "0001" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"recording": 4', '"recording": 2'))
    result = tmp_path / "old" / "result.json"
    assert '"loadrig.trial/1"' in result.read_text()
    result.write_text(result.read_text().replace('"verdict": "valid"', '"verdict": "suspect"', 1))
    with serving(tmp_path) as pages, opened(browser) as (context, faults):
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{pages.port}/?token={pages.token}")
        page.locator(".run").first.wait_for()
        assert "suspect" not in page.locator(".run").first.inner_text()
        # It was kept without its page, so that is made anew.
        page.goto(f"http://127.0.0.1:{pages.port}/reports/runs/old", timeout=REPORTED_MS)
        page.locator("h1").wait_for()
        assert faults == []
