"""Pages opened in a browser, of which no script may fail and which may fetch nothing."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DRAWN = "window.loadrig"


class Open(Protocol):
    """Opens a page by its name. width: of the window; scheme: light or dark."""

    def __call__(self, name: str, width: int = 1200, scheme: Any = "light") -> "Page":
        """The page, once it is drawn."""


@contextmanager
def opening(browser: "Browser", files: Mapping[str, Path], drawn: str = DRAWN) -> Iterator[Open]:
    """Opens pages; in the end no script may have failed, and nothing may have been fetched but they.

    drawn: what a page's script says when it has drawn its figures.
    """
    opened: list[Any] = []
    faults: list[str] = []
    wanted: set[str] = set()
    asked: list[str] = []

    def opener(name: str, width: int = 1200, scheme: Any = "light") -> "Page":
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        opened.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: asked.append(request.url))
        wanted.add(files[name].as_uri())
        page.goto(files[name].as_uri())
        page.wait_for_function(drawn)
        return page

    yield opener
    for context in opened:
        context.close()
    assert faults == []
    assert set(asked) == wanted
