"""YAML 1.2 text to nodes that know their place."""

from loadrig.base.errors import Problem
from loadrig.plan.node import Node
from loadrig.plan.yaml_text import Lines


def parse(text: str, file: str) -> tuple[Node, list[Problem]]:
    """The tree of a text, and what is wrong with it that does not hinder reading on.

    file: what places name. Raises PlanError (plan.yaml-syntax) if the text is not YAML at all.
    """
    # A quick command has no text to read, and is not to wait for the library.
    from loadrig.plan import yaml_library

    return yaml_library.read(Lines(text, file))
