"""The report's page as people with other eyes or without a mouse meet it: what axe-core says of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.accessible import SCHEMES, SIZES, barriers
from tests.lengths import length

from .pages import BrowserPages, opening

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.integration, pytest.mark.timeout(180)]


@pytest.fixture
def show(browser: "Browser", proved_page: Path, kinds_page: Path) -> Iterator[BrowserPages]:
    with opening(browser, {"proved": proved_page, "kinds": kinds_page}) as pages:
        yield pages


EACH_LOOK = [(width, scheme) for width, _ in SIZES for scheme in SCHEMES]


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    # In a short run the page with every kind of figure, in one width and theme.
    length([("kinds", 1280, "dark")], [(name, *look) for name in ("proved", "kinds") for look in EACH_LOOK]),
)
def test_nothing_on_a_report_keeps_a_person_out(
    show: BrowserPages, name: str, width: int, scheme: str
) -> None:
    page = show(name, width, scheme)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert barriers(page) == []
    assert page.locator('[aria-label*="undefined"]').count() == 0


def test_a_heading_that_cannot_be_read_is_found(show: BrowserPages) -> None:
    page = show("proved", 1280, "light")
    page.evaluate("document.querySelector('h1').style.color = '#e8e8e6'")
    sentences = barriers(page)
    assert [sentence.partition(":")[0] for sentence in sentences] == ["color-contrast"]
    assert "h1" in sentences[0]


@pytest.mark.parametrize("width", [1200, 390])
def test_the_numbers_of_all_metrics_are_within_the_window_however_long_a_subject_is(
    show: BrowserPages, width: int
) -> None:
    page = show("proved", width)
    page.evaluate("for (const each of document.querySelectorAll('#tiers-v1 details')) each.open = true")
    subject = page.locator("#tiers-v1 tbody tr").first.locator(".left").last
    subject.evaluate("(cell) => { cell.textContent = 'SELECT_one_of_'.repeat(20); }")
    ends = page.locator("#tiers-v1 tbody td.right").evaluate_all(
        "(cells) => cells.map((cell) => cell.getBoundingClientRect().right)"
    )
    assert len(ends) > 30
    assert max(ends) <= width
    place = page.locator("#tiers-v1 .table")
    assert place.evaluate("(place) => place.scrollWidth - place.clientWidth") <= 0
