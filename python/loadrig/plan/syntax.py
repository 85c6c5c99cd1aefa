"""YAML 1.2 text to nodes that know their place.

Most plans are written in a small part of YAML, which `yaml_simple` reads at once. All else is for the
YAML library, which takes a fifth of the time until the first request only to be imported.
"""

from loadrig.base.errors import Problem
from loadrig.plan import yaml_simple
from loadrig.plan.node import Node
from loadrig.plan.yaml_text import Lines


def parse(text: str, file: str) -> tuple[Node, list[Problem]]:
    """The tree of a text, and what is wrong with it that does not hinder reading on.

    file: what places name. Raises PlanError (plan.yaml-syntax) if the text is not YAML at all.
    """
    lines = Lines(text, file)
    root = yaml_simple.read(lines)
    if root is not None:
        return root, []
    from loadrig.plan import yaml_library

    return yaml_library.read(lines)
