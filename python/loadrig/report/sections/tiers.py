"""Every tier: who talks to whom, what each used over time, and what happened to it."""

from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import TiersSectionTexts
from loadrig.language.labels import label
from loadrig.recording.manifest_document import ObserverCost, ObserverDocument
from loadrig.recording.service_map import MapDocument
from loadrig.report import numbers, words
from loadrig.report.figures import service_map, tier_strips, what_happened
from loadrig.report.model import Block, Facts, Paragraph, Section, present
from loadrig.report.run import Run, TrialView, per_trial
from loadrig.trial.document import UsedEffect

TEXTS = texts_of(TiersSectionTexts)

ORDER = 70
TITLE = "Tiers"


def build(run: Run) -> Section | None:
    """Return the service map, CPU and memory, every probe's readings over time, and events."""
    return per_trial(run, "tiers", TITLE, _blocks)


def _blocks(view: TrialView) -> list[Block]:
    time, trial = view.timeline, view.trial
    mapped = trial.map or MapDocument()
    pairs = [(words.measure(name), numbers.whole(estimate)) for name, estimate in trial.resources.items()]
    why = label("loadrig was not there.") if trial.imported else TEXTS.runs_another_host
    notes = [_effect(effect) for effect in trial.effects]
    if trial.observer is not None:
        notes.append(_cost(trial.observer))
    notes += [_clock(observer) for observer in view.recording.manifest.observers]
    return present(
        service_map.draw(view.id, mapped, time, words.load(trial.load), trial.findings),
        service_map.table(mapped, time),
        Facts(tuple(pairs), title=TEXTS.title) if pairs else None,
        tier_strips.draw(view.id, time, _titles(mapped)) or Paragraph(TEXTS.no_probe_saw(why), size="note"),
        what_happened.draw(view.id, time, view.recording.events, view.recording.start_ns),
        *(Paragraph(note, size="note") for note in notes),
    )


def _cost(observer: ObserverCost) -> str:
    """Return in a sentence what watching cost."""
    samples = TEXTS.for_samples(f"{observer.samples:,}") if observer.samples else ""
    return TEXTS.watching_cost_cpu(numbers.amount(observer.cpu_s, "s"), samples)


def _clock(observer: ObserverDocument) -> str:
    """Return in a sentence how far the instants of another host can be trusted."""
    if observer.residual_ms is None:
        return TEXTS.never_heard(observer.name, observer.via)
    share = numbers.amount(observer.residual_ms / 1e3, "s")
    return TEXTS.observed_from_there(observer.name, observer.via, share)


def _titles(mapped: MapDocument) -> dict[str, str]:
    """Return what stands above a tier's strips: "server · gunicorn 27.0.1, cpython 3.11"."""
    return {
        component.name: component.versions
        if component.versions.startswith(component.name)
        else f"{component.name} · {component.versions}"
        for component in mapped.components
    }


def _effect(effect: UsedEffect) -> str:
    """Return in a sentence what was done to a server to watch it."""
    undone = TEXTS.undone_end if effect.is_undone else TEXTS.not_undone_run
    return TEXTS.as_permitted(effect.text, undone)
