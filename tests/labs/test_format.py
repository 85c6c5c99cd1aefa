"""Files of labs are read whole, and every mistake in them has a place and a mend."""

import re
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.base.errors import PlanError
from loadrig.labs.bundled import HERE
from loadrig.labs.fill import fill
from loadrig.labs.find import find, find_plan, names
from loadrig.labs.format import LabNetwork, port_range, read_lab
from loadrig.plan.load import read
from tests.house.places import ROOT
from tests.labs.made import LAB, lab_folder

SERVICES = """\
services:
  redis: {port: 9499, cpus: [0]}
  db: {kind: mariadb, port: 9498, cpu: 0.5, options: [--a], init: schema.sql}
"""


def test_a_lab_says_what_it_is(tmp_path: Path) -> None:
    lab = read_lab(lab_folder(tmp_path, {"lab.yaml": LAB + SERVICES}))
    assert (lab.name, lab.case, lab.title) == ("made", 1, "nothing is wrong")
    assert lab.services["redis"].kind == "redis"
    assert lab.services["db"].kind == "mariadb"
    assert lab.services["db"].init == ("schema.sql",)
    assert lab.truths["plan"].causes == ("healthy",)


def test_a_plan_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    text = LAB.replace(
        '{about: "a few requests a second"}',
        "{about: x, services: {db: {cpu: 0.25}}, network: {ports: 1-2}, needs: {programs: {a: b}, cores: 3}}",
    )
    whole = read_lab(lab_folder(tmp_path, {"lab.yaml": text + SERVICES}))
    lab = whole.for_plan("plan")
    assert lab.services["db"].cpu == 0.25
    assert lab.services["db"].options == ("--a",)
    assert lab.services["redis"] == whole.services["redis"]
    assert whole.services["db"].cpu == 0.5
    assert lab.network == LabNetwork(ports="1-2")
    assert (lab.needs.programs, lab.needs.cores) == ({"a": "b"}, 3)


MISTAKES = {
    "a plan without a file": ({"lab.yaml": LAB + "  other: {about: x}\n"}, "there is no file other.yaml"),
    "a plan without a truth": (
        {"lab.yaml": LAB + "  other: {about: x}\n", "other.yaml": ""},
        "truth.yaml does not say what is wrong in the plan 'other'",
    ),
    "a truth without a plan": (
        {"truth.yaml": "plan: {cause: healthy}\nmore: {cause: leak}\n"},
        "lab.yaml has no plan 'more'",
    ),
    "no sick plan": (
        {"lab.yaml": LAB.replace("  plan:", "  sick:"), "sick.yaml": "", "truth.yaml": "sick: {cause: leak}"},
        "no plan is called 'plan'",
    ),
    "a service of no kind": (
        {"lab.yaml": LAB + "services: {db: {port: 9499}}\n"},
        "it is not said what the service 'db' is",
    ),
    "a command that is none": (
        {"lab.yaml": LAB + "services: {up: {kind: command, port: 9499}}\n"},
        "the service 'up' has no command",
    ),
    "a change of no service": (
        {"lab.yaml": LAB.replace('second"}', 'second", services: {db: {cpu: 1}}}')},
        "the lab has no service 'db'",
    ),
    "no range": ({"lab.yaml": LAB + "network: {ports: 9-1}\n"}, "'9-1' is no range of ports"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_files_that_do_not_agree_are_told_where(name: str, tmp_path: Path) -> None:
    files, message = MISTAKES[name]
    with pytest.raises(PlanError) as caught:
        read_lab(lab_folder(tmp_path, files))
    problems = [problem for problem in caught.value.problems if message in problem.what]
    assert [problem.code for problem in problems] == ["lab.format"]
    assert problems[0].where is not None
    assert problems[0].where.line > 0


@pytest.mark.parametrize(
    ("named", "code", "message", "mend"),
    [
        ("token-strom", "lab.unknown", "there is no lab 'token-strom'", "did you mean token-storm?"),
        ("source", "lab.unknown", "there is no lab 'source'", "see loadrig lab list"),
        ("../sauce", "lab.unknown", "there is no lab '../sauce'", "write the path of a folder"),
        ("../made", "lab.format", "a lab cannot have its files of itself", "name another lab"),
        ("./", "lab.format", "a lab cannot have its files of itself", "name another lab"),
        (
            "gc-thrash",
            "lab.format",
            "the lab 'gc-thrash' has its files of another one itself: 'token-storm'",
            "name the lab in whose folder the files lie",
        ),
        (
            "../source",
            "lab.format",
            "the lab '../source' has its files of another one itself: '../made'",
            "name the lab in whose folder the files lie",
        ),
    ],
)
def test_files_are_had_of_another_lab_that_has_them(
    tmp_path: Path, named: str, code: str, message: str, mend: str
) -> None:
    lab_folder(tmp_path, {"lab.yaml": LAB + "files_of: ../made\n"}, name="source")
    folder = lab_folder(tmp_path, {"lab.yaml": LAB + f"files_of: {named}\n"})
    with pytest.raises(PlanError) as caught:
        read_lab(folder)
    (problem,) = caught.value.problems
    assert (problem.code, problem.what) == (code, message)
    assert problem.mend.startswith(mend)
    assert str(problem.where) == f"{folder / 'lab.yaml'}:6:11"


def test_mistakes_of_a_lab_whose_files_are_had_are_told_in_its_own_lab_yaml(tmp_path: Path) -> None:
    source = lab_folder(tmp_path, {"lab.yaml": LAB + "netwrok: {}\n"}, name="source")
    folder = lab_folder(tmp_path, {"lab.yaml": LAB + "files_of: ../source\n"})
    with pytest.raises(PlanError) as caught:
        read_lab(folder)
    (problem,) = caught.value.problems
    assert problem.code == "plan.unknown-key"
    assert problem.where is not None
    assert (source / "lab.yaml").samefile(problem.where.file)


def test_a_lab_of_ones_own_may_have_files_of_one_that_comes_with_loadrig(tmp_path: Path) -> None:
    # Under its name, too: what counts is the folder.
    text = LAB + "files_of: token-storm\n"
    source = read_lab(lab_folder(tmp_path, {"lab.yaml": text}, name="token-storm")).source
    assert source is not None
    assert source.folder == HERE / "token-storm"
    assert {"README.md", "lab.yaml", "truth.yaml", "plan.yaml", "capacity.yaml"} <= source.notes
    assert "schema.sql" not in source.notes


def test_a_single_key_is_told_as_in_plans(tmp_path: Path) -> None:
    files = {"lab.yaml": LAB + "netwrok: {}\n", "truth.yaml": "plan: {cause: leak, at_least: sure}\n"}
    with pytest.raises(PlanError) as caught:
        read_lab(lab_folder(tmp_path, files))
    assert {problem.code for problem in caught.value.problems} == {"plan.unknown-key", "plan.wrong-word"}


def test_a_folder_that_is_no_lab_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"lab\.yaml") as caught:
        read_lab(tmp_path)
    assert caught.value.problems[0].code == "lab.format"


@pytest.mark.parametrize(
    ("text", "ends"), [("1-65535", (1, 65535)), ("5-4", None), ("0-9", None), ("9", None), ("a-b", None)]
)
def test_a_range_of_ports_has_two_ends_in_order(text: str, ends: tuple[int, int] | None) -> None:
    assert port_range(text) == ends


def test_a_name_that_is_no_lab_gets_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as caught:
        find("redis-conections")
    assert caught.value.problems[0].code == "lab.unknown"
    assert "redis-connections" in caught.value.problems[0].mend
    with pytest.raises(PlanError) as caught:
        find_plan(f"{lab_folder(tmp_path)}:plam")
    assert caught.value.problems[0].code == "lab.unknown-plan"
    assert caught.value.problems[0].mend.endswith(":plan?")


# --- placeholders ---------------------------------------------------------------------------------


def test_a_file_of_ones_own_is_a_plan_on_the_labs_servers(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    own.write_text("loadrig: 1\n", encoding="utf-8")
    lab, plan = find_plan(f"redis-connections:{own}")
    assert lab.plan_file(plan) == own
    assert lab.for_plan(plan).network == lab.network
    assert plan not in lab.truths
    with pytest.raises(PlanError) as raised:
        find_plan(f"redis-connections:{tmp_path}/none.yaml")
    assert raised.value.problems[0].code == "lab.unknown-plan"


def test_placeholders_are_filled_and_other_braces_stay() -> None:
    meanings = {"port": {"redis": "9479"}.__getitem__, "work": lambda _: "/w"}
    text = "a: ${port:redis}\nb: '{port} $x ${X}'\nc: ${work}/lib"
    assert fill(text, meanings, "plan.yaml") == "a: 9479\nb: '{port} $x ${X}'\nc: /w/lib"


def test_placeholders_without_a_meaning_are_told_all_at_once_with_their_places() -> None:
    meanings = {"port": {"redis": "9479"}.__getitem__}
    with pytest.raises(PlanError) as caught:
        fill("a: 1\nb: ${port:redsi}\nc: ${prot:redis}", meanings, "plan.yaml")
    first, second = caught.value.problems
    assert (first.code, second.code) == ("lab.placeholder", "lab.placeholder")
    assert str(first.where) == "plan.yaml:2:4"
    assert "${port}" in second.mend


def test_the_page_about_the_format_shows_a_lab_that_can_be_read(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "reference" / "labs.md").read_text(encoding="utf-8")
    lab_yaml, truth_yaml = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    truth_yaml += "database-slow: {cause: database_cpu}\n"
    files = {"lab.yaml": lab_yaml, "truth.yaml": truth_yaml, "pooled.yaml": "", "database-slow.yaml": ""}
    lab = read_lab(lab_folder(tmp_path, files))
    assert lab.for_plan("plan").network == LabNetwork("20000-21999", 0)
    assert lab.for_plan("pooled").network == LabNetwork()
    assert lab.for_plan("database-slow").services["mariadb"].cpu == 0.25
    assert lab.services["slow"].kind == "command"
    assert lab.truths["plan"].innocent == ("cache_bottleneck",)


# --- what comes with loadrig ----------------------------------------------------------------------


def _plans() -> list[tuple[str, str]]:
    return [
        (name, file.stem)
        for name in names()
        for file in sorted((HERE / name).glob("*.yaml"))
        if file.stem not in ("lab", "truth")
    ]


@pytest.mark.parametrize(("name", "plan"), _plans())
def test_every_plan_of_every_lab_is_a_plan(name: str, plan: str) -> None:
    lab = find(name)
    meanings = {
        "python": lambda _: "python3", "work": lambda _: str(lab.folder), "core": lambda text: text,
        "port": lambda service: str(lab.services[service].port), "socket": lambda _: "/run/db.sock",
        "hold": lambda _: "hold", "rate": lambda _: "100",
    }  # fmt: skip
    file = lab.plan_file(plan)
    text = fill(file.read_text(), meanings, str(file))
    read(text, str(file))
    short = lab.for_plan(plan).short if plan in lab.plans else {}
    read(text, str(file), short)


@pytest.mark.parametrize("name", names())
def test_every_lab_tells_its_story_and_names_causes_that_there_are(name: str) -> None:
    lab = find(name)
    assert (lab.folder / "README.md").read_text().startswith(f"# {name}")
    causes = members.names("loadrig.judgement.causes")
    named = {cause for truth in lab.truths.values() for cause in (*truth.causes, *truth.innocent)}
    assert named - set(causes) == set()


@pytest.mark.parametrize("name", names())
def test_what_measures_a_capacity_is_there(name: str) -> None:
    lab = find(name)
    for plan, notes in lab.plans.items():
        if "${rate:" in lab.plan_file(plan).read_text():
            assert lab.plan_file(notes.capacity).is_file(), f"{plan} has no {notes.capacity}.yaml"


def test_no_lab_has_a_copy_of_a_file_of_another() -> None:
    # With `files_of` it has the file itself.
    files_by_content: dict[bytes, set[str]] = {}
    for name in names():
        for file in (HERE / name).rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                files_by_content.setdefault(file.read_bytes(), set()).add(str(file.relative_to(HERE)))
    assert [sorted(files) for files in files_by_content.values() if len(files) > 1] == []


def test_no_two_labs_have_a_port_in_common() -> None:
    ports = [service.port for name in names() for service in find(name).services.values()]
    assert len(ports) == len(set(ports))
