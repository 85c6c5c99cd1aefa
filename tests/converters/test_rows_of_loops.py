"""Rows of a file that a tool gives to a loop of a user are a loop's in the plan, too, and sent so."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.converters import convert_files
from loadrig.plan.model import Feed
from tests.converters.jmx import converted, document, element, group, requests, sampler
from tests.converters.lists import converted as converted_by
from tests.converters.lists import requests as requests_of
from tests.converters.recording import PORT_IN_CASES, recording

K6 = members.load("loadrig.converters", "k6")
HEAD = (
    "import http from 'k6/http';\nimport { randomItem } from 'https://jslib.k6.io/k6-utils/1.4.0/index.js';\n"
)
USERS, LOOPS, ROWS = 3, 8, 24
RUN_S = 60


def rows_file(share: str) -> str:
    properties = {"filename": "rows.csv", "variableNames": "n,v", "recycle": "true"}
    return element("CSVDataSet", "rows", **properties, shareMode=f"shareMode.{share}")


def feed_of(share: str, folder: Path) -> Feed:
    (folder / "rows.csv").write_text("a,1\nb,2\n")
    below = group(sampler("a", "/${n}") + sampler("b", "/${v}") + rows_file(share), threads=3)
    conversion = converted(below, folder)
    assert not [part for part in conversion.altered if part.what.startswith("{rows}")]
    (draft,) = conversion.plan.feeds.values()
    return draft.feed


@pytest.mark.parametrize(
    ("share", "order"),
    [("all", "sequential"), ("group", "sequential"), ("thread", "sequential_per_user")],
)
def test_the_sharing_mode_says_whose_loops_take_the_rows(share: str, order: str, tmp_path: Path) -> None:
    assert feed_of(share, tmp_path) == Feed(csv="rows.csv", order=order, per="loop")  # type: ignore[arg-type]


@pytest.mark.parametrize(("share", "feeds"), [("all", ["rows"]), ("group", ["rows", "rows2"])])
def test_groups_have_rows_of_their_own_where_the_mode_says_so(
    share: str, feeds: list[str], tmp_path: Path
) -> None:
    (tmp_path / "rows.csv").write_text("a,1\nb,2\n")
    below = rows_file(share) + group(sampler("a", "/${n}")) + group(sampler("b", "/${n}"))
    conversion = converted(below, tmp_path)
    assert list(conversion.plan.feeds) == feeds
    assert [request.get for request in requests(conversion)] == [f"/{{{feeds[0]}.n}}", f"/{{{feeds[-1]}.n}}"]


def test_counters_and_random_variables_have_a_value_for_each_loop(tmp_path: Path) -> None:
    counters = element("CounterConfig", CounterConfig__name="c", CounterConfig__per_user="true")
    chance = element("RandomVariableConfig", variableName="r", minimumValue="1", maximumValue="9")
    below = counters + chance + sampler("a", "/${c}/${r}/${__counter(TRUE)}/${__Random(1,6,dice)}")
    feeds = converted(group(below + sampler("b", "/${dice}")), tmp_path).plan.feeds
    assert {name: draft.feed for name, draft in feeds.items()} == {
        "c": Feed(counter=0, order="sequential_per_user", per="loop"),
        "r": Feed(random=(1, 9), per="loop"),
        "counter": Feed(counter=1, order="sequential_per_user"),
        "random": Feed(random=(1, 6), per="loop"),
    }


@pytest.mark.parametrize(
    ("pick", "feed"),
    [
        (
            "rows[Math.floor(Math.random() * rows.length)]",
            Feed(values=("a", "b"), order="shuffled", per="loop"),
        ),
        ("randomItem(rows)", Feed(values=("a", "b"), order="shuffled", per="loop")),
        ("rows[exec.scenario.iterationInTest % rows.length]", Feed(values=("a", "b"), per="loop")),
        ("rows[__ITER % rows.length]", Feed(values=("a", "b"), order="sequential_per_user", per="loop")),
        (
            "rows[exec.vu.iterationInScenario % rows.length]",
            Feed(values=("a", "b"), order="sequential_per_user", per="loop"),
        ),
    ],
)
def test_an_entry_that_requests_of_an_iteration_share_is_one(pick: str, feed: Feed, tmp_path: Path) -> None:
    script = (
        f"{HEAD}const rows = ['a', 'b'];\nexport default () => {{\n  const row = {pick};\n"
        "  http.get(`http://127.0.0.1/${row}`);\n  http.get(`http://127.0.0.1/again/${row}`);\n}\n"
    )
    (draft,) = converted_by(K6, script, tmp_path, "script.js").plan.feeds.values()
    assert draft.feed == feed


def test_two_calls_draw_apart_and_a_call_in_a_loop_is_named(tmp_path: Path) -> None:
    two = (
        f"{HEAD}const rows = ['a', 'b'];\nexport default () => {{\n"
        "  const row = randomItem(rows); const other = randomItem(rows);\n"
        "  http.get(`http://127.0.0.1/${row}/${other}`);\n  http.get(`http://127.0.0.1/${row}`);\n}\n"
    )
    conversion = converted_by(K6, two, tmp_path, "script.js")
    assert [request.get for request in requests_of(conversion)] == ["/{item}/{item_2}", "/{item}"]
    assert [draft.feed.per for draft in conversion.plan.feeds.values()] == ["loop", "request"]


def test_an_entry_that_a_users_own_iterations_pick_is_of_all_where_visitors_come_once(tmp_path: Path) -> None:
    script = (
        f"{HEAD}export const options = {{ scenarios: {{ s: {{ executor: 'constant-arrival-rate', rate: 9,"
        " duration: '9s', preAllocatedVUs: 2 } } };\nconst rows = ['a', 'b'];\nexport default () => {\n"
        "  const row = rows[__ITER % rows.length];\n  http.get(`http://127.0.0.1/${row}`);\n"
        "  http.get(`http://127.0.0.1/b/${row}`);\n}\n"
    )
    conversion = converted_by(K6, script, tmp_path, "script.js")
    (draft,) = conversion.plan.feeds.values()
    assert draft.feed == Feed(values=("a", "b"), per="loop")
    assert [part.what for part in conversion.altered if part.what == "{rows}"] == ["{rows}"]


@pytest.mark.integration
@pytest.mark.parametrize("share", ["all", "thread"])
def test_each_loop_of_several_users_sends_one_row_in_all_its_requests(share: str, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("".join(f"a{row},b{row}\n" for row in range(ROWS)))
    below = sampler("a", "/${__threadNum}/${n}") + sampler("b", "/${__threadNum}/${v}") + rows_file(share)
    text = document(group(below, threads=USERS, loops=LOOPS))
    with recording() as server:
        case = tmp_path / "test.jmx"
        case.write_text(text.replace(str(PORT_IN_CASES), str(server.server_port)))
        jmeter = members.load("loadrig.converters", "jmeter")
        conversion = convert_files([case], jmeter, tmp_path / "plan" / "plan.yaml")
        words = [
            sys.executable,
            "-m",
            "loadrig.cli",
            "run",
            str(conversion.path),
            "-o",
            str(tmp_path / "run"),
        ]
        subprocess.run(words, capture_output=True, timeout=RUN_S, check=False)
    of_users: dict[str, list[str]] = {}
    for request in server.requests:
        user, value = request["path"][1:].split("/")
        of_users.setdefault(user, []).append(value)
    assert len(of_users) == USERS
    rows = []
    for values in of_users.values():
        pairs = list(zip(values[::2], values[1::2], strict=True))
        assert [(first[0], second[0]) for first, second in pairs] == [("a", "b")] * LOOPS
        assert all(first[1:] == second[1:] for first, second in pairs)
        rows.append([int(first[1:]) for first, _ in pairs])
    if share == "thread":
        assert rows == [list(range(LOOPS))] * USERS
    else:
        assert sorted(itertools.chain(*rows)) == list(range(ROWS))
