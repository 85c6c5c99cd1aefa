"""A plan that has been read and not yet checked: what the checks look at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from loadrig.base.errors import Problem, Span
from loadrig.base.running import Address
from loadrig.plan.fleet_rules import FleetRules
from loadrig.plan.model import ChosenMember, Goal, PlannedKnob, ProveRules, StudyRules, TrialRules, Workload
from loadrig.plan.node import Node, at, listed, place
from loadrig.plan.node import Path as NodePath
from loadrig.plan.reader import Reader


@dataclass(frozen=True, slots=True)
class Draft:
    """The parts of a plan; None where a part could not be read.

    folder: folder that relative paths are relative to. root: the whole tree, for places.
    """

    reader: Reader
    root: Node
    folder: Path
    target: ChosenMember | None
    workload: Workload | None
    goals: tuple[Goal, ...]
    knobs: tuple[PlannedKnob, ...]
    trial: TrialRules
    study: StudyRules
    prove: ProveRules | None
    allow: tuple[str, ...]
    fleet: FleetRules | None = None
    servers: Mapping[str, Address] = field(default_factory=dict)

    def node(self, *path: str | int) -> Node | None:
        """Return the node at a path; None where nothing is written."""
        return at(self.root, *path)

    def place(self, *path: str | int) -> Span:
        """Return the nearest place to a path."""
        return place(self.root, *path)

    def is_clean(self, *path: str | int) -> bool:
        """Return whether the node at a path was read without a problem; True if nothing is written."""
        return self.reader.is_clean(at(self.root, *path))

    def note(self, problem: Problem) -> None:
        """Add a problem."""
        self.reader.note(problem)

    def requests(self) -> list[tuple[NodePath, Node]]:
        """Return every request as written, the login last, each with its path in the tree."""
        requests: list[tuple[NodePath, Node]] = []
        lists: list[NodePath] = [("workload", "requests"), ("workload", "steps")]
        scenarios = listed(self.node("workload", "scenarios"))
        lists += [("workload", "scenarios", index, "steps") for index in range(len(scenarios))]
        for path in lists:
            for index, node in enumerate(listed(self.node(*path))):
                requests.append(((*path, index), node))
        login = self.node("workload", "login")
        if login is not None:
            requests.append((("workload", "login"), login))
        return requests
