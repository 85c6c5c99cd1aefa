"""Reference pages of documents: every field of what is written as JSON, and its schema."""

import inspect
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from reference_parts import MADE, docstring, table

from loadrig.account import states
from loadrig.account.document import VERSION as ACCOUNT_VERSION
from loadrig.account.document import AccountDocument
from loadrig.base.documents import Document, descriptions_of, fields_of, schema_of
from loadrig.base.estimate import Estimate
from loadrig.comparing import document as comparing
from loadrig.judgement import cards
from loadrig.judgement import document as findings
from loadrig.judgement import evidence as sources
from loadrig.judgement.facts.case import Unseen
from loadrig.judgement.limits import ceilings
from loadrig.judgement.soak import document as soaking
from loadrig.profilers import _classes as cpu_rules
from loadrig.profilers import _cpu_document as cpu_document
from loadrig.proving import document as proof_document
from loadrig.recording import manifest_document, service_map
from loadrig.recording.config_document import ConfigDocument
from loadrig.recording.event_document import EventDocument
from loadrig.recording.event_facts import EventFactsDocument
from loadrig.recording.frame_document import FrameDocument
from loadrig.recording.seal_document import SealDocument
from loadrig.stats.knee import Knee
from loadrig.stats.usl import Between, Usl
from loadrig.study import document as study_document
from loadrig.study.capacity import document as capacity_document
from loadrig.study.capacity.answer import Confirmed, NearestLevel
from loadrig.study.capacity.beyond import Beyond
from loadrig.study.capacity.probe import GoalAtLevel
from loadrig.study.ledger_document import LedgerDocument
from loadrig.study.tuning import document as tuning_document
from loadrig.study.tuning.answer import MissedGoal, NearestSetting, PathStep
from loadrig.trial import document as trial_document
from loadrig.trial.validity import Validity


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
    lines = table(
        ("state", "what a request does", "how it is counted"),
        ((f"`{state.name}`", state.meaning, state.counted) for state in states.STATES),
    )
    slots = table(("slot", "what it is"), ((f"`{name}`", doc) for name, doc in states.SLOTS.items()))
    flags = table(("flag", "what it means"), ((f"`{name}`", doc) for name, doc in states.FLAGS.items()))
    parts = (("Fields", fields), ("States of a request", lines), ("Slots", slots), ("Flags", flags))
    return MADE + "# Account\n\n" + head + "\n".join(f"## {title}\n\n{text}" for title, text in parts)


def _fields(kind: type[Document]) -> str:
    """Every field of a document, and of those in it."""
    return table(("field", "what it is"), ((f"`{name}`", meaning) for name, meaning in fields_of(kind)))


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
        "A burst": cpu_document.ProfiledStretch,
        "A class": cpu_document.ClassTime,
        "A name in a class": cpu_document.NamedTime,
        "A function": cpu_document.FunctionTime,
        "A thread": cpu_document.ThreadTime,
        "A gap": cpu_document.ProfileGap,
    }
    cpu_table = cpu_rules.table()
    classes = table(
        ("class", "what it is"), ((f"`{name}`", words) for name, words in cpu_table.classes.items())
    )
    rules = "\n".join(
        f"### {runtime}\n\n{_rules(rules_of_runtime)}"
        for runtime, rules_of_runtime in cpu_table.rules.items()
    )
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


def _rules(rules: tuple[cpu_rules.Rule, ...]) -> str:
    rows = (
        (
            f"`{rule.work}`",
            rule.name,
            f"{rule.on}{', anywhere' if rule.is_anywhere else ''}",
            f"`{rule.pattern.pattern}`",
            rule.why,
        )
        for rule in rules
    )
    return table(("class", "name", "matched with", "pattern", "why"), rows)


def _sections(*parts: tuple[str, type[Any]]) -> str:
    """Tables of the fields of documents, each under its heading."""
    tables = []
    for heading, kind in parts:
        rows = [(f"`{name}`", text) for name, text in descriptions_of(kind).items()]
        tables.append(f"{heading}\n\n{inspect.cleandoc(kind.__doc__ or '')}\n\n")
        if rows:
            tables.append(table(("field", "what it is"), rows) + "\n")
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
        ("### An entry of `goals`", soaking.GoalOverStretches),
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


def capacity() -> str:
    """Every field of the answer of a search for the capacity."""
    head = (
        "The answer of `loadrig capacity` is in a study's `result.json` under `capacity`; its schema is"
        " [capacity.json](schema/capacity.json).\n"
        "A reader ignores fields that it does not know; every number is finite or null.\n"
        "A share is 0…1, times are seconds, every interval is of 95 %.\n\n"
    )
    fields = _sections(
        ("## The document", capacity_document.CapacityDocument),
        ("## `confirmed`", Confirmed),
        ("## `saturation`", capacity_document.SaturationDocument),
        ("## `knee`", Knee),
        ("## `usl`", Usl),
        ("## `gamma`, `sigma`, `kappa` and `peak` of `usl`", Between),
        ("## `beyond`", Beyond),
        ("## `nearest`", NearestLevel),
        ("## An entry of `probes`", capacity_document.OfferedLevel),
        ("## An entry of `goals`", GoalAtLevel),
    )
    return MADE + "# The document of a capacity\n\n" + head + fields


def study() -> str:
    """Every field of a study's result."""
    about = docstring(study_document).partition("\n\n")[2]
    head = (
        "What `result.json` of a study holds, and what `--json` prints; its schema is"
        " [study.json](schema/study.json).\n"
        f"A reader ignores fields that it does not know.\n{about}\n\n"
    )
    fields = _sections(
        ("## The document", study_document.StudyDocument),
        ("## `question`", study_document.QuestionDocument),
        ("## `noise`", study_document.NoiseDocument),
        ("## An entry of `settings`", study_document.SettingDocument),
        ("## An entry of `trials`", study_document.TrialRow),
        ("## An entry of `comparisons`", study_document.SettingsCompared),
        ("## `to_decide`", study_document.DecidingBlocks),
        ("## An entry of `knob_effects`", study_document.KnobEffectDocument),
        ("## `recommended`", study_document.RecommendedSetting),
    )
    return MADE + "# The document of a study\n\n" + head + fields


def tuning() -> str:
    """Every field of what a tuning found."""
    head = (
        "What a tuning adds to a study's `result.json`, under `tuning`; its schema is"
        " [tuning.json](schema/tuning.json).\n"
        "The rest is as of any [study](study.md), with two things of its own: `recommended` is the setting"
        " that the confirming blocks chose, and its comparison with the base rests on these blocks alone.\n"
        "Every number is finite or null.\n\n"
    )
    fields = _sections(
        ("## The document", tuning_document.TuningDocument),
        ("## `against_default`, `against_runner_up`", tuning_document.ConfirmedRival),
        ("## An entry of `inert`", tuning_document.InertKnob),
        ("## `nearest`", NearestSetting),
        ("## An entry of `misses`", MissedGoal),
        ("## `space`", tuning_document.SearchedSpace),
        ("## An entry of `knobs`", tuning_document.SearchedKnob),
        ("## An entry of `stages`", tuning_document.StageDocument),
        ("## An entry of `path`", PathStep),
        ("## `map`", tuning_document.KnobMap),
        ("## `x`, `y` of `map`", tuning_document.MapAxis),
        ("## An entry of `cells`", tuning_document.MapCell),
    )
    return MADE + "# The document of a tuning\n\n" + head + fields


def proof() -> str:
    """Every field of the document of a proof."""
    kinds: dict[str, type[Document]] = {
        "The document": proof_document.ProofDocument,
        "An experiment": proof_document.ProvingExperiment,
        "An interval": proof_document.BoundedEstimate,
        "A slot": proof_document.ProofSlot,
        "What was skipped": proof_document.SkippedExperiment,
        "A band": proof_document.InterventionBand,
        "The fix": proof_document.TriedMend,
        "A claim": proof_document.ClaimChance,
    }
    about = docstring(proof_document).partition("\n\n")[2]
    fields = _titled(kinds)
    return MADE + f"# The document of a proof\n\n{about}\n{SCHEMA_AT.format('proof')}\n{fields}"


def trial() -> str:
    """Every field of a trial's result."""
    head = (
        "A trial's `result.json`, and what `--json` prints of a run of one trial.\n"
        "A reader ignores fields that it does not know; an interval is of 95 %, a share 0…1.\n"
        "`account` and `cpu_time` have pages of their own: [Account](account.md), [CPU time](cpu-time.md);"
        " what the manifest tells says [its own page](manifest.md).\n"
        f"{SCHEMA_AT.format('trial')}\n"
    )
    fields = _sections(
        ("## The document", trial_document.TrialDocument),
        ("### `target_failed`", trial_document.TargetFailure),
        ("### `validity`", Validity),
        ("### `measured`", trial_document.MeasuredPart),
        ("### `warm_up`", manifest_document.WarmUpDocument),
        ("### `load`", trial_document.LoadDocument),
        ("### `latency_ms`", trial_document.LatencyDocument),
        ("### `session_ms`, and an entry of `latency_ms`", trial_document.TimesDocument),
        ("### An entry of `routes` and `login`", trial_document.RouteTotals),
        ("### `imported`", manifest_document.ImportedDocument),
        ("### An entry of `files`", manifest_document.ImportedFile),
        ("### An entry of `goals`", trial_document.GoalDocument),
        ("### `generator`", trial_document.GeneratorDocument),
        ("### `lag_us`, `connection_wait_us`", trial_document.DelayDocument),
        ("### `connections`", trial_document.ConnectionsDocument),
        ("### An entry of `estimates` and `resources`", Estimate),
        ("### `observer`", manifest_document.ObserverCost),
        ("### `surroundings`", manifest_document.SurroundingsDocument),
        ("### `target`", manifest_document.TargetDocument),
        ("### `machine`", manifest_document.MachineDocument),
        ("### `map`", service_map.MapDocument),
        ("### An entry of `components`", service_map.MapComponent),
        ("### An entry of `edges`", service_map.EdgeDocument),
        ("### An entry of `effects`", trial_document.UsedEffect),
        ("### An entry of `series`", trial_document.SeriesSummary),
        ("### An entry of `server_logs`", trial_document.ServerLog),
        ("### An entry of `facts`", trial_document.LogFact),
        ("### An entry of `templates`", trial_document.LogTemplate),
        ("### An entry of `examples`", trial_document.FailureExample),
        ("## Findings", findings.FindingDocument),
        ("### An entry of `evidence` and `against`", findings.EvidenceDocument),
        ("### An entry of `rivals` and `cleared`", findings.ClearedDocument),
        ("### A `source` of the kind `series`", sources.SeriesSource),
        ("### A `source` of the kind `formula`", sources.FormulaSource),
        ("### A `source` of the kind `events`", sources.EventSource),
        ("### A `source` of the kind `load`", sources.LoadSource),
        ("### A `source` of the kind `profile`", sources.ProfileSource),
        ("### A `source` of the kind `experiment`", sources.ExperimentSource),
        ("## Diagnosis", findings.DiagnosisDocument),
        ("### An entry of `harms`", findings.Harm),
        ("### An entry of `unseen`", Unseen),
        ("### An entry of `ceilings`", ceilings.Ceiling),
        ("### An entry of `cards`", cards.ArithmeticCard),
    )
    return MADE + "# The result of a trial\n\n" + head + fields


def manifest() -> str:
    """Every field of a manifest."""
    head = (
        "The manifest of a trial's recording, `manifest.json`: what was run, where, when and with what.\n"
        "What else the folder holds says [Recording](recording.md).\n"
        "A key that a recording lacks has the default of its field: recordings of earlier versions, of trials"
        " that were cut short and of another tool's results lack some.\n"
        "A reader ignores keys that it does not know; a share is 0…1, a time in `…_ns` is nanoseconds of the"
        " machine's monotonic clock.\n"
        f"{SCHEMA_AT.format('manifest')}\n"
    )
    return MADE + "# The manifest of a recording\n\n" + head + _fields(manifest_document.ManifestDocument)


SCHEMA_AT = "Its [JSON schema](schema/{}.json) is for programs.\n"

SCHEMAS: dict[str, type[Document]] = {
    "account": AccountDocument,
    "capacity": capacity_document.CapacityDocument,
    "comparison": comparing.ComparisonDocument,
    "cpu-time": cpu_document.CpuTimeDocument,
    "engine": ConfigDocument,
    "event": EventDocument,
    "event-facts": EventFactsDocument,
    "frame": FrameDocument,
    "history": comparing.HistoryDocument,
    "ledger": LedgerDocument,
    "manifest": manifest_document.ManifestDocument,
    "proof": proof_document.ProofDocument,
    "seal": SealDocument,
    "soak": soaking.SoakDocument,
    "spike": soaking.SpikeDocument,
    "study": study_document.StudyDocument,
    "tuning": tuning_document.TuningDocument,
    "trial": trial_document.TrialDocument,
    "validity": Validity,
}
"""Documents whose JSON schema is published, by the name of its file."""


def schema(kind: type[Document]) -> str:
    """Return the JSON schema of a document."""
    declared = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema_of(kind)}
    return json.dumps(declared, indent=2, ensure_ascii=False)


PAGES: dict[str, Callable[[], str]] = {
    "docs/reference/account.md": account,
    "docs/reference/capacity.md": capacity,
    "docs/reference/cpu-time.md": cpu_time,
    "docs/reference/comparison.md": comparison,
    "docs/reference/manifest.md": manifest,
    "docs/reference/proof.md": proof,
    "docs/reference/soak.md": soak,
    "docs/reference/study.md": study,
    "docs/reference/tuning.md": tuning,
    "docs/reference/trial.md": trial,
    **{f"docs/reference/schema/{name}.json": partial(schema, kind) for name, kind in SCHEMAS.items()},
}
"""Functions that make each page, by its path."""
