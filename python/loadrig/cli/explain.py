"""`loadrig explain WORD`: what a word of the glossary, an error code or a member's name means."""

import argparse
import difflib
import functools
import json
from collections.abc import Iterator, Mapping
from importlib.resources.abc import Traversable
from typing import NamedTuple

from loadrig.base import members
from loadrig.base.errors import PlanError, Problem, Span
from loadrig.base.exits import Exit
from loadrig.base.series import Metric
from loadrig.labs.bundled import names as labs
from loadrig.language import member_pages
from loadrig.language.choice import language, texts_of
from loadrig.language.descriptions import described
from loadrig.language.en.check_pages import CheckPagesTexts
from loadrig.language.en.cli import CliExplainTexts
from loadrig.language.en.errors.cli import CliExplainErrors
from loadrig.language.en.outcome_pages import OutcomePagesTexts
from loadrig.language.en.report.words import ReportWordsTexts
from loadrig.language.help_pages import page as help_page
from loadrig.language.labels import lab_clause

TEXTS, ERRORS = texts_of(CliExplainTexts), texts_of(CliExplainErrors)
CHECKS = texts_of(CheckPagesTexts)
OUTCOMES, MEANINGS = texts_of(OutcomePagesTexts), texts_of(ReportWordsTexts).outcomes

HELP = """
Explain a word of loadrig, an error code, a key of a plan, a knob, a check, a measure, a format, a command.

  loadrig explain arrival model            a word of the glossary
  loadrig explain plan.unknown-key         an error: what it means, an example, how to mend it
  loadrig explain p95                      a measure: what it is, how it is computed, when it misleads
  loadrig explain database_cpu             a cause: its signs, what decides, what it is mistaken for
  loadrig explain gunicorn.workers         a knob: what it does, when it matters, its range and default
  loadrig explain trial.measure            a key of a plan: what may be written, its default, an example
  loadrig explain G7                       a check on the rig: what it goes by, how to mend what it sees
  loadrig explain http_5xx                 an outcome of requests: what it means, where to look
  loadrig explain load.sent                a figure of a load, as files and monitoring name it
  loadrig explain process.threads          a metric of a probe: what it is, in which unit
  loadrig explain poisson                  a value: of which keys of a plan, and what they do
  loadrig explain k6                       formats of that name: what is read, written, altered, missing
  loadrig explain cpu_quota                what a proof changes, or a profiler: what it needs and costs
  loadrig explain capacity                 a command: its help; of the same name, a strategy and a word
  loadrig explain gc-thrash                a lab: what is wrong in it, and its plans
  loadrig explain 99                       an exit code: what it says
  loadrig explain --list                   everything that can be explained
"""

ROOMS = {
    "measure": "loadrig.measures",
    "target": "loadrig.target",
    "probe": "loadrig.probes",
    "cause": "loadrig.judgement.causes",
    "strategy": "loadrig.study.strategies",
    "intervention": "loadrig.interventions",
    "profiler": "loadrig.profilers",
    "exporter": "loadrig.exporters",
    "publisher": "loadrig.publishers",
    "importer": "loadrig.importers",
    "converter": "loadrig.converters",
}
"""Rooms by the kind of their members. The page of a member stands in its own file, or beside its sentences,
so that a member of another package, or a file that is added, has one without a line here."""

COMMANDS = "loadrig.cli"

ANSWERED_BADLY = ("http_3xx", "http_4xx", "http_5xx", "check_failed", "grpc_error")
"""Outcomes of requests that got an answer, though none that was expected."""

OF_GENERATOR = ("no_ports", "no_descriptors")
"""Outcomes whose cause is the machine of the generator."""

NEAR_MISSES = 3
"""Names at most that are told to who has typed none: more are a list, which --list prints."""


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
        raise PlanError.of(ERRORS.no_word, code="cli.wrong-argument", where=Span("loadrig explain"))
    word = " ".join(arguments.word)
    text = page(word)
    if text is None:
        raise PlanError(_unknown(word))
    print(json.dumps({"word": word, "page": text}, ensure_ascii=False) if arguments.json else text.rstrip())
    return Exit.FINE


def page(word: str) -> str | None:
    """Return the pages of all that bears a name, as Markdown: words, codes, members; None if nothing does."""
    key = _key(word)
    parts = [
        shown.text.rstrip()
        for shown in _pages()
        if any(key in (_key(name), f"{_key(name)}s") for name in shown.names)
    ]
    parts += [
        f"# {name}: {TEXTS.kinds[kind]}\n\n{member_pages.page(kind, room, name)}{_metrics(name, room)}"
        for kind, name, room in _members()
        if key == _key(name)
    ]
    from loadrig.catalogue import look_up

    # A server's knobs stand under its page as a target.
    if (knobs := look_up.page(word)) is not None:
        parts.append(knobs)
    parts += [_check(name) for name in CHECKS.titles if name.lower() == key]
    parts += [_metric(probe, name) for probe, name in _probe_metrics() if _key(f"{probe}.{name}") == key]
    from loadrig.plan import key_pages

    # A key that has the name of a word is reached with its mapping before it: `trial.warm_up`.
    if (key_page := key_pages.page(word)) is not None and (not parts or word in key_pages.names()):
        parts.append(key_page)
    if (value_page := key_pages.value_page(word)) is not None:
        parts.append(value_page)
    parts += [_outcome(name) for name in OUTCOMES.look if key == _key(name)]
    parts += [_figure(name) for name in OUTCOMES.figures if key == _key(name)]
    parts += [_lab(name) for name in labs() if key == _key(name)]
    parts += [_command(name) for name in members.names(COMMANDS) if key == _key(name)]
    parts += [_exit(code) for code in TEXTS.exits if key in (str(code), f"exit-{code}", f"exit-code-{code}")]
    return "\n\n\n".join(parts) or None


def _metrics(name: str, room: str) -> str:
    """Return the metrics of a probe as a section; empty for other members, and where a server names them."""
    metrics: Mapping[str, Metric] = getattr(members.load(room, name), "METRICS", {})
    rows = [
        f"- {metric} ({fact.kind}{'' if fact.unit == '1' else f', {fact.unit}'}): "
        + described("metrics", (name, metric), fact.doc, language())
        for metric, fact in metrics.items()
    ]
    return "\n".join(["", "", f"## {TEXTS.metrics}", "", *rows]) if rows else ""


def _check(name: str) -> str:
    """Return the page of a check on the rig."""
    return (
        f"# {name}: {TEXTS.kinds['check']}, {CHECKS.titles[name]}\n\n{CHECKS.about[name]}"
        f"\n\n## {CHECKS.mend}\n\n{CHECKS.mends[name]}"
    )


def _outcome(name: str) -> str:
    """Return the page of an outcome: what it means, as what it counts, where to look."""
    counts = {"ok": OUTCOMES.good, "unsent": OUTCOMES.never_sent}.get(name, OUTCOMES.not_answered)
    if name in ANSWERED_BADLY:
        counts = OUTCOMES.answered
    elif name in OF_GENERATOR:
        counts = OUTCOMES.of_generator
    meaning = MEANINGS[name]
    lines = f"{meaning[0].upper()}{meaning[1:]}.\n{counts}\n{OUTCOMES.look[name]}"
    return f"# {name}: {TEXTS.kinds['outcome']}\n\n{lines}"


def _figure(name: str) -> str:
    """Return the page of a figure of a load."""
    return f"# {name}: {TEXTS.kinds['figure']}\n\n{OUTCOMES.figures[name]}"


def _lab(name: str) -> str:
    """Return the page of a lab that comes with loadrig: what is wrong in it, and its plans."""
    from loadrig.labs.find import find

    lab = find(name)
    rows = [f"- {name}:{plan}: {lab_clause(of_lab.about)}" for plan, of_lab in lab.plans.items()]
    title = f"# {name}: {TEXTS.kinds['lab']}\n\n{lab_clause(lab.title)}"
    return "\n".join([title, "", *rows, "", f"loadrig lab show {name}"])


def _command(name: str) -> str:
    """Return the page of a command: its help without the options, which `loadrig COMMAND --help` lists."""
    text = help_page(name, members.load(COMMANDS, name).HELP).strip()
    return f"# {name}: {TEXTS.kinds['command']}\n\n{text}\n\n{TEXTS.options(name)}"


def _exit(code: int) -> str:
    """Return the page of an exit code."""
    return f"# {code}: {TEXTS.kinds['exit']}\n\n{TEXTS.exits[code]}"


def _probe_metrics() -> Iterator[tuple[str, str]]:
    """Yield probe and name of every metric that its probe names beforehand."""
    for probe in members.names(ROOMS["probe"]):
        for metric in getattr(members.load(ROOMS["probe"], probe), "METRICS", {}):
            yield probe, metric


def _metric(probe: str, name: str) -> str:
    """Return the page of a metric of a probe."""
    fact: Metric = members.load(ROOMS["probe"], probe).METRICS[name]
    about = described("metrics", (probe, name), fact.doc, language())
    unit = "" if fact.unit == "1" else f", {fact.unit}"
    return f"# {probe}.{name}: {TEXTS.kinds['metric']}\n\n{about} ({fact.kind}{unit})"


class ExplainPage(NamedTuple):
    """Page on a word of the glossary or on a code.

    names: by which it is found, its title in the language of this process first, then the English one; a code
    is its own name. title: its first line.
    """

    kind: str
    names: tuple[str, ...]
    title: str
    text: str


def _pages() -> tuple[ExplainPage, ...]:
    """Return the pages on words and codes in the language of this process."""
    return _pages_in(member_pages.root(), language())  # type: ignore[arg-type]  # a folder of files is hashable


@functools.cache
def _pages_in(root: Traversable, tongue: str) -> tuple[ExplainPage, ...]:
    """Return the pages on words and codes in a language, read once; the English one where that has none."""
    own = root.joinpath(tongue)
    rows = []
    for kind, english, here in (("word", root.joinpath("words"), own.joinpath("words")), ("code", root, own)):
        names = sorted(path.name for path in english.iterdir() if path.name.endswith(".md"))
        for name in names:
            texts = [english.joinpath(name).read_text(encoding="utf-8")]
            if here.joinpath(name).is_file():
                texts.insert(0, here.joinpath(name).read_text(encoding="utf-8"))
            titles = [text.partition("\n")[0].removeprefix("# ") for text in texts]
            words = [title.partition(": ")[0] if kind == "code" else title for title in titles]
            # A translated word has the English one in brackets behind it, and is typed without.
            words[1:1] = [word.rpartition(" (")[0] for word in words[:-1] if word.endswith(")")]
            rows.append(ExplainPage(kind, tuple(dict.fromkeys(words)), titles[0], texts[0]))
    return tuple(rows)


def _members() -> Iterator[tuple[str, str, str]]:
    """Return (kind, name, room) of every member; none is imported."""
    for kind, room in ROOMS.items():
        for name in members.names(room):
            yield kind, name, room


def _knobs() -> tuple[str, ...]:
    """Return every knob of the catalogue, as `gunicorn.workers`."""
    from loadrig.catalogue import look_up

    return tuple(look_up.names())


def _others() -> Iterator[tuple[str, str]]:
    """Yield kind and name of everything else that has a page."""
    from loadrig.plan import key_pages

    yield from (("knob", name) for name in _knobs())
    yield from (("check", name) for name in CHECKS.titles)
    yield from (("key", name) for name in key_pages.names())
    yield from (("metric", f"{probe}.{name}") for probe, name in _probe_metrics())
    yield from (("value", word) for word in key_pages.values())
    yield from (("outcome", name) for name in OUTCOMES.look)
    yield from (("figure", name) for name in OUTCOMES.figures)
    yield from (("lab", name) for name in labs())
    yield from (("command", name) for name in members.names(COMMANDS))
    yield from (("exit", str(code)) for code in TEXTS.exits)


def typed_names() -> list[str]:
    """Return every name in the form in which a shell takes it as a word: `arrival-model`."""
    names = [page.names[0] if page.kind == "code" else page.names[-1] for page in _pages()]
    names += [*(name for _, name, _ in _members()), *(name for _, name in _others())]
    return sorted({"-".join(name.split()) for name in names})


@functools.cache  # a page is looked for among a thousand names, which are the same for the next one
def _key(word: str) -> str:
    """Return a word in the form in which words are compared."""
    return "-".join(word.lower().replace("_", " ").replace("-", " ").split())


def _list(*, as_json: bool) -> int:
    rows = [(page.kind, page.names[0], page.title) for page in _pages()]
    rows += [(kind, name, "") for kind, name, _ in _members()]
    rows += [(kind, name, "") for kind, name in _others()]
    if as_json:
        print(json.dumps([{"kind": kind, "name": name} for kind, name, _ in rows], ensure_ascii=False))
        return Exit.FINE
    for kind, heading in TEXTS.headings.items():
        print(f"{heading}:")
        for _, name, title in (row for row in rows if row[0] == kind):
            headline = title.partition(": ")[2]
            print(f"  {name:<30} {headline}".rstrip())
        print()
    print(TEXTS.how_to_see_a_page)
    return Exit.FINE


def _unknown(word: str) -> Problem:
    words = [name for page in _pages() for name in page.names]
    words += [*(name for _, name, _ in _members()), *(name for _, name in _others())]
    by_key = {_key(name): name for name in words}
    # Who types a part of a name means one that has it whole, before one that is spelt like it.
    whole = sorted((key for key in by_key if f"-{_key(word)}-" in f"-{key}-"), key=len)
    near = dict.fromkeys([*whole, *difflib.get_close_matches(_key(word), by_key, n=NEAR_MISSES)])
    close = [_typed(by_key[key]) for key in near][:NEAR_MISSES]
    return Problem.of(
        ERRORS.no_page(repr(word), ", ".join(f"`loadrig explain {name}`" for name in close)),
        code="cli.unknown-word",
        where=Span(f"loadrig explain {word}"),
    )


def _typed(name: str) -> str:
    """Return a name as a shell takes it: in quotes where an apostrophe would open some."""
    return f'"{name}"' if "'" in name else name
