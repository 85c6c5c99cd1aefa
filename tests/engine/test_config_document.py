"""The generator's configuration as a recording keeps it has a field for all that is written."""

import json
from pathlib import Path

import jsonschema
import pytest

from loadrig.base.documents import plain, schema_of, typed
from loadrig.base.running import Address
from loadrig.engine.compile import compile_config
from loadrig.engine.secrets import as_written
from loadrig.plan.load import read
from loadrig.recording.config_document import (
    AgainConfig,
    ConditionConfig,
    ConfigDocument,
    ExtractConfig,
    PassageConfig,
    TermConfig,
)
from tests.house.places import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))

EVERYTHING = """\
loadrig: 1
target: {external: "https://127.0.0.1:1"}
workload:
  sessions: {rate: 3, stay: 0.8}
  feeds:
    word: {values: [a, b]}
    n: {counter: 1}
    dice: {random: [1, 6]}
    item: {csv: items.csv}
  login:
    {post: /token, form: {user: a}, extract: {t: {json: "$.t"}}, lasts_from: {json: "$.for"}}
  headers: {Authorization: "Bearer {t}"}
  think: {uniform: [1s, 2s]}
  scenarios:
    - name: shop
      steps:
        - {name: search, get: "/{item.id}", think: {exponential: 1s}, extract: {c: {cookie: s}}}
        - {name: photo, post: /photo, body_file: photo.jpg, timeout: 2s}
        - name: order
          post: /order
          json: {a: "{word}"}
          expect:
            {status: 201, contains: x, matches: y, json: {"/a": 1}, size_min: 1B, size_max: 2kB, time: 1s}
"""


def written_of(plan_text: str, folder: Path) -> dict[str, object]:
    plan = read(plan_text, str(folder / "plan.yaml"))
    address = Address("127.0.0.1", 1, "https" if "https" in plan_text else "http")
    config = as_written(compile_config(plan, address, seed=1, cpus=(1,), frame_s=1.0, level_most=9.0)).plain()
    return dict(json.loads(json.dumps(config)))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_is_written_for_an_example_is_what_is_read(path: Path) -> None:
    written = written_of(path.read_text(encoding="utf-8"), path.parent)
    assert json.loads(json.dumps(plain(typed(ConfigDocument, written, str(path))))) == written


def test_conditions_on_answers_are_written_as_the_generator_takes_them(tmp_path: Path) -> None:
    steps = """
    - name: a
      get: /a
      extract: {state: $.state, n: $.n, code: {part: status, default: "0"}, t: {json: $.t, optional: true}}
    - name: b
      get: /b
      repeat: {until: {variable: state, is: done, or: [{variable: n, at_least: 2}, {latest: failed}]}}
    - {name: c, get: /c, when: {holds: [{variable: state, is_not: done}, {latest: ok}]}}
    - {name: d, get: /d, when: {holds: [{variable: t, is_set: true}, {variable: t, is_true: false}]}}
"""
    head = "loadrig: 1\ntarget: {external: 'http://127.0.0.1:1'}\nworkload:\n  users: 1\n  steps:"
    written = written_of(head + steps, tmp_path)
    config = typed(ConfigDocument, written, "engine.json")
    assert json.loads(json.dumps(plain(config))) == written
    jsonschema.validate(written, schema_of(ConfigDocument))
    others = (TermConfig(variable="n", order="at_least", value="2.0"), TermConfig(equal=False))
    assert config.routes[0].extract[2] == ExtractConfig(into="code", part="status", default="0")
    done = TermConfig(variable="state", value="done", equal=True, alternatives=others)
    is_not_done = TermConfig(variable="state", value="done", equal=False)
    until = AgainConfig(when=ConditionConfig(terms=(done,), holds=False), most=100)
    both = ConditionConfig(terms=(is_not_done, TermConfig(equal=True)), holds=True)
    assert config.routes[0].extract[3] == ExtractConfig(into="t", json="$.t", optional=True)
    has = (
        TermConfig(variable="t", has="value", equal=True),
        TermConfig(variable="t", has="truth", equal=False),
    )
    has_untrue = ConditionConfig(terms=has, holds=True)
    assert config.scenarios[0].passages == (
        PassageConfig(first=1, last=1, again=until),
        PassageConfig(first=2, last=2, enter=both),
        PassageConfig(first=3, last=3, enter=has_untrue),
    )


def test_what_is_written_for_all_that_a_plan_can_say_is_what_is_read(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("id,name\n1,a\n2,b\n", encoding="utf-8")
    (tmp_path / "photo.jpg").write_bytes(b"12345")
    written = written_of(EVERYTHING, tmp_path)
    config = typed(ConfigDocument, written, "engine.json")
    assert json.loads(json.dumps(plain(config))) == written
    assert [route.route_class for route in config.routes] == ["service", "service", "service", "login"]
    jsonschema.validate(written, schema_of(ConfigDocument))
