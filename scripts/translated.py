"""Pages of `loadrig explain` and descriptions in other languages, held to the English ones they translate.

`check` names what is missing, and what has an English text that has changed since; whoever has brought it
up to date says so by `write [NAME…]`, which notes the English text that it is of.
"""

import hashlib
import inspect
import json
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from loadrig.base import members
from loadrig.catalogue import look_up
from loadrig.catalogue.translation import texts_of_entry
from loadrig.cli.explain import ROOMS
from loadrig.language.choice import ENGLISH, LANGUAGES
from loadrig.plan.kinds import fields_of
from loadrig.plan.reference import described_classes

EXPLAIN = Path(__file__).resolve().parents[1] / "python" / "loadrig" / "explain"
DIGITS = 12
"""Hexadecimal digits that are noted of a text's SHA-256: enough to tell a thousand texts apart."""

PAGES, DESCRIPTIONS = "originals.json", "descriptions.json"
"""Files in a language's folder that note which English text a page or a description is of."""


def pages() -> dict[str, str]:
    """Return the English pages by the path of their translation in a language's folder."""
    texts = {
        path.relative_to(EXPLAIN).as_posix(): path.read_text(encoding="utf-8")
        for folder in (EXPLAIN, EXPLAIN / "words")
        for path in sorted(folder.glob("*.md"))
    }
    for kind, room in ROOMS.items():
        for name in members.names(room):
            texts[f"members/{kind}.{name}.md"] = members.page(room, name)
    return texts


def descriptions() -> dict[str, str]:
    """Return the English descriptions by file and place of their translation: "metrics/go: threads"."""
    texts: dict[str, str] = {}
    for cls in described_classes():
        for field in fields_of(cls):
            room, _, owner = field.owner.partition(".")
            texts[f"fields/{room}: {owner}.{field.key}"] = field.doc
    for name in members.names("loadrig.target"):
        for knob in getattr(members.load("loadrig.target", name), "KNOBS", {}).values():
            texts[f"targets/{name}: {knob.name}"] = knob.doc
    for name in members.names("loadrig.probes"):
        for metric, described in members.load("loadrig.probes", name).METRICS.items():
            texts[f"metrics/{name}: {metric}"] = described.doc
    for system in look_up.systems():
        module = members.load(look_up.ROOM, system)
        texts[f"knobs/{system}: about"] = inspect.cleandoc(module.__doc__ or "")
        for knob, entry in look_up.knobs_of(system, ENGLISH).items():
            # One digest an entry: its texts are read, and changed, together.
            texts[f"knobs/{system}: {knob}"] = "\n".join(texts_of_entry(entry).values())
    return texts


def translated_pages(code: str) -> set[str]:
    """Return the names of the pages that a language has."""
    root = EXPLAIN / code
    return {path.relative_to(root).as_posix() for path in root.rglob("*.md")}


def translated_descriptions(code: str) -> set[str]:
    """Return the names of the descriptions that a language has."""
    root = EXPLAIN / code
    return {
        f"{path.relative_to(root).with_suffix('').as_posix()}: {name}"
        for path in root.rglob("*.toml")
        for name in _named(tomllib.loads(path.read_text(encoding="utf-8")), path.parent.name == "knobs")
    } - {f"knobs/{system}: title" for system in look_up.systems()}  # only where it is no name


def _named(table: Mapping[str, Any], is_knobs: bool) -> Iterator[str]:
    """Yield the names of the descriptions of a file; the texts of a knob of the catalogue have one name."""
    for name, text in table.items():
        if isinstance(text, str) or is_knobs:
            yield name
        else:
            yield from (f"{name}.{inner}" for inner in _named(text, is_knobs))


def main(arguments: Sequence[str]) -> int:
    """Check what every language has, or note what it is a translation of; 1 if something is stale."""
    order, *asked = arguments or ["check"]
    is_good = True
    for code in sorted(LANGUAGES.keys() - {ENGLISH}):
        for notes, english, here in (
            (PAGES, pages(), translated_pages(code)),
            (DESCRIPTIONS, descriptions(), translated_descriptions(code)),
        ):
            digests = {name: _digest(text) for name, text in english.items()}
            path = EXPLAIN / code / notes
            if order == "write":
                _write(path, {name: digest for name, digest in digests.items() if name in here}, asked)
                continue
            for complaint in _complaints(_noted(path), digests, here):
                is_good = False
                print(f"{code}: {complaint}")
    return 0 if is_good else 1


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _noted(path: Path) -> dict[str, str]:
    noted: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return noted


def _write(path: Path, digests: Mapping[str, str], asked: Sequence[str]) -> None:
    noted = _noted(path)
    now = {
        name: digest if not asked or name in asked else noted.get(name, "")
        for name, digest in digests.items()
    }
    path.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _complaints(noted: Mapping[str, str], digests: Mapping[str, str], here: set[str]) -> Iterator[str]:
    for name, digest in digests.items():
        if name not in here:
            yield f"{name} is missing: translate the English text"
        elif noted.get(name) != digest:
            again = f"scripts/translated.py write '{name}'"
            yield f"{name} is of an older English text: bring it up to date, then {again}"
    for name in sorted(here - digests.keys()):
        yield f"{name} is of no English text: remove it"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
