"""A plan that has been read and is not yet believed: what the checks look at."""

from dataclasses import dataclass
from pathlib import Path

from loadrig.base.errors import Problem, Span
from loadrig.plan.model import (
    Chosen,
    Goal,
    PlannedKnob,
    ProveRules,
    StudyRules,
    TrialRules,
    Users,
    Workload,
)
from loadrig.plan.node import Node, at, listed, place
from loadrig.plan.node import Path as NodePath
from loadrig.plan.reader import Reader


@dataclass(frozen=True, slots=True)
class Draft:
    """The parts of a plan; None where a part could not be read.

    folder: what relative paths are relative to. root: the whole tree, for places.
    """

    reader: Reader
    root: Node
    folder: Path
    target: Chosen | None
    workload: Workload | None
    goals: tuple[Goal, ...]
    knobs: tuple[PlannedKnob, ...]
    trial: TrialRules
    study: StudyRules
    prove: ProveRules | None
    allow: tuple[str, ...]

    def node(self, *path: str | int) -> Node | None:
        """What is written at a path, or None."""
        return at(self.root, *path)

    def place(self, *path: str | int) -> Span:
        """The nearest place to a path."""
        return place(self.root, *path)

    def is_clean(self, *path: str | int) -> bool:
        """Whether what is written at a path was read without a problem; also if nothing is written."""
        return self.reader.is_clean(at(self.root, *path))

    def note(self, problem: Problem) -> None:
        """Add a problem."""
        self.reader.note(problem)

    def requests(self) -> list[tuple[NodePath, Node]]:
        """Every request as written, the login last, each with its path in the tree."""
        found: list[tuple[NodePath, Node]] = []
        lists: list[NodePath] = [("workload", "requests"), ("workload", "steps")]
        scenarios = listed(self.node("workload", "scenarios"))
        lists += [("workload", "scenarios", index, "steps") for index in range(len(scenarios))]
        for path in lists:
            for index, node in enumerate(listed(self.node(*path))):
                found.append(((*path, index), node))
        login = self.node("workload", "login")
        if login is not None:
            found.append((("workload", "login"), login))
        return found


def most_users(users: Users) -> int:
    """The greatest number of users that a closed model reaches."""
    levels = [
        users.count or 0,
        users.start or 0,
        users.until or 0,
        *(int(stage.to) for stage in users.stages),
    ]
    return max(levels)
