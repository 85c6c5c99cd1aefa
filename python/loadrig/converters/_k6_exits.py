"""Ways through a branch of a k6 script, and whether the function or the iteration ends with them."""

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

from loadrig.converters._k6_changes import FUNCTIONS
from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_tree import named_parts

_LEAVING = frozenset(("break_statement", "continue_statement", "return_statement", "labeled_statement"))

_OF_LOOPS = frozenset(("break_statement", "continue_statement"))
_LOOPS = frozenset(("for_statement", "for_in_statement", "while_statement", "do_statement"))


class BranchWay(NamedTuple):
    """Way through a branch. ends: the function that ends with it, or the whole iteration; empty for none."""

    statements: tuple[Any, ...] = ()
    ends: Literal["", "function", "iteration"] = ""


def leaves(body: Any) -> bool:
    """Return whether a part of a function may end a loop or the function around it."""
    waiting = [(body, False)]
    while waiting:
        part, is_in_loop = waiting.pop()
        if part.type in _LEAVING and not (is_in_loop and part.type in _OF_LOOPS and not part.named_children):
            return True
        is_in_loop = is_in_loop or (part.type in _LOOPS and part is not body)
        waiting += [(child, is_in_loop) for child in part.named_children if child.type not in FUNCTIONS]
    return False


def way_through(branch: Any, is_failure: Callable[[Any], bool]) -> BranchWay:
    """Return the way through a branch, which may be none. Raise Unread where it ends in its middle.

    is_failure: tells whether a statement ends the iteration.
    """
    if branch is None:
        return BranchWay()
    if branch.type == "else_clause":
        branch = named_parts(branch)[0]
    statements = named_parts(branch) if branch.type == "statement_block" else [branch]
    last = statements[-1] if statements else None
    ends: Literal["", "function", "iteration"] = ""
    if last is not None and last.type == "return_statement":
        ends = "function"
    elif last is not None and (last.type == "throw_statement" or is_failure(last)):
        ends = "iteration"
    if any(leaves(part) for part in (statements[:-1] if ends else statements)):
        raise Unread
    # What a `return` gives may make requests; of a failure only its message is left.
    return BranchWay(tuple(statements[:-1] if ends == "iteration" else statements), ends)


def gives_values(function: Any) -> bool:
    """Return whether a function returns values to its caller."""
    body = function.child_by_field_name("body")
    if body is None or body.type != "statement_block":
        return True
    return any(part.type == "return_statement" and named_parts(part) for part in statements_in(body))


def statements_in(node: Any) -> Iterator[Any]:
    """Yield the parts of a body, without those of functions in it."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += [child for child in part.named_children if child.type not in FUNCTIONS]
