"""The reference pages that are made from the source: `write` makes them, `check` says which are stale.

A member's page is its own docstring, with the tables that its declarations give; the glossary and
the list of errors are made from the pages of `loadrig explain`. Of pages that are written by hand, tables
between marks are made.
"""

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from loadrig.account import states
from loadrig.account.document import VERSION as ACCOUNT_VERSION
from loadrig.account.document import AccountDocument
from loadrig.base import members
from loadrig.base.claims import CLAIMS, EFFECTS, Claim
from loadrig.base.documents import Document, descriptions_of, fields_of, schema_of
from loadrig.base.exits import Exit
from loadrig.base.setting import Knob
from loadrig.base.units import show
from loadrig.catalogue.reference import render as render_knobs
from loadrig.comparing import document as comparing
from loadrig.findings.about import LOOK_SHORT, About
from loadrig.findings.proofs import WITHOUT, Proof, proofs_of, why_not
from loadrig.plan.reference import render as render_plan
from loadrig.profilers import _classes as cpu_rules
from loadrig.profilers import _cpu_document as cpu_document
from loadrig.proving import document as proof_document
from loadrig.soaking import document as soaking
from loadrig.trial.validity import Validity
from loadrig.trial.weakening import TABLE

ROOT = Path(__file__).parent.parent
EXPLAIN = ROOT / "python" / "loadrig" / "explain"
MADE = "<!-- Made by `make docs` from the source; do not edit. -->\n\n"


def _title_of(page: Path) -> str:
    return page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")


def _docstring(module: ModuleType) -> str:
    """A member's docstring with its headings one level down."""
    return inspect.cleandoc(module.__doc__ or "").replace("\n## ", "\n### ")


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def _table(headings: tuple[str, ...], rows: Iterator[tuple[object, ...]]) -> str:
    lines = ["| " + " | ".join(headings) + " |", "| " + " | ".join("---" for _ in headings) + " |"]
    lines += ["| " + " | ".join(_cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""


def _members(room: str, table: Callable[[Any], str]) -> str:
    parts = []
    for name in members.names(room):
        module = members.load(room, name)
        parts.append(f"## {getattr(module, 'NAME', name)}\n\n{_docstring(module)}\n\n{table(module)}")
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
    found: dict[str, Knob] = dict(getattr(module, "KNOBS", {}))
    rows = (
        (f"`{k.name}`", _knob_range(k), "" if k.default is None else k.default, k.doc) for k in found.values()
    )
    return _table(("knob", "values", "default", "what it does"), rows)


def _effects(module: Any) -> str:
    rows = ((one.kind, one.what, f"`{one.by}`" if one.by else "") for one in module.EFFECTS)
    if not module.EFFECTS:
        return "Does nothing to the server.\n"
    return _table(("effect on the server", "what it is", "only with"), rows)


def _metrics(module: Any) -> str:
    rows = ((f"`{name}`", metric.unit, metric.kind, metric.doc) for name, metric in module.METRICS.items())
    return _effects(module) + "\n" + _table(("metric", "unit", "kind", "what it is"), rows)


def _judged(module: Any) -> str:
    unit = module.UNIT
    within = (
        show(module.EQUAL_WITHIN, "1") if unit != "1" else f"{module.EQUAL_WITHIN * 100:g} percentage points"
    )
    better = f"{module.BETTER.capitalize()} is better."
    return f"{better} Differences within {within} do not matter unless the plan says so.\n"


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
    return MADE + "# Measures\n\n" + head + _members("loadrig.measures", _judged)


def errors() -> str:
    """Every error code with its title."""
    pages = sorted(path for path in EXPLAIN.glob("*.md") if "." in path.stem)
    rows = ((f"`{title.partition(': ')[0]}`", title.partition(": ")[2]) for title in map(_title_of, pages))
    head = "`loadrig explain CODE` says what each means and how to mend it.\n\n"
    return MADE + "# Errors\n\n" + head + _table(("code", "what it is"), rows)


def glossary() -> str:
    """The words of the house, each with its meaning."""
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
    return MADE + "# Causes\n\n" + head + proofs + symptoms + _members("loadrig.findings.causes", _resource)


def _proofs() -> str:
    rows = (
        (
            f"`{name}`" if place == 0 else "",
            _experiment(proof),
            ", ".join(proof.of) or "",
            "proved" if proof.is_own else "it matters",
            "cleared" if proof.is_needed else "–",
        )
        for name in members.names("loadrig.findings.causes")
        for place, proof in enumerate(proofs_of(name))
    )
    return _table(("cause", "what is changed", "of its kinds only", "it moves", "nothing moves"), rows)


def _no_proofs() -> str:
    rows = (
        (f"`{name}`", reason)
        for name in members.names("loadrig.findings.causes")
        if (reason := why_not(name))
    )
    return _table(("cause", "why, and what a person would do"), rows)


def _experiment(proof: Proof) -> str:
    """A lever as a reader would call it."""
    what = " or ".join(one.replace("_", " ") for one in proof.what)
    match proof.change:
        case "cpu":
            return "its CPU"
        case "cores":
            return "the cores that it shares"
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
    return _table(("where this is short", "these look short as well"), rows)


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


def account() -> str:
    """Every field of an account, its states, slots and flags."""
    head = (
        "Where requests and slots spend their time: the key `account` of a trial's `result.json`, and of what"
        " `--json` prints.\n"
        "What it is for and how to read it says [Where the time goes](../concepts/account.md).\n"
        f"This is version {ACCOUNT_VERSION}; a field that changes its meaning or is left out raises it.\n"
        "A program can check it against its [JSON schema](schema/account.json).\n\n"
    )
    fields = _fields(AccountDocument)
    lines = _table(
        ("state", "what a request does", "how it is counted"),
        ((f"`{state.name}`", state.meaning, state.counted) for state in states.STATES),
    )
    slots = _table(("slot", "what it is"), ((f"`{name}`", doc) for name, doc in states.SLOTS.items()))
    flags = _table(("flag", "what it means"), ((f"`{name}`", doc) for name, doc in states.FLAGS.items()))
    parts = (("Fields", fields), ("States of a request", lines), ("Slots", slots), ("Flags", flags))
    return MADE + "# Account\n\n" + head + "\n".join(f"## {title}\n\n{text}" for title, text in parts)


def _fields(kind: type[Document]) -> str:
    """Every field of a document, and of those in it."""
    return _table(("field", "what it is"), ((f"`{name}`", meaning) for name, meaning in fields_of(kind)))


def cpu_time() -> str:
    """Every field of the document on CPU time, and every rule by which its classes are told."""
    head = (
        "What programs spend their CPU time on: the key `cpu_time` of a trial's `result.json`, and of what"
        " `--json` prints.\n"
        "When it is taken and how to read it says [Where the CPU time goes](../guide/profiles.md).\n"
        f"This is version {cpu_document.VERSION}; "
        f"a field that changes its meaning or is left out raises it.\n{SCHEMA_AT.format('cpu-time')}\n"
    )
    kinds: dict[str, type[Document]] = {
        "The document": cpu_document.CpuTimeDocument,
        "A component": cpu_document.ComponentTime,
        "A burst": cpu_document.Burst,
        "A class": cpu_document.ClassTime,
        "A name in a class": cpu_document.NamedTime,
        "A function": cpu_document.FunctionTime,
        "A thread": cpu_document.ThreadTime,
        "A gap": cpu_document.ProfileGap,
    }
    known = cpu_rules.table()
    classes = _table(("class", "what it is"), ((f"`{name}`", words) for name, words in known.classes.items()))
    rules = "\n".join(f"### {runtime}\n\n{_rules(found)}" for runtime, found in known.rules.items())
    how = (
        "Stacks are read from the innermost call outward; rules with “anywhere” are asked first.\n"
        "What no rule knows is `other`, by the name of its library.\n\n"
    )
    parts = (("Classes", classes), ("Rules", how + rules))
    return (
        MADE
        + f"# CPU time\n\n{head}{_titled(kinds)}\n"
        + "\n".join(f"## {title}\n\n{text}" for title, text in parts)
    )


def _rules(found: tuple[cpu_rules.Rule, ...]) -> str:
    rows = (
        (
            f"`{rule.work}`",
            rule.name,
            f"{rule.on}{', anywhere' if rule.is_anywhere else ''}",
            f"`{rule.pattern.pattern}`",
            rule.why,
        )
        for rule in found
    )
    return _table(("class", "name", "matched with", "pattern", "why"), rows)


def _sections(*parts: tuple[str, type[Document]]) -> str:
    """Tables of the fields of documents, each under its heading."""
    tables = []
    for heading, kind in parts:
        rows = ((f"`{name}`", text) for name, text in descriptions_of(kind).items())
        tables.append(f"{heading}\n\n{inspect.cleandoc(kind.__doc__ or '')}\n\n")
        tables.append(_table(("field", "what it is"), rows) + "\n")
    return "".join(tables)


def _titled(kinds: dict[str, type[Document]]) -> str:
    """Tables of the fields of documents, by their titles."""
    return _sections(*((f"## {title}", kind) for title, kind in kinds.items()))


def comparison() -> str:
    """Every field of the documents of a comparison and a history."""
    head = (
        "`loadrig compare A B --json` and `loadrig history --json` print them; their schemas are"
        " [comparison.json](schema/comparison.json) and [history.json](schema/history.json).\n"
        "A reader ignores fields that it does not know; every number is finite or null.\n"
        "A share is 0…1, times are seconds, every interval is of 95 %.\n\n"
    )
    fields = _sections(
        ("## Comparison", comparing.ComparisonDocument),
        ("### `a`, `b`", comparing.SideDocument),
        ("### `pairing`", comparing.PairsDocument),
        ("### An entry of `compared`", comparing.ComparedDocument),
        ("### `a`, `b` of an entry of `compared`", comparing.Reached),
        ("### `to_decide`", comparing.Cost),
        ("### `mix`", comparing.MixDocument),
        ("### An entry of `shares`", comparing.RouteShare),
        ("### An entry of `shift`", comparing.ShiftDocument),
        ("### An entry of `points`", comparing.ShiftPoint),
        ("### An entry of `differences`", comparing.Difference),
        ("## History", comparing.HistoryDocument),
        ("### An entry of `runs`", comparing.RunDocument),
        ("### An entry of `courses`", comparing.CourseDocument),
        ("### An entry of `changes`", comparing.StepDocument),
    )
    return MADE + "# The documents of a comparison and a history\n\n" + head + fields


def soak() -> str:
    """Every field of the answers of a soak and a spike."""
    head = (
        "The answer of a soak is in a study's `result.json` under `soak`, that of a spike under `spike`;"
        " their schemas are [soak.json](schema/soak.json) and [spike.json](schema/spike.json).\n"
        "A reader ignores fields that it does not know; every number is finite or null.\n"
        "A share is 0…1, times are seconds, every interval is of 95 %.\n"
        "Where nothing was measured a soak has nothing beyond `sentences`; a spike that was not carried out"
        " to its end has nothing beyond `text`, and null as `usual_level` and `level`.\n\n"
    )
    fields = _sections(
        ("## Soak", soaking.SoakDocument),
        ("### An entry of `growth`", soaking.GrowthDocument),
        ("### `a_request`, `an_hour` and an entry of `processes`", soaking.Counted),
        ("### `limit`", soaking.LimitDocument),
        ("### `reached_in_s`", soaking.Bounds),
        ("### An entry of `drift`", soaking.DriftDocument),
        ("### `mix`", soaking.ShiftedMix),
        ("### An entry of `goals`", soaking.KeptDocument),
        ("### An entry of `misses`", soaking.MissDocument),
        ("### `throughput`", soaking.ThroughputDocument),
        ("### An entry of `courses`", soaking.SoakCourse),
        ("### An entry of `dips_at`", soaking.DipDocument),
        ("### An entry of `looks`", soaking.LookDocument),
        ("## Spike", soaking.SpikeDocument),
        ("### `piled_up_a_second`, `back_s`", soaking.Bounds),
        ("### `errors`, `usual_errors`", soaking.Counted),
        ("### An entry of `measures`", soaking.RecoveryDocument),
        ("### `course`", soaking.SpikeCourse),
    )
    return MADE + "# The documents of a soak and a spike\n\n" + head + fields


def _exits() -> str:
    return _table(("code", "what it says"), ((int(code), code.meaning) for code in Exit))


def _claims() -> str:
    headings = ("claim", "what belongs to it", *(f"{effect} by" for effect in EFFECTS))
    rows = ((claim, doc, *(_weakening(claim, effect) for effect in EFFECTS)) for claim, doc in CLAIMS.items())
    return _table(headings, rows)


def _weakening(claim: Claim, effect: str) -> str:
    """The checks that have an effect on a claim, in the order of their numbers."""
    checks = {row.check for row in TABLE if claim in row.claims and row.effect == effect}
    return ", ".join(sorted(checks, key=lambda check: (len(check), check)))


def _effects_on_claims() -> str:
    return _table(("effect", "meaning"), iter(EFFECTS.items()))


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


def proof() -> str:
    """Every field of the document of a proof."""
    kinds: dict[str, type[Document]] = {
        "The document": proof_document.ProofDocument,
        "An experiment": proof_document.Experiment,
        "An interval": proof_document.Effect,
        "A slot": proof_document.ProofSlot,
        "What was skipped": proof_document.SkippedExperiment,
        "A band": proof_document.InterventionBand,
        "The fix": proof_document.Fix,
    }
    about = _docstring(proof_document).partition("\n\n")[2]
    fields = _titled(kinds)
    return MADE + f"# The document of a proof\n\n{about}\n{SCHEMA_AT.format('proof')}\n{fields}"


SCHEMA_AT = "Its [JSON schema](schema/{}.json) is for programs.\n"

SCHEMAS: dict[str, type[Document]] = {
    "account": AccountDocument,
    "comparison": comparing.ComparisonDocument,
    "cpu-time": cpu_document.CpuTimeDocument,
    "history": comparing.HistoryDocument,
    "proof": proof_document.ProofDocument,
    "soak": soaking.SoakDocument,
    "spike": soaking.SpikeDocument,
    "validity": Validity,
}
"""Documents whose JSON schema is published, by the name of its file."""


def schema(kind: type[Document]) -> str:
    """The JSON schema of a document."""
    declared = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema_of(kind)}
    return json.dumps(declared, indent=2, ensure_ascii=False)


PAGES: dict[str, Callable[[], str]] = {
    "GLOSSARY.md": glossary,
    "docs/reference/plan.md": plan,
    "docs/reference/targets.md": targets,
    "docs/reference/knobs.md": knobs,
    "docs/reference/probes.md": probes,
    "docs/reference/profilers.md": profilers,
    "docs/reference/importers.md": importers,
    "docs/reference/measures.md": measures,
    "docs/reference/account.md": account,
    "docs/reference/cpu-time.md": cpu_time,
    "docs/reference/causes.md": causes,
    "docs/reference/interventions.md": interventions,
    "docs/reference/strategies.md": strategies,
    "docs/reference/comparison.md": comparison,
    "docs/reference/soak.md": soak,
    "docs/reference/errors.md": errors,
    "docs/reference/proof.md": proof,
    **{name: _with_parts(name) for name in ("docs/reference/exit-codes.md", "docs/concepts/validity.md")},
    **{f"docs/reference/schema/{name}.json": partial(schema, kind) for name, kind in SCHEMAS.items()},
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
