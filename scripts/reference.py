"""The reference pages that are made from the source: `write` makes them, `check` says which are stale.

A member's page is its own docstring, with the tables that its declarations give; the glossary and
the list of errors are made from the pages of `loadrig explain`. Of pages that are written by hand, tables
between marks are made.
"""

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import reference_constants
import reference_documents
from reference_parts import MADE, docstring, lowered, table

from loadrig.base import members
from loadrig.base.claims import CLAIMS, EFFECTS, Claim
from loadrig.base.exits import Exit
from loadrig.base.setting import Knob
from loadrig.base.units import show
from loadrig.catalogue.reference import render as render_knobs
from loadrig.judgement.cause import About, Proof
from loadrig.judgement.declarations import causes as every_cause
from loadrig.judgement.levers import WITHOUT
from loadrig.judgement.symptoms import LOOK_SHORT
from loadrig.plan.reference import render as render_plan
from loadrig.trial.weakening import TABLE

MEASURES = "loadrig.measures"

ROOT = Path(__file__).parent.parent
EXPLAIN = ROOT / "python" / "loadrig" / "explain"


def _title_of(page: Path) -> str:
    return page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")


def _members(room: str, table: Callable[[Any], str]) -> str:
    parts = []
    for name in members.names(room):
        module = members.load(room, name)
        page = lowered(members.page(room, name))
        parts.append(f"## {getattr(module, 'NAME', name)}\n\n{page}\n\n{table(module)}")
    return "\n".join(part.rstrip() + "\n" for part in parts)


def _knob_range(knob: Knob) -> str:
    if knob.words:
        return ", ".join(knob.words)
    if knob.low is None and knob.high is None:
        return knob.kind
    low = "" if knob.low is None else f"{knob.low:g}"
    high = "" if knob.high is None else f"{knob.high:g}"
    return f"{knob.kind}, {low}..{high} {knob.unit}".rstrip()


def _knobs(module: Any) -> str:
    knobs: dict[str, Knob] = dict(getattr(module, "KNOBS", {}))
    rows = (
        (f"`{k.name}`", _knob_range(k), "" if k.default is None else k.default, k.doc) for k in knobs.values()
    )
    return table(("knob", "values", "default", "what it does"), rows)


def _effects(module: Any) -> str:
    rows = ((effect.kind, effect.what, f"`{effect.by}`" if effect.by else "") for effect in module.EFFECTS)
    if not module.EFFECTS:
        return "Does nothing to the server.\n"
    return table(("effect on the server", "what it is", "only with"), rows)


def _metrics(module: Any) -> str:
    rows = ((f"`{name}`", metric.unit, metric.kind, metric.doc) for name, metric in module.METRICS.items())
    return _effects(module) + "\n" + table(("metric", "unit", "kind", "what it is"), rows)


def _measures_of(names: Sequence[str]) -> str:
    """Return the section of measures that share a file."""
    measures = {name: members.load(MEASURES, name) for name in names}
    first = measures[names[0]]
    by_margin: dict[str, list[str]] = {}
    for name, measure in measures.items():
        margin = measure.EQUAL_WITHIN
        within = show(margin, "1") if measure.UNIT != "1" else f"{margin * 100:g} percentage points"
        by_margin.setdefault(within, []).append(name)
    of_each = " or ".join(
        f"{within} ({', '.join(measures_within)})" for within, measures_within in by_margin.items()
    )
    within = of_each if len(by_margin) > 1 else next(iter(by_margin))
    better = f"{first.BETTER.capitalize()} is better."
    judged = f"{better} Differences within {within} do not matter unless the plan says so."
    return f"## {', '.join(names)}\n\n{docstring(first)}\n\n{judged}\n"


def targets() -> str:
    """Every way to start a server, with its knobs."""
    head = (
        "How a server is started. Options stand under the member's name in `target:`; knobs in `knobs:`.\n\n"
    )
    return MADE + "# Targets\n\n" + head + _members("loadrig.target", _knobs)


def knobs() -> str:
    """Every knob of the catalogue."""
    return MADE + render_knobs()


def probes() -> str:
    """Every probe, with its metrics."""
    head = "What is observed while load runs. Each metric is a series in the recording.\n\n"
    return MADE + "# Probes\n\n" + head + _members("loadrig.probes", _metrics)


def profilers() -> str:
    """Every profiler."""
    head = "Where CPU time goes: `profile:` in a plan. The first that fits a component is taken.\n\n"
    return MADE + "# Profilers\n\n" + head + _members("loadrig.profilers", _effects)


def importers() -> str:
    """Every format of another tool that is read."""
    head = "Which files of other tools `loadrig import` and `loadrig compare` read, and how.\n\n"
    return MADE + "# Importers\n\n" + head + _members("loadrig.importers", lambda _: "")


def converters() -> str:
    """Every kind of test of another tool that becomes a plan."""
    head = "Which tests of other tools `loadrig import` makes plans of, and what becomes of their parts.\n\n"
    return MADE + "# Converters\n\n" + head + _members("loadrig.converters", lambda _: "")


def exporters() -> str:
    """Every format in which a run is handed over."""
    head = "What `loadrig export RUN --to FORMAT` writes, who reads it, and what it lacks.\n\n"
    return MADE + "# Exporters\n\n" + head + _members("loadrig.exporters", lambda _: "")


def publishers() -> str:
    """Every format in which a run is told while it goes on."""
    head = "What `loadrig publish --to FORMAT=PLACE` tells monitoring while a run goes on.\n\n"
    return MADE + "# Publishers\n\n" + head + _members("loadrig.publishers", lambda _: "")


def strategies() -> str:
    """Every way to choose settings."""
    head = (
        "How a study chooses its settings: the `find` of `study:` in a plan.\n"
        "The options of each, with their defaults, stand in [Plan](plan.md#study).\n\n"
    )
    return MADE + "# Strategies\n\n" + head + _members("loadrig.study.strategies", lambda _: "")


def measures() -> str:
    """Every measure."""
    head = "What is read from a recording; goals and studies use these names.\n\n"
    by_file: dict[str | None, list[str]] = {}
    for name in members.names(MEASURES):
        by_file.setdefault(members.source(MEASURES, name), []).append(name)
    return MADE + "# Measures\n\n" + head + "\n".join(map(_measures_of, by_file.values()))


def errors() -> str:
    """Every error code with its title."""
    pages = sorted(path for path in EXPLAIN.glob("*.md") if "." in path.stem)
    rows = ((f"`{title.partition(': ')[0]}`", title.partition(": ")[2]) for title in map(_title_of, pages))
    head = "`loadrig explain CODE` says what each means and how to mend it.\n\n"
    return MADE + "# Errors\n\n" + head + table(("code", "what it is"), rows)


def glossary() -> str:
    """Return the words of the house, each with its meaning."""
    parts = []
    for page in sorted((EXPLAIN / "words").glob("*.md"), key=lambda path: path.stem.lower()):
        title, _, rest = page.read_text(encoding="utf-8").partition("\n")
        parts.append(f"## {title.removeprefix('# ')}\n\n{rest.strip()}\n")
    head = (
        "The words of loadrig, in its plans, its output and its source. `loadrig explain WORD` shows one.\n\n"
    )
    return MADE + "# Glossary\n\n" + head + "\n".join(parts)


def plan() -> str:
    """Every key of a plan, made by the plan's own room."""
    return render_plan()


def causes() -> str:
    """Every cause that a trial is looked at for."""
    head = (
        "What `loadrig diagnose` and every trial look for. A finding's `cause` is the name of one of these.\n"
        "How they are weighed says [Diagnosis](../concepts/diagnosis.md).\n\n"
    )
    proofs = (
        "## What proves which\n\n"
        "What `--prove` changes, by cause, the most deciding first.\n"
        "Where it moves what is wrong, the cause is proved, or only its component is known to matter.\n"
        "Where it moves nothing, the cause is cleared, or that says nothing (–).\n\n"
        f"{_proofs()}\n"
        "No experiment of ours decides about these:\n\n"
        f"{_no_proofs()}\n"
    )
    symptoms = (
        "## What is a symptom of what\n\n"
        "No cause knows another: each says which resource it is about.\n"
        "One that waits for a short resource holds another meanwhile, which then looks short too.\n"
        "So a cause about the first explains one about the second, in the same component or in a caller.\n\n"
        f"{_look_short()}\n"
    )
    return MADE + "# Causes\n\n" + head + proofs + symptoms + _members("loadrig.judgement.causes", _resource)


def _proofs() -> str:
    rows = (
        (
            f"`{cause.name}`" if place == 0 else "",
            _experiment(proof),
            ", ".join(proof.of) or "",
            "proved" if proof.is_own else "it matters",
            _cleared_by(proof),
        )
        for cause in every_cause()
        for place, proof in enumerate(cause.proofs_of())
    )
    return table(("cause", "what is changed", "of its kinds only", "it moves", "nothing moves"), rows)


def _cleared_by(proof: Proof) -> str:
    """Return what an experiment that moves nothing does to its cause."""
    if not proof.is_needed:
        return "–"
    return f"cleared, by {' or '.join(proof.needed_in)} alone" if proof.needed_in else "cleared"


def _no_proofs() -> str:
    rows = ((f"`{cause.name}`", reason) for cause in every_cause() if (reason := cause.why_no_proof))
    return table(("cause", "why, and what a person would do"), rows)


def _experiment(proof: Proof) -> str:
    """Return a lever as a reader would call it."""
    what = " or ".join(member.replace("_", " ") for member in proof.what)
    match proof.change:
        case "cpu":
            return "its CPU"
        case "cores":
            return "the cores that it shares"
        case "precedence":
            return "the server goes first on its cores"
        case "delay":
            return "a delay in front of the dependency"
        case "knob":
            towards = {"more": "more", "less": "less", "other": "another value"}[proof.towards]
            return f"knob: {what}, {towards}"
    return f"load: {what} that route" if what == WITHOUT else f"load: {what}"


WAYS = {
    "size": "it is full, and nobody holds it for nothing",
    "use": "somebody uses it for what could be spared",
    "signs": "known by signs of its own, whatever else is full",
    "fact": "a counter or an event states it",
}


def _resource(module: Any) -> str:
    about: About = module.ABOUT
    if about.resource == "nothing":
        return ""
    more = f" It says more than `{about.refines}`." if about.refines else ""
    return f"Resource: {about.resource.replace('_', ' ')}; {WAYS[about.way]}.{more}\n"


def _look_short() -> str:
    rows = (
        (short.replace("_", " "), ", ".join(name.replace("_", " ") for name in others))
        for short, others in LOOK_SHORT.items()
    )
    return table(("where this is short", "these look short as well"), rows)


def interventions() -> str:
    """Everything that may be changed to prove a cause."""
    head = (
        "What `loadrig diagnose --prove` and `prove:` in a plan may change, to see what moves with it.\n"
        "Each is undone when it has its answer; what a killed rig could not undo, the next command does.\n\n"
    )
    return MADE + "# Interventions\n\n" + head + _members("loadrig.interventions", _pulled)


def _pulled(module: Any) -> str:
    when = "while load runs" if module.IS_LIVE else "in trials of their own"
    return f"Lever: `{module.CHANGE}`, {when}.\n"


def _exits() -> str:
    return table(("code", "what it says"), ((int(code), code.meaning) for code in Exit))


def _claims() -> str:
    headings = ("claim", "what belongs to it", *(f"{effect} by" for effect in EFFECTS))
    rows = ((claim, doc, *(_weakening(claim, effect) for effect in EFFECTS)) for claim, doc in CLAIMS.items())
    return table(headings, rows)


def _weakening(claim: Claim, effect: str) -> str:
    """Return the checks that have an effect on a claim, in the order of their numbers."""
    checks = {row.check for row in TABLE if claim in row.claims and row.effect == effect}
    return ", ".join(sorted(checks, key=lambda check: (len(check), check)))


def _effects_on_claims() -> str:
    return table(("effect", "meaning"), iter(EFFECTS.items()))


PARTS: dict[str, Callable[[], str]] = {
    "exits": _exits,
    "claims": _claims,
    "effects": _effects_on_claims,
}
"""Tables within pages that are written by hand, by the name in their marks: `<!-- source:NAME -->`."""

PART = re.compile(r"(<!-- source:([a-z]+) -->\n).*?(<!-- /source:\2 -->)", re.DOTALL)


def _with_parts(name: str) -> Callable[[], str]:
    """Return what makes a page that is written by hand, its tables anew."""
    return lambda: PART.sub(
        lambda mark: f"{mark[1]}\n{PARTS[mark[2]]()}\n{mark[3]}", (ROOT / name).read_text(encoding="utf-8")
    )


PAGES: dict[str, Callable[[], str]] = {
    "GLOSSARY.md": glossary,
    "docs/reference/plan.md": plan,
    "docs/reference/targets.md": targets,
    "docs/reference/knobs.md": knobs,
    "docs/reference/probes.md": probes,
    "docs/reference/profilers.md": profilers,
    "docs/reference/importers.md": importers,
    "docs/reference/converters.md": converters,
    "docs/reference/exporters.md": exporters,
    "docs/reference/publishers.md": publishers,
    "docs/reference/measures.md": measures,
    "docs/reference/causes.md": causes,
    "docs/reference/interventions.md": interventions,
    "docs/reference/constants.md": reference_constants.page,
    "docs/reference/strategies.md": strategies,
    "docs/reference/errors.md": errors,
    **reference_documents.PAGES,
    **{name: _with_parts(name) for name in ("docs/reference/exit-codes.md", "docs/concepts/validity.md")},
}


def main(what: str) -> int:
    """`write` or `check`. Returns 1 if a page is stale."""
    stale = []
    for name, make in PAGES.items():
        path = ROOT / name
        text = make().rstrip() + "\n"
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if what == "write":
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if what == "write":
        print("\n".join(f"written: {name}" for name in stale) or "all pages were fresh")
        return 0
    for name in stale:
        print(f"{name} is stale: run `make docs`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    if sys.argv[1:] not in (["write"], ["check"]):
        sys.exit("usage: reference.py write|check")
    sys.exit(main(sys.argv[1]))
