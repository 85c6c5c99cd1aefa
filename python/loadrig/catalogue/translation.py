"""Entries of the catalogue in another language than English, from the files of `explain/LANGUAGE/knobs`."""

from collections.abc import Mapping
from dataclasses import replace

from loadrig.catalogue.entry import Entry
from loadrig.language.choice import ENGLISH
from loadrig.language.descriptions import described


def texts_of_entry(entry: Entry) -> Mapping[str, str]:
    """Return the English texts of an entry by the names under which they are translated, without empty ones.

    A default that is a value, and a formula of nothing but names, are the same in every language.
    """
    texts = {
        "does": entry.does,
        "matters": entry.matters,
        "costs": entry.costs,
        "default": entry.default,
        "after": entry.time.formula if entry.time else "",
    }
    return {name: text for name, text in texts.items() if text}


def translated(system: str, knobs: Mapping[str, Entry], code: str) -> Mapping[str, Entry]:
    """Return the knobs of a system with their texts in a language."""
    if code == ENGLISH:
        return knobs
    return {name: _translated(system, entry, code) for name, entry in knobs.items()}


def _translated(system: str, entry: Entry, code: str) -> Entry:
    texts = {
        name: described("knobs", (system, entry.name, name), text, code)
        for name, text in texts_of_entry(entry).items()
    }
    return replace(
        entry,
        does=texts["does"],
        matters=texts["matters"],
        costs=texts.get("costs", ""),
        default=texts["default"],
        time=replace(entry.time, formula=texts["after"]) if entry.time else None,
    )


def title_of(system: str, english: str, code: str) -> str:
    """Return what a system is called in a language."""
    return described("knobs", (system, "title"), english, code)


def about(system: str, english: str, code: str) -> str:
    """Return what a system is, in a language."""
    return described("knobs", (system, "about"), english, code)
