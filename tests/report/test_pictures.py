"""Figures kept as files, each kind: as a drawing and as points that show what the screen does, and as CSV."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from tests.lengths import length

from .kinds import KINDS
from .pages import opening

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.integration, pytest.mark.timeout(180)]

SVG = "{http://www.w3.org/2000/svg}"

# What is kept of a figure: values, drawing; of the points their size and the number of their colours.
FILES_OF = """async (figure) => {
  const files = loadrig.filesOf(figure), image = await createImageBitmap(await files.png());
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4 * 13) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
  return { csv: files.csv(), svg: files.svg(), wide: image.width, high: image.height, colours: seen.size };
}"""

# Words of a figure on the screen, without what only a reader at the screen needs.
WORDS_OF = """(figure) => {
  figure.classList.add("pictured");
  const parts = [figure.querySelector("figcaption"), figure.querySelector(".plot")];
  const words = parts.flatMap((part) => {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) {
      const inside = walker.currentNode.parentElement;
      if (inside.checkVisibility({ visibilityProperty: true }) && !inside.closest("title, .thin"))
        found.push(...walker.currentNode.data.split(/[ \\n]+/).filter(Boolean));
    }
    return found;
  });
  figure.classList.remove("pictured");
  return words;
}"""


@pytest.fixture(params=length([(390, "dark")], [(1200, "light"), (390, "dark")]))
def page(request: pytest.FixtureRequest, browser: "Browser", kinds_page: Path) -> Iterator["Page"]:
    width, scheme = request.param
    with opening(browser, {"kinds": kinds_page}) as show:
        yield show("kinds", width, scheme)


def test_every_kind_of_figure_is_kept_as_values_as_a_drawing_and_as_points(page: "Page") -> None:
    shown = {str(figure.get_attribute("id")) for figure in page.locator("figure.figure").all()}
    assert shown == KINDS
    for name in sorted(shown):
        figure = page.locator(f"#{name}")
        place = figure.locator(".plot").bounding_box()
        assert place is not None
        files = figure.evaluate(FILES_OF)
        drawing = ElementTree.fromstring(files["svg"])
        # A word may be broken into lines, and texts that are cut on the screen are not looked for.
        written = "".join("".join(text.itertext()) for text in drawing.iter(f"{SVG}text")).replace(" ", "")
        words = figure.evaluate(WORDS_OF)
        assert len(words) > 5
        assert [word for word in words if word not in written and "…" not in written] == [], name
        wide, high = int(drawing.attrib["width"]), int(drawing.attrib["height"])
        assert place["width"] < wide < place["width"] + 40
        assert high > place["height"]
        assert (files["wide"], files["high"]) == (2 * wide, 2 * high)
        assert files["colours"] > 8, name
        rows = list(csv.reader(io.StringIO(files["csv"], newline="")))
        assert len(rows) > 1, name
        assert len({len(row) for row in rows}) == 1, name


def test_a_drawing_stands_alone(page: "Page") -> None:
    for name in ("intervals", "time", "map", "flame"):
        drawing = ElementTree.fromstring(page.locator(f"#{name}").evaluate(FILES_OF)["svg"])
        named = {each.attrib["id"] for each in drawing.iter() if "id" in each.attrib}
        for each in drawing.iter():
            assert not {"class", "style"} & each.attrib.keys()
            for attribute, value in each.attrib.items():
                assert attribute.endswith("href") or not re.search(r"\b(?:var|color|color-mix)\(", value)
                if value.startswith("url("):
                    assert value[4:-1].strip("\"'").removeprefix("#") in named
            assert each.attrib.get("href", "data:").startswith("data:")


def test_a_button_gives_the_file_and_leaves_the_page_as_it_was(page: "Page", tmp_path: Path) -> None:
    begins = {"CSV": b"", "SVG": b"<svg ", "PNG": b"\x89PNG\r\n"}
    page.locator("#flame .save").scroll_into_view_if_needed()
    before = page.evaluate("[window.scrollY, document.documentElement.scrollHeight]")
    for word, begin in begins.items():
        with page.expect_download() as download:
            page.locator(f"#flame .save button:text-is('{word}')").click()
        assert download.value.suggested_filename == f"flame.{word.lower()}"
        download.value.save_as(tmp_path / word)
        assert (tmp_path / word).read_bytes().startswith(begin)
    assert page.evaluate("[window.scrollY, document.documentElement.scrollHeight]") == before
    assert page.locator(".pictured").count() == 0
