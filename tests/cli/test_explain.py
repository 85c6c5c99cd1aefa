"""`loadrig explain`: words, error codes, members; a word that is unknown gets the nearest."""

import json

import pytest

from loadrig.base import members
from loadrig.cli import explain
from loadrig.cli.__main__ import main
from tests.house.places import EXPLAIN


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
        assert explain.page(row["name"]), row


def test_an_unknown_word_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "plan.unknown-kee"]) == 104
    assert "`loadrig explain plan.unknown-key`" in capsys.readouterr().err
    assert main(["explain"]) == 104
    assert "loadrig explain --list" in capsys.readouterr().err
