"""Pages opened in a browser, of which no script may fail and which may fetch nothing."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tests.conftest import Deadline

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DRAWN = "window.loadrig"


class Open(Protocol):
    """Opens a page by its name. width: of the window; scheme: light or dark."""

    def __call__(self, name: str, width: int = 1200, scheme: Any = "light") -> "Page":
        """Return the page, once it is drawn."""


class BrowserPages:
    """Pages of files, each opened once: to look at a page again takes nothing.

    All are tabs of the browser's first context: to open a context for each takes three times the CPU time.
    A test that does not leave a page as it was asks for one of its own.
    drawn: what a page's script says when it has drawn its figures.
    """

    def __init__(self, browser: "Browser", files: Mapping[str, Path], drawn: str = DRAWN) -> None:
        self._context = browser.contexts[0]
        self._files = files
        self._drawn = drawn
        self._open: dict[tuple[str, int, str], Page] = {}
        self._tabs: list[Page] = []
        self._faults: list[str] = []
        self._wanted: set[str] = set()
        self._fetched: set[str] = set()

    def __call__(self, name: str, width: int = 1200, scheme: Any = "light") -> "Page":
        """Return the page, drawn, with the pointer away from all figures."""
        key = name, width, scheme
        if key not in self._open:
            self._open[key] = self.own(name, width, scheme)
        page = self._open[key]
        page.mouse.move(5, 5)
        return page

    def own(self, name: str, width: int = 1200, scheme: Any = "light") -> "Page":
        """Open a page that no other test looks at."""
        page = self._context.new_page()
        self._tabs.append(page)
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: self._faults.append(str(error)))
        page.on("console", lambda line: self._faults.append(line.text) if line.type == "error" else None)
        page.on("request", lambda request: self._fetched.add(request.url))
        self._wanted.add(self._files[name].as_uri())
        page.goto(self._files[name].as_uri())
        # A page of ours forbids to make code of text, by which Playwright's own waiting looks again.
        Deadline().wait_for(lambda: page.evaluate(f"Boolean({self._drawn})"), "the page to draw its figures")
        return page

    def check(self) -> None:
        """Assert that no script has failed, and that nothing was fetched but the pages."""
        faults = list(self._faults)
        self._faults.clear()
        assert faults == []
        assert self._fetched == self._wanted

    def close(self) -> None:
        """Close all pages."""
        for page in self._tabs:
            page.close()


@contextmanager
def opening(browser: "Browser", files: Mapping[str, Path], drawn: str = DRAWN) -> Iterator[BrowserPages]:
    """Open pages for one test, and check them in its end."""
    pages = BrowserPages(browser, files, drawn)
    yield pages
    pages.close()
    pages.check()
