"""A plan holds no secret once it is read, and gives each back where it is sent."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.errors import PlanError
from loadrig.plan.holes import holes_in, literal, secrets_in, typed_literal
from loadrig.plan.literals import without_literals
from loadrig.plan.load import load, read
from loadrig.plan.model import Plan
from loadrig.plan.quick import quick_plan, read_quick
from loadrig.plan.secrets import revealed, with_literals
from loadrig.study.identity import identity

PLAN = """\
loadrig: 1
target:
  command: {argv: "./serve --port {port}", env: {DB: "postgres://u:hunter-22@h/db", X: "{env:PLANTED}"}}
secrets: [pin]
workload:
  users: 1
  headers: {Authorization: Bearer abc-123-def}   # abc-123-def
  requests:
    - post: /a?token=t0ken-9
      json: {password: "pa\\"ss-1", pin: 4711, plain: word}
    - post: /b
      body: '{{"secret": "b0dy-77"}}'
    - get: /c
      headers: {X-Session: "Bearer {got}", Accept: text/html}
      extract: {got: $.token}
"""

WRITTEN = ("hunter-22", "abc-123-def", "t0ken-9", 'pa"ss-1', "4711", "b0dy-77")


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> Plan:
    monkeypatch.setenv("PLANTED", "of-the-shell-1")
    return read(PLAN, "plan.yaml")


def test_neither_the_plan_nor_its_text_holds_what_was_written(plan: Plan) -> None:
    text = json.dumps(plan.text) + repr(plan)
    assert [secret for secret in WRITTEN if secret in text] == []
    assert "text/html" in text
    assert plan.text.count("\n") == PLAN.count("\n"), "lines keep their numbers"
    assert plan.workload.requests[2].extract["got"].json == "$.token", "where a token is found is no secret"


def test_what_was_written_comes_back_as_it_was(plan: Plan) -> None:
    post, body, _ = with_literals(plan.workload, plan.literals).requests
    assert post.path == "/a?token=t0ken-9"
    assert post.json == {"password": 'pa"ss-1', "pin": 4711, "plain": "word"}
    assert body.body == '{{"secret": "b0dy-77"}}'
    assert with_literals(plan.workload, plan.literals).headers == {"Authorization": "Bearer abc-123-def"}
    options = revealed(plan.target.options, plan)
    assert options.env == {"DB": "postgres://u:hunter-22@h/db", "X": "of-the-shell-1"}


def test_a_kept_plan_is_the_same_plan_and_can_be_read_and_not_sent(plan: Plan) -> None:
    reread = read(plan.text, "plan.yaml", sends=False)
    assert identity(reread) == identity(plan)
    with pytest.raises(PlanError) as error:
        read(plan.text, "plan.yaml")
    assert {problem.code for problem in error.value.problems} == {"plan.masked"}
    assert len(error.value.problems) == len(WRITTEN)
    with pytest.raises(PlanError):
        revealed(reread.target.options, reread)


def test_a_missing_variable_and_a_missing_file_are_told_with_their_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PLANTED", raising=False)
    text = PLAN.replace("text/html", '"{file:no.txt}"')
    (tmp_path / "plan.yaml").write_text(text)
    with pytest.raises(PlanError) as error:
        load(tmp_path / "plan.yaml")
    places = [(problem.code, problem.where.line) for problem in error.value.problems if problem.where]
    assert places == [("plan.secret", 3), ("plan.secret", 14)]
    assert "hunter-22" not in error.value.render()


def test_a_secret_in_a_command_line_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", "of-the-shell-1")
    with pytest.raises(PlanError) as error:
        read(PLAN.replace("--port", "--pw {env:PLANTED} --port"), "plan.yaml")
    assert [problem.code for problem in error.value.problems] == ["plan.secret-place"]


def test_an_anchor_goes_with_its_value_and_the_plan_is_still_the_same() -> None:
    text = PLAN.replace("Bearer abc-123-def", "&a Bearer abc-123-def").replace("text/html", "*a")
    text = text.replace("{env:PLANTED}", "x")
    literal_plan = read(text, "plan.yaml")
    assert "abc-123-def" not in literal_plan.text
    assert (
        with_literals(literal_plan.workload, literal_plan.literals).requests[2].headers["Accept"]
        == "Bearer abc-123-def"
    )


def test_a_quick_command_keeps_no_typed_secret_and_takes_holes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", "of-the-shell-1")
    quick = quick_plan(
        "http://127.0.0.1:1/x?token=t0ken-9",
        headers=("X-Api-Key: abc-123-def", "X-Own: {env:PLANTED}", "X-Brace: {a}"),
        body='{"password": "b0dy-77"}',
        seed="1",
    )
    assert [secret for secret in WRITTEN if secret in quick.text] == []
    request = with_literals(read_quick(quick).workload, quick.literals).requests[0]
    assert request.headers == {"X-Api-Key": "abc-123-def", "X-Own": "{env:PLANTED}", "X-Brace": "{{a}}"}
    assert (request.path, request.body) == ("/x?token=t0ken-9", '{{"password": "b0dy-77"}}')


@given(st.text(), st.text())
def test_a_typed_text_has_the_holes_for_secrets_and_no_other(before: str, after: str) -> None:
    template = typed_literal(f"{before}{{env:NAME}}{after}")
    assert list(holes_in(template)) == []
    if "{" not in before + after and "}" not in before + after:
        assert list(secrets_in(template)) == ["env:NAME"]
        assert template.replace("{env:NAME}", "") == literal(before + after)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=0xFF, exclude_categories=["Cc"]), min_size=1))
def test_any_value_of_a_secret_header_comes_back_and_is_gone_from_the_text(value: str) -> None:
    text = "workload:\n  headers: {Cookie: " + json.dumps(literal(value)) + "}\n"
    root, problems, shown, literals = without_literals(text, "plan.yaml")
    del root
    assert problems == []
    assert shown.count("\n") == 2
    if any(letter.isalnum() for letter in value):
        assert list(literals.values()) == [literal(value)]
        assert "{masked:Cookie}" in shown


@pytest.mark.parametrize(
    "body",
    [
        "__RequestVerificationToken9x8YqZ1=a{{b}}c&x=1",
        "password=a{{b}}c&x=1",
        'x=token=Bearer {{a}}b password="c{{d}}"',
        '{{"cookie":"session=a{{b}}; token=c{{d}}"}}',
    ],
)
def test_no_hole_of_a_secret_stands_in_another(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", "of-the-shell-1")
    plan = PLAN.replace("""'{{"secret": "b0dy-77"}}'""", json.dumps(body))
    _, problems, text, literals = without_literals(plan, "plan.yaml")
    assert not problems
    assert "{masked:{" not in text
    request = read(plan, "plan.yaml").workload.scenarios[1].steps[0]
    assert request.body is not None
    filled = request.body
    for hole, value in literals.items():
        filled = filled.replace(f"{{{hole}}}", str(value))
    assert filled == body
