"""Logs of web servers become plans: routes with their shares, values as observed, and no secret."""

import csv
import gzip
import json
import tracemalloc
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base import members
from loadrig.base.errors import PlanError
from loadrig.converters import Conversion, TestSource, convert_files, converter_of
from loadrig.converters import _log_replay as replay_module
from loadrig.converters import _log_routes as routes_module
from loadrig.converters import _log_times as times_module
from loadrig.converters._log_lines import LoggedRequest, logged
from loadrig.converters._log_times import LogTimes
from loadrig.plan.arrivals import Rate
from loadrig.plan.load import load
from loadrig.plan.written import WrittenRequest
from tests.lengths import length

log_module = import_module("loadrig.converters.access_log")
ACCESS_LOG = members.load("loadrig.converters", "access_log")
CASES = Path(__file__).parent / "cases" / "access_log"


def entry(request: str, status: int = 200, at: int = 0) -> str:
    moment = f"10/Oct/2026:13:{at // 60 % 60:02}:{at % 60:02} +0000"
    return f'127.0.0.1 - - [{moment}] "{request}" {status} 5 "-" "agent"\n'


def converted(text: str, folder: Path) -> Conversion:
    path = folder / "access.log"
    path.write_text(text, encoding="utf-8")
    conversion: Conversion = ACCESS_LOG.convert(TestSource(path))
    return conversion


def requests(conversion: Conversion) -> list[WrittenRequest]:
    return [step.request for scenario in conversion.plan.scenarios for step in scenario.steps]


def files(conversion: Conversion) -> dict[str, list[str]]:
    drafts = [feed.file for feed in conversion.plan.feeds.values() if feed.file is not None]
    return {file.name: file.content.decode().splitlines() for file in (*drafts, *conversion.plan.files)}


def replayed(lines: list[str]) -> list[dict[str, str]]:
    return list(csv.DictReader(lines))


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        (
            '1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET /a?x=1 HTTP/1.0" 200 23',
            LoggedRequest("GET", "/a?x=1", 200, 971211336.0),
        ),
        (
            'shop.example:80 ::1 - frank t [10/Oct/2000:20:55:36 +0000] "HEAD / HTTP/2.0" 304 - "-" "x" 0.1',
            LoggedRequest("HEAD", "/", 304, 971211336.0),
        ),
        (
            '1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET /a\\"b\\x22c \xe9#d HTTP/1.1" 200 -',
            LoggedRequest("GET", "/a%22b%22c%20%C3%A9", 200, 971211336.0),
        ),
        (
            '1.2.3.4 - - [now] "GET http://shop.example/a HTTP/1.1" 200 -',
            LoggedRequest("GET", "/a", 200, None),
        ),
        ('1.2.3.4 - - [now] "\\x16\\x03" 400 0', LoggedRequest("", "", 400, None)),
        (
            '[2016-04-15T20:17:00.310Z] "PUT /a HTTP/2" 204 - 154 0 226 100 "-" "ua" "id" "shop" "up"',
            LoggedRequest("PUT", "/a", 204, 1460751420.31, "shop", True),
        ),
        (
            '{"ts":1460751420.5,"request":{"method":"GET","host":"h","uri":"/a"},"status":200,"bytes_read":0}',
            LoggedRequest("GET", "/a", 200, 1460751420.5, "h", False),
        ),
        (
            '{"msec":"1460751420.500","request_method":"GET","uri":"/a","args":"b=1","status":"200"}',
            LoggedRequest("GET", "/a?b=1", 200, 1460751420.5),
        ),
        (
            '{"start_time":"2016-04-15T20:17:00Z","method":"GET","path":"/a","response_code":0}',
            LoggedRequest("GET", "/a", 0, 1460751420.0),
        ),
        ("2026/11/02 09:01:00 [error] 7#7: *1 open() failed", None),
        ('{"code":200,"method":"GET","url":"http://127.0.0.1/","latency":5,"seq":1}', None),
        ('{"status":200}', None),
        ("{" * 100_000, None),
        ("[" * 100_000, None),
        ("a " + "[" * 100_000, None),
        ("", None),
    ],
)
def test_a_line_of_each_format_is_read(line: str, request_: LoggedRequest | None) -> None:
    assert logged(line) == request_


def test_shares_values_and_statuses_are_those_of_the_log() -> None:
    conversion = ACCESS_LOG.convert(TestSource(CASES / "nginx-combined.log"))
    by_name = {request.name: request for request in requests(conversion)}
    weights = {scenario.steps[0].request.name: scenario.weight for scenario in conversion.plan.scenarios}
    assert weights["GET /users/*"] == 93
    assert by_name["GET /orders/*/items/*"].get == "/orders/{orders_items.id}/items/{orders_items.id2}"
    assert by_name["GET /me?view"].get == "/me?view=full"
    assert by_name["GET /me?view"].expect.status == (200, 401)
    assert by_name["GET /"].expect.status == ()
    lines = files(conversion)
    assert len(lines["nginx-combined-users.txt"]) == 93
    assert by_name["GET /search?q&page"].get == "/search?q={search.q}&page={search.page}"
    assert "\ucc28,1" in lines["nginx-combined-search.csv"]
    table = replayed(lines["nginx-combined-replay.csv"])
    times = [float(row["time"]) for row in table]
    assert times == sorted(times)
    assert Counter(row["scenario"] for row in table) == weights
    assert isinstance(conversion.plan.arrivals, Rate)
    assert conversion.plan.arrivals.level == pytest.approx(80 / 60, abs=0.01)


def test_no_secret_is_written(tmp_path: Path) -> None:
    jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
    text = "".join(
        entry(f"GET {target} HTTP/1.1")
        for target in (
            "/a?password=hunter2hunter&page=1",
            "/b?to=%2Flogin%3Ftoken%3Dhunter2hunter",
            "/c?%74oken=hunter2hunter",
            f"/verify/{jwt}",
            "/reset-token/hunter2hunter77777",
        )
    )
    conversion = convert_files([_written(tmp_path, text)], ACCESS_LOG, tmp_path / "plan.yaml")
    for path in (conversion.path, *conversion.files):
        content = path.read_text(encoding="utf-8")
        assert "hunter2" not in content
        assert jwt not in content
    assert [step.get for step in requests(conversion.conversion)] == ["/a?page=1", "/b", "/c"]
    assert len(conversion.conversion.dropped) == 2


def _written(folder: Path, text: str) -> Path:
    path = folder / "access.log"
    path.write_text(text, encoding="utf-8")
    return path


def test_bodies_that_are_not_in_the_log_are_dropped_by_route_and_count(tmp_path: Path) -> None:
    text = entry("GET / HTTP/1.1") + entry("POST /orders/5 HTTP/1.1") * 3 + entry("CONNECT a:1 HTTP/1.1")
    conversion = converted(text, tmp_path)
    assert [part.what for part in conversion.dropped] == [
        ACCESS_LOG.TEXTS.requests_of("POST /orders/*", 3),
        ACCESS_LOG.TEXTS.requests_of("CONNECT /", 1),
    ]
    assert len(requests(conversion)) == 1


def test_names_of_items_that_are_words_are_one_route(tmp_path: Path) -> None:
    names = [f"{first}{second}" for first in "abcdef" for second in "ghijkl"]
    conversion = converted("".join(entry(f"GET /tag/{name}/top HTTP/1.1") for name in names), tmp_path)
    assert [request.name for request in requests(conversion)] == ["GET /tag/*/top"]
    assert files(conversion)["access-tag_top.txt"] == names


def _word(number: int, length: int = 6) -> str:
    """Return a word of letters for a number, another one for each."""
    return "".join(chr(ord("a") + number // 26**place % 26) for place in range(length))


def test_paths_that_vary_in_two_words_are_one_route_in_work_that_does_not_grow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merged: list[int] = []
    merge = routes_module.RouteTable.merge

    def counted(table: routes_module.RouteTable, *most: int) -> None:
        merged.append(len(table.routes))
        merge(table, *most)

    monkeypatch.setattr(routes_module.RouteTable, "merge", counted)
    count = length(6_000, 20_000)
    pages = [f"/{_word(n)}/{_word(n * 7 + 1)}" if n % 4 else "/about/team" for n in range(count)]
    pages += [f"/{_word(n)}/{_word(n * 7 + 1)}/issues" for n in range(count)]
    conversion = converted("".join(entry(f"GET {page} HTTP/1.1") for page in pages), tmp_path)
    weights = {scenario.steps[0].request.name: scenario.weight for scenario in conversion.plan.scenarios}
    assert weights == {
        "GET /about/team": count / 4,
        "GET /*/*": count * 3 / 4,
        "GET /*/*/issues": count,
    }
    assert not conversion.dropped
    assert sum(merged) <= 2 * len(pages) + 2 * routes_module.MOST_HELD
    observed = {tuple(page.split("/")[1:]) for page in pages}
    lines = {name: part for name, part in files(conversion).items() if "replay" not in name}
    assert all(tuple(row.split(",")) in observed for row in lines["access-item.csv"][1:])


def test_queries_with_names_of_their_own_leave_room_for_what_comes_later(tmp_path: Path) -> None:
    pages = [f"/search?{_word(n)}=1" for n in range(3 * routes_module.MOST_HELD)]
    conversion = converted("".join(entry(f"GET {page} HTTP/1.1") for page in [*pages, "/", "/"]), tmp_path)
    assert conversion.plan.scenarios[0].steps[0].request.name == "GET /"
    uncounted = next(part.what for part in conversion.dropped if part.why == ACCESS_LOG.TEXTS.too_many_routes)
    assert uncounted == ACCESS_LOG.TEXTS.requests_of("\u2026", 5 * routes_module.MOST_HELD // 2)


def test_several_files_are_one_log(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"{number}.log").write_text(entry("GET / HTTP/1.1", at=number * 20), encoding="utf-8")
    conversion = convert_files([tmp_path / "1.log", tmp_path / "2.log"], ACCESS_LOG, tmp_path / "plan.yaml")
    rows = replayed((tmp_path / "1-replay.csv").read_text(encoding="utf-8").splitlines())
    assert [row["time"] for row in rows] == ["0.000000", "20.000000"]
    assert conversion.conversion.plan.scenarios[0].weight == 2


def test_a_log_without_times_has_no_list_of_them(tmp_path: Path) -> None:
    conversion = converted('{"method":"GET","path":"/","status":200}\n', tmp_path)
    assert not conversion.plan.files
    assert not conversion.plan.arrivals_comment
    assert conversion.plan.arrivals.level == 1


def test_the_busiest_stretch_is_that_of_any_minute() -> None:
    times = LogTimes()
    for second in range(1000):
        for _ in range(10 if 130 <= second < 190 else 1):
            times.add(float(second))
    assert times.busiest() == (10.0, 130.0)
    assert times.mean_per_s == pytest.approx(1.54)


def test_tables_are_bounded_and_what_is_left_out_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes_module, "MOST_HELD", 20)
    monkeypatch.setattr(routes_module, "MOST_CHARACTERS", 2_000)
    monkeypatch.setattr(replay_module, "MOST_REQUESTS", 50)
    monkeypatch.setattr(times_module, "MOST_BUCKETS", 10)

    def name(number: int) -> str:
        return "".join(chr(ord("a") + int(digit)) for digit in str(number))

    text = "".join(entry(f"GET /{n}?{name(n % 25)}=1&{name(n % 7)}=2 HTTP/1.1", at=n * 7) for n in range(500))
    conversion = converted(text, tmp_path)
    assert sum(scenario.weight for scenario in conversion.plan.scenarios) < 500
    assert len(requests(conversion)) <= 20
    lines = files(conversion)
    assert len(replayed(lines["access-replay.csv"])) == 50
    assert sum(len(line) for name, part in lines.items() if "replay" not in name for line in part) < 2_000
    assert len(conversion.dropped) == 2


def test_a_long_log_takes_no_more_memory_than_a_short_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes_module, "MOST_ROWS", 100)
    monkeypatch.setattr(replay_module, "MOST_REQUESTS", 1_000)

    def peak(count: int) -> int:
        lines = (entry(f"GET /users/{n}?page={n} HTTP/1.1", at=n % 3000) for n in range(count))
        path = _written(tmp_path, "".join(lines))
        tracemalloc.start()
        try:
            ACCESS_LOG.convert(TestSource(path))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few, many = length((1_200, 7_200), (2_000, 16_000))
    peak(few)  # fills the caches
    assert peak(many) < 1.5 * peak(few) + 500_000


# --- hostile files -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n\n",
        b"\0" * 1000,
        entry("GET / HTTP/1.1").encode("utf-16"),
        b"2026/11/02 09:01:00 [error] 7#7: *1 open() failed\n" * 30,
        entry("GET / HTTP/1.1").encode()[:40],
        b"a" * 3_000_000,
        entry("GET /" + "a" * 3_000_000 + " HTTP/1.1").encode(),
        entry("BREW / HTTP/1.1").encode(),
        gzip.compress(entry("GET / HTTP/1.1").encode() * 1000)[:-20],
    ],
)
def test_what_is_no_log_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    path.write_bytes(content)
    with pytest.raises(PlanError) as error:
        convert_files([path], ACCESS_LOG, tmp_path / "plan.yaml")
    problem = error.value.problems[0]
    assert problem.code.startswith("import.")
    assert problem.mend
    assert not (tmp_path / "plan.yaml").exists()


@pytest.mark.parametrize(
    "request_",
    [
        "GET /{a}/{{b}}?c={d} HTTP/1.1",
        "GET //evil.example/a@b HTTP/1.1",
        "GET /../../etc/passwd?a=\u202e\u0000 HTTP/1.1",
        'GET /a,\\"b?q=\\"\\r\\n,x HTTP/1.1',
        "GET /a?" + "&" * 500 + " HTTP/1.1",
        "GET /" + "a/" * 3000 + " HTTP/1.1",
        "GET /a://b HTTP/1.1",
    ],
)
def test_what_clients_write_cannot_steer_the_plan(request_: str, tmp_path: Path) -> None:
    text = entry("GET / HTTP/1.1") + entry(request_) + entry(request_.replace(" HTTP", "1 HTTP"))
    conversion = convert_files([_written(tmp_path, text)], ACCESS_LOG, tmp_path / "plan.yaml")
    assert all(line.isprintable() for line in conversion.lines)


def test_a_torn_last_line_is_counted(tmp_path: Path) -> None:
    conversion = converted(entry("GET / HTTP/1.1") * 5 + entry("GET / HTTP/1.1")[:30], tmp_path)
    assert conversion.plan.scenarios[0].weight == 5
    assert len(conversion.dropped) == 1


def test_latin_1_beside_utf_8_is_read(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    text = entry("GET /caf\u00e9 HTTP/1.1")
    path.write_bytes(text.encode() + text.encode("latin-1"))
    assert requests(ACCESS_LOG.convert(TestSource(path)))[0].get == "/caf%C3%A9"


@pytest.mark.parametrize("text", [json.dumps({"log": {"entries": []}}), '{"method":"GET","url":"http://a/"}'])
def test_other_json_is_no_log(text: str, tmp_path: Path) -> None:
    path = _written(tmp_path, text + "\n")
    assert converter_of(path) is not ACCESS_LOG


@given(change=st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255), st.floats(0, 1)))
def test_a_log_that_is_cut_or_changed_anywhere_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, change: tuple[float, int, float]
) -> None:
    place, byte, length = change
    folder = tmp_path_factory.mktemp("cut")
    content = bytearray(b"".join(path.read_bytes()[:400] for path in sorted(CASES.iterdir())))
    content[int(place * len(content))] = byte
    path = folder / "access.log"
    path.write_bytes(bytes(content[: int(length * len(content)) + 1]))
    code = "import.fine"
    try:
        convert_files([path], ACCESS_LOG, folder / "plan.yaml")
    except PlanError as error:
        code = error.problems[0].code
    assert code.startswith("import.")


def test_the_requests_of_a_log_are_replayed_in_its_order_by_their_routes(tmp_path: Path) -> None:
    targets = ["/a?b=1&c=%C3%A9,2", "/x//y", "/", "/a?b=1&c=%C3%A9,2", "/q?token=hunter2hunter&page=1"]
    text = "".join(
        entry(f"GET {target} HTTP/1.1", at=at) for target, at in zip(targets, (5, 0, 5, 9, 9), strict=True)
    )
    text += entry("HEAD /7 HTTP/1.1", at=2) + entry("GET /reset-token/hunter2hunter77777 HTTP/1.1", at=3)
    rows = replayed(files(converted(text, tmp_path))["access-replay.csv"])
    assert [(float(row["time"]), row["scenario"], row["target"]) for row in rows] == [
        (0, "GET /x//y", "/x//y"),
        (2, "HEAD /*", "/7"),
        (5, "GET /a?b&c", targets[0]),
        (5.5, "GET /", "/"),
        (9, "GET /a?b&c", targets[0]),
        (9.5, "GET /q?page", "/q?page=1"),
    ]


def test_rare_routes_are_replayed_as_one_of_their_method(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_module, "MOST_ROUTES", 1)
    asked = ["GET /a", "GET /b", "GET /a", "HEAD /c", "GET /b"]
    text = "".join(entry(f"{request} HTTP/1.1", at=at) for at, request in enumerate(asked))
    conversion = convert_files([_written(tmp_path, text)], ACCESS_LOG, tmp_path / "plan.yaml")
    assert [request.name for request in requests(conversion.conversion)] == ["GET /a"]
    rows = replayed((tmp_path / "access-replay.csv").read_text(encoding="utf-8").splitlines())
    rarer = {method: ACCESS_LOG.TEXTS.further_requests(method) for method in ("GET", "HEAD")}
    names = ["GET /a", rarer["GET"], "GET /a", rarer["HEAD"], rarer["GET"]]
    assert [row["scenario"] for row in rows] == names
    steps = load(tmp_path / "access-replay.yaml").workload.requests
    assert {(step.name, step.method) for step in steps} == {
        ("GET /a", "GET"),
        (rarer["GET"], "GET"),
        (rarer["HEAD"], "HEAD"),
    }


def test_routes_that_were_merged_are_replayed_as_their_whole(tmp_path: Path) -> None:
    count = routes_module.MANY_SIBLINGS + 1
    pages = [f"/{_word(n)}/items" for n in range(count)]
    text = "".join(entry(f"GET {page} HTTP/1.1", at=n) for n, page in enumerate(pages))
    rows = replayed(files(converted(text, tmp_path))["access-replay.csv"])
    assert [(row["scenario"], row["target"]) for row in rows] == [("GET /*/items", page) for page in pages]


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_the_plan_that_replays_a_log_can_be_read(tmp_path: Path, case: str) -> None:
    convert_files([CASES / case], ACCESS_LOG, tmp_path / "plan.yaml")
    (path,) = tmp_path.glob("*-replay.yaml")
    plan = load(path)
    assert plan.workload.arrivals.model == "replay"
    assert plan.trial.measure.at_most > 0


def test_a_log_without_times_has_no_replay(tmp_path: Path) -> None:
    line = json.dumps({"method": "GET", "path": "/", "status": 200})
    assert not [name for name in files(converted(f"{line}\n" * 3, tmp_path)) if "replay" in name]
