"""`loadrig explain WORD`: what a word of the glossary, an error code or a member's name means."""

import argparse
import inspect
import json
from collections.abc import Iterator
from importlib.resources import files

from loadrig.base import members
from loadrig.base.errors import PlanError, Problem, Span
from loadrig.base.exits import Exit

HELP = """
Explain a word of loadrig, an error code, or what a measure, probe, target, cause or strategy is.

  loadrig explain arrival model            a word of the glossary
  loadrig explain plan.unknown-key         an error: what it means, an example, how to mend it
  loadrig explain p95                      a measure: what it is, how it is computed, when it misleads
  loadrig explain database_cpu             a cause: its signs, what decides, what it is mistaken for
  loadrig explain gunicorn.workers         a knob: what it does, when it matters, its range and default
  loadrig explain --list                   everything that can be explained
"""

ROOMS = {
    "measure": "loadrig.measures",
    "target": "loadrig.target",
    "probe": "loadrig.probes",
    "cause": "loadrig.judgement.causes",
    "strategy": "loadrig.study.strategies",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("word", metavar="WORD", nargs="*", help="a word, an error code or a member's name")
    add("--list", action="store_true", help="list all that can be explained (default: explain a word)")
    add("--json", action="store_true", help="print the page or the list as JSON (default: text)")


def run(arguments: argparse.Namespace) -> int:
    """Print a page, or the list of pages."""
    if arguments.list:
        return _list(as_json=arguments.json)
    if not arguments.word:
        raise PlanError.of(
            what="no word is given",
            where=Span("loadrig explain"),
            mend="write loadrig explain WORD, or loadrig explain --list",
            code="cli.wrong-argument",
        )
    word = " ".join(arguments.word)
    text = page(word)
    if text is None:
        raise PlanError(_unknown(word))
    print(json.dumps({"word": word, "page": text}, ensure_ascii=False) if arguments.json else text.rstrip())
    return Exit.FINE


def page(word: str) -> str | None:
    """Return the page of a word, a code or a member, as Markdown; None if there is none."""
    key = _key(word)
    for name, (_, text) in _pages().items():
        if key in (_key(name), f"{_key(name)}s"):
            return text
    parts = [
        f"# {name}: a {kind}\n\n{inspect.cleandoc(members.load(room, name).__doc__ or '')}"
        for kind, name, room in _members()
        if key == _key(name)
    ]
    from loadrig.catalogue import look_up

    # A server's knobs stand under its page as a target.
    if (knobs := look_up.page(word)) is not None:
        parts.append(knobs)
    return "\n\n\n".join(parts) or None


def _pages() -> dict[str, tuple[str, str]]:
    """Return glossary words by their titles and codes by themselves: (kind, text).

    The pages are read anew at each call.
    """
    by_title: dict[str, tuple[str, str]] = {}
    root = files("loadrig").joinpath("explain")
    for kind, folder in (("word", root.joinpath("words")), ("code", root)):
        pages = (path for path in folder.iterdir() if path.name.endswith(".md"))
        for path in sorted(pages, key=lambda page: page.name):
            text = path.read_text(encoding="utf-8")
            title = text.partition("\n")[0].removeprefix("# ")
            name = title.partition(": ")[0] if kind == "code" else title
            by_title[name] = (kind, text)
    return by_title


def _members() -> Iterator[tuple[str, str, str]]:
    """Return (kind, name, room) of every member; none is imported."""
    for kind, room in ROOMS.items():
        for name in members.names(room):
            yield kind, name, room


def _knobs() -> tuple[str, ...]:
    """Return every knob of the catalogue, as `gunicorn.workers`."""
    from loadrig.catalogue import look_up

    return tuple(look_up.names())


def _key(word: str) -> str:
    """Return a word in the form in which words are compared."""
    return "-".join(word.lower().replace("_", " ").replace("-", " ").split())


def _list(*, as_json: bool) -> int:
    rows = [(kind, name, text.partition("\n")[0]) for name, (kind, text) in _pages().items()]
    rows += [(kind, name, "") for kind, name, _ in _members()]
    rows += [("knob", name, "") for name in _knobs()]
    if as_json:
        print(json.dumps([{"kind": kind, "name": name} for kind, name, _ in rows], ensure_ascii=False))
        return Exit.FINE
    headings = {"word": "Words", "code": "Error codes"} | {kind: f"{kind.title()}s" for kind in ROOMS}
    headings |= {"strategy": "Strategies", "knob": "Knobs"}
    for kind, heading in headings.items():
        print(f"{heading}:")
        for _, name, title in (row for row in rows if row[0] == kind):
            headline = title.partition(": ")[2]
            print(f"  {name:<30} {headline}".rstrip())
        print()
    print("loadrig explain NAME shows the page of one.")
    return Exit.FINE


def _unknown(word: str) -> Problem:
    words = [*_pages(), *(name for _, name, _ in _members()), *_knobs()]
    close = members.nearest(word, words) or members.nearest(word.lower(), words)
    return Problem(
        what=f"there is no page on {word!r}",
        where=Span(f"loadrig explain {word}"),
        mend=f"did you mean `loadrig explain {close}`?" if close else "see loadrig explain --list",
        code="cli.unknown-word",
    )
