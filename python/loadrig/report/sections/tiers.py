"""Every tier: who talks to whom, what each used over time, and what happened to it."""

from loadrig.recording.manifest_document import ObserverDocument
from loadrig.recording.service_map import MapDocument
from loadrig.report import numbers, words
from loadrig.report.figures import service_map, tier_strips, what_happened
from loadrig.report.model import Block, Facts, Paragraph, PerView, Section
from loadrig.report.run import Run, TrialView
from loadrig.trial.document import UsedEffect

ORDER = 70
TITLE = "Tiers"


def build(run: Run) -> Section | None:
    """Return the service map, CPU and memory, every probe's readings over time, and events."""
    if not run.views:
        return None
    return Section(
        "tiers",
        TITLE,
        (PerView({view.id: _blocks(view) for view in run.views}),),
        in_text=run.study is None,
    )


def _blocks(view: TrialView) -> tuple[Block, ...]:
    blocks: list[Block] = []
    time, trial = view.timeline, view.trial
    mapped = trial.map or MapDocument()
    drawn = service_map.draw(view.id, mapped, time, words.load(trial.load), trial.findings)
    if drawn is not None:
        blocks.append(drawn)
    listed = service_map.table(mapped, time)
    if listed is not None:
        blocks.append(listed)
    pairs = [(words.measure(name), numbers.whole(estimate)) for name, estimate in trial.resources.items()]
    if pairs:
        blocks.append(Facts(tuple(pairs), title="In the measured part"))
    strips = tier_strips.draw(view.id, time, _titles(mapped))
    if strips is None:
        blocks.append(
            Paragraph(
                "No probe saw the server: loadrig was not there."
                if trial.imported
                else "No probe saw the server: it runs on another host, or its process is not known.",
                size="note",
            )
        )
    else:
        blocks.append(strips)
    happened = what_happened.draw(view.id, time, view.recording.events, view.recording.start_ns)
    if happened is not None:
        blocks.append(happened)
    blocks += [Paragraph(_effect(effect), size="note") for effect in trial.effects]
    if cost := trial.observer:
        samples = f" for {cost.samples:,} samples" if cost.samples else ""
        text = f"Watching cost {numbers.amount(cost.cpu_s, 's')} of CPU time{samples}."
        blocks.append(Paragraph(text, size="note"))
    blocks += [Paragraph(_clock(observer), size="note") for observer in view.recording.manifest.observers]
    return tuple(blocks)


def _clock(observer: ObserverDocument) -> str:
    """Return in a sentence how far the instants of another host can be trusted."""
    if observer.residual_ms is None:
        return f"{observer.name} was never heard ({observer.via})."
    share = numbers.amount(observer.residual_ms / 1e3, "s")
    return f"{observer.name} was observed from there ({observer.via}): one clock to ±{share}."


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
    undone = "undone at the end" if effect.is_undone else "not undone by this run"
    return f"As permitted, {effect.text}: {undone}."
