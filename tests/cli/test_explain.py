"""`loadrig explain`: words, error codes, members; a word that is unknown gets the nearest."""

import functools
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.base.exits import Exit
from loadrig.cli import explain
from loadrig.cli.__main__ import main
from loadrig.following.document import SecondDocument
from loadrig.language import member_pages
from loadrig.language.choice import texts_in, written_in
from loadrig.language.en.cli import CliExplainTexts
from loadrig.publishers._news import figures
from tests.house.places import EXPLAIN, ROOT

page_in_english = functools.cache(explain.page)
"""Function that returns the page of a name, made once for tests that ask for those of a thousand names."""


@pytest.mark.parametrize(
    ("words", "first"),
    [
        (["plan.unknown-key"], "# plan.unknown-key: "),
        (["arrival", "model"], "# arrival model"),
        (["Arrival-Model"], "# arrival model"),
        (["verdicts"], "# verdict"),
        (["p95"], "# p95: a measure"),
        (["p99.9"], "# p99.9: a measure"),
        (["gunicorn"], "# gunicorn: a target"),
        (["tcp_sockets"], "# tcp_sockets: a probe"),
        (["one at a time"], "# one_at_a_time: a strategy"),
        (["database_cpu"], "# database_cpu: a cause"),
        (["gunicorn.workers"], "# gunicorn.workers: a knob of Gunicorn"),
        (["linux_tcp.net.core.somaxconn"], "# linux_tcp.net.core.somaxconn: a knob"),
        (["load_shape"], "# load_shape: an intervention"),
        (["py-spy"], "# py_spy: a profiler"),
        (["http_5xx"], "# http_5xx: an outcome"),
        (["connect-refused"], "# connect_refused: an outcome"),
        (["load.sent"], "# load.sent: a figure"),
        (["loadrig_due_per_second"], "# loadrig_due_per_second: a figure"),
        (["quantile"], "# quantile"),
        (["statsd"], "# statsd: a receiver"),
        (["poisson"], "# poisson: a value"),
        (["parquet"], "# parquet: a format of loadrig export"),
        (["gatling"], "# gatling: results"),
        (["postman"], "# postman: tests"),
        (["at saturation"], "# at saturation: a value"),
        (["gc-thrash"], "# gc-thrash: a lab"),
        (["attack"], "# attack: a command"),
        (["99"], "# 99: an exit code"),
        (["exit", "code", "104"], "# 104: an exit code"),
    ],
)
def test_a_word_a_code_or_a_member_has_a_page(
    words: list[str], first: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", *words]) == 0
    assert capsys.readouterr().out.startswith(first)


def test_a_name_that_two_members_share_shows_both() -> None:
    text = explain.page("memory")
    assert text is not None
    assert text.startswith("# memory: a measure")
    assert "# memory: a probe" in text


@pytest.mark.parametrize(
    ("word", "kinds"), [("gil", ["cause"]), ("soak", ["strategy", "command"]), ("warm-up", ["cause"])]
)
def test_a_word_of_the_glossary_hides_no_member_of_its_name(word: str, kinds: list[str]) -> None:
    text = explain.page(word)
    assert text is not None
    headings = re.findall(r"^# (.+)$", text, re.MULTILINE)
    assert len(headings) == 1 + len(kinds)
    assert [heading.rpartition(" ")[2] for heading in headings[1:]] == kinds


def test_the_list_has_every_page_and_every_member(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--list", "--json"]) == 0
    listed = {(row["kind"], row["name"]) for row in json.loads(capsys.readouterr().out)}
    assert {("code", path.stem) for path in EXPLAIN.glob("*.md")} <= listed
    assert len([kind for kind, _ in listed if kind == "word"]) == len(list((EXPLAIN / "words").glob("*.md")))
    for kind, room in explain.ROOMS.items():
        assert len([name for each, name in listed if each == kind]) == len(members.names(room))
    assert main(["explain", "--list"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for _, name in listed)


def test_everything_that_is_listed_can_be_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--list", "--json"]) == 0
    for row in json.loads(capsys.readouterr().out):
        assert page_in_english(row["name"]), row


def test_the_time_out_of_a_plan_and_the_outcome_have_both_a_page() -> None:
    text = explain.page("timeout")
    assert text is not None
    headings = [heading.partition(":")[0] for heading in re.findall("^# .+$", text, re.MULTILINE)]
    assert "# workload.timeout" in headings
    assert "# timeout" in headings


def test_every_figure_that_monitoring_and_files_name_has_a_page() -> None:
    second = SecondDocument(
        t_s=0,
        planned=1,
        due=1,
        ok=1,
        failed=0,
        p50_s=1,
        p95_s=1,
        p99_s=1,
        in_flight=1,
        users=1,
        lag_s=None,
        busy_share=0.0,
    )
    pushed = {f"loadrig_{figure.name}" for figure in figures(second)}
    source = (ROOT / "python" / "loadrig" / "exporters" / "_rows.py").read_text(encoding="utf-8")
    written = {f"load.{name}" for name in re.findall(r'yield "(\w+)"', source)}
    assert len(written) > 8
    assert [name for name in sorted(pushed | written) if explain.page(name) is None] == []


@pytest.mark.parametrize("word", ["poison", "py_spi", "gc-trash", "atack"])
def test_who_types_nearly_a_name_is_told_of_those_like_it(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", word]) == 104
    named = re.findall(r"`loadrig explain ([^`]+)`", capsys.readouterr().err)
    assert 1 <= len(named) <= explain.NEAR_MISSES
    assert all(explain.page(name) for name in named)


@pytest.mark.parametrize(("word", "name"), [("pool", "connection pool"), ("little", "Little's law")])
def test_who_types_a_part_of_a_name_is_told_of_the_whole_as_a_shell_takes_it(
    word: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", word]) == 104
    named = re.findall(r"`loadrig explain ([^`]+)`", capsys.readouterr().err)
    typed = [" ".join(shlex.split(command)) for command in named]
    assert name in typed
    assert all(explain.page(each) for each in typed)


def test_an_unknown_word_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "plan.unknown-kee"]) == 104
    assert "`loadrig explain plan.unknown-key`" in capsys.readouterr().err
    assert main(["explain"]) == 104
    assert "loadrig explain --list" in capsys.readouterr().err


ROOMS_OF_PARTS = {"loadrig.report.sections", "loadrig.catalogue.systems"}
"""Rooms whose members nobody names alone: parts of a report, and systems, with which names of knobs begin."""


def rooms_of_members() -> set[str]:
    """Return every room that the program asks for its members by name, as its files state it."""
    rooms = set()
    for path in (ROOT / "python" / "loadrig").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "members" in text:
            rooms |= set(re.findall(r'"(loadrig\.[a-z_.]+)"', text))
    return {room for room in rooms if (ROOT / "python" / room.replace(".", "/")).is_dir()}


@pytest.mark.parametrize("code", ["en", "ko"])
def test_every_member_of_every_room_has_an_answer_in_each_language(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (explain, member_pages):
        monkeypatch.setattr(module, "language", lambda: code)
    rooms = rooms_of_members() - ROOMS_OF_PARTS
    assert rooms == {*explain.ROOMS.values(), explain.COMMANDS}
    for kind, room in explain.ROOMS.items():
        for name in members.names(room):
            text = member_pages.page(kind, room, name)
            assert text, (kind, name)
            assert written_in(text) == code, (kind, name)
            assert explain.page(name), name


KOREAN = EXPLAIN / "ko"

HEADINGS = ("## 무슨 뜻인가", "## 예", "## 고치는 법")
"""Headings of a page on a code in Korean."""

Speaks = Callable[[str], None]


@pytest.fixture
def speaks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Speaks:
    """Set the language of the pages, which are two codes and two words; one of each is in Korean as well."""
    pages = {
        "area.first.md": "# area.first: English\n",
        "area.second.md": "# area.second: English\n",
        "words/load.md": "# work load\n\nEnglish\n",
        "words/run.md": "# run\n\nEnglish\n",
        "ko/area.first.md": "# area.first: 한국어\n",
        "ko/words/load.md": "# 일의 부하 (work load)\n\n한국어\n",
        "ko/members/measure.p95.md": "한국어\n",
    }
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(member_pages, "root", lambda: tmp_path)

    def speak(code: str) -> None:
        for module in (explain, member_pages):
            monkeypatch.setattr(module, "language", lambda: code)

    return speak


@pytest.mark.parametrize("word", ["area.first", "work load", "Work-Loads", "일의 부하", "일의_부하"])
def test_a_page_is_in_the_chosen_language(word: str, speaks: Speaks) -> None:
    speaks("ko")
    assert "한국어" in (explain.page(word) or "")


@pytest.mark.parametrize("word", ["area.second", "run"])
def test_a_page_that_the_language_has_not_is_the_english_one(word: str, speaks: Speaks) -> None:
    speaks("ko")
    assert "English" in (explain.page(word) or "")


def test_a_members_page_is_its_translation_or_else_its_docstring(speaks: Speaks) -> None:
    speaks("ko")
    assert (explain.page("p95") or "").partition("\n\n")[2] == "한국어"
    assert "Signature" in (explain.page("database_cpu") or "")
    speaks("en")
    assert "한국어" not in (explain.page("p95") or "")


def test_english_has_its_own_pages_and_titles(speaks: Speaks) -> None:
    speaks("en")
    assert "English" in (explain.page("area.first") or "")
    assert explain.page("일의 부하") is None


def test_the_list_shows_the_titles_of_the_chosen_language(
    speaks: Speaks, capsys: pytest.CaptureFixture[str]
) -> None:
    speaks("ko")
    assert main(["explain", "--list", "--json"]) == 0
    listed = [row["name"] for row in json.loads(capsys.readouterr().out) if row["kind"] in ("word", "code")]
    assert listed == ["일의 부하 (work load)", "run", "area.first", "area.second"]
    assert main(["explain", "--list"]) == 0
    assert re.search(r"^  area\.first +한국어$", capsys.readouterr().out, re.MULTILINE)


def test_an_unknown_word_gets_the_nearest_title_of_the_chosen_language(
    speaks: Speaks, capsys: pytest.CaptureFixture[str]
) -> None:
    speaks("ko")
    assert main(["explain", "일의", "부하량"]) == 104
    assert "`loadrig explain 일의 부하`" in capsys.readouterr().err


PAGES = sorted([*KOREAN.glob("*.md"), *(KOREAN / "words").glob("*.md")])


def test_a_korean_page_translates_an_english_one() -> None:
    for path in PAGES:
        english = EXPLAIN / path.relative_to(KOREAN)
        assert english.is_file(), path
        if path.parent == KOREAN:
            text, its_page = path.read_text(encoding="utf-8"), english.read_text(encoding="utf-8")
            assert text.partition(": ")[0] == its_page.partition(": ")[0], path
            headings = [line for line in text.splitlines() if line.startswith("## ")]
            assert [heading for heading in headings if heading in HEADINGS] == list(HEADINGS), path
            assert len(headings) == its_page.count("\n## "), path
            assert "   mend: " not in text, path
            assert "   more: " not in text, path


def test_no_two_words_have_the_same_title() -> None:
    titles = [path.read_text(encoding="utf-8").partition("\n")[0] for path in (KOREAN / "words").glob("*.md")]
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize(
    ("word", "first"),
    [
        ("trial.measure", "# trial.measure: "),
        ("workload", "# workload: "),
        ("rate.arrivals", "# rate.arrivals: "),
        ("permit", "# permit: "),
        ("G7", "# G7: "),
        ("g16", "# G16: "),
        ("process.threads", "# process.threads: "),
    ],
)
def test_a_key_of_a_plan_a_check_or_a_metric_has_a_page(word: str, first: str) -> None:
    text = explain.page(word)
    assert text is not None
    assert first in text


def test_every_check_that_speaks_has_a_page() -> None:
    calls = set()
    for path in (ROOT / "python" / "loadrig" / "trial").glob("check*.py"):
        calls |= set(re.findall(r'(?:Reason|NotApplicable)\(\s*"(G\d+)"', path.read_text(encoding="utf-8")))
    assert len(calls) > 10
    assert calls <= set(explain.CHECKS.titles)
    assert set(explain.CHECKS.titles) == set(explain.CHECKS.about) == set(explain.CHECKS.mends)


def test_every_name_that_a_shell_offers_is_a_word_with_a_page() -> None:
    names = explain.typed_names()
    assert not any(" " in name for name in names)
    assert [name for name in names if page_in_english(name) is None] == []


@pytest.mark.parametrize("code", ["en", "ko"])
def test_every_exit_code_has_a_page_in_each_language(code: str) -> None:
    texts = texts_in(CliExplainTexts, code)
    assert texts.exits.keys() == {int(exit_code) for exit_code in Exit}
    assert {written_in(text) for text in texts.exits.values()} == {code}
    assert all(explain.page(f"exit code {int(exit_code)}") for exit_code in Exit)
