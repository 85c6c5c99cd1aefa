"""Values that the statements of a locustfile change are sent as Locust would send them, or are listed."""

import json
from pathlib import Path
from typing import Any

import pytest

from loadrig.base import members
from loadrig.converters import Conversion
from loadrig.converters.locust import TEXTS
from loadrig.plan.holes import holes_in
from loadrig.plan.requests import Extract
from tests.converters.lists import converted, requests

LOCUST = members.load("loadrig.converters", "locust")
HEAD = "import json, random\nfrom locust import HttpUser, FastHttpUser, TaskSet, task, between\n"
USER = "class A(HttpUser):\n    host = 'http://127.0.0.1'\n"


def of_file(text: str, folder: Path) -> Conversion:
    return converted(LOCUST, HEAD + text, folder, "locustfile.py")


def of_task(body: str, folder: Path, before: str = "", inside: str = "") -> Conversion:
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    return of_file(f"{before}\n{USER}{inside}    @task\n    def work(self):\n{lines}", folder)


def gets(conversion: Conversion) -> list[str | None]:
    return [request.get for request in requests(conversion)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p = '/a'\np += '?x=1'\nself.client.get(p)", ["/a?x=1"]),
        ("n = 1\nn += 2\nn -= 1\nn *= 3\nself.client.get(f'/{n}')", ["/6"]),
        ("p = {}\np['a'] = '/b'\nself.client.get(p['a'])", ["/b"]),
        ("p = {'a': {}}\np['a']['b'] = '/b'\nself.client.get(p['a']['b'])", ["/b"]),
        ("p = {'a': '/a'}\np.update({'a': '/b'})\nself.client.get(p['a'])", ["/b"]),
        ("p = {}\np.update(a='/b')\nself.client.get(p.pop('a'))", []),
        ("p = {'a': '/b'}\nq = p.pop('a')\nself.client.get(q)", ["/b"]),
        ("p = {}\np.setdefault('a', '/b')\nself.client.get(p['a'])", ["/b"]),
        ("p = ['/a']\np.append('/b')\np.extend(['/c'])\np.insert(0, '/d')\np.reverse()\n"
         "for q in p:\n    self.client.get(q)", ["/c", "/b", "/a", "/d"]),
        ("p = ['/a', '/b']\nq = p.pop()\nself.client.get(q)\nself.client.get(p[0])", ["/b", "/a"]),
        ("p = ['/a']\np += ['/b']\nself.client.get(p[1])", ["/b"]),
        ("p = ['/a', '/b']\ndel p[0]\nself.client.get(p[0])", ["/b"]),
        ("p = '/a'\ndel p\nself.client.get(p)", []),
        ("p = q = {}\np['a'] = '/b'\nself.client.get(q['a'])", ["/b"]),
        ("p = {'a': '/a'}\nq = dict(p)\np['a'] = '/b'\nself.client.get(q['a'])", ["/a"]),
        ("p = {'a': '/a'}\nq = p.copy()\nq['a'] = '/b'\nself.client.get(p['a'])", ["/a"]),
        ("for i in range(3):\n    p = f'/{i}'\nself.client.get(p)", ["/2"]),
        ("for i, p in [(1, '/a'), (2, '/b')]:\n    self.client.get(f'{p}{i}')", ["/a1", "/b2"]),
        ("for p in ['/a', '/b']:\n    self.client.get(p)\n    break\nelse:\n    self.client.get('/c')",
         ["/a"]),
        ("p = '/a'\nif random.random() < 0.5:\n    p = '/b'\nself.client.get(p)", []),
        ("if random.random() < 0.5:\n    p = '/b'\nelse:\n    p = '/b'\nself.client.get(p)", ["/b"]),
        ("p = {'a': '/a'}\nq = p\nif random.random() < 0.5:\n    p['a'] = '/b'\nself.client.get(q['a'])", []),
        ("p = '/a'\nwhile random.random() < 0.5:\n    p = '/b'\nself.client.get(p)", []),
        ("p = '/a'\nfor q in self.items:\n    p = q\nself.client.get(p)", []),
        ("p = '/a'\nmatch self.x:\n    case 1:\n        p = '/b'\nself.client.get(p)", []),
        ("p = '/a'\ntry:\n    q = self.x\nexcept Exception:\n    p = '/b'\nself.client.get(p)", []),
        ("p = ['/a', '/b']\nrandom.shuffle(p)\nself.client.get(p[0])", []),
        ("p = {'a': '/a'}\nfill(p)\nself.client.get(p['a'])", []),
        ("p = {'a': '/a'}\nprint(p)\nself.client.get(p['a'])", ["/a"]),
        ("p = ['/a']\np.append(p)\nself.client.get(p[0])", []),
    ],
)  # fmt: skip
def test_a_value_that_statements_change_is_carried_or_listed(
    body: str, expected: list[str], tmp_path: Path
) -> None:
    conversion = of_task(f"self.client.get('/first')\n{body}", tmp_path)
    assert gets(conversion) == ["/first", *expected]
    assert bool(conversion.dropped) == (not expected)


def test_values_that_the_file_changes_outside_of_functions_are_carried(tmp_path: Path) -> None:
    before = "A = {'a': 1}\nA['b'] = 2\nB = [1]\nB.append(A)\nC = 'x'\nC += 'y'\nD = E = '/d'\ndel E"
    body = "self.client.post(f'/{C}', json=B)\nself.client.get(D)\nself.client.get(E)"
    first, second = requests(conversion := of_task(body, tmp_path, before))
    assert (first.post, first.json, second.get) == ("/xy", [1, {"a": 1, "b": 2}], "/d")
    assert len(conversion.dropped) == 1


@pytest.mark.parametrize(
    "change",
    ["A['a'] = 2", "A.update(a=2)", "del A['a']", "b = A\n        b['a'] = 2"],
)
def test_a_value_that_a_task_changes_for_all_tasks_is_computed(change: str, tmp_path: Path) -> None:
    text = (
        f"A = {{'a': 1}}\n{USER}    @task\n    def a(self):\n        {change}\n"
        "        self.client.post('/a', json=A)\n    @task\n    def b(self):\n"
        "        self.client.get('/')\n        self.client.post('/b', json=A)\n"
    )
    conversion = of_file(text, tmp_path)
    assert gets(conversion) == ["/"]
    assert len([part for part in conversion.dropped if "json=A" in part.what]) == 2


def test_what_a_task_changes_of_its_user_is_computed_and_what_its_beginning_changes_carried(
    tmp_path: Path,
) -> None:
    inside = (
        "    n = 0\n    word = ''\n    head = {'A': '1'}\n    def on_start(self):\n"
        "        self.word = 'x'\n        self.head['B'] = '2'\n"
    )
    body = "self.client.get(f'/{self.word}', headers=self.head)\nself.n += 1\nself.client.get(f'/{self.n}')"
    conversion = of_task(body, tmp_path, inside=inside)
    (request,) = requests(conversion)
    assert (request.get, request.headers) == ("/x", {"A": "1", "B": "2"})
    assert [part.order for part in conversion.dropped] == [HEAD.count("\n") + 14]


def test_functions_have_names_of_their_own(tmp_path: Path) -> None:
    inside = (
        "    def visit(self, path, *, end='z'):\n        self.client.get(path + end)\n        path = '/c'\n"
        "        self.seen = path\n    def build(self, number=1):\n        return f'/built/{number}'\n"
    )
    body = (
        "path = '/list'\nself.client.get(path)\nself.visit('/d')\nself.visit(path='/e', end='')\n"
        "self.client.get(path)\nbuilt = self.build(5)\nself.client.get(built)\nself.client.get(self.seen)\n"
        "self.visit(*path)\n"
    )
    conversion = of_task(body, tmp_path, inside=inside)
    assert gets(conversion) == ["/list", "/dz", "/e", "/list", "/built/5", "/c"]
    assert [part.what for part in conversion.dropped] == ["self.client.get(path + end)"]


def test_requests_in_functions_that_only_conditions_call_are_listed(tmp_path: Path) -> None:
    inside = "    def visit(self):\n        self.client.get('/visit')\n"
    body = "self.client.get('/')\nif random.random() < 0.5:\n    self.visit()\nprint(self.visit())"
    conversion = of_task(body, tmp_path, inside=inside)
    assert gets(conversion) == ["/"]
    assert len(conversion.dropped) == 2


def test_what_stands_in_else_is_carried_and_what_a_failure_asks_listed(tmp_path: Path) -> None:
    body = (
        "try:\n    self.client.get('/a')\nexcept ValueError:\n    self.client.get('/no')\n"
        "else:\n    self.client.get('/b')\nfinally:\n    self.client.get('/c')\n"
        "for x in [1]:\n    self.client.get('/d')\nelse:\n    self.client.get('/e')\n"
    )
    conversion = of_task(body, tmp_path)
    assert gets(conversion) == ["/a", "/b", "/c", "/d", "/e"]
    assert len(conversion.dropped) == 1


def test_a_value_of_an_answer_that_is_changed_is_computed(tmp_path: Path) -> None:
    body = (
        "with self.client.post('/in', catch_response=True) as r:\n"
        "    data = r.json()\n    key = data['key']\n"
        "self.client.get(f'/{key}')\ndata['key'] = 5\nself.client.get(f\"/{data['key']}\")"
    )
    conversion = of_task(body, tmp_path)
    first, second = requests(conversion)
    assert first.extract == {"key": Extract(json="$.key")}
    assert second.get == "/{key}"
    assert len(conversion.dropped) == 1


@pytest.mark.parametrize(
    ("call", "keys"),
    [
        ("post('/', json={})", {"json": {}, "form": None}),
        ("post('/', json=[])", {"json": []}),
        ("post('/', data={'a': 1}, json={'b': 2})", {"form": {"a": "1"}, "json": None}),
        ("post('/', data={}, json={'b': 2})", {"json": {"b": 2}, "form": None}),
        ("post('/', data={'a': 1, 'b': None})", {"form": {"a": "1"}}),
        ("get('/', params={'a': 1, 'b': None})", {"get": "/?a=1"}),
        ("head('/')", {"follow_redirects": 0}),
        ("head('/', allow_redirects=True)", {"follow_redirects": 30}),
        ("request('HEAD', '/')", {"follow_redirects": 30}),
        ("post('/', data=TEXT)", {"body": '{{"a": "\\u00e9"}}', "form": None}),
    ],
)
def test_a_request_is_as_the_client_sends_it(call: str, keys: dict[str, object], tmp_path: Path) -> None:
    (request,) = requests(of_task(f"self.client.{call}", tmp_path, "TEXT = json.dumps({'a': 'é'})"))
    for key, value in keys.items():
        assert getattr(request, key) == value or (value is None and not getattr(request, key))


def test_shares_of_classes_stay_where_a_task_only_leaves_its_set(tmp_path: Path) -> None:
    text = (
        "class Sub(TaskSet):\n    @task\n    def x(self):\n        self.client.get('/x')\n"
        "    @task\n    def stop(self):\n        self.interrupt()\n"
        "class A(HttpUser):\n    tasks = [Sub]\n"
        "class B(HttpUser):\n    @task\n    def b(self):\n        self.client.get('/b')\n"
    )
    weights = {scenario.weight for scenario in of_file(text, tmp_path).plan.scenarios}
    assert len(weights) == 1


def test_functions_that_call_each_other_change_what_each_changes(tmp_path: Path) -> None:
    inside = (
        "    n = 0\n    def f(self):\n        if self.x:\n            self.g()\n"
        "    def g(self):\n        self.n = 1\n        self.f()\n"
    )
    body = "self.client.get('/')\nself.client.get(f'/{self.n}')\nself.f()"
    assert gets(of_task(body, tmp_path, inside=inside)) == ["/"]


def test_entries_that_tasks_take_out_of_a_list_of_the_class_are_a_feed(tmp_path: Path) -> None:
    inside = "    rows = ['a', 'b']\n"
    conversion = of_task("p = self.rows.pop()\nself.client.get(f'/{p}')", tmp_path, inside=inside)
    assert gets(conversion) == ["/{p.part_1}"]
    assert not conversion.dropped


@pytest.mark.parametrize(
    "data", [{"u": "é", "f": 1.0, "e": 1e20}, [1e-7, {"{a}": '"\\'}, "한"], {"é": None, "t": True}]
)
def test_json_is_sent_as_python_writes_it(data: Any, tmp_path: Path) -> None:
    (request,) = requests(of_task(f"self.client.post('/a', json={data!r})", tmp_path))
    assert request.body is not None
    assert not list(holes_in(request.body))
    assert request.body.replace("{{", "{").replace("}}", "}") == json.dumps(data)
    assert request.headers["Content-Type"] == "application/json"


def test_json_that_a_plan_writes_alike_stays_data(tmp_path: Path) -> None:
    data = {"a": [1, 2.5, True, None], "b": "c"}
    (request,) = requests(of_task(f"self.client.post('/a', json={data!r})", tmp_path))
    assert (request.json, request.body) == (data, None)


def test_a_number_that_is_drawn_is_a_number_in_json(tmp_path: Path) -> None:
    body = "self.client.post('/a', json={'n': random.randint(1, 9), 't': 'x' + random.choice(['y', 'z'])})"
    (request,) = requests(of_task(body, tmp_path))
    number, word = holes_in(request.body or "")
    assert request.body == f'{{{{"n": {{{number}}}, "t": "x{{{word}}}"}}}}'


def test_a_type_that_the_test_gives_stays_that_of_json(tmp_path: Path) -> None:
    body = "self.client.post('/a', json={'f': 1.0}, headers={'content-type': 'a/b+json'})"
    (request,) = requests(of_task(body, tmp_path))
    assert dict(request.headers) == {"content-type": "a/b+json"}


@pytest.mark.parametrize(
    ("where", "path", "values"),
    [
        ("'/z' + random.choice(['/a/b?x=1', '/e f'])", "{value}", ("/z/a/b?x=1", "/z/e%20f")),
        ("random.choice(['/a/b?x=1', '/e,f'])", "{value}", ("/a/b?x=1", "/e,f")),
        ('f\'/z/{random.choice(["a/b", "c"])}/end\'', "{value}/end", ("/z/a/b", "/z/c")),
        ("'/z/' + random.choice(['a', 'b-c'])", "/z/{value}", ("a", "b-c")),
    ],
)
def test_drawn_values_of_a_path_are_sent_as_requests_sends_them(
    where: str, path: str, values: tuple[str, ...], tmp_path: Path
) -> None:
    conversion = of_task(f"self.client.get({where})", tmp_path)
    (draft,) = conversion.plan.feeds.values()
    assert (gets(conversion), draft.feed.values) == ([path], values)
    assert not [part for part in conversion.altered if part.how == TEXTS.value_escaped]


def test_a_drawn_path_is_below_the_server_of_the_command(tmp_path: Path) -> None:
    call = "self.client.get(random.choice(['/a', '/b']))"
    text = f"class A(HttpUser):\n    @task\n    def work(self):\n        {call}\n"
    assert gets(of_file(text, tmp_path)) == ["{value}"]


@pytest.mark.parametrize(
    "body",
    [
        "p = random.choice(['/a', '/b'])\nself.client.get('/x' + p)\nself.client.get('/y' + p)",
        "a = self.client.get('/n')\nn = a.json()['id']\nself.client.get(f'/n/{n}')",
    ],
)
def test_values_that_a_plan_escapes_in_a_path_are_listed(body: str, tmp_path: Path) -> None:
    conversion = of_task(body, tmp_path)
    assert [part for part in conversion.altered if part.how == TEXTS.value_escaped]


@pytest.mark.parametrize(("word", "is_listed"), [("é", True), ("e", False)])
def test_letters_of_a_drawn_value_that_python_escapes_in_json_are_listed(
    word: str, is_listed: bool, tmp_path: Path
) -> None:
    body = f"self.client.post('/a', json={{'a': [random.choice(['{word}', 'x'])]}})"
    conversion = of_task(body, tmp_path)
    assert (TEXTS.letters_as_they_are in [part.how for part in conversion.altered]) == is_listed
