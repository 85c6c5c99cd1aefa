"""The generator gets the true values, encoded for their places; what is kept and shown has holes."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loadrig import _native
from loadrig.base.errors import PlanError
from loadrig.base.running import Address
from loadrig.engine.compile import compile_config
from loadrig.engine.config import CompiledConfig
from loadrig.engine.secrets import as_written, filled, shown
from loadrig.plan.load import read

ADDRESS = Address("127.0.0.1", 1)

PLAN = """\
loadrig: 1
target: {external: "http://127.0.0.1:1"}
workload:
  users: 1
  requests:
    - {get: "/a/HOLE?x=HOLE", headers: {X-Some: "a HOLE"}}
    - {get: "HOLE"}
    - {post: /json, json: {a: "HOLE", b: "x HOLE y"}}
    - {post: /form, form: {a: "HOLE"}}
    - {post: /text, body: "HOLE {{brace}}"}
"""
FEED = "  feeds: {fed: {values: [VALUE]}}\n"


def bytes_of(config: CompiledConfig) -> list[bytes]:
    return [request for _, request in _native.render_requests(json.dumps(config.plain()))]


values = st.text(
    st.characters(min_codepoint=32, max_codepoint=0xFFFD, exclude_categories=("Cc", "Cs")), min_size=1
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values)
def test_a_secret_is_sent_as_the_value_of_a_feed_would_be(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("PLANTED", value)
    by_hole = read(PLAN.replace("HOLE", "{env:PLANTED}"), "plan.yaml")
    by_feed = read(PLAN.replace("HOLE", "{fed}") + FEED.replace("VALUE", json.dumps(value)), "plan.yaml")
    config = compile_config(by_hole, ADDRESS, seed=1, cpus=(), frame_s=1.0)
    fed = compile_config(by_feed, ADDRESS, seed=1, cpus=(), frame_s=1.0)
    assert bytes_of(filled(config, by_hole, ADDRESS)) == bytes_of(fed)


def test_what_is_kept_and_shown_has_the_holes_and_the_names_of_routes_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PLANTED", "of-the-shell-1")
    text = PLAN.replace("HOLE", "{env:PLANTED}").replace("/json,", "/json?token=t0ken-9,")
    plan = read(text + FEED.replace("VALUE", "a, b"), "plan.yaml")
    config = compile_config(plan, ADDRESS, seed=1, cpus=(), frame_s=1.0)
    sent = filled(config, plan, ADDRESS)
    assert "of-the-shell-1" in json.dumps(sent.plain())
    assert "t0ken-9" in json.dumps(sent.plain()["routes"])
    assert {"of-the-shell-1", "t0ken-9"} <= set(sent.withheld or ())
    assert [route.name for route in sent.routes] == [route.name for route in config.routes]
    for other in (as_written(config), bytes_of(shown(config, plan.literals))):
        assert "of-the-shell-1" not in str(other)
        assert "t0ken-9" not in str(other)
        assert "{env:PLANTED}" in str(other)
    assert as_written(config).feeds[0].values == {"count": 2}
    assert b"{env:PLANTED} {brace}" in bytes_of(shown(config, plan.literals))[-1]


def test_a_line_break_cannot_come_into_a_header_by_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", "a\r\nHost: b")
    plan = read(PLAN.replace("HOLE", "{env:PLANTED}"), "plan.yaml")
    config = compile_config(plan, ADDRESS, seed=1, cpus=(), frame_s=1.0)
    with pytest.raises(PlanError) as error:
        filled(config, plan, ADDRESS)
    assert [problem.code for problem in error.value.problems] == ["plan.secret"]
