"""Requests that scripts of Postman make themselves become steps of a plan, each where newman makes it."""

from pathlib import Path
from typing import Any

import pytest

from loadrig.converters import Conversion
from loadrig.converters._pm_scripts import read_script
from loadrig.converters._pm_sends import parts_of, scripts_in
from loadrig.plan.requests import Extract
from tests.converters.documents import converted_document, outcome
from tests.converters.test_postman import collection, requests_of

TOKEN = """const base = pm.variables.get('base'), body = { user: 'u', pin: 1 };
pm.sendRequest({
  url: base + '/token',
  method: 'POST',
  header: { 'Content-Type': 'application/json', 'X-A': `${pm.collectionVariables.get("a")}-b` },
  body: { mode: 'raw', raw: JSON.stringify(body) },
}, (err, res) => {
  if (err) { console.log(err); return; }
  const json = res.json();
  pm.expect(res).to.have.property('code', 201);
  pm.environment.set('token', json.data.access_token);
});"""
VARIABLES = [{"key": "base", "value": "http://127.0.0.1:8000"}, {"key": "a", "value": "A"}]
VARIABLES += [{"key": "nested", "value": "{{base}}"}]


def event(listen: str, text: str) -> dict[str, Any]:
    return {"listen": listen, "script": {"exec": text.splitlines()}}


def of_script(text: str, folder: Path, listen: str = "prerequest") -> Conversion:
    document = collection("{{base}}/own", variable=VARIABLES)
    document["item"][0]["event"] = [event(listen, text)]
    return converted_document("postman", document, folder)


def test_a_token_is_got_before_each_request_as_its_script_does_it(tmp_path: Path) -> None:
    document = collection(*[f"{{{{base}}}}/{name}?t={{{{token}}}}" for name in "ab"], variable=VARIABLES)
    document["event"] = [event("prerequest", TOKEN)]
    conversion = converted_document("postman", document, tmp_path)
    steps = requests_of(conversion)
    assert [step.post or step.get for step in steps] == ["/token", "/a?t={token}", "/token", "/b?t={token}"]
    first = steps[0]
    assert first.body == '{{"user":"u","pin":1}}'
    assert first.headers == {"Content-Type": "application/json", "X-A": "A-b"}
    assert first.expect.status == (201,)
    assert first.extract == {"token": Extract(json="$.data.access_token")}
    assert conversion.dropped == ()
    assert len({step.name for step in steps}) == len(steps)


@pytest.mark.parametrize("listen", ["prerequest", "test"])
def test_what_a_script_sends_stands_where_the_script_runs(listen: str, tmp_path: Path) -> None:
    text = """pm.sendRequest('http://127.0.0.1:8000/first', function (error, answer) {
  if (!error) pm.globals.set('x', answer.headers.get('X-Id'));
  pm.sendRequest({ url: `${pm.variables.get("base")}/inner/${pm.variables.replaceIn("{{x}}")}` });
});
pm.environment.set('y', '2');
pm.sendRequest(pm.variables.get('base') + '/second/' + pm.environment.get('y'));"""
    steps = requests_of(of_script(text, tmp_path, listen))
    # No request waits for the one above it, and that of a callback for the answer alone.
    sent = ["/first", "/second/2", "/inner/{x}"]
    own = "/own"
    assert [step.get for step in steps] == ([*sent, own] if listen == "prerequest" else [own, *sent])
    assert [step.get for step in steps if step.beside] == ["/second/2"]
    assert steps[listen == "test"].extract == {"x": Extract(header="X-Id")}


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("'a=b'", "a=b"),
        ("{ mode: 'raw', raw: 'x {y}' }", "x {{y}}"),
        ("{ mode: 'urlencoded', urlencoded: 'a=b%20&c=d e' }", "a=b%2520&c=d%20e"),
        ("{ mode: 'urlencoded', urlencoded: [{ key: 'grant', value: pm.globals.get('a') }] }", None),
    ],
)
def test_a_body_has_each_of_its_forms(body: str, written: str | None, tmp_path: Path) -> None:
    text = f"pm.sendRequest({{ url: 'http://127.0.0.1:8000/t', method: 'POST', body: {body} }});"
    (step, _) = requests_of(of_script(text, tmp_path))
    assert (step.body, dict(step.form)) == ((written, {}) if written else (None, {"grant": "A"}))


@pytest.mark.parametrize(
    "text",
    [
        "if (!pm.environment.get('token')) { pm.sendRequest('http://127.0.0.1:8000/t'); }",
        "for (const x of [1]) pm.sendRequest('http://127.0.0.1:8000/t');",
        "setTimeout(() => pm.sendRequest('http://127.0.0.1:8000/t'), 1);",
        "pm.sendRequest('http://127.0.0.1:8000/' + Date.now());",
        "pm.sendRequest('{{base}}/t');",  # newman fills nothing there
        "pm.sendRequest({ method: 'GET' });",
        "pm.sendRequest(pm.variables.get('nested') + '/t');",  # nor there
        "pm.sendRequest(pm.environment.get('base') + '/t');",  # it is of the collection
        "pm.sendRequest({ url: 'http://a/', body: { mode: 'urlencoded', urlencoded: { a: 'b' } } });",
        "pm.sendRequest('http://127.0.0.1:8000/t', callback);",
        "let x = 'http://127.0.0.1:8000/'; x += y; pm.sendRequest(x);",
        "const { x } = z; pm.sendRequest(x);",
        "pm.sendRequest('http://127.0.0.1:8000/t'",
    ],
)
def test_a_request_that_may_not_be_made_or_is_computed_is_listed(text: str, tmp_path: Path) -> None:
    conversion = of_script(text, tmp_path)
    assert [step.get for step in requests_of(conversion)] == ["/own"]
    assert [part.order for part in conversion.dropped] == [1]


def test_a_callback_that_looks_at_another_answer_is_left_out(tmp_path: Path) -> None:
    callback = "(e, r) => pm.environment.set('token', pm.response.json().a)"
    text = f"pm.sendRequest('http://127.0.0.1:8000/t', {callback});"
    assert len(requests_of(of_script(text, tmp_path, "test"))) == 1


def test_what_a_callback_takes_from_good_answers_is_taken_from_all_of_them(tmp_path: Path) -> None:
    inner = "if (!e && r.code === 200) { pm.environment.set('t', r.json().t); } else { console.log(r.code); }"
    conversion = of_script(f"pm.sendRequest('http://127.0.0.1:8000/t', (e, r) => {{ {inner} }});", tmp_path)
    assert requests_of(conversion)[0].extract == {"t": Extract(json="$.t")}
    assert "{{t}}" in [part.what for part in conversion.altered]
    assert [part.order for part in conversion.dropped] == [1]


def test_what_a_good_status_alone_sets_or_checks_is_no_part_of_the_plan() -> None:
    script = read_script(
        "if (pm.response.code === 200) { pm.environment.set('x', '1'); pm.response.to.be.ok; }"
    )
    assert (script.fixed, script.statuses, len(script.left_out)) == ({}, (), 2)


def test_what_a_callback_does_under_a_condition_is_listed() -> None:
    callback = "(e, r) => { if (r.json().t > 1) { pm.environment.set('t', r.json().t); } }"
    text = f"pm.sendRequest('http://x/', {callback});"
    (part, rest) = parts_of(text, has_answer=False)
    assert part.send is not None
    assert [script.extracts for script in scripts_in((part, rest))] == [{}, {}, {}]
    assert len(part.send.parts[0].script.left_out) == 2


def test_scripts_that_send_very_much_have_an_end(tmp_path: Path) -> None:
    nested = "pm.sendRequest('http://127.0.0.1:8000/', () => {" * 400 + "})" * 400
    many = "pm.sendRequest('http://127.0.0.1:8000/');" * 400
    texts = "const a0 = 'xxxxxxxx';" + "".join(f"const a{n} = a{n - 1} + a{n - 1};" for n in range(1, 400))
    branches = "pm.sendRequest('http://127.0.0.1:8000/', (e, r) => {" + "if (!e) {" * 400 + "}" * 400 + "});"
    for text in (nested, many, f"{texts}pm.sendRequest(a16 + a399);", branches):
        document = collection(*["{{base}}/a"] * 20, variable=VARIABLES, event=[event("prerequest", text)])
        conversion = converted_document("postman", document, tmp_path)
        assert conversion.dropped
        assert len(requests_of(conversion)) <= 2_020
    assert outcome("postman", b'{"info": {"schema": "x"}, "item": []}', tmp_path) != ""
