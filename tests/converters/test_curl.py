"""Commands of curl send the same requests by curl itself and by the plan that is made of them."""

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig import _native
from loadrig.base import members
from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import PlanError
from loadrig.base.running import Address
from loadrig.converters import Conversion, TestSource, convert_files
from loadrig.converters._account import PartsAccount
from loadrig.converters._shell_words import OpenVariables, UnixShellReader, WindowsPromptReader
from loadrig.engine.compile import compile_config
from loadrig.engine.secrets import filled
from loadrig.plan.load import load
from loadrig.plan.written import WrittenRequest
from tests.converters.recording import OF_THE_TOOL, PORT_IN_CASES, recording

CASES = Path(__file__).parent / "cases" / "curl"
CURL = members.load("loadrig.converters", "curl")
HERE = "curl http://127.0.0.1/"
FORM = "application/x-www-form-urlencoded"
IDENTITY = {"Accept-Encoding": "identity"}
BOUNDARY = "loadrig-part-d3b07384d113edec49eaa6238ad5ff00"


def converted(text: str | bytes, folder: Path) -> Conversion:
    path = folder / "commands.curl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    conversion: Conversion = CURL.convert(TestSource(path))
    return conversion


def requests(conversion: Conversion) -> list[WrittenRequest]:
    return [step.request for scenario in conversion.plan.scenarios for step in scenario.steps]


def comparable(method: str, path: str, headers: Mapping[str, str], body: str) -> dict[str, Any]:
    kind = headers.get("content-type", "")
    if "boundary=" in kind:
        body = body.replace(kind.partition("boundary=")[2], "#")
        kind = kind.partition("boundary=")[0]
    rest = {
        name: value
        for name, value in headers.items()
        if name not in OF_THE_TOOL and (name, value) != ("accept", "*/*") and name != "content-type"
    }
    return {"method": method, "path": path, "headers": rest, "kind": kind, "body": body}


def sent_by_curl(case: Path, folder: Path) -> list[dict[str, Any]]:
    with recording() as server:
        shutil.copytree(case.parent, folder, dirs_exist_ok=True)
        text = case.read_text(encoding="utf-8").replace(str(PORT_IN_CASES), str(server.server_port))
        # Boundaries are compared here, not taken out by the recording.
        subprocess.run(["sh", "-c", text] if "$'" not in text else ["bash", "-c", text],
                       cwd=folder, check=True, timeout=60, capture_output=True)  # fmt: skip
        return [
            comparable(
                request["method"],
                request["path"].replace(str(server.server_port), str(PORT_IN_CASES)),
                {
                    name: value.replace(str(server.server_port), str(PORT_IN_CASES))
                    for name, value in request["headers"].items()
                },
                request["body"],
            )
            for request in server.requests
        ]


def rendered(case: Path, folder: Path) -> list[dict[str, Any]]:
    plan = load(convert_files([case], CURL, folder / "plan.yaml").path)
    address = Address("127.0.0.1", PORT_IN_CASES)
    config = compile_config(plan, address, seed=1, cpus=(), frame_s=1.0)
    requests = []
    for _, raw in _native.render_requests(json.dumps(filled(config, plan, address).plain())):
        head, _, body = raw.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        requests.append(comparable(method, path, headers, body.decode("latin-1")))
    return requests


@pytest.mark.integration
@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_a_plan_sends_what_curl_sends(tmp_path: Path) -> None:
    case = CASES / "shop.sh"
    theirs = sent_by_curl(case, tmp_path / "theirs")
    ours = rendered(case, tmp_path / "ours")
    assert len(ours) == len(theirs) == 21
    for own, other in zip(ours, theirs, strict=True):
        assert own == other


def refusal(line: int) -> PlanError:
    return PlanError.of(ErrorWords(what=f"line {line}", mend="close it"), code="import.bad-test")


def words(text: str) -> list[str]:
    reader = UnixShellReader(text, OpenVariables(), refusal)
    return [word.text for command in reader.commands() for word in command.words]


@pytest.mark.integration
@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
@pytest.mark.parametrize(
    "text",
    [
        "a 'b  c' \"d e\" f\\ g\\\n h",
        "a$'\\x41\\u00e9\\t\\'\\101\\\\\\q\\e\\cA\\0' \"\\$x \\a\\\"\" # no word",
        "x 2>/dev/null y z",
        "a\\\nb 'c\\\nd' \"e\\\nf\"",
        '${u:-4} ${u-5}6 "$" $ a$',
        "'' \"\" $'' $\"x\"",
        "a=b -- '$x' \"it's\" \\# a#b",
        "'\u00e9 \u5b57' \\\u00e9",
    ],
)
def test_words_are_those_of_bash(text: str) -> None:
    script = f"printf '%s\\n' {text}"
    printed = subprocess.run(["bash", "-c", script], capture_output=True, timeout=60, check=True).stdout
    assert "".join(f"{word}\n" for word in words(script)[2:]) == printed.decode()


@pytest.mark.integration
@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
@pytest.mark.parametrize("mark", ["<<E", "<<'E'", "<<-E", '<<"E"', "<<\\E"])
def test_here_documents_are_those_of_bash(mark: str) -> None:
    document = "\ta $U ${U}/b ${N:-4} \\$U \\\\ \\q \"$U\" '$U'\\\nc ${1:-5}\n"
    script = f"U=http://h\ncat {mark}\n{document}E\n"
    printed = subprocess.run(["bash", "-c", script], capture_output=True, timeout=60, check=True).stdout
    (command,) = UnixShellReader(script, OpenVariables(), refusal).commands()
    assert command.stdin == printed.decode()


def test_here_documents_hold_the_variables_that_the_file_sets(tmp_path: Path) -> None:
    text = f"U=ann\n{HERE} -d @- <<E\n$U ${{1:-7}} \\$U\nE\n{HERE} -d @- <<'E'\n$U\nE\n"
    assert [request.body for request in requests(converted(text, tmp_path))] == ["ann 7 $U", "$U"]


def test_a_value_that_the_shell_computes_is_open_and_listed(tmp_path: Path) -> None:
    text = f"ID=5\n{HERE}$ID\nID=$(date)\n{HERE}$ID\n{HERE}${{ID%x}}\n{HERE}$1\n{HERE}${{A:-${{B}}}}/x\n"
    conversion = converted(text, tmp_path)
    paths = [request.get for request in requests(conversion)]
    assert paths == ["/5", "/{ID}", "/{computed}", "/{argument_1}", "/{computed}/x"]
    assert Counter(part.why for part in conversion.dropped) == {
        CURL.TEXTS.no_output: 1,
        CURL.TEXTS.no_expansion: 2,
    }


def test_commands_behind_one_that_failed_are_listed(tmp_path: Path) -> None:
    text = f"{HERE}a || {HERE}b\n{HERE}c && {HERE}d\nif {HERE}e; then {HERE}f; else {HERE}g; fi\n"
    conversion = converted(text, tmp_path)
    assert [request.get for request in requests(conversion)] == ["/a", "/c", "/d", "/e", "/f"]
    assert [part.why for part in conversion.dropped] == [CURL.TEXTS.only_after_failure] * 2


@pytest.mark.parametrize(
    ("command", "count"), [("-L -X POST -d a=1", 1), ("-L -d a=1", 0), ("-X POST", 0), ("-L -XGET", 0)]
)
def test_a_method_that_curl_keeps_on_redirects_is_listed(command: str, count: int, tmp_path: Path) -> None:
    altered = converted(f"{HERE} {command}", tmp_path).altered
    assert [part.how for part in altered].count(CURL.TEXTS.method_of_redirects) == count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('curl "a b" c"d"e', ["curl", "a b", "cde"]),
        ('curl ^"a^&b^" ^\n  ^"c^\n\nd^"', ["curl", "a&b", "c\nd"]),
        (r'curl "a \"b\" \\" "c\d\\" "e ""f"" g"', ["curl", 'a "b" \\', "c\\d\\", 'e "f" g']),
        (r'curl ^"^\^"x^\^":50^%^^\^"^"', ["curl", '"x":50%^"']),
        ('curl "a^b" ""', ["curl", "a^b", ""]),
        ("curl a > out.txt & curl b", ["curl", "a"]),
    ],
)
def test_words_are_those_of_the_prompt_of_windows(text: str, expected: list[str]) -> None:
    reader = WindowsPromptReader(text, OpenVariables(), refusal)
    assert [word.text for command in reader.commands() for word in command.words] == expected


def test_a_command_of_windows_has_the_body_of_the_browser(tmp_path: Path) -> None:
    first, second = requests(CURL.convert(TestSource(CASES / "windows.txt")))
    assert first.body == '{{"a":"line\ntwo ^ "quotes" & 50%^"}}'
    assert first.headers["sec-ch-ua"] == '"Chromium";v="130"'
    assert second.headers["x"] == 'say "hi" "there" \\\\srv\\'
    assert not converted("", tmp_path).plan.scenarios[0].steps


def test_halves_of_a_pair_become_a_letter(tmp_path: Path) -> None:
    text = "curl http://127.0.0.1/ --data-raw $'\\ud83d\\ude00\\ud83d\\xc3\\xa9'"
    (request,) = requests(converted(text, tmp_path))
    assert request.body == "\U0001f600\ufffd\u00e9"


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        ("-XPOST", {"post": "/"}),
        ("-sSLkXPUT", {"put": "/", "follow_redirects": 50}),
        ("-L --max-redirs 3", {"get": "/", "follow_redirects": 3}),
        ("--max-time 1.5", {"get": "/", "timeout": 1.5}),
        ("-m0", {"get": "/", "timeout": None}),
        ("--insec", {"get": "/"}),
        ("-I", {"head": "/"}),
        ("-d a -d b", {"post": "/", "body": "a&b"}),
        ("-d a -G", {"get": "/?a"}),
        ("-d a -X GET", {"get": "/", "body": "a"}),
        ("-d '{a}'", {"post": "/", "body": "{{a}}"}),
        ("--data-raw @x", {"post": "/", "body": "@x"}),
        ("-d @missing", {"post": "/", "body": None, "headers": {"Content-Type": FORM} | IDENTITY}),
        ("--digest -u a:b", {"get": "/", "headers": IDENTITY}),
        ("-L --no-location", {"get": "/", "follow_redirects": 0}),
        ("-r 600", {"get": "/", "headers": {"Range": "bytes=600-"} | IDENTITY}),
        (
            "-F a=b -H 'content-type: multipart/mixed'",
            {"post": "/", "headers": {"content-type": f"multipart/mixed; boundary={BOUNDARY}"} | IDENTITY},
        ),
        ("--data-binary $'\\xff'", {"post": "/", "body": None, "body_file": "body-1.bin"}),
    ],
)
def test_options_become_parts_of_a_request(command: str, parts: dict[str, Any], tmp_path: Path) -> None:
    (request,) = requests(converted(f"curl {command} http://127.0.0.1:1/", tmp_path))
    assert {name: getattr(request, name) for name in parts} == parts


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://127.0.0.1:1/a/../b/./c?d=/../e#f", "/b/c?d=/../e"),
        ("127.0.0.1:1", "/"),
        ("http://127.0.0.1:1?x", "/?x"),
        ("'http://127.0.0.1:1/a b\"<>{}|\u00e9'", "/a%20b%22%3C%3E{{}}|%C3%A9"),
        ("--path-as-is http://127.0.0.1:1/a/../b/..", "/a/../b/.."),
        ("http://127.0.0.1:1/a/..", "/"),
        ("'http://127.0.0.1:1/$x/'$x", "/$x/{x}"),
    ],
)
def test_addresses_become_targets(url: str, target: str, tmp_path: Path) -> None:
    (request,) = requests(converted(f"curl -g {url}", tmp_path))
    assert request.get == target


def test_every_word_that_is_left_out_has_its_line(tmp_path: Path) -> None:
    text = "# copied\ncurl http://127.0.0.1:1/ \\\n --proxy http://p:1 \\\n --nonsense \\\n -o out"
    conversion = converted(text, tmp_path)
    assert [(part.place, part.what) for part in conversion.dropped] == [
        ("line 2", "-o"),
        ("line 3", "--proxy"),
        ("line 4", "--nonsense"),
    ]
    assert len(requests(conversion)) == 1


@pytest.mark.parametrize(
    ("text", "bodies"),
    [
        (
            'curl http://127.0.0.1/ \\\n  -d \'{"re": "a ^"}\' ;\ncurl http://127.0.0.1/',
            ['{{"re": "a ^"}}', None],
        ),
        ('curl ^"http://127.0.0.1/^" ^\n -d ^"a^&b^" &\ncurl ^"http://127.0.0.1/^"', ["a&b", None]),
        (
            "curl http://127.0.0.1/ -d a &\ncurl http://127.0.0.1/ && curl http://127.0.0.1/",
            ["a", None, None],
        ),
    ],
)
def test_the_shell_is_told_by_its_signs(text: str, bodies: list[str | None], tmp_path: Path) -> None:
    conversion = converted(text, tmp_path)
    assert [request.body for request in requests(conversion)] == bodies
    assert not conversion.altered


def test_an_address_that_the_shell_cuts_is_named(tmp_path: Path) -> None:
    conversion = converted("curl http://127.0.0.1/?a=1&b=2", tmp_path)
    assert requests(conversion)[0].get == "/?a=1"
    assert len(conversion.altered) == 1


def test_a_host_with_a_brace_is_none(tmp_path: Path) -> None:
    text = "curl http://good.example/\ncurl 'http://127.0.{x/a'\ncurl 'http://127.0.0.1}/'"
    conversion = converted(text, tmp_path)
    assert conversion.plan.server == "http://good.example"
    assert len(requests(conversion)) == 1
    assert [part.place for part in conversion.dropped] == ["line 2", "line 3"]


def test_files_elsewhere_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    text = f"curl http://127.0.0.1/ -d @../secret.txt -F f=@{tmp_path}/secret.txt -T ../secret.txt"
    conversion = converted(text, tmp_path / "inner")
    assert {part.what for part in conversion.dropped} == {
        "@../secret.txt",
        f"@{tmp_path}/secret.txt"[:81],
    }
    assert requests(conversion)[0].body is None
    assert not conversion.plan.files


def test_variables_become_holes_and_nothing_else_does(tmp_path: Path) -> None:
    text = (
        'A=1; curl "$HOST/x/$A/${ID}" -H "Authorization: Bearer $TOKEN" -u "u:$P" '
        "-d \"{$ID}\" --data-raw '$ID'"
    )
    conversion = converted(text, tmp_path)
    (request,) = requests(conversion)
    assert (request.post, request.body) == ("/x/1/{ID}", "{{{ID}}}&$ID")
    assert request.headers["Authorization"] == "Bearer {TOKEN}"
    assert set(conversion.plan.feeds) == {"ID", "TOKEN"}
    assert conversion.plan.server == "http://127.0.0.1"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"curl 'http://127.0.0.1/", 1),
        (b'curl http://127.0.0.1/ \\\n -H "a: b\n\n', 2),
        (b"curl http://127.0.0.1/\ncurl $'a\\'", 2),
        (b"curl http://127.0.0.1/ -d @- <<EOF\nx\n", 2),
        (b"curl $(", 1),
        (b'curl ^"http://127.0.0.1/^" ^\n -H ^"a: b', 2),
        (b"curl 'http://127.0.0.1/\xff'", 1),
        (b"curl x\n\x00\xff", 2),
    ],
)
def test_what_is_cut_is_refused_at_its_line(content: bytes, line: int, tmp_path: Path) -> None:
    with pytest.raises(PlanError) as error:
        converted(content, tmp_path)
    problem = error.value.problems[0]
    assert (problem.code, problem.where and problem.where.line) == ("import.bad-test", line)
    assert problem.mend


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "curl " + "$(" * 50_000 + ")" * 50_000,
        "curl http://127.0.0.1/ " + "-H a:b " * 20_000,
        "curl http://127.0.0.1/\n" * 20_000,
        "curl http://127.0.0.1/ -d '" + "x" * 2_000_000 + "'",
        "curl http://127.0.0.1/ " + "".join(f"-d $v{number} " for number in range(3_000)),
        "curl http://127.0.0.1/ --max-time 999999999999999999999 --max-redirs 99999999999999999999999 -L",
        "curl http://127.0.0.1:99999999999999999999/ http://[::1/ http://\u2100/ http:///",
        "curl $'" + "\\\\" * 100_000 + "' http://127.0.0.1/",
        "a=1;" * 50_000 + "curl http://127.0.0.1/",
    ],
)
def test_a_small_file_that_means_very_much_has_an_end(text: str, tmp_path: Path) -> None:
    assert len(requests(converted(text, tmp_path))) <= 2_000


def test_texts_of_other_encodings_are_read(tmp_path: Path) -> None:
    text = "curl 'http://127.0.0.1/' -H 'a: \u00e9'\r\n"
    for encoding in ("utf-8-sig", "utf-16"):
        (request,) = requests(converted(text.encode(encoding), tmp_path))
        assert request.headers["a"] == "\u00e9"


@given(text=st.text(st.sampled_from("curl ht:/-HdFbX'\"\\$(){}@=&;|<>^\n`#x1\u00e9\ud7ff"), max_size=60))
def test_any_command_makes_a_plan_or_an_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("any")
    path = folder / "commands.txt"
    path.write_text(f"curl http://127.0.0.1/ {text}", encoding="utf-8")
    code = "import.fine"
    try:
        convert_files([path], CURL, folder / "plan.yaml")
    except PlanError as error:
        code = error.problems[0].code
    assert code in ("import.fine", "import.bad-test", "import.nothing-in-it")


def test_headers_of_a_command_are_read_once_however_many_addresses_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: Counter[str] = Counter()
    alter = PartsAccount.alter

    def counted(account: PartsAccount, place: str, what: str, how: str, order: int) -> None:
        counts[what] += 1
        alter(account, place, what, how, order)

    monkeypatch.setattr(PartsAccount, "alter", counted)
    words = " ".join(f"http://127.0.0.1/{number}" for number in range(20))
    conversion = converted(f"curl {words} -H 'X-A: 1' -H 'X-A: 2'\n", tmp_path)
    assert len(requests(conversion)) == 20
    assert conversion.plan.headers["X-A"] == "1, 2"
    assert counts["-H X-A"] == 1
