"""Scripts of k6 become plans, by their text alone."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base import members
from loadrig.base.units import Count, Seconds
from loadrig.converters import TestSource, converter_of
from loadrig.plan.arrivals import LoadStage, Rate, Sessions, Users
from tests.converters.lists import converted, lines_of, read_or_refused, refused, requests

pytest.importorskip("tree_sitter_javascript")

K6 = members.load("loadrig.converters", "k6")
CASES = Path(__file__).parent / "cases" / "k6"
HEAD = "import http from 'k6/http';\nimport { check, sleep, group } from 'k6';\n"


def of_options(options: str, folder: Path, body: str = "http.get('http://127.0.0.1/a');") -> object:
    script = f"{HEAD}export const options = {options};\nexport default () => {{ {body} }}\n"
    return converted(K6, script, folder, "script.js").plan.arrivals


def test_requests_are_carried_in_their_order_with_checks_pauses_and_values_of_answers() -> None:
    conversion = K6.convert(TestSource(CASES / "shop.js"))
    steps = requests(conversion)
    assert [step.get or step.post for step in steps] == ["/items?q=a%20b", "/cart", "/cart/{id}", "/1", "/2"]
    assert steps[0].headers == {"Authorization": "Bearer {token}"}
    assert steps[0].expect.status == (200,)
    assert steps[0].expect.time == 0.5
    assert steps[0].think is not None
    assert steps[0].think.constant == 1.5
    assert steps[1].body == "item=x+y&n=2"
    assert steps[1].extract["id"].json == "$.id"
    assert steps[2].think is not None
    assert steps[2].think.uniform == (1.0, 3.0)
    login = conversion.plan.login
    assert login is not None
    assert login.body == '{{"user":"u","pin":1}}'
    assert login.headers["X-A"] == "a{{b}}"
    assert conversion.plan.goals == ("p95 < 500ms", "errors < 1%")
    assert [part.order for part in conversion.dropped] == [3, 8, 16, 24, 25]
    assert [part.order for part in conversion.altered] == [0, 0, 4, 10, 15]
    assert [step.beside for step in steps] == [False, False, False, False, True]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("{}", [False, True, True, True, True, True, False, True, False]),
        ("{ batch: 3 }", [False, True, True, False, True, True, False, True, False]),
        ("{ batchPerHost: 1 }", [False] * 9),
    ],
)
def test_requests_of_a_batch_go_out_at_once_as_many_as_the_options_say(
    options: str, expected: list[bool], tmp_path: Path
) -> None:
    urls = ", ".join(f"'http://127.0.0.1/{number}'" for number in range(8))
    script = (
        f"{HEAD}export const options = {options};\nexport default () => {{\n"
        f"  http.batch(['ftp://other.example/', {urls}]);\n  http.get('http://127.0.0.1/last');\n}}\n"
    )
    conversion = converted(K6, script, tmp_path, "script.js")
    assert [step.beside for step in requests(conversion)] == expected
    assert [part.what for part in conversion.dropped if part.order] == ["GET ftp://other.example/"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("{ vus: 3, duration: '10s' }", Users(count=Count(3))),
        ("{ vus: 3, iterations: 7 }", Users(count=Count(3))),
        (
            "{ scenarios: { a: { executor: 'per-vu-iterations', vus: 2, iterations: 5 } } }",
            Users(count=Count(2)),
        ),
    ],
)
def test_users_are_carried(options: str, expected: Users, tmp_path: Path) -> None:
    assert of_options(options, tmp_path) == expected


def test_an_arrival_rate_is_a_rate_of_requests_or_of_sessions(tmp_path: Path) -> None:
    options = "{ scenarios: { a: { executor: 'constant-arrival-rate', rate: 30, timeUnit: '1m' } } }"
    single = of_options(options, tmp_path)
    assert isinstance(single, Rate)
    assert single.per_second == 0.5
    several = of_options(options, tmp_path, "http.get('http://127.0.0.1/a'); http.get('http://127.0.0.1/b');")
    assert isinstance(several, Sessions)
    assert several.requests == 1


def test_scenarios_of_one_kind_are_shares_and_others_are_listed(tmp_path: Path) -> None:
    script = (
        HEAD
        + """
export const options = { scenarios: {
  a: { executor: 'constant-vus', vus: 3, duration: '5s', exec: 'a' },
  b: { executor: 'constant-vus', vus: 1, duration: '5s', exec: 'b' },
  c: { executor: 'constant-arrival-rate', rate: 1, duration: '5s', exec: 'b' } } };
export function a() { http.get('http://127.0.0.1/a'); }
export const b = () => { http.del('http://127.0.0.1/b'); };
"""
    )
    conversion = converted(K6, script, tmp_path, "script.js")
    assert [(s.name, s.weight) for s in conversion.plan.scenarios] == [("a", 3.0), ("b", 1.0)]
    assert conversion.plan.arrivals.level == 4
    assert [part.order for part in conversion.dropped] == [7]


def test_every_key_of_a_load_is_carried_or_listed_by_its_line(tmp_path: Path) -> None:
    script = (
        HEAD
        + """const stages = [{ duration: '10s', target: 4 }];
export const options = {
  vus: 9,
  discardResponseBodies: true,
  thresholds: {
    http_req_failed: [{ threshold: 'rate<0.01', abortOnFail: true, delayAbortEval: '10s' }],
    http_req_waiting: ['p(95)<500'],
  },
  scenarios: {
    a: {
      executor: 'ramping-vus',
      startVUs: 0,
      stages,
      gracefulStop: '3s',
      gracefulRampDown: '1s',
      startTime: '5s',
      env: { A: 'b' },
    },
    b: { executor: 'ramping-vus', startVUs: 0, stages: [{ duration: '10s', target: 12 }],
         exec: 'b' },
    c: { executor: 'externally-controlled', vus: 3,
         maxVUs: 10, duration: '1m' },
    d: { executor: 'constant-vus', vus: Number(__VU) },
  },
};
export function b() { http.get('http://127.0.0.1/b'); }
export default () => { http.get('http://127.0.0.1/a'); }
"""
    )
    conversion = converted(K6, script, tmp_path, "script.js")
    assert conversion.plan.arrivals == Users(stages=(LoadStage(0), LoadStage(16, Seconds(10))))
    assert [scenario.weight for scenario in conversion.plan.scenarios] == [4, 12]
    assert conversion.plan.goals == ("errors < 1%", "p95 < 500ms")
    dropped = [part.order for part in conversion.dropped]
    assert dropped == [5, 6, 8, 16, 17, 18, 19, 23, 24, 25, 25]
    assert [part.order for part in conversion.altered if part.order] == [9, 21, 23]


def test_the_most_iterations_at_once_are_the_most_connections(tmp_path: Path) -> None:
    script = (
        HEAD
        + """export const options = { scenarios: { a: { executor: 'constant-arrival-rate', rate: 5,
  preAllocatedVUs: 2,
  maxVUs: 7 } } };
export default () => { http.get('http://127.0.0.1/a'); }
"""
    )
    conversion = converted(K6, script, tmp_path, "script.js")
    assert conversion.plan.connections.most == 7
    assert [part.order for part in conversion.altered if part.order] == [5]


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://127.0.0.1/a(1)/%7e", "/a(1)/%7e"),
        ("http://127.0.0.1/a(1)/b c", "/a%281%29/b%20c"),
        ("http://127.0.0.1?x={y}#z", "/?x={{y}}"),
        ("http://127.0.0.1/${__ITER ? 1 : 2}", None),
        ("http://127.0.0.1/a/${1 + 1}?b=${'c'}#d", "/a/2?b=c"),
    ],
)
def test_an_address_is_written_as_gos_library_writes_it(url: str, target: str | None, tmp_path: Path) -> None:
    script = f"{HEAD}export default () => {{ http.get(http.url`{url}`); http.get('http://127.0.0.1/e'); }}"
    gets = [step.get for step in requests(converted(K6, script, tmp_path, "script.js"))]
    assert gets == ([] if target is None else [target]) + ["/e"]


def test_a_query_that_no_request_may_hold_is_escaped_and_listed(tmp_path: Path) -> None:
    script = HEAD + "export default () => { http.get('http://u:p@127.0.0.1/?q=a b'); }"
    conversion = converted(K6, script, tmp_path, "script.js")
    (step,) = requests(conversion)
    assert step.get == "/?q=a%20b"
    assert step.headers == {"Authorization": "Basic dTpw"}
    assert [part.order for part in conversion.altered if part.order] == [3]


def test_lists_of_files_beside_the_script_are_feeds(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "users.json").write_text('{"users": [{"n": "a", "p": 1}, {"n": "b,", "p": 2}]}')
    (tmp_path / "words.csv").write_text("word\nred\ngreen\n")
    script = (
        HEAD
        + """
import papaparse from 'https://jslib.k6.io/papaparse/5.1.1/index.js';
const users = new SharedArray('u', function () {
  const all = JSON.parse(open('./data/users.json'));
  return all.users;
});
const words = new SharedArray('w', () => papaparse.parse(open('words.csv'), { header: true }).data);
const plain = new SharedArray('p', () => [1, 2]);
const text = open('words.csv');
const foreign = open('../../etc/passwd');
export default () => {
  const user = users[(__VU - 1) % users.length];
  http.post('http://127.0.0.1/in', JSON.stringify({ n: user.n, p: user.p }));
  http.get(`http://127.0.0.1/s?q=${words[Math.floor(Math.random() * words.length)].word}`);
  http.get('http://127.0.0.1/p/' + plain[exec.scenario.iterationInTest % plain.length]);
  http.post('http://127.0.0.1/f', text);
  http.post('http://127.0.0.1/g', foreign);
};
"""
    )
    conversion = converted(K6, script, tmp_path, "script.js")
    first, second, third, fourth = requests(conversion)
    assert first.body == '{{"n":"{users.n}","p":{users.p}}}'
    assert second.get == "/s?q={words.word}"
    assert third.get == "/p/{plain}"
    assert fourth.body == "word\nred\ngreen\n"
    assert lines_of(conversion) == {
        "users.csv": ["n,p", "a,1", '"b,",2'],
        "words.csv": ["word", "red", "green"],
    }
    orders = {name: draft.feed.order for name, draft in conversion.plan.feeds.items()}
    assert orders == {"users": "unique", "words": "shuffled", "plain": "sequential"}
    assert [part.order for part in conversion.dropped] == [19]


def test_what_the_script_itself_draws_each_user_keeps(tmp_path: Path) -> None:
    script = (
        HEAD
        + """
import { randomIntBetween, randomItem } from 'https://jslib.k6.io/k6-utils/1.4.0/index.js';
const shop = randomIntBetween(1, 9);
const kind = randomItem([{ n: 'a' }, { n: 'b' }]);
export default () => {
  http.get(`http://127.0.0.1/${shop}/${kind.n}/${randomIntBetween(1, 9)}/${randomItem(['c', 'd'])}`);
};
"""
    )
    plan = converted(K6, script, tmp_path, "script.js").plan
    (step,) = plan.scenarios[0].steps
    holes = re.findall(r"{([\w.]+)}", str(step.request.get))
    orders = [plan.feeds[hole.partition(".")[0]].feed.order for hole in holes]
    assert orders == ["per_user", "per_user", "sequential", "shuffled"]


@pytest.mark.parametrize(
    ("code", "target"),
    [
        ("encoding.b64encode('user:passwd')", "dXNlcjpwYXNzd2Q="),
        ("b64encode('\u00e4?>', 'rawurl')", "w6Q_Pg"),
        ("btoa('a' + 'b')", "YWI="),
        ("encodeURIComponent('a b/\u00e4&(c)')", "a%20b%2F%C3%A4%26(c)"),
        ("encodeURI('a b/\u00e4&(c)')", "a%20b/%C3%A4&(c)"),
        ("b64encode('a', 'base17')", None),
        ("btoa('\u00e4')", None),
        ("encodeURIComponent(res.body)", None),
    ],
)
def test_what_functions_make_of_constants_is_carried(code: str, target: str | None, tmp_path: Path) -> None:
    calls = f"http.get('http://127.0.0.1/'); http.get('http://127.0.0.1/?a=' + {code});"
    body = f"{HEAD}export default () => {{ {calls} }}"
    paths = [request.get for request in requests(converted(K6, body, tmp_path, "test.js"))]
    assert paths == (["/"] if target is None else ["/", f"/?a={target}"])


def test_cookies_that_a_script_puts_into_jars_are_sent_where_they_belong(tmp_path: Path) -> None:
    script = """import http from 'k6/http';
export default function () {
  const users = http.cookieJar();
  const own = new http.CookieJar();
  users.set('http://127.0.0.1/shop/cart', 'a', '1');
  users.set('http://127.0.0.1/', 'b', '2', { path: '/pay', domain: '127.0.0.1' });
  users.set('http://127.0.0.1/', 'c', '3', { domain: 'elsewhere.example' });
  own.set('http://127.0.0.1/', 'd', '4');
  users.set('http://127.0.0.1/', 'e', '5', { secure: true });
  http.get('http://127.0.0.1/shop/x', { cookies: { f: '6' } });
  http.get('http://127.0.0.1/pay');
  http.get('http://127.0.0.1/', { jar: own });
  http.get('http://127.0.0.1/');
}
"""
    conversion = converted(K6, script, tmp_path, "test.js")
    cookies = [request.headers.get("Cookie") for request in requests(conversion)]
    assert cookies == ["a=1; f=6", "b=2", "d=4", None]
    assert [part.order for part in conversion.dropped] == [9]
    assert 12 in [part.order for part in conversion.altered]


def test_files_beside_the_script_and_named_imports_are_read(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "shop.js").write_text(
        "import http from 'k6/http';\n"
        "import { PORT } from './port.js';\n"
        "import { cart } from '../script.js';\n"
        "export const BASE = `http://127.0.0.1:${PORT}`;\n"
        "export function cart(id) { http.get(`${BASE}/cart/${id}`); later(); }\n"
        "export default () => { http.get(`${BASE}/whole`); };\n"
        "export const options = { vus: 99 };\n"
    )
    (tmp_path / "lib" / "port.js").write_text("export const PORT = 8000;\n")
    script = """import { get as fetch, post } from 'k6/http';
import { check as see, sleep } from 'k6';
import whole, { BASE as SHOP, cart } from './lib/shop.js';
import * as shop from './lib/shop.js';
import { no } from '../outside.js';
export default () => {
  see(fetch(`${SHOP}/a`), { ok: (r) => r.status === 200 });
  post(`${shop.BASE}/b`, 'x');
  cart(5);
  whole();
  shop.cart(6);
};
"""
    conversion = converted(K6, script, tmp_path, "script.js")
    paths = [step.get or step.post for step in requests(conversion)]
    assert paths == ["/a", "/b", "/cart/5", "/whole", "/cart/6"]
    assert requests(conversion)[0].expect.status == (200,)
    assert conversion.plan.server == "http://127.0.0.1:8000"
    assert conversion.plan.arrivals == Users(count=Count(1))
    places = [part.place for part in conversion.dropped]
    assert places[0] == "line 5"
    assert {place for place in places if "shop.js" in place} == {"shop.js, line 3", "shop.js, line 5"}


def test_typescript_is_read(tmp_path: Path) -> None:
    script = (
        HEAD + "const B: string = 'http://127.0.0.1';\nexport default (): void => { http.get(B + '/t'); }\n"
    )
    assert requests(converted(K6, script, tmp_path, "script.ts"))[0].get == "/t"


def test_what_is_no_script_is_refused_at_its_line(tmp_path: Path) -> None:
    code, line = refused(K6, (HEAD + "export default ( {{{\n").encode(), tmp_path, "script.js")
    assert (code, line) == ("import.bad-test", 3)


def test_only_what_imports_k6_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text(HEAD, encoding="utf-8")
    (tmp_path / "b.js").write_text("import http from 'http';\n", encoding="utf-8")
    assert converter_of(tmp_path / "a.js") is K6
    assert converter_of(tmp_path / "b.js") is None


@pytest.mark.parametrize(
    "body",
    [
        "const a = " + "[" * 5000 + "]" * 5000 + ";",
        "const a = " + "1+" * 5000 + "1;",
        "const a = '\\u{110000}', b = '\\ud800', c = 0x"
        + "f" * 500
        + "; http.get(`http://127.0.0.1/${b}${c}`);",
        "function f() { f(); f(); } f();",
        "const a = ['x'];"
        + "".join(f"const a{n} = [a{n - 1 if n else ''}, a{n - 1 if n else ''}];" for n in range(40)),
        "http.get('http://127.0.0.1/" + "a" * 500_000 + "');",
        "const r = http.get('http://127.0.0.1/'); " + "if (r.status === 200) {" * 400 + "}" * 400,
        "const r = http.get('http://127.0.0.1/'); " + "if (r.status === 200) {} else " * 400 + "{}",
        "[1].forEach(() => {" * 400 + "})" * 400 + ";",
        "a = " * 400 + "1; " + "(" * 400 + "1" + ")" * 400 + ";",
        "const a0 = 'xxxxxxxx';"
        + "".join(f"const a{n} = a{n - 1} + a{n - 1};" for n in range(1, 17))
        + "".join(f"const b{n} = a16 + {n};" for n in range(400)),
        "x" + ".push()" * 400 + " && x" + ".y === 1 && x" * 400 + ";",
    ],
    ids=[
        "nested",
        "long-sum",
        "codes",
        "recursion",
        "doubling",
        "long-line",
        "branches",
        "elses",
        "callbacks",
        "assignments",
        "long-texts",
        "chains",
    ],
)
def test_a_small_script_that_means_very_much_has_an_end(body: str, tmp_path: Path) -> None:
    script = f"{HEAD}export default function () {{ {body} }}\n"
    assert read_or_refused(K6, script.encode(), tmp_path, "script.js").startswith(("import.", "plan."))


@given(cut=st.integers(0, 1500), junk=st.binary(max_size=20))
def test_whatever_a_script_holds_it_is_read_or_refused(
    cut: int, junk: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = (CASES / "shop.js").read_bytes()
    folder = tmp_path_factory.mktemp("cut")
    assert read_or_refused(K6, content[:cut] + junk + content[cut:], folder, "script.js").startswith(
        "import."
    )
    assert read_or_refused(K6, content[:cut] + junk, folder, "script.js").startswith("import.")
