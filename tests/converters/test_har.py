"""Recordings of browsers become plans; what no browser has written is an error with its place."""

import json
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.errors import PlanError
from loadrig.base.units import Seconds
from loadrig.converters import Conversion, TestSource, convert_files
from loadrig.converters._har_tokens import is_token
from loadrig.language.en.converters.har import ConvertersHarTexts
from loadrig.plan.requests import Extract, Think
from tests.converters.har import HAR, SESSION, converted, entry, recording_of, requests

CASE = Path(__file__).parent / "cases" / "har" / "shop.har"
TOKEN = "k3Jx9-QmZ2"


def test_the_case_is_the_session_of_the_tests() -> None:
    expected = recording_of(*SESSION, pages={"page_1": 0.0, "page_2": 9.9})
    assert CASE.read_text(encoding="utf-8") == expected + "\n"


def test_a_session_keeps_its_order_its_pauses_and_its_tokens() -> None:
    conversion = HAR.convert(TestSource(CASE))
    steps = requests(conversion)
    assert [(request.get or request.post or request.put, request.think) for request in steps] == [
        ("/login", None),
        ("/static/app.js", Think(constant=Seconds(5.8))),
        ("/session", Think(constant=Seconds(3.8))),
        ("/shop", None),
        ("/api/items?page=1&ref={key_1}&lang=ko", Think(constant=Seconds(2.2))),
        ("/api/carts/{cart}", None),
        ("/upload", None),
    ]
    assert steps[2].body == "user=me&password=hunter2%21&csrf_token={csrf_token}&next="
    assert steps[2].extract == {
        "access_token": Extract(json="$.access_token"),
        "key_1": Extract(json="/items/0/key-1"),
    }
    assert steps[4].headers["authorization"] == "Bearer {access_token}"
    assert steps[5].body == '{{"cart": "{cart}", "note": "{{한국어}}", "n": 2}}'
    assert conversion.plan.cookies


def test_other_hosts_are_named_with_their_number_of_requests() -> None:
    conversion = HAR.convert(TestSource(CASE))
    hosts = {part.what: part.why for part in conversion.dropped if "://" in part.what}
    assert set(hosts) == {"https://fonts.example", "https://stats.example"}
    assert hosts["https://fonts.example"].startswith("2 ")
    assert not conversion.plan.allow


def test_no_comment_holds_a_secret_of_the_recording(tmp_path: Path) -> None:
    conversion = convert_files([CASE], HAR, tmp_path / "plan.yaml")
    comments = [
        line for line in conversion.path.read_text(encoding="utf-8").splitlines() if line.lstrip()[:1] == "#"
    ]
    for secret in ("hunter2", "eyJhbGci", TOKEN, "a1b2c3d4e5f6", "old=1", "9f1c2d3e"):
        assert not any(secret in line for line in (*comments, *conversion.lines))


@pytest.mark.parametrize(
    ("answer", "more", "extract"),
    [
        ({"data": [{"id": TOKEN}]}, {}, Extract(json="$.data[0].id")),
        ({"a/b": {"~c": TOKEN}}, {}, Extract(json="/a~1b/~0c")),
        (f'<meta name="csrf-token" content="{TOKEN}">', {},
         Extract(regex=r'<meta\s+name="csrf\-token"\s+content="([^"]+)')),
        (f"<script>var config = {{state: '{TOKEN}'}}</script>", {},
         Extract(regex=r"<script>var\s+config\s+=\s+\{state:\s+'([^']+)")),
        ("", {"answer_headers": {"X-Csrf": TOKEN}}, Extract(header="X-Csrf")),
        ("", {"answer_headers": {"Set-Cookie": f"XSRF-TOKEN={TOKEN}; Path=/"}}, Extract(cookie="XSRF-TOKEN")),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "sent",
    [
        {"url": f"/next?t={TOKEN}&u=1"},
        {"url": f"/next/{TOKEN}/x"},
        {"url": "/next", "headers": {"X-Token": TOKEN}},
        {"url": "/next", "headers": {"Authorization": f"Bearer {TOKEN}"}},
        {"url": "/next", "method": "POST", "body": json.dumps({"a": [{"t": TOKEN}]})},
        {"url": "/next", "method": "POST", "body": f"t={TOKEN}",
         "body_kind": "application/x-www-form-urlencoded"},
    ],
)  # fmt: skip
def test_a_token_is_taken_from_where_it_came(
    answer: object, more: dict[str, Any], extract: Extract, sent: dict[str, Any], tmp_path: Path
) -> None:
    first, second = requests(converted(tmp_path, entry("/", answer, **more), entry(**sent, at=0.5)))
    ((name, place),) = first.extract.items()
    assert place == extract
    texts = [second.get or second.post or "", second.body or "", *second.headers.values()]
    assert any(f"{{{name}}}" in text for text in texts)
    assert not any(TOKEN in text for text in texts)


@pytest.mark.parametrize(
    ("value", "name", "expected"),
    [
        ("k3Jx9-QmZ2", "id", True),
        ("9f1c2d3e-0000-4a4a-8b8b-123456789abc", "", True),
        ("kQxwLmEEopQRstuvWxyzAB", "id", True),
        ("abcdef", "csrf_token", True),
        ("abcdefgh", "title", False),
        ("12345678901", "id", False),
        ("2026-11-28", "day", False),
        ("2026-11-28T09:00:00Z", "at", False),
        ("1.25.3", "version", False),
        ("two words 12", "q", False),
        ("http://a.example/b1", "next", False),
        ("a1b2", "csrf", False),
        ("x1" * 5_000, "token", False),
    ],
)
def test_tokens_are_told_from_words_numbers_and_times(value: str, name: str, expected: bool) -> None:
    assert is_token(value, name) is expected


def test_a_value_that_no_answer_gave_stays(tmp_path: Path) -> None:
    conversion = converted(
        tmp_path, entry(f"/?t={TOKEN}"), entry("/b", {"later": TOKEN}), entry("/c", {}, headers={"x": TOKEN})
    )
    assert [request.get for request in requests(conversion)] == [f"/?t={TOKEN}", "/b", "/c"]
    assert requests(conversion)[2].headers["x"] == "{later}"


def beside(conversion: Conversion) -> list[bool]:
    return [request.beside for request in requests(conversion)]


def test_requests_go_out_at_once_that_were_made_before_any_of_them_was_answered(tmp_path: Path) -> None:
    listed = (
        entry("/page", at=0, took=1),
        entry("/a.css", kind="text/css", at=1, took=2),
        entry("/b.js", kind="text/javascript", at=1.5, took=0.1),
        entry("/c.png", kind="image/png", at=2, took=3),
        entry("/later", {}, at=6, took=0.1),
        entry("/one", {}, at=8, took=1),
        entry("/two", {}, at=8, took=1.5),
        entry("/after", {}, at=12, took=1),
    )
    conversion = converted(tmp_path, *listed)
    assert beside(conversion) == [False, False, True, False, False, False, True, False]
    # The image was asked for while the style sheet was on its way, after the script had come.
    (waits,) = (part for part in conversion.altered if part.how == ConvertersHarTexts.in_sequence)
    assert "1" in waits.what
    assert [request.think for request in requests(conversion)[5:7]] == [None, Think(constant=Seconds(2.5))]


def test_what_is_asked_for_while_a_page_is_read_waits_for_the_page(tmp_path: Path) -> None:
    page, style = entry("/page", at=0, took=1), entry("/a.css", kind="text/css", at=0.5, took=1)
    assert beside(converted(tmp_path, page, style)) == [False, False]


def test_what_needs_an_answer_is_not_sent_at_once_with_its_request(tmp_path: Path) -> None:
    first = entry("/token", {"token": TOKEN}, at=0, took=1)
    other = entry("/else", {}, at=0.1, took=1)
    second = entry("/use", {}, at=0.2, took=1, headers={"X-Token": TOKEN})
    conversion = converted(tmp_path, first, other, second)
    assert requests(conversion)[2].headers["X-Token"] == "{token}"
    assert beside(conversion) == [False, True, False]


def test_pages_stand_in_their_order_whatever_the_order_of_the_file(tmp_path: Path) -> None:
    listed = (entry("/b", at=5, page="two"), entry("/a", at=1, page="early"), entry("/c", at=5.5, page=""))
    conversion = converted(tmp_path, *listed, pages={"two": 4.9, "early": 0.9})
    assert [request.get for request in requests(conversion)] == ["/a", "/b", "/c"]


def test_a_form_of_fields_is_written_anew_and_one_of_files_is_named(tmp_path: Path) -> None:
    form = entry("/form", method="POST", body="", body_kind="application/x-www-form-urlencoded")
    form["request"]["postData"]["params"] = [{"name": "a b", "value": "c&d"}, {"name": "e%5B1%5D"}]
    files = entry("/files", method="POST", body="", body_kind="multipart/form-data", at=0.2)
    files["request"]["postData"]["params"] = [{"name": "f", "fileName": "x.png"}]
    conversion = converted(tmp_path, form, files)
    assert [request.body for request in requests(conversion)] == ["a+b=c%26d&e%5B1%5D=", None]
    assert [part.place for part in conversion.dropped] == ["entry 2"]


def test_a_form_in_parts_has_the_values_that_the_recording_has(tmp_path: Path) -> None:
    posted = entry(
        "/files", method="POST", body="", body_kind="multipart/form-data; boundary=x",
        headers={"content-type": "multipart/form-data; boundary=x"},
    )  # fmt: skip
    posted["request"]["postData"]["params"] = [
        {"name": "a", "value": "{1}"},
        {"name": "f", "fileName": "x.csv", "contentType": "text/csv", "value": "1,2"},
    ]
    conversion = converted(tmp_path, posted)
    (request,) = requests(conversion)
    assert isinstance(request.body, str)
    boundary = request.headers["Content-Type"].partition("boundary=")[2]
    assert request.body.startswith(f"--{boundary}\r\n")
    assert 'name="a"\r\n\r\n{{1}}\r\n' in request.body
    assert 'name="f"; filename="x.csv"\r\nContent-Type: text/csv\r\n\r\n1,2\r\n' in request.body
    assert not conversion.dropped
    assert HAR.TEXTS.files_as_recorded in [part.how for part in conversion.altered]


def test_headers_of_one_name_are_joined_and_listed(tmp_path: Path) -> None:
    posted = entry("/", headers={"x-a": "1"})
    posted["request"]["headers"] += [{"name": "X-A", "value": "2"}]
    conversion = converted(tmp_path, posted)
    assert requests(conversion)[0].headers["x-a"] == "1, 2"
    assert [part.how for part in conversion.altered].count(HAR.ROOM_TEXTS.headers_joined) == 1


def test_bytes_lie_beside_the_plan(tmp_path: Path) -> None:
    posted = entry("/raw", method="POST", body="/wD+", body_kind="application/octet-stream")
    posted["request"]["postData"]["encoding"] = "base64"
    (file,) = converted(tmp_path, posted).plan.files
    assert file.content == b"\xff\x00\xfe"


def test_braces_and_private_signs_are_no_holes(tmp_path: Path) -> None:
    listed = (
        entry("/", {"t": TOKEN}),
        entry("/a?b={t}\ue000&t=" + TOKEN, headers={"x": "{t}\ue000"}, at=0.2),
    )
    request = requests(converted(tmp_path, *listed))[1]
    assert request.get == "/a?b={{t}}%EF%BF%BD&t={t}"
    assert request.headers["x"] == "{{t}}\ufffd"


def test_a_recording_without_answers_is_a_list_of_requests(tmp_path: Path) -> None:
    listed = [entry("/a"), entry("/b", method="POST", body="{}"), entry("/c", status=0)]
    for bare in listed[:2]:
        del bare["response"], bare["startedDateTime"], bare["pageref"]
    assert [request.get or request.post for request in requests(converted(tmp_path, *listed))] == ["/a", "/b"]


class ShopHandler(BaseHTTPRequestHandler):
    """Handler of a shop that gives other tokens than the recorded ones, and wants them back."""

    protocol_version = "HTTP/1.1"
    requests: ClassVar[list[tuple[str, bool]]] = []

    def log_message(self, *_: object) -> None:
        pass

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        path = self.path
        bearer = self.headers.get("Authorization") == "Bearer new.Token-1"
        content, kind, is_right = "{}", "application/json", True
        if path == "/login":
            content, kind = '<input type="hidden" name="csrf_token" value="new-Csrf-1">', "text/html"
        elif path == "/session":
            is_right = "csrf_token=new-Csrf-1&" in body and self.headers.get("Cookie") == "sid=s1"
            content = '{"access_token": "new.Token-1", "items": [{"key-1": "new-Key-1"}]}'
        elif path.startswith("/api/items"):
            is_right = bearer and path == "/api/items?page=1&ref=new-Key-1&lang=ko"
            content = '{"cart": "new-cart-1"}'
        elif path.startswith("/api/carts"):
            is_right = bearer and path == "/api/carts/new-cart-1" and '"cart": "new-cart-1"' in body
        if not self.headers.get("User-Agent", "").startswith("loadrig-probe"):
            self.requests.append((f"{self.command} {path}", is_right))
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Set-Cookie", "sid=s1; Path=/")
        self.end_headers()
        self.wfile.write(content.encode())

    do_GET = do_POST = do_PUT = answer  # noqa: N815


@pytest.mark.integration
def test_a_user_sends_the_tokens_that_the_server_gives_now(tmp_path: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), ShopHandler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        conversion = convert_files([CASE], HAR, tmp_path / "plan.yaml")
        text = conversion.path.read_text(encoding="utf-8").replace("8099", str(server.server_port))
        text = text.replace("  users: 1\n", "  users: 1\n  limit: {loops: 1}\n")
        conversion.path.write_text(re.sub(r"\n +think: .*", "", text), encoding="utf-8")
        words = [
            sys.executable,
            "-m",
            "loadrig.cli",
            "run",
            str(conversion.path),
            "-o",
            str(tmp_path / "run"),
        ]
        subprocess.run(words, capture_output=True, timeout=60, check=False)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert ShopHandler.requests == [
        ("GET /login", True),
        ("GET /static/app.js", True),
        ("POST /session", True),
        ("GET /shop", True),
        ("GET /api/items?page=1&ref=new-Key-1&lang=ko", True),
        ("PUT /api/carts/new-cart-1", True),
        ("POST /upload", True),
    ]


# --- files that no browser has written ------------------------------------------------------------

GOOD = recording_of(*SESSION)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (GOOD.encode()[:-40], GOOD[:-40].count("\n") + 1),
        (b'{"log": {"entries": ' + b"[" * 100_000, 1),
        (b'{"log": {"entries": {}}}', 1),
        (b'{"log": 1}', 1),
        (b"[]", 1),
        (b"", 1),
        (GOOD.encode().replace(b"shop", b"sh\xff", 1), 0),
        (b"\xff\xfe" + GOOD.encode(), 0),
        (b"\0" * 100, 1),
    ],
)
def test_what_is_no_recording_is_refused_at_its_line(content: bytes, line: int, tmp_path: Path) -> None:
    path = tmp_path / "test.har"
    path.write_bytes(content)
    with pytest.raises(PlanError) as error:
        convert_files([path], HAR, tmp_path / "out" / "plan.yaml")
    problem = error.value.problems[0]
    assert problem.code == "import.bad-test"
    assert problem.mend
    assert not line or (problem.where and abs(problem.where.line - line) <= 2)
    assert not (tmp_path / "out" / "plan.yaml").exists()


def test_a_recording_without_requests_makes_no_plan(tmp_path: Path) -> None:
    path = tmp_path / "test.har"
    path.write_text(recording_of(entry("https://[::1", status=200), entry("blob:x")), encoding="utf-8")
    with pytest.raises(PlanError) as error:
        convert_files([path], HAR, tmp_path / "plan.yaml")
    assert error.value.problems[0].code == "import.nothing-in-it"


def test_other_encodings_are_read(tmp_path: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        path = tmp_path / f"{encoding}.har"
        path.write_bytes(GOOD.encode(encoding))
        assert HAR.recognises(TestSource(path).head(), path.name)
        assert len(requests(HAR.convert(TestSource(path)))) == 7


@pytest.mark.parametrize(
    "change",
    [
        {"startedDateTime": "9999-99-99T99:99:99Z"},
        {"startedDateTime": "0001-01-01T00:00:00+14:00"},
        {"startedDateTime": 17},
        {"time": float("1e308")},
        {"time": -5},
        {"time": None},
        {"pageref": ["x"]},
        {"response": None},
        {"response": {"status": "200"}},
        {"request": []},
        {"request": {"method": 5, "url": None, "headers": {"a": 1}, "postData": "x"}},
        {"_fromCache": 0},
        {
            "request": {
                "method": "GET",
                "url": "http://127.0.0.1:8099/\ud800",
                "headers": [{"name": "\udfff"}],
            }
        },
    ],
)
def test_parts_of_other_kinds_are_none(change: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "test.har"
    text = json.dumps({"log": {"entries": [entry("/a"), {**entry("/b"), **change}, entry("/c", at=3)]}})
    path.write_text(text, encoding="utf-8")
    assert len(requests(HAR.convert(TestSource(path)))) >= 2
    convert_files([path], HAR, tmp_path / "plan.yaml")


def test_a_number_of_a_million_digits_takes_no_time(tmp_path: Path) -> None:
    path = tmp_path / "test.har"
    text = recording_of(entry("/a"), entry("/b", '{"n": ' + "9" * 1_000_000 + "}", "application/json"))
    path.write_text(text.replace('"time": 100.0', '"time": ' + "9" * 1_000_000, 1), encoding="utf-8")
    assert len(requests(HAR.convert(TestSource(path)))) == 2


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("[" * 200_000 + "]" * 200_000, "application/json"),
        ("[" + "1," * 500_000 + "1]", "application/json"),
        (json.dumps({f"key{n}": f"value-{n:08d}x" for n in range(30_000)}), "application/json"),
        ("<a>" + "".join(f'<b id="v" data="value{n:08d}">' for n in range(20_000)), "text/html"),
        ("<" + "a" * 1_000_000, "text/html"),
        ("<a " + "b:" * 500_000, "text/html"),
        ("<a " + " =" * 500_000, "text/html"),
    ],
)
def test_an_answer_that_is_deep_or_huge_has_an_end(answer: str, kind: str, tmp_path: Path) -> None:
    sent = [entry(f"/x?v=value{n:08d}", at=0.2 + n / 100) for n in range(100)]
    assert len(requests(converted(tmp_path, entry("/", answer, kind), *sent))) == 101


def test_a_recording_of_very_many_requests_is_cut_and_says_so(tmp_path: Path) -> None:
    conversion = converted(tmp_path, *(entry(f"/{n}") for n in range(2_100)))
    assert len(requests(conversion)) == 2_000
    assert any("100" in part.what for part in conversion.dropped)


@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255), length=st.floats(0, 1))
def test_a_recording_that_is_cut_or_changed_anywhere_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, place: float, byte: int, length: float
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    content = bytearray(GOOD.encode())
    content[int(place * len(content))] = byte
    path = folder / "test.har"
    # Half of the files are whole: what is cut is seldom read beyond its JSON.
    path.write_bytes(bytes(content[: int(min(1.0, 2 * length) * len(content)) + 1]))
    code = "import.fine"
    try:
        convert_files([path], HAR, folder / "plan.yaml")
    except PlanError as error:
        code = error.problems[0].code
    assert code in ("import.fine", "import.bad-test", "import.nothing-in-it")
