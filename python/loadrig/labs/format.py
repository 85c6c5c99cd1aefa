"""Files of a lab: lab.yaml and truth.yaml, read with the places of all mistakes.

The shapes are read as those of plans are (see base.shape), so a mistake has a line and a mend.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from loadrig.base import user_files
from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import PlanError, Problem, Span
from loadrig.base.shape import option
from loadrig.labs.bundled import folder_of, unknown
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.labs import LabsFormatErrors
from loadrig.plan.kinds import Mapped, Shaped
from loadrig.plan.node import Node, at, place
from loadrig.plan.reader import Reader
from loadrig.plan.syntax import parse

ERRORS = texts_of(LabsFormatErrors)

SICK = "plan"
"""Name of the plan that is run when none is named: the sick one."""

OWN = ".yaml"
"""Ending of the name of a plan that is a file of the user's, not the lab's."""

OWN_PLAN = "a plan of your own"
"""Clause of a plan of the user's own."""

CAPACITY = "capacity"
"""Name of the plan that measures the capacity for plans that name none for it."""

ServiceKind = Literal["redis", "mariadb", "postgresql", "command"]

SHORT: Mapping[str, str] = {
    "trial.warm_up": "2s",
    "trial.measure": "{at_least: 15s, at_most: 15s}",
}
"""Keys and values that --short puts into a plan: a trial then ends within half a minute."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Programs, modules and cores that must be there before a lab can run."""

    programs: Mapping[str, str] = option("Programs, and the Debian package that has each.", factory=dict)
    python: Mapping[str, str] = option("Python modules, and the requirement that brings each.", factory=dict)
    cores: int = option("Processor cores: the generator's beside those of the servers.", default=2, low=1)


@dataclass(frozen=True, slots=True)
class BuildStep:
    """Command that builds something, run in the lab's work copy."""

    SHORT = "run"
    run: str = option("The command; split into words, no shell runs.", example="go build -o server .")
    makes: str = option(
        "File or folder that it makes; where that is there already it is not run.", default=""
    )
    env: Mapping[str, str] = option("Variables added to the environment.", factory=dict)


@dataclass(frozen=True, slots=True)
class Service:
    """Program that the server rests on, started by the rig on 127.0.0.1."""

    port: int = option(
        "Its port, fixed so that the server can be told it.", low=1, high=65535, example="9479"
    )
    kind: ServiceKind | None = option("What it is; by default what it is called.", default=None)
    run: str = option("Command line of a `command`; {port} is its port.", default="")
    ready: str = option("Path that a `command` answers when it is ready; by default its port.", default="")
    cpu: float | None = option("CPU quota in cores; by default none.", default=None, low=0.01)
    cpus: tuple[int, ...] = option("Cores to hold it on, counted among those allowed.", default=(), low=0)
    options: tuple[str, ...] = option("More of its command line.", default=())
    database: str = option("Database that is made.", default="shop")
    user: str = option("Database user that may do everything.", default="shop")
    password: str = option("The user's password.", default="shop")
    init: tuple[str, ...] = option("Files with SQL, done in the database at the start.", default=())


@dataclass(frozen=True, slots=True)
class ServiceChange:
    """Differences of a service for one plan."""

    cpu: float | None = option("CPU quota in cores.", default=None, low=0.01)
    cpus: tuple[int, ...] | None = option("Cores to hold it on.", default=None, low=0)
    options: tuple[str, ...] | None = option("More of its command line.", default=None)
    init: tuple[str, ...] | None = option("Files with SQL.", default=None)


@dataclass(frozen=True, slots=True)
class LabNetwork:
    """Network namespace of its own for the whole run, with kernel settings of its own."""

    ports: str = option("Range of ports for outgoing connections.", default="", example="20000-20999")
    tw_reuse: int | None = option("net.ipv4.tcp_tw_reuse.", default=None, low=0, high=2)
    tw_buckets: int | None = option("net.ipv4.tcp_max_tw_buckets.", default=None, low=0)
    tw_reuse_delay: int | None = option("net.ipv4.tcp_tw_reuse_delay, in milliseconds.", default=None, low=0)


@dataclass(frozen=True, slots=True)
class LabPlan:
    """Plan of a lab: what it shows, and what is different in the lab for it."""

    SHORT = "about"
    about: str = option("What it shows, in a clause.", example="the same with a pool")
    capacity: str = option("The plan that measures its capacity.", default=CAPACITY)
    needs: Needs = option("What this plan needs beside the lab's needs.", factory=Needs)
    services: Mapping[str, ServiceChange] = option("Services that are different.", factory=dict)
    network: LabNetwork | None = option("Its network namespace, instead of the lab's.", default=None)
    short: Mapping[str, str] = option(
        "What --short changes, instead of what it does in the lab.", factory=dict
    )


@dataclass(frozen=True, slots=True)
class WrittenLab:
    """Content of lab.yaml as written."""

    lab: int = option("Version of the format.", low=1, high=1, example="1")
    title: str = option("What is wrong in it, as a clause.")
    case: int = option("Which of the five investigations it repeats.", low=1, high=5, example="2")
    plans: Mapping[str, LabPlan] = option("Its plans by the name of their file.")
    files_of: str = option(
        "Lab whose files it has, too: its name, or a path from this folder with a / in it.",
        default="",
        example="token-storm",
    )
    needs: Needs = option("What must be installed.", factory=Needs)
    build: tuple[BuildStep, ...] = option("What is built before the first run.", default=())
    services: Mapping[str, Service] = option("What the server rests on.", factory=dict)
    network: LabNetwork | None = option("A network namespace of its own.", default=None)
    short: Mapping[str, str] = option("What --short puts into plans.", factory=lambda: dict(SHORT))


@dataclass(frozen=True, slots=True)
class Truth:
    """Diagnosis to which a plan must lead.

    causes: any of these may come first; ("healthy",) means that nothing may be accused. components: any of
    these, all where empty; one that ends in * stands for all that begin so.
    """

    causes: tuple[str, ...] = option("Cause that must come first, or several that may.", key="cause")
    components: tuple[str, ...] = option("Where it must lie.", default=(), key="component")
    at_least: Literal["possible", "likely", "named"] = option("Least verdict.", default="likely")
    innocent: tuple[str, ...] = option("Causes that must not be accused.", default=(), key="not")


@dataclass(frozen=True, slots=True)
class LabSource:
    """Lab whose files another lab uses too.

    notes: names of files in the folder that describe that lab and are not run: they are not copied.
    """

    folder: Path
    notes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Lab:
    """Lab: its folder and what its files say.

    truths: by plan, with the same names as `plans` except for a plan of the user's own. source: the lab
    whose files it uses beside its own.
    """

    name: str
    folder: Path
    title: str
    case: int
    needs: Needs
    build: tuple[BuildStep, ...]
    services: Mapping[str, Service]
    network: LabNetwork | None
    short: Mapping[str, str]
    plans: Mapping[str, LabPlan]
    truths: Mapping[str, Truth]
    source: LabSource | None = None

    def for_plan(self, plan: str) -> "Lab":
        """Return the lab as this plan wants it: with the plan's needs, services, network and short form."""
        own = self.plans[plan]
        needs = Needs(
            {**self.needs.programs, **own.needs.programs},
            {**self.needs.python, **own.needs.python},
            max(self.needs.cores, own.needs.cores),
        )
        services = {
            name: _changed(service, own.services.get(name)) for name, service in self.services.items()
        }
        return replace(
            self, needs=needs, services=services, network=own.network or self.network,
            short=own.short or self.short,
        )  # fmt: skip

    def plan_file(self, plan: str) -> Path:
        """Return the file of a plan, as the lab has it, or as the user named it."""
        return Path(plan) if plan.endswith(OWN) else self.folder / f"{plan}.yaml"


def _changed(service: Service, change: ServiceChange | None) -> Service:
    if change is None:
        return service
    wanted = {name: getattr(change, name) for name in ("cpu", "cpus", "options", "init")}
    return replace(service, **{name: value for name, value in wanted.items() if value is not None})


def read_lab(folder: Path) -> Lab:
    """Return the lab of a folder. Raise PlanError with all that is wrong with its files."""
    root, problems = _tree(folder / "lab.yaml")
    reader = Reader(problems)
    written = reader.shape(WrittenLab, root, ERRORS.the_lab)
    truth_root, truth_problems = _tree(folder / "truth.yaml")
    reader.problems.extend(truth_problems)
    truths = reader.value(Mapped(Shaped(Truth)), truth_root, ERRORS.the_truth)
    if isinstance(written, WrittenLab) and isinstance(truths, Mapping):
        reader.problems.extend(_mismatches(folder, written, truths, root, truth_root))
    source = None
    if isinstance(written, WrittenLab) and written.files_of:
        source = _source(folder, written.files_of, root, reader.problems)
    if reader.problems or not isinstance(written, WrittenLab):
        raise PlanError(reader.problems)
    services = {
        name: replace(service, kind=service.kind or _kind_named(name))
        for name, service in written.services.items()
    }
    return Lab(
        name=folder.resolve().name, folder=folder, title=written.title, case=written.case,
        needs=written.needs, build=written.build, services=services, network=written.network,
        short=written.short, plans=written.plans, truths=truths, source=source,
    )  # fmt: skip


def _source(folder: Path, name: str, root: Node, problems: list[Problem]) -> LabSource | None:
    """Return the lab that `files_of` names; None, with a problem added, where its files cannot be used."""
    node = at(root, "files_of")
    where = node.span if node else root.span
    source_folder = folder_of(name, folder)
    if source_folder is None:
        problems.append(unknown(name, where))
        return None
    if source_folder.samefile(folder):
        problems.append(_wrong(ERRORS.files_of_itself(), where))
        return None
    other_root, other_problems = _tree(source_folder / "lab.yaml")
    reader = Reader(other_problems)
    source_lab = reader.shape(WrittenLab, other_root, ERRORS.the_lab)
    problems.extend(reader.problems)
    if not isinstance(source_lab, WrittenLab):
        return None
    if source_lab.files_of:
        # One step only: where a file comes from must be seen without following names from lab to lab.
        problems.append(_wrong(ERRORS.files_of_a_third(repr(name), repr(source_lab.files_of)), where))
        return None
    plans = {*source_lab.plans, *(plan.capacity for plan in source_lab.plans.values())}
    notes = {"README.md", "lab.yaml", "truth.yaml", *(f"{plan}.yaml" for plan in plans)}
    return LabSource(source_folder, frozenset(notes))


def _tree(file: Path) -> tuple[Node, list[Problem]]:
    try:
        text = user_files.read_text(file, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else ERRORS.not_utf8
        raise PlanError.of(
            ERRORS.unreadable_lab(file.name, str(reason)), code="lab.format", where=Span(str(file))
        ) from None
    return parse(text, str(file))


def _mismatches(
    folder: Path, lab: WrittenLab, truths: Collection[str], root: Node, truth_root: Node
) -> list[Problem]:
    """Return the problems of files that are each well written but do not agree with each other."""
    problems = [
        _wrong(ERRORS.no_plan_file(name, repr(name)), place(root, "plans", name))
        for name in lab.plans
        if not (folder / f"{name}.yaml").is_file()
    ]
    problems += [
        _wrong(ERRORS.no_truth(name, repr(name)), place(root, "plans", name))
        for name in lab.plans
        if name not in truths
    ]
    problems += [
        _wrong(ERRORS.no_plan(repr(name)), place(truth_root, name))
        for name in truths
        if name not in lab.plans
    ]
    if SICK not in lab.plans:
        node = at(root, "plans")
        problems.append(_wrong(ERRORS.no_sick_plan(repr(SICK)), node.span if node else root.span))
    for name, service in lab.services.items():
        where = place(root, "services", name)
        if service.kind is None and _kind_named(name) is None:
            problems.append(_wrong(ERRORS.service_without_kind(repr(name)), where))
        elif (service.kind or name) == "command" and not service.run:
            problems.append(_wrong(ERRORS.service_without_command(repr(name)), where))
    for name, plan in lab.plans.items():
        problems += [
            _wrong(ERRORS.no_service(repr(changed)), place(root, "plans", name, "services", changed))
            for changed in plan.services
            if changed not in lab.services
        ]
    networks: list[tuple[LabNetwork | None, tuple[str, ...]]] = [(lab.network, ("network",))]
    networks += [(plan.network, ("plans", name, "network")) for name, plan in lab.plans.items()]
    for network, path in networks:
        if network and network.ports and port_range(network.ports) is None:
            wording = ERRORS.no_port_range(repr(network.ports))
            problems.append(_wrong(wording, place(root, *path, "ports")))
    return problems


def port_range(text: str) -> tuple[int, int] | None:
    """Return the two ends of a range such as 20000-20999; None if the text is no range."""
    low, dash, high = text.partition("-")
    if not dash or not low.strip().isdecimal() or not high.strip().isdecimal():
        return None
    ends = int(low), int(high)
    return ends if 0 < ends[0] <= ends[1] <= 65535 else None


def _kind_named(name: str) -> ServiceKind | None:
    kinds: tuple[ServiceKind, ...] = ("redis", "mariadb", "postgresql", "command")
    return next((kind for kind in kinds if kind == name), None)


def _wrong(wording: ErrorWords, where: Span) -> Problem:
    return Problem.of(wording, code="lab.format", where=where)
