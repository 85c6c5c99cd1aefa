"""What the server and its host used."""

from loadrig.report import numbers, words
from loadrig.report.figures import resources_strip
from loadrig.report.model import Block, Facts, Paragraph, PerView, Section
from loadrig.report.run import Json, Run, TrialView

ORDER = 70
TITLE = "Resources"


def build(run: Run) -> Section | None:
    """Estimates of CPU and memory, and every probe's readings over time."""
    if not run.views:
        return None
    return Section(
        "resources",
        TITLE,
        (PerView({view.id: _blocks(view) for view in run.views}),),
        in_text=run.study is None,
    )


def _blocks(view: TrialView) -> tuple[Block, ...]:
    blocks: list[Block] = []
    pairs = [
        (words.measure(name), numbers.whole(estimate))
        for name, estimate in (view.result.get("resources") or {}).items()
    ]
    if pairs:
        blocks.append(Facts(tuple(pairs), title="In the measured part"))
    drawn = resources_strip.draw(view.id, view.timeline)
    if drawn is None:
        blocks.append(
            Paragraph(
                "No probe saw the server: it runs on another host, or its process is not known.", size="note"
            )
        )
    else:
        blocks.append(drawn)
    cost = _observer(view.result)
    if cost:
        blocks.append(Paragraph(cost, size="note"))
    return tuple(blocks)


def _observer(trial: Json) -> str:
    """What the watching itself cost, as a sentence."""
    observer = trial.get("observer") or {}
    if observer.get("cpu_s") is None:
        return ""
    samples = f" for {observer['samples']:,} samples" if observer.get("samples") else ""
    return f"Watching cost {numbers.amount(observer['cpu_s'], 's')} of CPU time{samples}."
