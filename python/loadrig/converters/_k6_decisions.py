"""Branches of a k6 script between which answers decide: what must hold for a part of it to be carried out."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from loadrig.converters._clauses import ALWAYS, NEVER, Clauses, both
from loadrig.converters._k6_course import FunctionCourse
from loadrig.converters._k6_exits import BranchWay, gives_values
from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_requests import ScriptScope


class BranchGuards:
    """Guards of the branches of a function and of those that it calls; the scope has the present one."""

    def __init__(self, scope: ScriptScope, course: FunctionCourse) -> None:
        scope.guard = ALWAYS
        self._scope = scope
        self._course = course
        self._branches, self._branches_around = 0, 0
        self._is_asked = False
        self._unless_ended: Clauses = ALWAYS

    @property
    def is_dead(self) -> bool:
        """Whether what is read now is never carried out."""
        return not all(self._scope.guard)

    @contextmanager
    def in_function(self, function: Any, *, is_called: bool) -> Iterator[None]:
        """Read a function: what ends it alone says nothing of what is behind it. is_called: by another."""
        around = self._scope.guard, self._unless_ended, self._branches_around, self._is_asked
        self._branches_around, self._is_asked = self._branches, is_called and gives_values(function)
        yield
        guard, unless_ended, self._branches_around, self._is_asked = around
        if not all(self._unless_ended):
            guard = NEVER
        elif self._unless_ended != unless_ended:
            guard = joined(guard, self._unless_ended)
        self._scope.guard = guard

    @contextmanager
    def in_branch(self, guard: Clauses) -> Iterator[None]:
        """Read a branch that is gone into under a guard."""
        outer, first = self._scope.guard, self._course.branch
        self._scope.guard, self._course.branch = guard, len(self._course.steps)
        self._branches += 1
        yield
        self._branches -= 1
        self._scope.guard, self._course.branch = outer, first

    def see_ends(self, ways: Sequence[BranchWay]) -> None:
        """Raise Unread where what ends with a branch leaves open what else is done, or what is returned."""
        for way in ways:
            is_within = self._branches > (self._branches_around if way.ends == "function" else 0)
            if (way.ends and is_within) or (way.ends == "function" and self._is_asked):
                raise Unread

    def go_on(self, ways: Sequence[BranchWay], conditions: Sequence[Clauses]) -> None:
        """Go on behind branches, of which some end what is read. conditions: those of the branches."""
        for way, otherwise in zip(ways, reversed(conditions), strict=True):
            if way.ends:
                self._scope.guard = joined(self._scope.guard, otherwise)
            if way.ends == "iteration":
                self._unless_ended = joined(self._unless_ended, otherwise)
        if all(way.ends for way in ways):
            self._scope.guard = NEVER
        if all(way.ends == "iteration" for way in ways):
            self._unless_ended = NEVER

    def end_unless(self, clauses: Clauses) -> None:
        """Go on only where clauses hold; else the iteration ends. Raise Unread within a branch, NotSaid."""
        if self._branches:
            raise Unread
        self._scope.guard = joined(self._scope.guard, clauses)
        self._unless_ended = joined(self._unless_ended, clauses)


def joined(guard: Clauses, more: Clauses) -> Clauses:
    """Return what must hold where both must, each clause once. Raise NotSaid where that is too much."""
    return both(guard, tuple(clause for clause in dict.fromkeys(more) if clause not in guard))
