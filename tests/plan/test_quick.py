"""A quick command's flags become a plan that says the same, and problems are told of the flags."""

import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loadrig.base.errors import PlanError
from loadrig.base.units import PerSecond, Seconds
from loadrig.plan.arrivals import Rate, Users
from loadrig.plan.holes import holes_in
from loadrig.plan.load import read
from loadrig.plan.node import plain
from loadrig.plan.quick import quick_plan, read_quick
from loadrig.plan.secrets import with_literals
from loadrig.plan.syntax import parse

URL = "http://127.0.0.1:8000/"
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
HEADER_NAMES = st.text(string.ascii_letters + string.digits, min_size=1, max_size=8).map("X-{}".format)
HEADER_VALUES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20).map(str.strip)


def problems(**flags: object) -> dict[str, str]:
    """Each flag and the code of what is said about it."""
    with pytest.raises(PlanError) as caught:
        read_quick(quick_plan(URL, **flags))  # type: ignore[arg-type]
    return {str(problem.where): problem.code for problem in caught.value.problems}


def test_a_url_alone_is_ten_users_for_ten_seconds() -> None:
    plan = read_quick(quick_plan(URL))
    assert isinstance(plan.workload.arrivals, Users)
    assert plan.workload.arrivals.count == 10
    assert plan.trial.warm_up.at_most == Seconds(0)
    assert plan.trial.measure.at_least == plan.trial.measure.at_most == Seconds(10)
    assert plan.target.member == "external"
    step = plan.workload.scenarios[0].steps[0]
    assert (step.method, step.path) == ("GET", "/")


def test_every_flag_has_its_place_in_the_plan() -> None:
    plan = read_quick(
        quick_plan(
            "https://localhost:8443/a?b=1",
            connections="20",
            duration="1m",
            requests="10k",
            rate="500/1s",
            headers=("Accept: text/html", "X-Empty:"),
            method="PUT",
            body="{}",
            insecure=True,
            keep_alive=False,
            timeout="2s",
            goals=("p95 < 1s", "errors < 1%"),
            allow=("staging.example",),
            profile=True,
        )
    )
    assert plan.profile is not None
    assert plan.profile.when == "at saturation"
    assert read_quick(quick_plan("http://127.0.0.1:1/", profile=False)).profile is None
    work = plan.workload
    assert isinstance(work.arrivals, Rate)
    assert (work.arrivals.per_second, work.arrivals.arrivals) == (PerSecond(500), "constant")
    assert (work.connections.most, work.connections.keep_alive) == (20, False)
    assert work.tls.insecure
    assert work.timeout == Seconds(2)
    assert work.requests_limit == 10_000
    assert plan.trial.measure.at_most == Seconds(60)
    assert [goal.text for goal in plan.goals] == ["p95 < 1s", "errors < 1%"]
    assert plan.allow == ("staging.example",)
    step = work.scenarios[0].steps[0]
    assert (step.method, step.path, step.body) == ("PUT", "/a?b=1", "{{}}")
    assert step.headers == {"Accept": "text/html", "X-Empty": ""}


@example(body="", headers={"X-PW": "a{b}} c", "X-Shop": "a{b}} c"})
@given(body=TEXTS, headers=st.dictionaries(HEADER_NAMES, HEADER_VALUES, max_size=3))
def test_what_is_typed_is_sent_as_it_is(body: str, headers: dict[str, str]) -> None:
    typed = tuple(f"{name}: {value}" for name, value in headers.items())
    quick = quick_plan(URL, body=f"-{body}", headers=typed)
    plan = read_quick(quick)
    step = plan.workload.scenarios[0].steps[0]
    assert list(holes_in(step.body or "")) == []
    assert filled(step.body or "") == f"-{body}"
    # A header whose name speaks of a secret has a hole in the plan, and its value apart from it.
    whole = with_literals(dict(step.headers), plan.literals)
    assert {name: filled(value) for name, value in whole.items()} == headers


def filled(template: str) -> str:
    return template.replace("{{", "{").replace("}}", "}")


@given(path=st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="#?/\\@:[]")))
def test_a_path_with_any_letters_is_encoded(path: str) -> None:
    step = read_quick(quick_plan(f"{URL}{path}")).workload.scenarios[0].steps[0]
    assert step.path.isascii()
    assert " " not in step.path


@given(
    body=TEXTS,
    headers=st.dictionaries(HEADER_NAMES, HEADER_VALUES, max_size=2),
    rate=st.none() | st.from_regex(r"[0-9a-z:#{} ]{1,12}", fullmatch=True),
    goals=st.lists(HEADER_VALUES, max_size=2),
    seed=st.none() | st.integers(0, 2**31).map(str),
    insecure=st.booleans(),
)
def test_the_text_says_to_the_library_what_the_tree_says(
    body: str, headers: dict[str, str], rate: str | None, goals: list[str], seed: str | None, insecure: bool
) -> None:
    typed = tuple(f"{name}: {value}" for name, value in headers.items())
    quick = quick_plan(
        f"{URL}a b?c={{d}}&e",
        body=body,
        headers=typed,
        rate=rate,
        goals=tuple(goals),
        seed=seed,
        connections="3",
        insecure=insecure,
        http2=not insecure,
    )
    try:
        root, problems = parse(quick.text, "plan.yaml")
    except PlanError:
        # The library refuses some characters of the planes beyond the first, even escaped or in comments.
        assert any(
            ord(letter) > 0xFFFF or not letter.isprintable() for letter in quick.text.replace("\n", "")
        )
        return
    assert problems == []
    assert plain(root) == plain(quick.tree)


def test_poisson_arrivals_are_had_by_name() -> None:
    plan = read_quick(quick_plan(URL, rate="500", arrivals="poisson"))
    assert isinstance(plan.workload.arrivals, Rate)
    assert plan.workload.arrivals.arrivals == "poisson"
    assert problems(arrivals="poisson") == {"--arrivals": "plan.not-together"}


def test_a_plan_file_without_a_spacing_keeps_its_poisson_arrivals() -> None:
    quick = quick_plan(URL, rate="500")
    text = quick.text.replace(", arrivals: constant", "")
    assert text != quick.text
    arrivals = read(text, "plan.yaml").workload.arrivals
    assert isinstance(arrivals, Rate)
    assert arrivals.arrivals == "poisson"


def test_the_text_reads_as_a_plan_file_to_the_same_plan() -> None:
    quick = quick_plan(URL, rate="10", headers=("A: b",), body="x")
    assert read(quick.text, "the command line") == read_quick(quick)


def test_a_file_as_body_is_read_when_the_plan_runs() -> None:
    with pytest.raises(PlanError) as caught:
        read_quick(quick_plan(URL, body="@no such file.json"))
    assert [(str(problem.where), problem.code) for problem in caught.value.problems] == [
        ("--body", "plan.no-such-file")
    ]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({"rate": "fast"}, {"--rate": "plan.wrong-unit"}),
        ({"rate": "a: b # c"}, {"--rate": "plan.wrong-unit"}),
        ({"connections": "0x"}, {"--connections": "plan.wrong-unit"}),
        (
            {"duration": "10", "timeout": "1"},
            {"--duration": "plan.wrong-unit", "--timeout": "plan.wrong-unit"},
        ),
        ({"requests": "0"}, {"--requests": "plan.out-of-range"}),
        ({"goals": ("p95 < 1s", "latency < 1s")}, {"--goal": "plan.unknown-measure"}),
        ({"headers": ("Connection: close",)}, {"--header": "plan.header"}),
        ({"headers": ("X-Note: a\x1b[31m",)}, {"--header": "plan.header"}),
        (
            {"headers": ("nonsense",), "method": "GRAB"},
            {"--header": "plan.header", "--method": "plan.method"},
        ),
        ({"body": "@none"}, {"--body": "plan.no-such-file"}),
    ],
)
def test_a_problem_is_told_of_the_flag(flags: dict[str, object], expected: dict[str, str]) -> None:
    assert problems(**flags) == expected


@pytest.mark.parametrize(
    "url", ["ftp://127.0.0.1", "http://", "http://127.0.0.1:x/", "http://a:b@127.0.0.1/"]
)
def test_a_url_that_names_no_server_is_refused(url: str) -> None:
    with pytest.raises(PlanError) as caught:
        quick_plan(url)
    assert [problem.code for problem in caught.value.problems] == ["plan.url"]


def test_another_host_is_loaded_only_if_it_is_allowed() -> None:
    with pytest.raises(PlanError) as caught:
        read_quick(quick_plan("http://192.0.2.1/"))
    assert caught.value.problems[0].mend == "add --allow 192.0.2.1"
    assert read_quick(quick_plan("http://192.0.2.1/", allow=("192.0.2.1",))).allow == ("192.0.2.1",)
    assert read_quick(quick_plan("127.0.0.5:8000")).target.options.url == "http://127.0.0.5:8000"
