"""The browser that the tests of the pages share."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.report.conftest import started_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="package")
def browser() -> Iterator["Browser"]:
    """Yield a browser; gone with the tests of this room, as that of the reports is."""
    with started_browser() as started:
        yield started
