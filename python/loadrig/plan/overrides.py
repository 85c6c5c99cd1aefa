"""Single values put in place of a plan's own, as flags of a command do.

A short form on the way is opened first: `study.blocks` of `study: grid` keeps the grid.
"""

import io
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from loadrig.base.errors import PlanError, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_load import PlanOverridesErrors
from loadrig.plan.kinds import Kind, Shaped, fields_of, short_of
from loadrig.plan.model import StudyRules
from loadrig.plan.node import Entries, Items, MappingEntry, Node, Path, Scalar, at, placed, put
from loadrig.plan.syntax import parse
from loadrig.plan.written import WrittenPlan

ERRORS = texts_of(PlanOverridesErrors)


def applied(root: Node, overrides: Mapping[str, str], typed: Mapping[str, str]) -> Node:
    """Return the tree with the values in place.

    Their places say what was typed, or which key it stands for.
    """
    for dotted, text in overrides.items():
        where = Span(typed.get(dotted, f"{dotted}: {text}"))
        path = _path(dotted, where)
        value, problems = parse(text, where.file)
        if problems:
            raise PlanError(problems)
        for prefix, short in _short_forms(path):
            old = at(root, *prefix)
            if isinstance(old, Scalar | Items) and not (isinstance(old, Scalar) and old.value is None):
                opened = Entries(old.span, {short: MappingEntry(short, old.span, old)})
                root = put(root, prefix, opened, old.span)
        root = put(root, path, placed(value, where), where)
    return root


def rewritten(text: str, overrides: Mapping[str, str]) -> str:
    """Return the text with the values in place; comments and order stay as they are."""
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap

    yaml = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = 1_000
    plan = yaml.load(text)
    for dotted, value in overrides.items():
        path = _path(dotted, Span(dotted))
        for prefix, short in _short_forms(path):
            above, old = _descend(plan, prefix[:-1]), _descend(plan, prefix)
            if above is not None and old is not None and not isinstance(old, Mapping):
                above[prefix[-1]] = CommentedMap({short: old})
        inner = plan
        for step, after in itertools.pairwise(path):
            if _descend(inner, (step,)) is None:
                inner[step] = CommentedMap() if isinstance(after, str) else []
            inner = inner[step]
        inner[path[-1]] = YAML(typ="rt", pure=True).load(value)
    stream = io.StringIO()
    yaml.dump(plan, stream)
    return stream.getvalue()


def _path(dotted: str, where: Span) -> Path:
    steps = dotted.split(".")
    if not all(steps):
        raise PlanError.of(ERRORS.not_a_place(repr(dotted)), code="plan.override", where=where)
    return tuple(int(step) if step.isdigit() else step for step in steps)


def _short_forms(path: Path) -> Iterator[tuple[Path, str]]:
    """Yield every place on the way to a path where a short form may stand, and the key that it means."""
    kind: Kind = Shaped(WrittenPlan)
    for length, step in enumerate(path[:-1], start=1):
        if not isinstance(kind, Shaped):
            return
        field = next((field for field in fields_of(kind.cls) if field.key == step), None)
        if field is None:
            return
        kind = Shaped(StudyRules) if step == "study" and length == 1 else field.kind
        if isinstance(kind, Shaped):
            short = short_of(kind.cls)
            if short is not None:
                yield path[:length], short.key


def _descend(plan: Any, path: Path) -> Any:
    for step in path:
        try:
            plan = plan[step]
        except (KeyError, IndexError, TypeError):
            return None
    return plan
