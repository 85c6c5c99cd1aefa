"""Navigation of the documentation site, which `make site` builds: a warning is a failure there."""

from collections.abc import Iterator
from typing import Any

from scripts import site_pages
from tests.house.places import ROOT


def paths(part: Any) -> Iterator[str]:
    """Yield the pages of a part of the navigation, in order."""
    match part:
        case str():
            yield part
        case list():
            for each in part:
                yield from paths(each)
        case dict():
            yield from paths(list(part.values()))


def test_every_page_has_one_place_in_the_navigation() -> None:
    placed = [path for path in paths(site_pages.navigation()) if not path.startswith(site_pages.PLACE)]
    assert len(placed) == len(set(placed))
    assert set(placed) == {path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")}


def test_pages_beside_the_docs_are_there_and_have_headings() -> None:
    for path in site_pages.BESIDE:
        assert site_pages._heading_of(ROOT / path) != "", path


class ShownFile:
    def __init__(self, path: str) -> None:
        self.src_uri = path
        self.file = self


class ShownFiles:
    @staticmethod
    def get_file_from_path(path: str) -> str | None:
        return path if path in ("guide/ui.md", "repository/bench/README.md") else None


def test_links_that_leave_the_docs_are_followed_and_code_is_left_alone() -> None:
    text = "[a](../../bench/README.md#x) [b](../../Cargo.toml) [c](ui.md) `[d](../../bench/README.md)` [e](https://e/)"
    pointed = site_pages.on_page_markdown(text, ShownFile("guide/export.md"), ShownFiles())
    assert pointed == (
        "[a](../repository/bench/README.md#x) b [c](ui.md) `[d](../../bench/README.md)` [e](https://e/)"
    )
    beside = site_pages.on_page_markdown(
        "[c](../docs/guide/ui.md)", ShownFile("repository/bench/x.md"), ShownFiles()
    )
    assert beside == "[c](../../guide/ui.md)"
