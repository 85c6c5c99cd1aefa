"""YAML 1.2 text to nodes that know their place."""

from loadrig.base.errors import Problem
from loadrig.plan.node import Node
from loadrig.plan.yaml_text import LinePlaces


def parse(text: str, file: str) -> tuple[Node, list[Problem]]:
    """Return the tree of a text, and problems that do not hinder reading on.

    file: name of the file in places. Raises PlanError (plan.yaml-syntax) if the text is not YAML at all.
    """
    # A quick command has no text to read, and is not to wait for the library.
    from loadrig.plan import yaml_library

    return yaml_library.read(LinePlaces(text, file))
