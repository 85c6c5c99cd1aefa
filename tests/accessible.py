"""Barriers on a page, by axe-core: all that keeps a person from reading or using it."""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

GRAVE = frozenset({"serious", "critical"})
"""Impacts that no page may have."""

SIZES = [(390, 844), (1280, 900)]
SCHEMES = ["light", "dark"]


def barriers(page: "Page") -> list[str]:
    """Return all serious and critical findings on a page: the rule, the element and what is wrong of each."""
    axe: Any = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    # Every style stands in the page, so nothing is to be fetched for it.
    answer = axe.run(page, options={"resultTypes": ["violations"], "preload": False}).response
    return [
        f"{rule['id']}: {node['target']}: {' '.join(node['failureSummary'].split())}"
        for rule in answer["violations"]
        if rule["impact"] in GRAVE
        for node in rule["nodes"]
    ]
