"""Plans that are right: read without a complaint, said in sentences, and read again to the same."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from loadrig.base.units import Count, Seconds
from loadrig.plan.explain import sentences
from loadrig.plan.load import load, read
from loadrig.plan.model import Measuring, Plan, ProveRules, WarmUp
from loadrig.plan.schema import schema
from tests.house.places import ROOT

CASES = Path(__file__).parent / "cases" / "good"
BAD = Path(__file__).parent / "cases" / "bad"
EXAMPLES = ROOT / "examples"


def cases() -> list[str]:
    return sorted(path.name for path in CASES.iterdir() if path.is_dir())


def examples() -> list[str]:
    return sorted(path.name for path in EXAMPLES.glob("*.yaml"))


def loaded(name: str, monkeypatch: pytest.MonkeyPatch) -> Plan:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    return load(CASES / name / "plan.yaml")


@pytest.mark.parametrize("name", cases())
def test_a_good_plan_is_said_in_sentences_golden(
    name: str, rewrites_golden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "\n".join(sentences(loaded(name, monkeypatch))) + "\n"
    expected = CASES / name / "sentences.txt"
    if rewrites_golden:
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", cases())
def test_a_plan_keeps_its_text_and_reads_again_to_the_same(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = loaded(name, monkeypatch)
    # What a person wrote as a secret is left out of the text, so nothing can be sent by it.
    assert read(plan.text, plan.path, sends=False) == plan


@pytest.mark.parametrize("name", examples())
def test_an_example_is_fine(name: str) -> None:
    plan = load(EXAMPLES / name)
    assert len(sentences(plan)) >= 5


def test_there_is_an_example_of_every_arrival_model() -> None:
    models = {type(load(path).workload.arrivals).__name__ for path in EXAMPLES.glob("*.yaml")}
    assert models == {"Users", "Rate", "Sessions", "Replay"}


# --- what stands where --------------------------------------------------------------------------------


def test_every_key_arrives_where_it_belongs(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = loaded("every_key", monkeypatch)
    work = plan.workload
    assert plan.name == "every key"
    assert plan.target.member == "gunicorn"
    assert plan.target.options.env == {"SHOP_QUERY_S": "0.01"}
    assert work.requests_limit == 1_500_000
    assert work.loops_per_user == 10
    assert work.headers["Authorization"] == "Bearer {token}"
    buy, look = work.scenarios
    assert (buy.name, buy.weight, len(buy.steps)) == ("buy", 0.5, 5)
    assert buy.steps[0].headers == {"X-Item": "{item.id}", "X-Number": "5"}
    assert buy.steps[0].expect.matches == ("id=[0-9]+",)
    assert buy.steps[1].json["tags"] == ["a", "{word}"]
    assert [step.name for step in look.steps] == ["HEAD / @cdn", "OPTIONS *", "GET /", "GET / (2)"]
    assert {name: address.url for name, address in plan.servers.items()} == {
        "auth": "http://127.0.0.1:9001",
        "cdn": "https://staging.example:443",
    }
    assert work.login is not None
    assert (work.login.request.name, work.login.lasts, work.login.again_on) == ("login", 600.0, (401, 403))
    assert work.login.jitter == 0.25
    assert work.feeds["item"].csv == "items.csv"
    assert [(goal.measure, goal.below, goal.limit, goal.route) for goal in plan.goals] == [
        ("p95", True, 0.5, None),
        ("p99.9", True, 1.0, "front"),
        ("errors", True, 0.001, None),
        ("throughput", False, 100.0, None),
        ("memory", True, 512e6, None),
    ]
    assert plan.study.options.most == 5000
    assert [probe.member for probe in plan.probes if probe.is_asked] == ["process", "tcp_sockets"]
    assert plan.prove == ProveRules(
        after_run=False,
        budget=Seconds(120.0),
        allow=("mariadb", "redis"),
        through={"mariadb": "127.0.0.1:3306", "redis": "[::1]:6379", "search": "staging.example:9200"},
        knobs={"workers": (4,), "threads": (2, 8), "keepalive": (1, 2, 3)},
    )
    assert {"memory", "cgroup"} & {probe.member for probe in plan.probes} == {"cgroup"}


def test_a_knob_is_set_only_where_its_condition_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = loaded("every_key", monkeypatch)
    knobs = {knob.name: knob for knob in plan.knobs}
    assert knobs["threads"].base == 4
    assert knobs["workers"].values == tuple(range(1, 10))
    assert knobs["worker_connections"].when == {
        "worker_class": ("gthread", "gevent"),
        "workers": tuple(range(2, 10)),
    }
    assert not knobs["threads"].applies({"worker_class": "sync"})
    assert plan.base_setting == {
        "worker_class": "sync",
        "workers": 1,
        "preload_app": False,
        "max_requests": 1000,
    }


def test_probes_are_on_unless_they_are_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = loaded("minimal", monkeypatch).probes
    assert {probe.member for probe in chosen} >= {"process", "memory", "tcp_sockets"}
    assert not any(probe.is_asked for probe in chosen)
    assert loaded("sessions", monkeypatch).probes == ()


def test_a_short_time_to_measure_is_not_below_the_usual_least(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = loaded("limit", monkeypatch)
    assert plan.trial.measure == Measuring(Seconds(5.0), Seconds(5.0))
    assert plan.trial.warm_up == WarmUp()


@pytest.mark.parametrize(
    ("written", "rules"),
    [
        ("", None),
        ("prove:", None),
        ("prove: true", ProveRules()),
        ("prove: {}", ProveRules()),
        ("prove: false", ProveRules(after_run=False)),
        ("prove: {budget: 1m}", ProveRules(budget=Seconds(60.0))),
        ("prove: {allow: all}", ProveRules(allow=("all",))),
        ("prove: {knobs: {workers: 4}}", ProveRules(knobs={"workers": (4,)})),
    ],
)
def test_proving_is_asked_for_in_short_or_at_length(written: str, rules: ProveRules | None) -> None:
    text = (CASES / "minimal" / "plan.yaml").read_text(encoding="utf-8")
    text = text.replace("external: http://127.0.0.1:8000", 'gunicorn: {app: "shop:app"}')
    assert read(f"{text}\n{written}\n", "plan.yaml").prove == rules


def test_an_override_opens_the_short_form_of_proving() -> None:
    text = (CASES / "minimal" / "plan.yaml").read_text(encoding="utf-8")
    plan = read(f"{text}\nprove: false\n", "plan.yaml", {"prove.allow": "[redis]"})
    assert plan.prove == ProveRules(after_run=False, allow=("redis",))
    assert read(plan.text, "plan.yaml") == plan


def test_a_plan_without_a_name_is_named_after_its_file() -> None:
    text = (CASES / "minimal" / "plan.yaml").read_text(encoding="utf-8")
    assert read(text, "runs/which_workers.yaml").name == "which_workers"


def test_overrides_stand_in_the_plan_and_in_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    path = EXAMPLES / "demo.yaml"
    plain = load(path)
    plan = load(path, {"study.blocks": "2", "trial.seed": "7", "workload.users": "3", "goals.0": "p99 < 1s"})
    assert (plan.study.blocks, plan.trial.seed, plan.goals[0].measure) == (2, 7, "p99")
    assert plan.study.strategy == plain.study.strategy
    assert plan.workload.arrivals != plain.workload.arrivals
    comments = [line.strip() for line in plain.text.splitlines() if line.strip().startswith("#")]
    assert comments
    assert all(comment in plan.text for comment in comments)
    assert read(plan.text, str(path), sends=False) == plan


def test_an_override_opens_a_short_form(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = loaded("command", monkeypatch)
    again = read(plan.text, plan.path, {"study.blocks": "3", "trial.measure.until": "5%"})
    assert again.study == replace(plan.study, blocks=Count(3))
    assert again.trial.measure.until == 0.05
    assert read(again.text, plan.path) == again


# --- the JSON Schema ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def validator() -> Any:
    document = json.loads(json.dumps(schema()))
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document)


def data(text: str) -> Any:
    """Return a plan as an editor sees it: plain YAML 1.2 data."""
    return json.loads(json.dumps(YAML(typ="safe", pure=True).load(text)))


@pytest.mark.parametrize("path", [*(f"cases/good/{name}/plan.yaml" for name in cases())])
def test_the_schema_accepts_what_the_reader_accepts(path: str, validator: Any) -> None:
    text = (Path(__file__).parent / path).read_text(encoding="utf-8")
    assert [error.message for error in validator.iter_errors(data(text))] == []


@pytest.mark.parametrize("name", examples())
def test_the_schema_accepts_the_examples(name: str, validator: Any) -> None:
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    assert [error.message for error in validator.iter_errors(data(text))] == []


@pytest.mark.parametrize(
    "code",
    [
        "version", "unknown-key", "missing-key", "wrong-type", "wrong-unit", "wrong-word", "out-of-range",
        "empty-list", "one-of", "one-of.session", "incomplete", "unknown-member", "goal-notation",
        "unknown-measure", "http-version",
    ],
)  # fmt: skip
def test_the_schema_refuses_what_can_be_seen_without_the_rest(code: str, validator: Any) -> None:
    text = (BAD / f"plan.{code}" / "plan.yaml").read_text(encoding="utf-8")
    assert list(validator.iter_errors(data(text)))
