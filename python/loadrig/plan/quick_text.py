"""The tree of a quick command's plan as the text that a person would have written.

Each line says in a comment which flag it came from. The text is read again by the YAML library only
where somebody goes on from it; tests/plan/test_quick.py holds that it says what the tree says.
"""

import re

from loadrig.plan.node import Entries, Items, MappingEntry, Node, Scalar

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*", re.ASCII)
_ON_ONE_LINE = ("limit", "measure", "rate", "tls")
"""Keys whose mappings are written in braces, on one line."""


def text_of(root: Entries) -> str:
    """Return the text of a tree.

    Places of nodes name the flags they came from; other places are not named.
    """
    return "\n".join(line for entry in root.entries.values() for line in _entry(entry, "")) + "\n"


def _entry(entry: MappingEntry, indent: str) -> list[str]:
    key = f"{indent}{_key(entry.key)}:"
    match entry.node:
        case Entries() if entry.key not in _ON_ONE_LINE:
            return [
                key,
                *(line for below in entry.node.entries.values() for line in _entry(below, f"{indent}  ")),
            ]
        case Items(items=items):
            return [key, *(line for item in items for line in _item(item, f"{indent}  "))]
        case node:
            return [f"{key} {_inline(node)}{_flag(entry.span.file)}"]


def _item(item: Node, indent: str) -> list[str]:
    if isinstance(item, Entries):
        first, *others = (line for entry in item.entries.values() for line in _entry(entry, f"{indent}  "))
        return [f"{indent}- {first.strip()}", *others]
    return [f"{indent}- {_inline(item)}{_flag(item.span.file)}"]


def _inline(node: Node) -> str:
    match node:
        case Scalar(is_quoted=True):
            return quoted(node.text)
        case Scalar():
            return node.text
        case Items(items=items):
            return f"[{', '.join(_inline(item) for item in items)}]"
        case Entries(entries=entries):
            pairs = (f"{_key(entry.key)}: {_inline(entry.node)}" for entry in entries.values())
            return f"{{{', '.join(pairs)}}}"


def _flag(file: str) -> str:
    return f"  # {file}" if file == "URL" or file.startswith("--") else ""


def _key(text: str) -> str:
    return text if _KEY.fullmatch(text) else quoted(text)


def quoted(text: str) -> str:
    """Return a text in double quotes, by the rules of YAML."""
    return '"' + "".join(_escaped(letter) for letter in text) + '"'


def _escaped(letter: str) -> str:
    number = ord(letter)
    if letter in '"\\':
        return "\\" + letter
    if letter.isprintable() and not 0xD800 <= number <= 0xDFFF and number != 0xFEFF:
        return letter
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
