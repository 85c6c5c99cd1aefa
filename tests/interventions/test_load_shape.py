"""Shapes of the load: what is sent otherwise, and where a shape has no meaning."""

import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig._native import check_config
from loadrig.base.running import Address
from loadrig.base.unavailable import Unavailable
from loadrig.engine.compile import compile_config
from loadrig.engine.config import Json
from loadrig.interventions import Lever, Variant
from loadrig.interventions.load_shape import _MAKERS, SHAPES, variants
from loadrig.plan.arrivals import Rate, Sessions, Users
from loadrig.plan.constant import constant
from loadrig.plan.load import read
from loadrig.plan.model import Plan

LOGIN = "login: {post: /login, extract: {token: $.token}, lasts: 10m}"
ASKS = 'requests: [{get: "/?t={token}"}]'
ONE = "requests: [{get: /}]"


def plan(workload: str, more: str = "", folder: Path = Path()) -> Plan:
    text = f"loadrig: 1\ntarget: {{external: http://127.0.0.1:8000}}\nworkload: {{{workload}}}\n{more}"
    return read(text, str(folder / "plan.yaml"))


def shaped(what: str, workload: str, more: str = "") -> tuple[Variant, ...]:
    before = plan(workload, more)
    steps = variants(Lever("load", "", what), before, {"workers": 2})
    for variant in steps:
        assert variant.setting == {"workers": 2}
        assert variant.plan.text == before.text
        assert variant.plan != before
        compiled(variant.plan)
    return steps


def compiled(planned: Plan) -> Json:
    """Return what the generator is told, which it takes."""
    config = compile_config(planned, Address("127.0.0.1", 8000), seed=1, cpus=(), frame_s=1.0).plain()
    assert check_config(json.dumps(config)) is None
    return config


def refused(what: str, workload: str) -> Unavailable:
    with pytest.raises(Unavailable) as caught:
        variants(Lever("load", "", what), plan(workload), {})
    assert caught.value.code == "prove.no-shape"
    assert caught.value.mend
    return caught.value


def test_every_shape_can_be_made_and_is_explained() -> None:
    assert set(_MAKERS) == set(SHAPES)
    assert all(doc.endswith(".") for doc in SHAPES.values())


# --- compression ----------------------------------------------------------------------------------


def codings(planned: Plan) -> list[str | None]:
    routes: list[Any] = compiled(planned)["routes"]
    return [
        {name.lower(): value for name, value in route["headers"]}.get("accept-encoding") for route in routes
    ]


@pytest.mark.parametrize(
    ("headers", "asked"),
    [
        ("", "gzip"),
        ("headers: {accept-encoding: br}, ", "br"),
        ("headers: {Accept: text/html}, ", "gzip"),
    ],
)
def test_without_compression_every_request_says_so(
    headers: str, asked: str, snapshot: SnapshotAssertion
) -> None:
    requests = 'requests: [{get: /}, {get: "/?t={token}", headers: {ACCEPT-ENCODING: "deflate", X-A: b}}]'
    workload = f"users: 2, {headers}{LOGIN}, {requests}"
    assert codings(plan(workload)) == [asked, "deflate", asked]
    (variant,) = shaped("identity", workload)
    assert codings(variant.plan) == ["identity"] * 3
    assert variant.title == snapshot
    assert (variant.ratio, variant.is_mend) == (None, False)
    names = [name for name, _ in compiled(variant.plan)["routes"][1]["headers"]]
    assert "X-A" in names
    assert len(names) == len({name.lower() for name in names})


def test_a_websocket_has_no_compression_to_leave_out() -> None:
    (variant,) = shaped("identity", "users: 2, requests: [{get: /}, {websocket: /chat}]")
    assert codings(variant.plan) == ["identity", None]
    refused("identity", "users: 2, requests: [{websocket: /chat}]")


@pytest.mark.parametrize("value", ["identity", "Identity", '""'])
def test_a_plan_without_compression_has_that_shape_already(value: str, snapshot: SnapshotAssertion) -> None:
    assert str(refused("identity", f"users: 2, headers: {{Accept-Encoding: {value}}}, {ONE}")) == snapshot


# --- connections ----------------------------------------------------------------------------------


def test_connections_are_kept_where_they_were_closed() -> None:
    (variant,) = shaped("keep_alive", f"users: 2, connections: {{keep_alive: false}}, {ONE}")
    config = compiled(variant.plan)
    assert config["connections"]["keep_alive"]
    assert ("Connection", "close") not in config["routes"][0]["headers"]
    assert variant.is_mend


def test_where_connections_are_kept_there_is_nothing_to_keep(snapshot: SnapshotAssertion) -> None:
    assert refused("keep_alive", f"users: 2, {ONE}").code == "prove.no-shape"
    assert str(refused("keep_alive", f"users: 2, connections: {{http: 2}}, {ONE}")) == snapshot
    assert str(refused("keep_alive", "users: 2, requests: [{websocket: /chat}]")) == snapshot


# --- logins ---------------------------------------------------------------------------------------


def test_logins_are_spread_over_the_second_half_of_a_tokens_life(snapshot: SnapshotAssertion) -> None:
    (variant,) = shaped("spread_logins", f"users: 2, {LOGIN}, {ASKS}")
    assert compiled(variant.plan)["login"]["jitter"] == 0.5
    assert variant.is_mend
    assert variant.title == snapshot


@pytest.mark.parametrize(
    "workload",
    [
        f"users: 2, {ONE}",
        f"users: 2, login: {{post: /l, extract: {{token: $.t}}}}, {ASKS}",
        f"users: 1, {LOGIN}, {ASKS}",
        f"rate: 10, {LOGIN}, {ASKS}",
        f"users: 2, {LOGIN[:-1]}, jitter: 50%}}, {ASKS}",
    ],
    ids=["nobody logs in", "a token without an end", "one user", "an open load", "spread already"],
)
def test_logins_cannot_be_spread_where(workload: str, snapshot: SnapshotAssertion) -> None:
    assert str(refused("spread_logins", workload)) == snapshot


def test_the_users_of_an_open_load_and_of_sessions_log_in_each_by_itself() -> None:
    shaped("spread_logins", f"rate: {{rate: 10, identities: 5}}, {LOGIN}, {ASKS}")
    shaped("spread_logins", f"sessions: {{rate: 10, requests: 5}}, {LOGIN}, {ASKS}")
    shaped("spread_logins", f"users: {{stages: [{{to: 5, over: 1s}}]}}, {LOGIN}, {ASKS}")


# --- half as much ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("workload", "ratio"),
    [
        ("users: 7", 3 / 7),
        ("rate: 50/1s", 0.5),
        ("sessions: {rate: 4/1s, requests: 2}", 0.5),
        ("rate: 0, connections: {most: 8}", 0.5),
    ],
    ids=["users", "rate", "sessions", "connections"],
)
def test_half_of_a_constant_load(workload: str, ratio: float, snapshot: SnapshotAssertion) -> None:
    (variant,) = shaped("half_rate", f"{workload}, {ONE}")
    assert (variant.ratio, variant.is_mend) == (ratio, False)
    assert variant.title == snapshot


@pytest.mark.parametrize(
    "arrivals",
    [
        "users: {start: 5, add: 5, every: 2s, until: 15}",
        "users: {start: 10, add: 7, every: 2s, until: 20}",
        "users: {stages: [{to: 9, over: 2s, hold: 1s}, {to: 3}]}",
        "rate: {start: 10, add: 5, every: 2s, until: 25}",
        "rate: {stages: [{to: 9, over: 2s}]}",
        "sessions: {stages: [{to: 9, over: 2s}], stay: 0.5}",
    ],
)
def test_half_of_a_load_that_changes_is_half_of_it_at_each_moment(arrivals: str) -> None:
    def line(planned: Plan) -> list[list[float]]:
        (model,) = compiled(planned)["arrivals"].values()
        points: list[list[float]] = model["line"]
        # The last level is held, whether or not its end is a point of its own.
        return points[:-1] if points[-1][1] == points[-2][1] else points

    workload = f"{arrivals}, {ONE}"
    (variant,) = shaped("half_rate", workload)
    assert line(variant.plan) == [[time, level / 2] for time, level in line(plan(workload))]
    assert compiled(variant.plan)["stop"] == compiled(plan(workload))["stop"]


def test_half_of_a_replay_takes_twice_as_long(tmp_path: Path) -> None:
    (tmp_path / "times.txt").write_text("0\n1\n3\n", encoding="utf-8")
    before = plan(f"replay: times.txt, {ONE}", folder=tmp_path)
    (variant,) = variants(Lever("load", "", "half_rate"), before, {})
    assert compiled(variant.plan)["arrivals"] == {"replay": {"times_s": [0.0, 2.0, 6.0]}}


def test_there_is_no_half_of_one_user_or_of_as_fast_as_can_be() -> None:
    refused("half_rate", f"users: 1, {ONE}")
    refused("half_rate", f"rate: 0, {ONE}")


# --- one route less -------------------------------------------------------------------------------

THREE = (
    "users: 2, requests: [{get: /}, {name: buy, post: /buy, weight: 2}, {name: off, get: /off, weight: 0}]"
)


def test_each_route_in_turn_is_left_out_with_its_goals() -> None:
    steps = shaped("without", THREE, "goals: [p95 < 1s, 'p95{buy} < 1s']\n")
    assert [variant.title for variant in steps] == ["without GET /", "without buy"]
    assert [[route["name"] for route in compiled(variant.plan)["routes"]] for variant in steps] == [
        ["buy", "off"],
        ["GET /", "off"],
    ]
    assert [[goal.text for goal in variant.plan.goals] for variant in steps] == [
        ["p95 < 1s", "p95{buy} < 1s"],
        ["p95 < 1s"],
    ]


def test_a_route_is_left_out_by_its_name(snapshot: SnapshotAssertion) -> None:
    assert [variant.title for variant in shaped("without:buy", THREE)] == ["without buy"]
    assert {name: str(refused(f"without:{name}", THREE)) for name in ("sell", "off")} == snapshot


def test_a_route_whose_answers_others_need_stays(snapshot: SnapshotAssertion) -> None:
    workload = (
        "users: 2, requests: [{name: list, get: /, extract: {id: $.id}}, "
        '{name: look, post: /look, json: {which: ["{id}"]}}, {name: other, get: /other}]'
    )
    assert [variant.title for variant in shaped("without", workload)] == ["without look", "without other"]
    assert str(refused("without:list", workload)) == snapshot


@pytest.mark.parametrize(
    "workload",
    [
        f"users: 2, {ONE}",
        "users: 2, steps: [{get: /}, {get: /cart}]",
        "users: 2, requests: [{get: /}, {get: /off, weight: 0}]",
    ],
    ids=["one route", "steps", "one route with a weight"],
)
def test_no_route_can_be_left_out_where(workload: str, snapshot: SnapshotAssertion) -> None:
    assert str(refused("without", workload)) == snapshot


# --- a constant load ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arrivals", "held"),
    [
        ("users: 7", "users: 7"),
        ("users: {start: 5, add: 5, every: 2s, until: 15}", "users: 15"),
        ("users: {start: 15, add: 5, every: 2s, until: 5}", "users: 15"),
        ("users: {stages: [{to: 9, over: 2s, hold: 1s}, {to: 3}]}", "users: 9"),
        ("rate: 0", "rate: 0"),
        ("rate: {rate: 10, arrivals: constant}", "rate: {rate: 10, arrivals: constant}"),
        (
            "rate: {stages: [{to: 9, over: 2s}, {to: 1, over: 2s}], identities: 3, arrivals: constant}",
            "rate: {rate: 9, identities: 3, arrivals: constant}",
        ),
        ("rate: {start: 10, add: 5, every: 2s, until: 25}", "rate: 25"),
        ("sessions: {stages: [{to: 9, over: 2s}], stay: 0.5}", "sessions: {rate: 9, stay: 0.5}"),
    ],
)
def test_a_load_is_held_at_its_highest(arrivals: str, held: str) -> None:
    before = plan(f"{arrivals}, {ONE}", "trial: {warm_up: 1m, measure: {at_most: 2m, until: 7%}, seed: 5}\n")
    after = constant(before, 2.0, 6.0)
    assert after.workload.arrivals == plan(f"{held}, {ONE}").workload.arrivals
    assert compiled(after)["stop"] == {"after_s": 8.0, "requests": None}
    assert (after.trial.warm_up.at_least, after.trial.warm_up.at_most) == (2.0, 2.0)
    assert (after.trial.measure.at_least, after.trial.measure.at_most) == (6.0, 6.0)
    assert after.trial.seed == 5
    assert after.text == before.text


@pytest.mark.parametrize(
    ("awaited", "drain_s"), [("timeout: 30s", 3.0), ("timeout: 1s", 1.0)], ids=["the time-out", "less"]
)
def test_a_held_load_waits_for_its_last_answers_for_a_moment(awaited: str, drain_s: float) -> None:
    before = plan(f"users: 5, {awaited}, {ONE}")
    assert compiled(constant(before, 2.0, 6.0))["timeouts"]["drain_s"] == drain_s
    own = plan(f"users: 5, {awaited}, {ONE}", "trial: {drain: 0.5s}\n")
    assert compiled(constant(own, 2.0, 6.0))["timeouts"]["drain_s"] == 0.5


def test_a_constant_load_has_no_end_of_its_own() -> None:
    before = plan(f"users: 5, limit: {{requests: 100, loops: 3}}, {ONE}")
    config = compiled(constant(before, 0.0, 6.0))
    assert config["stop"] == {"after_s": 6.0, "requests": None}
    assert config["arrivals"] == {"users": {"line": [[0.0, 5.0]], "loops": None}}


def test_a_replay_is_held_at_the_rate_of_its_busiest_ten_seconds(tmp_path: Path) -> None:
    times = [*range(0, 60, 2), *(60 + n / 5 for n in range(100)), *range(81, 120, 2)]
    (tmp_path / "times.txt").write_text("\n".join(map(str, times)) + "\n", encoding="utf-8")
    held = constant(plan(f"replay: times.txt, {ONE}", folder=tmp_path), 1.0, 5.0)
    assert held.workload.arrivals == Rate(per_second=5.0)  # type: ignore[arg-type]
    twice = constant(plan(f"replay: {{times: times.txt, speed: 2}}, {ONE}", folder=tmp_path), 1.0, 5.0)
    assert twice.workload.arrivals == Rate(per_second=10.0)  # type: ignore[arg-type]


def test_a_short_replay_is_held_at_its_mean_rate(tmp_path: Path) -> None:
    (tmp_path / "times.txt").write_text("7\n7.5\n8\n9\n", encoding="utf-8")
    held = constant(plan(f"replay: times.txt, {ONE}", folder=tmp_path), 1.0, 5.0)
    assert held.workload.arrivals == Rate(per_second=1.5)  # type: ignore[arg-type]


def test_a_load_of_nothing_cannot_be_held(tmp_path: Path) -> None:
    (tmp_path / "times.txt").write_text("3\n", encoding="utf-8")
    for arrivals in (
        "replay: times.txt",
        "users: {stages: [{to: 0, hold: 1s}]}",
        "sessions: {rate: 0, stay: 0.5}",
    ):
        before = plan(f"{arrivals}, {ONE}", folder=tmp_path)
        with pytest.raises(Unavailable) as caught:
            constant(before, 1.0, 5.0)
        assert caught.value.code == "prove.no-constant", arrivals


def test_a_replay_whose_list_has_gone_cannot_be_held(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    (tmp_path / "times.txt").write_text("1\n2\n", encoding="utf-8")
    before = plan(f"replay: times.txt, {ONE}", folder=tmp_path)
    (tmp_path / "times.txt").unlink()
    with pytest.raises(Unavailable) as caught:
        constant(before, 1.0, 5.0)
    assert caught.value.code == "prove.no-constant"
    assert caught.value.reason.replace(str(tmp_path), "FOLDER") == snapshot
    (variant,) = variants(Lever("load", "", "half_rate"), before, {})
    assert not isinstance(variant.plan.workload.arrivals, Users | Rate | Sessions)
