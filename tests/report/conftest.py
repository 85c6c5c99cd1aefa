"""Runs that the tests of the report share: written once, read by all, changed by none."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from loadrig import report
from loadrig.report import html

from . import proofs, soaks
from .folders import single
from .kinds import every_kind
from .studies import study

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BROWSER_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def trial_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the run of one trial of 150 s, with a dip at one minute."""
    return single(tmp_path_factory.mktemp("runs") / "trial", seconds=150)


@pytest.fixture(scope="session")
def study_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the run of a study of nine settings."""
    return study(tmp_path_factory.mktemp("runs") / "study")


@pytest.fixture(scope="session")
def proved_run(trial_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the same run of one trial, of which a database's CPU is proved to be the limit."""
    return proofs.proved(trial_run, tmp_path_factory.mktemp("runs") / "proved", proofs.database_cpu())


@pytest.fixture(scope="session")
def soak_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the run of a soak of a quarter of an hour, of workers that leak."""
    return soaks.soak(tmp_path_factory.mktemp("runs") / "soak")


@pytest.fixture(scope="session")
def spike_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the run of a spike of five times the load."""
    return soaks.spike(tmp_path_factory.mktemp("runs") / "spike")


@pytest.fixture(scope="session")
def proved_page(proved_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of the run of one trial that is proved."""
    page = tmp_path_factory.mktemp("pages") / f"{proved_run.name}.html"
    page.write_text(html.render(report.build(proved_run)), encoding="utf-8")
    return page


@pytest.fixture(scope="session")
def kinds_page(
    trial_run: Path, study_run: Path, proved_run: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Return the page that shows a figure of every kind, of six runs: it takes seconds to make."""
    folder = tmp_path_factory.mktemp("pages")
    page = folder / "kinds.html"
    page.write_text(html.render(every_kind(folder, trial_run, study_run, proved_run)), encoding="utf-8")
    return page


@contextmanager
def started_browser() -> "Iterator[Browser]":
    """Yield a headless Chromium; skip where there is none."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no chromium on this machine: apt install chromium")
    api: Any = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=list(BROWSER_ARGUMENTS))
        yield started
        started.close()


@pytest.fixture(scope="package")
def browser() -> "Iterator[Browser]":
    """Yield a browser with the context in which all pages are opened.

    Gone with the tests of this room: it starts processes when it likes, and others look for what was left.
    """
    with started_browser() as started:
        started.new_context()
        yield started
