"""Pages of `loadrig explain` in other languages, held to the English ones that they translate.

`check` names the pages whose English one has changed since, and those that are missing; whoever has brought
them up to date says so by `write [PAGE…]`, which notes the English text that a page is of.
"""

import hashlib
import inspect
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from loadrig.base import members
from loadrig.cli.explain import ROOMS
from loadrig.language.choice import ENGLISH, LANGUAGES

EXPLAIN = Path(__file__).resolve().parents[1] / "python" / "loadrig" / "explain"
NOTES = "originals.json"
DIGITS = 12
"""Hexadecimal digits that are noted of a text's SHA-256: enough to tell a few hundred texts apart."""


def originals() -> dict[str, str]:
    """Return the English texts by the path of their translation in a language's folder."""
    pages = {
        path.relative_to(EXPLAIN).as_posix(): path.read_text(encoding="utf-8")
        for folder in (EXPLAIN, EXPLAIN / "words")
        for path in sorted(folder.glob("*.md"))
    }
    for kind, room in ROOMS.items():
        for name in members.names(room):
            text = inspect.cleandoc(members.load(room, name).__doc__ or "")
            pages[f"members/{kind}.{name}.md"] = text
    return pages


def main(arguments: Sequence[str]) -> int:
    """Check the pages of every language, or note what they are translations of; 1 if one is stale."""
    order, *asked = arguments or ["check"]
    digests = {name: hashlib.sha256(text.encode()).hexdigest()[:DIGITS] for name, text in originals().items()}
    is_good = True
    for code in sorted(LANGUAGES.keys() - {ENGLISH}):
        notes = EXPLAIN / code / NOTES
        noted: dict[str, str] = json.loads(notes.read_text(encoding="utf-8")) if notes.exists() else {}
        if order == "write":
            there = {name: digest for name, digest in digests.items() if (EXPLAIN / code / name).exists()}
            noted = {
                name: digest if not asked or name in asked else noted.get(name, "")
                for name, digest in there.items()
            }
            notes.write_text(json.dumps(noted, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            continue
        for name, digest in digests.items():
            if not (EXPLAIN / code / name).exists():
                is_good = False
                print(f"{code}: {name} is missing: translate the English page")
            elif noted.get(name) != digest:
                is_good = False
                print(f"{code}: {name} is of an older English page: bring it up to date, then {_order(name)}")
    return 0 if is_good else 1


def _order(name: str) -> str:
    return f"scripts/translated.py write {name}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
