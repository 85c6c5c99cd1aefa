"""Account of where the time goes: in the terminal, in the answer of `diagnose`, on the page."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from loadrig import report
from loadrig.account.document import DipsDocument
from loadrig.account.sentence import WORDS
from loadrig.base.documents import plain
from loadrig.report import diagnosis, html
from loadrig.report.figures import account as bars
from loadrig.report.figures import account_loads as loads
from loadrig.report.model import Figure, Paragraph, Table
from loadrig.report.picture import picture
from loadrig.report.run import Run
from loadrig.report.sections import account
from loadrig.report.text import render
from tests.report.accounts import accounted, document, document_by_load, document_by_route
from tests.report.folders import NASTY_TIER
from tests.report.pages import opening

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return accounted(tmp_path_factory.mktemp("runs") / "accounted")


@pytest.fixture(scope="module")
def by_load(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return accounted(tmp_path_factory.mktemp("runs") / "by_load", document_by_load())


@pytest.fixture(scope="module")
def files(run: Path, by_load: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the pages of both runs."""
    folder = tmp_path_factory.mktemp("pages")
    page_by_name = {}
    for name, folder_of_run in (("run", run), ("by_load", by_load)):
        page_by_name[name] = folder / f"{name}.html"
        page_by_name[name].write_text(html.render(report.build(folder_of_run)), encoding="utf-8")
    return page_by_name


def figure(run: Path) -> Figure:
    """Return the bars, which stand beside the verdict."""
    return picture(report.read(run))[0]


def text_of(run: Path, width: int) -> str:
    """Return the section in a terminal."""
    text = render(report.of_run(report.read(run)), width)
    return text[text.index("Where the time goes") : text.index("What limits it")]


@pytest.mark.parametrize("width", [100, 64])
def test_it_is_told_as_in_the_golden_file(run: Path, width: int, snapshot: SnapshotAssertion) -> None:
    assert text_of(run, width) == snapshot


@pytest.mark.parametrize("width", [40, 52, 64, 120])
def test_no_line_is_wider_than_the_terminal(run: Path, width: int) -> None:
    assert max(map(len, text_of(run, width).splitlines())) <= width


def test_the_bar_is_as_long_as_its_parts(run: Path) -> None:
    bar = next(line for line in text_of(run, 100).splitlines() if "███" in line).strip()
    parts = figure(run).data["told"]
    assert len(bar) == 72
    assert bar.count("█") == pytest.approx(72 * parts[0]["share"], abs=1)
    assert sum(part["share"] for part in parts) == pytest.approx(1.0)


def test_diagnose_tells_it_before_the_causes(run: Path) -> None:
    text = render(diagnosis.build(report.read(run)), 100)
    assert text.index("Where the time goes") < text.index("What limits it")
    assert diagnosis.as_json(report.read(run))["account"] == plain(document())


def test_the_bar_of_a_dependency_begins_where_it_is_waited_for(run: Path) -> None:
    server, database, *windows = figure(run).data["bars"]
    awaited = next(part for part in server["parts"] if NASTY_TIER in part["words"])
    assert database["name"] == NASTY_TIER
    assert database["from_s"] == pytest.approx(awaited["from_s"], rel=1e-3)
    assert [bar["note"].partition(",")[0] for bar in windows] == ["least load", "most load"]
    ends = [part["from_s"] + part["s"] for part in server["parts"]]
    assert ends[-1] == pytest.approx(server["total_s"], rel=0.02)


def test_the_table_has_every_line_and_what_is_not_accounted_for(run: Path) -> None:
    table = figure(run).table
    assert table is not None
    rows = [(row[0].text, row[1].text) for row in table.rows]
    assert ("server", WORDS["unread"]) in rows
    assert ("server", bars.words_of(bars.OTHER)) in rows
    assert (NASTY_TIER, WORDS["disk"]) in rows
    assert (NASTY_TIER, WORDS["inside"].replace("the server", NASTY_TIER)) in rows


def test_lines_that_are_more_than_the_total_are_told_as_more_and_not_as_a_time_below_zero() -> None:
    whole = document()
    server = structs.replace(
        whole.components["server"], unaccounted_ms=-12.0, unaccounted_interval=(-15.0, 2.0)
    )
    table = bars.table(structs.replace(whole, components={"server": server}))
    last = table.rows[-1]
    assert [cell.text for cell in last[1:4]] == [bars.words_of(bars.BEYOND), "12 ms", "0 s – 15 ms"]
    assert not any(cell.text.startswith("−") for row in table.rows for cell in row)


def test_slots_are_told_with_what_is_full(run: Path) -> None:
    section = account.build(report.read(run))
    assert section is not None
    slots = next(b for b in section.blocks if isinstance(b, Table) and b.caption == "What the slots do")
    pool = next(row for row in slots.rows if row[1].text == f"connections {NASTY_TIER}")
    assert pool[4].text == "100 %"
    assert "awaiting 96.8 %" in pool[3].text


def test_what_is_not_accounted_for_is_said_where_it_is_much(snapshot: SnapshotAssertion) -> None:
    whole = document()
    server = structs.replace(whole.components["server"], unaccounted_share=0.3)
    altered = structs.replace(whole, components={"server": server})
    texts = [block.text for block in account._warnings(altered) if isinstance(block, Paragraph)]
    assert texts[0] == snapshot


def judged(run: Path, verdict: str) -> Run:
    """Return the run, as if its trial had this verdict."""
    answer = report.read(run)
    result = {**answer.result, "validity": {**answer.result["validity"], "verdict": verdict}}
    return replace(answer, result=result, views=(replace(answer.views[0], result=result),))


def test_of_a_void_trial_no_account_is_shown(run: Path) -> None:
    void = judged(run, "void")
    assert account.build(void) is None
    assert "account" not in diagnosis.as_json(void)
    assert account.TITLE not in render(report.of_run(void), 100)
    assert account.TITLE not in html.render(report.of_run(void))


def test_beside_the_account_of_a_disturbed_trial_stands_a_warning(run: Path) -> None:
    disturbed = judged(run, "disturbed")
    section, valid = account.build(disturbed), account.build(report.read(run))
    assert section is not None
    assert valid is not None
    warning = Paragraph(account.DISTURBED, tone="warn", size="note")
    assert warning in section.blocks
    assert warning in (section.terminal or ())
    assert warning not in (*valid.blocks, *(valid.terminal or ()))
    assert diagnosis.as_json(disturbed)["account"] == plain(document())


def test_a_run_without_an_account_has_no_such_section(trial_run: Path) -> None:
    assert account.build(report.read(trial_run)) is None


@pytest.mark.browser
@pytest.mark.integration
@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_the_page_draws_it_at_any_width(
    browser: "Browser", files: dict[str, Path], run: Path, width: int, scheme: str
) -> None:
    with opening(browser, files, "window.loadrig && loadrig.charts.length > 0") as show:
        page = show("run", width, scheme)
        drawn = page.locator("#verdict figure.account svg rect.part")
        parts = sum(len(bar["parts"]) for bar in figure(run).data["bars"])
        assert drawn.count() == parts
        assert page.locator("figure.account").count() == 1, "the section below draws the bars again"
        box = page.locator("#verdict figure.account svg").bounding_box()
        assert box is not None
        assert box["width"] <= width
        fills = drawn.evaluate_all("(all) => all.map((each) => getComputedStyle(each).fill)")
        assert all(fill not in ("rgb(0, 0, 0)", "none") for fill in fills)
        assert page.locator("#verdict figure.account [style]").count() == 0
        page.locator("#verdict figure.account details summary").click()
        assert page.get_by_role("cell", name="not accounted for").count() > 0


def levels(run: Path) -> Figure:
    """Return the picture of the account against the load."""
    section = account.build(report.read(run))
    assert section is not None
    return next(block for block in section.blocks if isinstance(block, Figure) and block.kind == "loads")


def test_what_grew_with_the_load_is_told_in_one_sentence(by_load: Path, snapshot: SnapshotAssertion) -> None:
    text = text_of(by_load, 100)
    loads_document = document_by_load().loads
    assert loads_document
    sentence = loads_document.sentence
    assert text.replace("\n", " ").count(sentence) == 1
    assert levels(by_load).about.startswith(sentence)
    assert text == snapshot


def test_every_level_is_drawn_with_the_line_that_bends_marked(by_load: Path) -> None:
    data = levels(by_load).data
    assert data["at"] == [200.0, 400.0, 600.0, 700.0, 800.0, 900.0]
    assert [band["state"] for band in data["bands"] if band["bends"]] == ["unread"]
    assert data["bends"]["at"] == 600.0
    for place, total in enumerate(data["totals"]):
        assert sum(band["s"][place] for band in data["bands"]) == pytest.approx(total["s"], rel=0.02)
        assert total["low"] <= total["s"] <= total["high"]


def test_an_overload_is_drawn_only_where_the_sentence_speaks_of_it() -> None:
    with_one = document_by_load(overload=True)
    drawn = loads.draw("1", with_one)
    assert drawn is not None
    assert drawn.data["at"][-1] == 900.0
    assert drawn.table is not None
    assert drawn.table.rows[-1][0].note == "overloaded"
    assert with_one.loads
    high = structs.replace(with_one.loads.high, overloaded=True, places=(6,))
    drawn = loads.draw("1", structs.replace(with_one, loads=structs.replace(with_one.loads, high=high)))
    assert drawn is not None
    assert drawn.data["at"][-1] == 1000.0


def test_routes_that_differ_have_a_bar_each_and_what_is_not_told_is_named(
    snapshot: SnapshotAssertion,
) -> None:
    drawn = bars.by_route("1", document_by_route())
    assert drawn is not None
    assert [bar["name"] for bar in drawn.data["bars"]] == ["/report", "/home"]
    for bar in drawn.data["bars"]:
        assert sum(part["s"] for part in bar["parts"]) == pytest.approx(bar["total_s"], rel=0.02)
    assert drawn.about == snapshot
    assert drawn.table is not None
    assert {row[1].text for row in drawn.table.rows} >= {bars.TEXTS.not_told_by_route, WORDS["running"]}
    assert bars.by_route("1", document()) is None


def test_where_all_levels_are_drawn_least_and_most_load_have_no_bars(by_load: Path) -> None:
    assert [bar["name"] for bar in figure(by_load).data["bars"]] == ["server"]


@pytest.mark.browser
@pytest.mark.integration
@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_the_page_draws_the_levels_at_any_width(
    browser: "Browser", files: dict[str, Path], by_load: Path, width: int, scheme: str
) -> None:
    with opening(browser, files, "window.loadrig && loadrig.charts.length > 0") as show:
        page = show("by_load", width, scheme)
        figure = page.locator("figure.loads")
        assert figure.locator("polygon.part").count() == len(levels(by_load).data["bands"])
        assert figure.locator("polyline.bend").count() == 2
        assert figure.locator("circle.whole").count() == 6
        box = figure.locator("svg").bounding_box()
        assert box is not None
        assert box["width"] <= width
        inside = figure.locator("svg text").evaluate_all(
            "(all) => all.every((each) => { const box = each.getBBox(), svg = each.ownerSVGElement;"
            " return box.x >= -1 && box.x + box.width <= svg.width.baseVal.value + 1; })"
        )
        assert inside
        fills = figure.locator("polygon.part").evaluate_all(
            "(all) => all.map((a) => getComputedStyle(a).fill)"
        )
        assert all(fill not in ("rgb(0, 0, 0)", "none") for fill in fills)
        assert figure.locator("[style]").count() == 0


def test_dips_have_a_bar_beside_the_calm_and_their_sentence() -> None:
    whole = document()
    altered = structs.replace(
        whole,
        windows={"calm": whole.windows["low_load"], "dips": whole.windows["high_load"]},
        dips=DipsDocument(growth=None, sentence=whole.sentence),
    )
    drawn = bars.draw("1", altered)
    assert drawn is not None
    notes = [bar["note"].partition(",")[0] for bar in drawn.data["bars"][2:]]
    assert notes == [bars.WINDOWS["calm"], bars.WINDOWS["dips"]]
    assert account._grown(altered) == [whole.sentence]
