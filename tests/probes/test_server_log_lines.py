"""Lines of servers: the facts that they tell, the templates that they come to, and their levels."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base import known_secrets
from loadrig.base.masks import masked_text
from loadrig.language.en.log_facts import LogFactTexts
from loadrig.probes._logs.known import TABLE, fact_in
from loadrig.probes._logs.lines import MOST_LINE_BYTES, LogLine, level_of, parse
from loadrig.probes._logs.sources import is_log
from loadrig.probes._logs.telling import Telling
from loadrig.probes._logs.templates import MOST_CHARACTERS, OTHERS, WORD, Templates, holed
from loadrig.probes.server_log import MOST_LINES, chosen

RECORDED: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "server_lines.toml").read_text(encoding="utf-8")
)["line"]
NS = 1_000_000_000
LEVELS = ("fatal", "error", "warning", "info", "debug", "")


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda recorded: recorded["text"][:50])
def test_a_recorded_line_tells_the_fact_and_the_numbers_that_stand_in_it(recorded: dict[str, Any]) -> None:
    line = parse(recorded["text"].encode())
    fact = fact_in(line.text)
    resource = None if fact is None else [fact.message.system, fact.message.resource, fact.message.what]
    assert resource == recorded.get("fact")
    assert (fact.numbers if fact is not None else {}) == recorded.get("numbers", {})
    assert line.level == recorded.get("level", line.level)
    assert line.kind == recorded.get("kind", "more" if recorded["text"].startswith(" ") else "text")


def test_source_code_that_a_traceback_quotes_tells_nothing() -> None:
    assert fact_in('    raise MaxConnectionsError("Too many connections") from None') is None
    facts = fact_in("redis.exceptions.MaxConnectionsError: Too many connections")
    assert facts is not None
    assert facts.message.system == "redis-py"


def test_every_row_of_the_table_has_a_recorded_line() -> None:
    messages = {fact.message for recorded in RECORDED if (fact := fact_in(recorded["text"])) is not None}
    assert [row for row in TABLE if row not in messages] == []


def test_the_rows_speak_of_resources_in_few_words() -> None:
    assert {row.resource for row in TABLE} == {
        "pool", "workers", "threads", "connections", "descriptors", "ports", "memory", "locks", "disk",
        "dependency", "names",
    }  # fmt: skip
    assert all(re.fullmatch(r"[a-z_]+", row.what) for row in TABLE)


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("took 31.5 ms, 1,204 rows", "took <number> ms, <number> rows"),
        ("2026-11-24T10:00:00.123Z up", "<time> up"),
        ("[24/Nov/2026:10:00:00 +0000] up", "[<time>] up"),
        ("Nov  4 10:00:00 host up", "<time> host up"),
        ("user \"ann\" of 'shop' left", "user <text> of <text> left"),
        ("don't stop, it's fine", "don't stop, it's fine"),
        ("id 550e8400-e29b-41d4-a716-446655440000", "id <uuid>"),
        ("from 10.0.0.7:5432 and [::1]:80", "from <address> and <address>"),
        ("see https://example.org/x?y=1 now", "see <address> now"),
        ("mail to ann@example.org", "mail to <address>"),
        ("open /srv/data/x.json and/or wait", "open <path> and/or wait"),
        ("at 0x7f3a, commit 8f3a2c91d0e4", "at <hex>, commit <hex>"),
        ("HikariPool-1 of utf8", "HikariPool-<number> of utf8"),
    ],
)
def test_what_varies_becomes_a_hole(text: str, template: str) -> None:
    assert holed(text) == template


def test_lines_that_differ_in_few_words_are_one_template_and_others_are_not() -> None:
    templates = Templates(masked_text)
    for n, name in enumerate(("ann", "bob", "eve")):
        templates.add(f"user {name} has ordered {n} items of the shop", "info", "app.log", n)
    templates.add("pool of orders is full", "error", "app.log", 3)
    templates.add("pool of orders is open", "error", "app.log", 4)
    assert [(template.text, template.count) for template in templates.all] == [
        (f"user {WORD} has ordered <number> items of the shop", 3),
        ("pool of orders is full", 1),
        ("pool of orders is open", 1),
    ]
    assert (templates.all[0].first_ns, templates.all[0].last_ns) == (0, 2)


def test_of_two_levels_the_same_words_are_two_templates() -> None:
    templates = Templates(masked_text)
    templates.add("cache is cold", "info", "app.log", 0)
    templates.add("cache is cold", "error", "app.log", 0)
    assert [template.count for template in templates.all] == [1, 1]


@pytest.mark.parametrize(
    "line",
    [
        "login with password=hunter2!x failed",
        "connect to postgres://shop:hunter2!x@db/shop failed",
        'sent {"api_key": "hunter2!x"} away',
        "Authorization: Bearer hunter2!x",
        "refused sk-1234567hunter2x of the shop",
    ],
)
def test_no_template_holds_a_secret(line: str) -> None:
    templates = Templates(masked_text)
    for n in range(3):
        templates.add(line, "", "app.log", n)
    assert [template.count for template in templates.all] == [3]
    assert "hunter2" not in templates.all[0].text


def test_no_template_holds_a_part_of_a_secret_that_is_known() -> None:
    secret = "wq-7hunter2-31.5Zx"
    known_secrets.learn(secret)
    telling = Telling(Templates(masked_text))
    telling.add(LogLine(f"was given {secret} again"), "app.log", 0)
    assert [template.text for template in telling.templates.all] == ["was given *** again"]


def test_of_too_many_templates_the_rest_is_one_and_every_line_is_counted() -> None:
    templates = Templates(masked_text, most=10)
    for n in range(500):
        templates.add(" ".join(f"{letter}{n}x" for letter in "abcdef"), "", "app.log", n)
    assert len(templates.all) == 11
    assert templates.all[-1].text == OTHERS
    assert sum(template.count for template in templates.all) == 500


@given(st.text(max_size=400), st.sampled_from(LEVELS))
def test_any_line_is_counted_once_in_a_bounded_template(text: str, level: str) -> None:
    templates = Templates(masked_text)
    template = templates.add(text, level, "app.log", 0)
    assert template.count == 1
    assert len(template.text) <= MOST_CHARACTERS


@given(st.binary(max_size=2 * MOST_LINE_BYTES))
def test_any_bytes_are_a_line(raw: bytes) -> None:
    line = parse(raw)
    assert line.level in LEVELS
    assert line.kind in ("text", "more", "request", "binary")
    fact_in(line.text)
    holed(line.text)


@pytest.mark.parametrize("letter", ["a", "1", '"', "'", "/", "[", ":", "-", "\\", "@", "a.", "1:", '\\"'])
def test_a_line_of_one_sign_ends(letter: str) -> None:
    text = letter * MOST_LINE_BYTES
    holed(text)
    parse(text.encode())
    fact_in(text)


@pytest.mark.parametrize(
    ("raw", "text", "level"),
    [
        (b'{"level":50,"time":1,"msg":"no room"}', "no room", "error"),
        (b'{"severity":"WARNING","message":"slow"}', "slow", "warning"),
        (b'{"log":"ERROR: gone\\n","stream":"stderr","time":"2026-11-24T10:00:00Z"}', "ERROR: gone", "error"),
        (b'{"log":"{\\"level\\":\\"error\\",\\"msg\\":\\"in\\"}\\n","stream":"stderr"}', "in", "error"),
        (b'{"MESSAGE":"Started it","PRIORITY":"6","__CURSOR":"s=1"}', "Started it", "info"),
        (b"\x1b[31mERROR\x1b[0m red", "ERROR red", "error"),
        (b"plain line\r", "plain line", ""),
        (b'{"a": [', '{"a": [', ""),
        (b"[1,2]", "[1,2]", ""),
    ],
)
def test_a_line_of_json_or_with_colours_is_its_text(raw: bytes, text: str, level: str) -> None:
    line = parse(raw)
    assert (line.text, line.level) == (text, level)


@pytest.mark.parametrize("raw", [bytes(range(128, 256)) * 4, b"\x00\x01\x02\x03" * 50, "\ufffd".encode() * 9])
def test_what_is_no_text_is_binary(raw: bytes) -> None:
    assert parse(raw).kind == "binary"


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("time=1 level=warn msg=x", "warning"),
        ("panic: runtime error: index out of range", "fatal"),
        ("shop.errors.OrderError: gone", "error"),
        ("an error is nothing to say here", ""),
        ("[notice] 7#7: start", "info"),
    ],
)
def test_a_level_is_what_a_line_says_of_itself(text: str, level: str) -> None:
    assert level_of(text) == level


@pytest.mark.parametrize(
    "path",
    [
        "/srv/app.log",
        "/var/log/x/y",
        "/srv/error_log",
        "/opt/logs/catalina.out",
        "/srv/nohup.out",
        "/x/app.err",
    ],
)
def test_a_log_is_known_by_its_name(path: str) -> None:
    assert is_log(Path(path))


@pytest.mark.parametrize(
    "path",
    ["/srv/upload-7.txt", "/var/log/nginx/access.log", "/var/lib/mysql/slow.log", "/data/appendonly.aof",
     "/var/log/gc.log", "/var/lib/mysql/mysql-bin.000001", "/srv/catalogue.csv", "/srv/login.txt",
     "/var/log/audit/audit.log"],
)  # fmt: skip
def test_what_a_server_stores_is_no_log(path: str) -> None:
    assert not is_log(Path(path))


@given(st.integers(0, 4000), st.integers(0, 4000), st.integers(0, MOST_LINES))
def test_of_a_flood_lines_of_trouble_are_chosen_first(quiet: int, trouble: int, most: int) -> None:
    lines = [b"quiet"] * quiet + [b"an ERROR"] * trouble
    picked = chosen(lines, most)
    assert len(picked) == min(most, len(lines))
    troubled = [times for line, times in picked if line == b"an ERROR"]
    assert len(troubled) == min(most, trouble)
    assert sum(troubled) == pytest.approx(trouble if most else 0)


def test_a_fact_of_every_second_is_told_ever_less_often_and_counted_in_full() -> None:
    telling = Telling(Templates(masked_text))
    line = parse(b"[1] [CRITICAL] WORKER TIMEOUT (pid:7)")
    happened = []
    for second in range(3600):
        telling.add(line, "app.log", second * NS + 1)
        happened += telling.due(second * NS + 1)
    happened += telling.due(3600 * NS, is_end=True)
    facts = [event for event in happened if event.kind == "server_fact"]
    assert sum(event.facts["count"] for event in facts) == 3600
    assert 300 < len(facts) < 1200
    last = [event for event in happened if event.kind == "log_template"][-1]
    assert (last.facts["count"], last.facts["over_s"]) == (3600, 3599)
    assert len([event for event in happened if event.kind == "log_template"]) < 20


def test_the_lines_of_a_stack_make_no_templates_and_yet_tell_facts() -> None:
    telling = Telling(Templates(masked_text))
    for raw in (b"Traceback (most recent call last):", b'  File "/x/asyncpg/pool.py", line 7, in _acquire'):
        telling.add(parse(raw), "app.log", 0)
    assert [template.text for template in telling.templates.all] == ["Traceback (most recent call last):"]
    assert list(telling.facts) == [("asyncpg", "pool", "not_given")]


def test_every_row_of_the_table_names_a_sentence_and_every_sentence_has_a_row() -> None:
    assert {row.fact for row in TABLE} == LogFactTexts.sentences.keys()
