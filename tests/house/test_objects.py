"""Objects are small: what changes over the life of one fits into a head."""

import ast
import re

from tests.house.places import ROOT, nodes, short, sources

MOST_FIELDS = 10
"""Fields of an object that methods set after it was made, at most; fields that are set once do not count."""

LARGER = {"GeneratorFleet": 18}
"""Classes with more, and how many they have. Lower it, never raise it."""


def changing_fields(node: ast.ClassDef) -> set[str]:
    """Return the fields that methods of a class other than its constructor set."""
    return {
        place.attr
        for method in node.body
        if isinstance(method, ast.FunctionDef) and method.name != "__init__"
        for place in ast.walk(method)
        if isinstance(place, ast.Attribute)
        and isinstance(place.ctx, ast.Store)
        and isinstance(place.value, ast.Name)
        and place.value.id == "self"
    }


def classes_in(text: str) -> list[ast.ClassDef]:
    """Return the classes of a module; none where all of them together have too few fields to be looked at."""
    if len(set(re.findall(r"\bself\s*\.\s*(\w+)", text))) <= MOST_FIELDS:
        return []
    return [node for node in nodes(ast.parse(text)) if isinstance(node, ast.ClassDef)]


def test_few_fields_of_an_object_change_after_it_was_made() -> None:
    product = [path for path in sources() if path.is_relative_to(ROOT / "python")]
    large = {
        f"{short(path)}:{node.name}": len(changing_fields(node))
        for path in product
        for node in classes_in(path.read_text(encoding="utf-8"))
        if len(changing_fields(node)) > LARGER.get(node.name, MOST_FIELDS)
    }
    assert large == {}
