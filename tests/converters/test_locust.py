"""Locustfiles become plans by their text alone."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base import members
from loadrig.base.units import Seconds
from loadrig.converters import Conversion, TestSource
from loadrig.plan.model import Feed
from loadrig.plan.requests import Extract, Think
from loadrig.plan.written import WrittenRequest
from tests.converters import lists
from tests.converters.lists import read_or_refused, refused, requests

LOCUST = members.load("loadrig.converters", "locust")
CASES = Path(__file__).parent / "cases" / "locust"
HEAD = "import random, time, json\nfrom locust import *\n"


def converted(text: str, folder: Path) -> Conversion:
    return lists.converted(LOCUST, HEAD + text, folder, "locustfile.py")


def of_task(body: str, folder: Path, before: str = "") -> Conversion:
    inner = "\n".join(f"        {line}" for line in body.splitlines())
    return converted(f"{before}\nclass A(HttpUser):\n    @task\n    def work(self):\n{inner}\n", folder)


def only(conversion: Conversion) -> WrittenRequest:
    (request,) = requests(conversion)
    return request


def test_weights_of_users_sets_and_tasks_are_multiplied() -> None:
    plan = LOCUST.convert(TestSource(CASES / "shop.py.txt")).plan
    weights = {scenario.name: scenario.weight for scenario in plan.scenarios}
    assert weights == {"index": 3, "product": 2, "deep": 1, "Checkout": 7}
    plan = LOCUST.convert(TestSource(CASES / "two-users.py.txt")).plan
    assert [scenario.weight for scenario in plan.scenarios] == [3, 12, 5, 5]


def test_a_login_and_what_it_extracts_reach_the_tasks() -> None:
    plan = LOCUST.convert(TestSource(CASES / "shop.py.txt")).plan
    assert plan.login is not None
    assert plan.login.form == {"user": "jeff", "word": "hunter2"}
    assert plan.login.extract == {"token": Extract(json="$.token")}
    assert plan.headers == {"Authorization": "Bearer {token}"}
    assert plan.server == "http://127.0.0.1:8099"
    assert plan.tls.insecure
    cart, pay = plan.scenarios[-1].steps
    assert cart.request.extract == {"cart_id": Extract(json="$.cart.id")}
    assert pay.request.post == "/api/v1/cart/{cart_id}/pay"
    assert pay.request.think == Think(constant=Seconds(0.5))


def test_two_kinds_of_users_have_no_login() -> None:
    conversion = LOCUST.convert(TestSource(CASES / "two-users.py.txt"))
    assert conversion.plan.login is None
    assert [part.order for part in conversion.dropped] == [27]


@pytest.mark.parametrize(
    ("call", "key", "value"),
    [
        ("get('/a b?c={d}#e')", "get", "/a%20b?c=%7Bd%7D%23e"),
        ("get('a')", "get", "/a"),
        ("get('/a', params={'b': 1, 'c d': 'e&f'})", "get", "/a?b=1&c%20d=e%26f"),
        ("get('/%s/%d' % ('x', 5))", "get", "/x/5"),
        ("get('/' + str(5) + f'/{NAME}/{1.5}')", "get", "/5/word/1.5"),
        ("get(url='/a')", "get", "/a"),
        ("request('PUT', '/a')", "put", "/a"),
        ("request(method='OPTIONS', url='/a')", "options", "/a"),
        ("post('/a', {'b': 'c{'})", "form", {"b": "c{{"}),
        ("post('/a', None, {'b': [1, True, None, 'x']})", "json", {"b": [1, True, None, "x"]}),
        ("post('/a', json={'b': {**MORE, 'c': -1}})", "json", {"b": {"d": 2, "c": -1}}),
        ("post('/a', json={'{x}': {'{': 1}})", "json", {"{{x}}": {"{{": 1}}),
        ("post('/a', data='x')", "body", "x"),
        ("post('/a', data=json.dumps({'x': 1}))", "body", '{{"x": 1}}'),
        ("get('/a', headers={'X': NAME}, cookies={'k': 'v'})", "headers", {"X": "word", "Cookie": "k=v"}),
        ("get('/a', auth=('u', 'p'))", "headers", {"Authorization": "Basic dTpw"}),
        ("get('/a', timeout=2)", "timeout", 2.0),
        ("get('/a', allow_redirects=False)", "follow_redirects", 0),
        ("get('/a', name='route')", "name", "route"),
        ("get('/a', name=self.x)", "get", "/a"),
    ],
)
def test_literal_arguments_are_carried(call: str, key: str, value: object, tmp_path: Path) -> None:
    conversion = of_task(f"self.client.{call}", tmp_path, "NAME = 'word'\nMORE = {'d': 2}")
    assert getattr(only(conversion), key) == value
    assert not conversion.dropped


@pytest.mark.parametrize(
    "body",
    [
        "self.client.get(self.url)",
        "self.client.get('/a', **more)",
        "self.client.get('/a', headers=headers())",
        "self.client.get(f'/{1:03}')",
        "self.client.post('/a', files={'f': 1})",
        "print(self.client.get('/b').text)",
        "if random.random() < 0.5:\n    self.client.get('/b')",
        "while True:\n    self.client.get('/b')",
        "for x in self.items:\n    self.client.get('/b')",
        "x = {}\nself.client.get(x['a'])",
        "self.client.get('http://[::1')",
        "self.client.get(5 + 'a')",
    ],
)
def test_what_is_computed_is_dropped_by_its_line(body: str, tmp_path: Path) -> None:
    conversion = of_task(f"self.client.get('/a')\n{body}", tmp_path)
    assert [request.get for request in requests(conversion)] == ["/a"]
    assert [part.order for part in conversion.dropped] == [HEAD.count("\n") + 4 + body.count("\n") + 1 + 1 - (
        0 if body.startswith("x = ") else body.count("\n")
    )]  # fmt: skip


def test_random_values_are_feeds(tmp_path: Path) -> None:
    body = "item = random.choice(['a', 'b'])\nself.client.get(f'/{item}/{random.randint(1, 9)}')"
    conversion = of_task(body, tmp_path)
    assert only(conversion).get == "/{item}/{value}"
    feeds = {name: draft.feed for name, draft in conversion.plan.feeds.items()}
    assert feeds == {"item": Feed(values=("a", "b"), order="shuffled"), "value": Feed(random=(1, 9))}


def test_functions_loops_and_pauses_are_followed(tmp_path: Path) -> None:
    loop = "for n in [1, 2]:\n    self.client.get(f'/{n}')\n    time.sleep(n)"
    body = f"shared(self)\n{loop}\nreturn\nself.client.get('/x')"
    before = "def shared(user):\n    user.client.get('/shared')\n    shared(user)"
    steps = requests(of_task(body, tmp_path, before))
    assert [step.get for step in steps] == ["/shared"] * 5 + ["/1", "/2"]
    assert steps[-2].think == Think(constant=Seconds(1.0))


def test_each_call_draws_for_itself(tmp_path: Path) -> None:
    loop = "for n in [1, 2]:\n    self.client.get(f'/{random.randint(1, 9)}-{random.randint(1, 9)}')"
    conversion = of_task(loop, tmp_path)
    assert [request.get for request in requests(conversion)] == ["/{value}-{value_2}"] * 2


def test_headers_of_a_rest_call_and_of_a_fast_client_are_sent(tmp_path: Path) -> None:
    text = (
        "class A(FastHttpUser):\n    @task\n    def work(self):\n        self.client.get('/a')\n"
        "        self.client.post('/b', json={})\n        self.rest('GET', '/c', headers={'accept': '*/*'})\n"
    )
    sent = [request.headers for request in requests(converted(text, tmp_path))]
    json = "application/json"
    assert sent == [{}, {"Accept": json}, {"accept": "*/*", "Content-Type": json}]
    own = of_task("self.rest('GET', '/c')", tmp_path, "def rest(self, *_):\n    pass")
    assert [part.order for part in own.dropped]


def test_headers_that_a_users_beginning_gives_are_sent(tmp_path: Path) -> None:
    text = (
        "class A(HttpUser):\n    net = '10.0.'\n    def __init__(self, *words):\n"
        "        super().__init__(*words)\n        self.ip = self.net + str(random.randint(0, 9))\n"
        "        self.client.headers['X-From'] = self.ip\n    @task\n    def work(self):\n"
        "        self.client.get('/')\n"
    )
    conversion = converted(text, tmp_path)
    assert conversion.plan.headers == {"X-From": "10.0.{ip}"}
    assert conversion.plan.feeds["ip"].feed == Feed(random=(0, 9), order="per_user")
    assert [part.order for part in conversion.altered].count(8) == 0


def of_start(body: str, folder: Path, before: str = "") -> Conversion:
    inner = "\n".join(f"        {line}" for line in body.splitlines())
    return converted(
        f"{before}\nclass A(HttpUser):\n    def on_start(self):\n{inner}\n    @task\n    def work(self):\n"
        "        self.client.get(f'/{self.word}/{random.randint(1, 9)}')\n"
        "        self.client.get(f'/{self.word}')\n",
        folder,
    )


def test_what_a_user_draws_at_its_beginning_it_keeps(tmp_path: Path) -> None:
    body = "self.word = random.choice(['a', 'b'])\nself.client.post('/login', {'as': self.word})"
    conversion = of_start(body, tmp_path)
    assert [request.get for request in requests(conversion)] == ["/{word}/{value}", "/{word}"]
    assert conversion.plan.login is not None
    assert conversion.plan.login.form == {"as": "{word}"}
    feeds = {name: draft.feed for name, draft in conversion.plan.feeds.items()}
    assert feeds == {"word": Feed(values=("a", "b"), order="per_user"), "value": Feed(random=(1, 9))}
    assert not conversion.dropped
    assert [part.order for part in conversion.altered] == [0, 0]  # server and users, of the command line


def test_what_a_user_draws_is_there_also_where_its_first_requests_are_not(tmp_path: Path) -> None:
    body = (
        "self.word = random.choice(['a', 'b'])\nanswer = self.client.get('/1')\n"
        "self.key = answer.json()['k']\nself.client.get('/2')\n"
        "self.client.headers.update({'X': self.word, 'Y': self.key})"
    )
    conversion = of_start(body, tmp_path)
    assert [request.get for request in requests(conversion)] == ["/{word}/{value}", "/{word}"]
    assert conversion.plan.headers == {"X": "{word}"}
    assert [part.what.partition(":")[0] for part in conversion.dropped] == ["GET /1", "GET /2"]


def test_a_draw_that_requests_or_users_share_is_named(tmp_path: Path) -> None:
    pair = "item = random.choice(['a', 'b'])\nself.client.get(f'/{item}')\nself.client.get(f'/{item}?again')"
    shared = of_task(pair, tmp_path)
    assert [part.order for part in shared.altered] == [0, 0]
    assert shared.plan.feeds["item"].feed == Feed(values=("a", "b"), order="shuffled", per="loop")
    twice = of_task("for n in [1, 2]:\n    " + pair.replace("\n", "\n    "), tmp_path)
    assert [part.order for part in twice.altered] == [0, 0, HEAD.count("\n") + 6]
    assert twice.plan.feeds["item"].feed.per == "request"
    of_all = of_task("self.client.get(f'/{ITEM}')", tmp_path, "ITEM = random.choice(['a', 'b'])")
    assert of_all.plan.feeds["ITEM"].feed == Feed(values=("a", "b"), order="per_user")
    assert [part.order for part in of_all.altered] == [0, 0, HEAD.count("\n") + 1]
    each = of_task("for n in [1, 2]:\n    self.client.get(f'/{random.randint(1, 9)}')", tmp_path)
    assert [part.order for part in each.altered] == [0, 0]


def table(conversion: Conversion, name: str) -> tuple[str, str]:
    draft = conversion.plan.feeds[name]
    assert draft.file is not None
    assert draft.feed.csv == draft.file.name == f"{name}.csv"
    return draft.feed.order, draft.file.content.decode()


ACCOUNTS = "ACCOUNTS = [('ann', 'a,1'), ('bob', 'b2')]\n"


def test_a_login_that_is_taken_out_of_a_list_is_each_users_own(tmp_path: Path) -> None:
    body = (
        "if len(ACCOUNTS) > 0:\n    self.word, self.key = ACCOUNTS.pop()\n"
        "self.client.post('/login', {'as': self.word, 'key': self.key})"
    )
    conversion = of_start(body, tmp_path, ACCOUNTS)
    assert conversion.plan.login is not None
    assert conversion.plan.login.form == {"as": "{word_key.part_1}", "key": "{word_key.part_2}"}
    assert requests(conversion)[1].get == "/{word_key.part_1}"
    assert table(conversion, "word_key") == ("unique", 'part_1,part_2\nbob,b2\nann,"a,1"\n')
    assert not conversion.dropped


def test_rows_that_are_drawn_or_taken_in_a_task_are_tables(tmp_path: Path) -> None:
    before = f"{ACCOUNTS}ITEMS = [{{'id': 1, 'kind': 'tea'}}, {{'id': 2, 'kind': 'cup'}}]\nWORDS = ['x', 'y']"
    body = (
        "item = random.choice(ITEMS)\nname, _ = ACCOUNTS.pop(0)\nword = WORDS.pop()\n"
        "self.client.post(f'/{name}/{word}', json={'id': item['id'], 'kind': item['kind']})"
    )
    conversion = of_task(body, tmp_path, before)
    assert only(conversion).post == "/{name__.part_1}/{word.part_1}"
    assert only(conversion).body == '{{"id": {item.id}, "kind": "{item.kind}"}}'
    assert not [part.what for part in conversion.altered if part.order]
    assert table(conversion, "item") == ("shuffled", "id,kind\n1,tea\n2,cup\n")
    assert table(conversion, "name__") == ("sequential", 'part_1,part_2\nann,"a,1"\nbob,b2\n')
    assert table(conversion, "word") == ("sequential", "part_1\ny\nx\n")


def test_what_is_drawn_for_all_users_and_what_requests_share_is_named() -> None:
    conversion = LOCUST.convert(TestSource(CASES / "accounts.py.txt"))
    assert not conversion.dropped
    orders = {name: draft.feed.order for name, draft in conversion.plan.feeds.items()}
    assert orders == {
        "SHOP": "per_user", "floor": "per_user", "user_secret": "unique",
        "item": "shuffled", "word": "sequential",
    }  # fmt: skip
    assert [(part.order, part.what) for part in conversion.altered if part.order] == [(8, "{SHOP}")]
    assert conversion.plan.feeds["item"].feed.per == "loop"


@pytest.mark.parametrize(
    "weight", ["weight = 9 ** 999", f"weight = {'9' * 400}", f"fixed_count = {'9' * 400}"]
)
def test_a_weight_beyond_all_bounds_is_none(weight: str, tmp_path: Path) -> None:
    text = f"class A(HttpUser):\n    {weight}\n    @task\n    def work(self):\n        self.client.get('/')\n"
    other = text.replace("class A", "class B").replace(weight, "weight = 1")
    scenarios = converted(text + other, tmp_path).plan.scenarios
    assert [scenario.weight for scenario in scenarios] == [1, 1]


@pytest.mark.parametrize(
    "entries",
    [
        "[]",
        "[('a',), ('a', 'b')]",
        "[('a', 'b'), {'a': 'b'}]",
        "[{'a b': 'c'}]",
        "[('\\n',)]",
        "[((),)]",
        "5",
    ],
)
def test_rows_that_are_no_table_are_computed(entries: str, tmp_path: Path) -> None:
    body = "a = random.choice(ROWS)\nself.client.get('/')\nself.client.get(f'/{a[0]}')"
    conversion = of_task(body, tmp_path, f"ROWS = {entries}")
    assert [request.get for request in requests(conversion)] == ["/"]
    assert len(conversion.dropped) == 1


def test_what_is_drawn_whenever_a_set_begins_is_no_users_value(tmp_path: Path) -> None:
    text = (
        "class A(HttpUser):\n    @task\n    class Inner(TaskSet):\n        def on_start(self):\n"
        "            self.n = random.randint(1, 9)\n        @task\n        def work(self):\n"
        "            self.client.get(f'/{self.n}')\n            self.interrupt()\n"
    )
    assert converted(text, tmp_path).plan.feeds["n"].feed == Feed(random=(1, 9))


def test_names_that_change_while_the_file_runs_are_computed(tmp_path: Path) -> None:
    before = "A = None\nB = 'b'\ndef start():\n    global A\n    A = 1\nif B:\n    C = 2\nB = next(iter('x'))"
    body = "self.client.get('/')\n" + "\n".join(f"self.client.get(f'/{{{name}}}')" for name in "ABC")
    conversion = of_task(body, tmp_path, before)
    assert [request.get for request in requests(conversion)] == ["/"]
    assert len(conversion.dropped) == 3


def test_tasks_of_a_set_that_is_left_come_as_often_as_until_then(tmp_path: Path) -> None:
    text = (
        "class A(HttpUser):\n    @task\n    class Inner(TaskSet):\n        @task(10)\n"
        "        def index(self):\n            self.client.get('/')\n        @task(2)\n"
        "        def stop(self):\n            self.interrupt()\n            self.client.get('/never')\n"
        "    @task\n    def other(self):\n        self.client.get('/other')\n"
    )
    conversion = converted(text, tmp_path)
    assert [scenario.weight for scenario in conversion.plan.scenarios] == [5, 1]
    assert not conversion.dropped


@pytest.mark.parametrize(
    ("wait", "think"),
    [
        ("wait_time = constant(3)", Think(constant=Seconds(3.0))),
        ("wait_time = between(1, 3)", Think(uniform=(Seconds(1.0), Seconds(3.0)))),
        ("wait_time = constant_pacing(3)", Think(constant=Seconds(3.0))),
        ("wait_time = constant_throughput(0.5)", Think(constant=Seconds(2.0))),
        ("min_wait = 1000\n    max_wait = 3000", Think(uniform=(Seconds(1.0), Seconds(3.0)))),
        ("wait_time = lambda self: 5", Think()),
        ("def wait_time(self):\n        return 5", Think()),
        ("pass", Think()),
    ],
)
def test_pauses_between_tasks_are_think(wait: str, think: Think, tmp_path: Path) -> None:
    text = f"def index(l):\n    l.client.get('/')\nclass A(HttpLocust):\n    task_set = index\n    {wait}\n"
    assert converted(text, tmp_path).plan.think == think


def test_classes_derive_from_others_of_the_file(tmp_path: Path) -> None:
    text = (
        "class Base(HttpUser):\n    abstract = True\n    host = 'http://127.0.0.1:1'\n"
        "    @task\n    def a(self):\n        self.client.get('/base')\n    @task\n    def b(self):\n"
        "        self.client.get('/b')\nclass A(Base):\n    @task(2)\n"
        "    def a(self):\n        self.client.get('/own')\n"
    )
    conversion = converted(text, tmp_path)
    assert conversion.plan.server == "http://127.0.0.1:1"
    assert {step.get for step in requests(conversion)} == {"/own", "/b"}


# --- hostile files -----------------------------------------------------------------------------------

GOOD = (CASES / "shop.py.txt").read_bytes()


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (GOOD[: GOOD.index(b"catch_response")], 35),
        (HEAD.encode() + b"def f(:\n", 3),
        (HEAD.encode() + b"x = " + b"(" * 100_000, 0),
        (HEAD.encode() + b"x = " + b"-" * 100_000 + b"1", 0),
        (HEAD.encode() + b"x = '" + b"a" * 3_000_000 + b"'", 1),
        (HEAD.encode() + b"x = '\xff'", 3),
        (HEAD.encode() + b"\0", 0),
    ],
)
def test_what_is_no_python_is_refused_at_its_line(content: bytes, line: int, tmp_path: Path) -> None:
    code, where = refused(LOCUST, content, tmp_path, "locustfile.py")
    assert code == "import.bad-test"
    assert where == line or not line


@pytest.mark.parametrize("content", ["", HEAD, f"{HEAD}class A(HttpUser):\n    tasks = []\n"])
def test_a_file_without_requests_makes_no_plan(content: str, tmp_path: Path) -> None:
    assert refused(LOCUST, content.encode(), tmp_path, "locustfile.py")[0] == "import.nothing-in-it"


def test_a_packed_file_that_is_cut_cannot_be_read(tmp_path: Path) -> None:
    assert refused(LOCUST, gzip.compress(GOOD)[:-20], tmp_path, "l.py.gz")[0] == "import.cannot-read"


def test_encodings_of_the_file_are_read(tmp_path: Path) -> None:
    path = tmp_path / "locustfile.py"
    path.write_bytes(GOOD.decode().encode("utf-16"))
    assert len(requests(LOCUST.convert(TestSource(path)))) == 9


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "class A(HttpUser):\n    tasks = [A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A]\n",
        "class A(B, HttpUser):\n    @task\n    def a(self): self.client.get('/')\nclass B(A):\n    pass\n",
        "a0 = [1]\n" + "".join(f"a{n + 1} = [a{n}, a{n}]\n" for n in range(60))
        + "class A(HttpUser):\n    @task\n    def a(self): self.client.post('/', json=a60)\n",
        "a0 = 'xxxxxxxxxx'\n" + "".join(f"a{n + 1} = a{n} + a{n}\n" for n in range(60))
        + "class A(HttpUser):\n    @task\n    def a(self): self.client.get('/' + a60)\n",
        "class A(HttpUser):\n    @task\n    def a(self):\n"
        + "".join(f"{'  ' * n}        for x{n} in range(10**9):\n" for n in range(9))
        + "                                 self.client.get(self.x)\n",
        "def f(l):\n    l.client.get(l.x)\n" + "    f(l)\n" * 100
        + "class A(HttpUser):\n    tasks = [f]\n",
        "".join(f"def f{n}(l):\n    f{n + 1}(l)\n" for n in range(3000))
        + "class A(HttpUser):\n    @task\n    def a(self):\n        self.client.get('/')\n        f0(self)\n",
        "class A(HttpUser):\n    @task(10**9)\n    def a(self): self.client.get('/' + "
        + "'a' + " * 500 + "'a')\n",
    ],
)  # fmt: skip
def test_a_small_file_that_means_very_much_has_an_end(text: str, tmp_path: Path) -> None:
    path = tmp_path / "locustfile.py"
    path.write_text(HEAD + text, encoding="utf-8")
    assert LOCUST.convert(TestSource(path)).altered


def test_nothing_of_a_file_is_executed(tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    of_task("self.client.get('/')", tmp_path, f"open({str(mark)!r}, 'w')")
    assert not mark.exists()


@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255), length=st.floats(0, 1))
def test_a_file_that_is_cut_or_changed_anywhere_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, place: float, byte: int, length: float
) -> None:
    content = bytearray(GOOD)
    content[int(place * len(content))] = byte
    cut = bytes(content[: int(length * len(content)) + 1])
    assert read_or_refused(LOCUST, cut, tmp_path_factory.mktemp("cut"), "l.py").startswith("import.")
