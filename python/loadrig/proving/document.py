"""The document of a proof: what was changed, what moved, what follows.

`loadrig diagnose RUN --prove`, and `prove:` in a plan, leave a folder in the run's:

```
runs/2025-01-31-120000-shop/
  proof/
    proof.json        what was changed, what moved, what follows (schema loadrig.proof/1)
    blocks.jsonl      outcomes block by block, as they came: for whoever watches the proof
    trials/
      0001/           a trial of the proof, as any other trial
      …
```

The trials are recordings as [Recording](recording.md) tells of them.
In a trial in which something was changed while load ran, `events.jsonl` has an event of kind `intervention`
at each change: `component`, `text` (what), and `facts` with `experiment` (its number in that trial) and
`is_changed` (true: changed, false: changed back).

A new proof of the same run takes the place of the old one, which is kept beside it in `proof-earlier-1` and
so on.
A proof whose rig was killed has trials and no `proof.json`; it cannot go on, and begins anew.
Where it is there, its findings, cleared causes and diagnosis stand for those of the run in `loadrig diagnose`
and `loadrig report`; the run's own files stay as they were.
A reader ignores fields that it does not know.
All times are seconds; a share is 0…1; every interval is of 95 %.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from loadrig.base.documents import ABSENT, Absent, Document, Says, plain
from loadrig.base.setting import Value
from loadrig.interventions import Lever
from loadrig.judgement.document import ClearedDocument, DiagnosisDocument, FindingDocument
from loadrig.judgement.experiments.outcome import Measure
from loadrig.judgement.experiments.results import Kind
from loadrig.judgement.experiments.suspects import Accused as Accused
from loadrig.stats.elasticity import Standing
from loadrig.trial.document import FailureInTrials

SCHEMA = "loadrig.proof/1"


class BoundedEstimate(Document, frozen=True):
    """Estimate with its 95 % interval, low to high; an end that is not known is null."""

    value: Annotated[float, Says("the estimate")]
    low: Annotated[float | None, Says("the lower end")]
    high: Annotated[float | None, Says("the upper end")]


class ProofSlot(Document, frozen=True, kw_only=True):
    """Stretch of a trial in which an outcome was measured.

    Slots in which nothing was changed are those of all experiments of the trial, and stand with each.
    Of kind `trials` a slot is the measured part of a whole trial.
    """

    trial: Annotated[int, Says("trial of the proof")]
    from_s: Annotated[float, Says("its beginning, in seconds since that trial's load began")]
    length_s: Annotated[float, Says("its length")]
    block: Annotated[int, Says("from 0; in each block nothing and each change come in an order by lot")]
    is_changed: Annotated[bool, Says("whether the change was in force")]
    outcome: Annotated[float | None, Says("what came of it, in the unit of the experiment")]


class ProvingExperiment(Document, frozen=True, kw_only=True):
    """Thing that was changed, and what moved.

    What is changed while load runs is judged by its elasticity: `limits` where the whole interval lies above
    0.5, `cleared` where it lies below 0.15, `shares` where it lies between.
    A knob or a shape of the load is judged by its gain: whether it is surely better, and by as much as
    anybody would change it for.
    Source: Lazowska, Zahorjan, Graham, Sevcik 1984, Quantitative System Performance, chapter 5; Curtsinger
    and Berger 2015, SOSP, 184-197.
    """

    lever: Annotated[
        Lever,
        Says(
            "what was changed: `change` (`cpu`, `cores`, `precedence`, `delay`, `knob`, `load`), `component`,"
            " `what` (the role or name of a knob, the shape of the load), `towards` (`more`, `less`, `other`)"
        ),
    ]
    title: Annotated[str, Says("the same for people: `CPU of mariadb: 0.5 to 0.4 cores`")]
    kind: Annotated[
        Kind,
        Says("`live`: while load ran, slot by slot; `trials`: in trials of its own"),
    ]
    measure: Annotated[
        Measure,
        Says(
            "what was watched: `throughput` (good answers a second), `latency` (mean time of a request),"
            " `dips` (share of good answers missing in dips), `growth` (of memory)"
        ),
    ]
    unit: Annotated[
        str,
        Says("of the outcome: `1/s`, `s`, `share`, `MB/min`; more is better of throughput alone"),
    ]
    ratio: Annotated[
        float | None,
        Says(
            "of the capacity, changed over unchanged: 0.8 is a fifth less; null where what was changed is no"
            " capacity"
        ),
    ]
    elasticity: Annotated[
        BoundedEstimate | None,
        Says("d ln outcome / d ln capacity, of the better outcome; null where `ratio` is"),
    ]
    gain: Annotated[BoundedEstimate, Says("outcome changed over outcome unchanged: 1.2 is a fifth more")]
    is_at_least: Annotated[
        bool,
        Says("whether the generator was the limit with the change, so that the gain is at least that"),
    ]
    standing: Annotated[
        Standing,
        Says("`limits`: it moves what is wrong; `shares`: a part of it; `cleared`: it does not; `unsure`"),
    ]
    blocks: Annotated[int, Says("blocks in which both were measured")]
    unchanged: Annotated[float | None, Says("median of the slots without the change, in `unit`")]
    changed: Annotated[float | None, Says("median of the slots with the change, in `unit`")]
    proves: Annotated[tuple[Accused, ...], Says("causes with their component that it proved, in pairs")]
    refutes: Annotated[tuple[Accused, ...], Says("causes with their component that it cleared, in pairs")]
    says: Annotated[str, Says("all of it in a sentence")]
    cost: Annotated[str, Says("what the server bore, as a clause")]
    trial: Annotated[
        int,
        Says("the trial of the proof in which it was made, the first if there were several"),
    ]
    slots: Annotated[tuple[ProofSlot, ...], Says("what was measured, below")]


class SkippedExperiment(Document, frozen=True, kw_only=True):
    """Experiment that could not be made."""

    lever: Annotated[Lever, Says("as of an experiment")]
    title: Annotated[str, Says("as of an experiment")]
    why: Annotated[str, Says("why it could not be done, as a clause")]
    mend: Annotated[str, Says("what would let it")]
    code: Annotated[str, Says("`loadrig explain CODE` says more")]


class InterventionBand(Document, frozen=True):
    """Stretch in which something was changed while load ran.

    It is longer than the slot, as the requests in flight are let pass first.
    """

    trial: Annotated[int, Says("trial of the proof")]
    from_s: Annotated[float, Says("when it was changed, in seconds since that trial's load began")]
    to_s: Annotated[float, Says("when it was changed back, in seconds since that trial's load began")]
    title: Annotated[str, Says("what was changed")]
    experiment: Annotated[int, Says("its place in `experiments`, from 0")]


class TriedMend(Document, frozen=True, kw_only=True):
    """Mend that was tried."""

    title: Annotated[str, Says("what was mended: `workers: 2 to 4`")]
    setting: Annotated[Mapping[str, Value] | None, Says("the knobs with it; null where it is no knob")]
    measure: Annotated[Measure, Says("as of an experiment")]
    unit: Annotated[str, Says("as of an experiment")]
    before: Annotated[float, Says("median without it, in `unit`")]
    after: Annotated[float, Says("median with it, in `unit`")]
    gain: Annotated[BoundedEstimate, Says("after over before")]
    predicted: Annotated[
        float | None,
        Says("what was predicted of the gain before it was tried; null where nothing predicts it"),
    ]
    predicted_why: Annotated[str, Says("the arithmetic of that")]
    is_verified: Annotated[
        bool,
        Says(
            "whether it surely helps and brings at least four fifths of what was predicted; of dips and"
            " growth, whether at least half is gone"
        ),
    ]
    pairs: Annotated[tuple[tuple[float, float], ...], Says("outcomes without and with it, block by block")]
    command: Annotated[str, Says("what repeats it")]


class ClaimChance(Document, frozen=True, kw_only=True):
    """Claim that a cause is what limits the server, and how likely that is.

    What is left to 1 is the chance that none of the claims is true.
    """

    cause: Annotated[str, Says("as of a finding")]
    component: Annotated[str, Says("as of a finding")]
    prior: Annotated[float, Says("chance before any experiment, by the diagnosis: a share")]
    posterior: Annotated[float, Says("chance after the last experiment: a share; from 0.95 on it is sure")]


class ProofDocument(Document, frozen=True, kw_only=True):
    """Whole of proof.json."""

    schema: Annotated[str, Says(f"`{SCHEMA}`")] = SCHEMA
    headline: Annotated[
        str | Absent,
        Says("a sentence; only where the server failed while it was loaded for the proof"),
    ] = ABSENT
    target_failed: Annotated[
        FailureInTrials | Absent,
        Says("only where the server failed: as in [a trial's result](recording.md#a-server-that-failed)"),
    ] = ABSENT
    of_trial: Annotated[int, Says("the trial of the run whose diagnosis was to be proved")]
    budget_s: Annotated[float, Says("the time it was given")]
    took_s: Annotated[float | None, Says("the time it took; null where that is not known")]
    ended: Annotated[
        str,
        Says(
            "why it ended: `sure`, `exhausted` (no experiment was left that would have told more; `sure` in"
            " older runs), `budget`, `unprovable` (no experiment decides about the first suspect),"
            " `nothing_to_prove`, `gone` (what was wrong was over by then), `failed`, `interrupted`"
        ),
    ]
    sentence: Annotated[str, Says("what it came to, as the sentence of a diagnosis")]
    experiments: Annotated[
        tuple[ProvingExperiment, ...], Says("what was changed, in the order in which results came")
    ]
    skipped: Annotated[tuple[SkippedExperiment, ...], Says("what could not be changed")]
    bands: Annotated[tuple[InterventionBand, ...], Says("when something was changed while load ran")]
    fix: Annotated[TriedMend | None, Says("the mend that was tried, or null")]
    findings: Annotated[
        tuple[FindingDocument, ...],
        Says("as in a trial's result, with the experiments as evidence"),
    ]
    cleared: Annotated[tuple[ClearedDocument, ...], Says("as in a trial's result")]
    diagnosis: Annotated[DiagnosisDocument, Says("as in a trial's result")]
    claims: Annotated[
        tuple[ClaimChance, ...] | Absent,
        Says("causes between which the experiments decided, the first of the diagnosis first"),
    ] = ABSENT

    @property
    def failure(self) -> Mapping[str, Any]:
        """Fields of a result about a server that failed, as plain data; empty where it did not fail."""
        if self.target_failed is ABSENT:
            return {}
        return {"headline": self.headline, "target_failed": plain(self.target_failed)}
