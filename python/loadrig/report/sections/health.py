"""The generator's own testimony: whether it could do what the plan asked."""

from loadrig.report import numbers
from loadrig.report.figures import generator_health
from loadrig.report.model import Block, Facts, PerView, Section
from loadrig.report.run import Json, Run, TrialView

ORDER = 80
TITLE = "Generator"


def build(run: Run) -> Section | None:
    """Return lag, CPU and connections of the generator over time; None without a trial that the rig made."""
    # Another tool does not report its own health; the verdict on the trial says so.
    if not run.views or all(view.result.get("imported") for view in run.views):
        return None
    return Section(
        "generator",
        TITLE,
        (PerView({view.id: _blocks(view) for view in run.views}),),
        lead="What the rig says of itself. A trial that it could not run properly is void, whatever came.",
        in_text=run.study is None,
    )


def _blocks(view: TrialView) -> tuple[Block, ...]:
    facts: Block = Facts(_facts(view.result))
    return (facts, generator_health.draw(view.id, view.timeline)) if view.timeline.t_s else (facts,)


def _facts(trial: Json) -> tuple[tuple[str, str], ...]:
    generator = trial.get("generator") or {}
    lag = generator.get("lag_us") or {}
    facts = []
    if lag.get("p99") is not None:
        text = ", ".join(
            f"{name} {numbers.amount(lag[name] / 1e6, 's')}"
            for name in ("p50", "p99", "max")
            if lag.get(name) is not None
        )
        facts.append(("lag of sending", text))
    wait = generator.get("connection_wait_us") or {}
    if wait.get("p99") is not None:
        facts.append(
            (
                "wait for a connection",
                f"p99 {numbers.amount(wait['p99'] / 1e6, 's')} (the server's or the pool's doing)",
            )
        )
    if generator.get("busiest_thread_share") is not None:
        facts.append(("busiest thread", numbers.amount(generator["busiest_thread_share"], "1")))
    if generator.get("cpu_s") is not None:
        facts.append(("CPU used", numbers.amount(generator["cpu_s"], "s")))
    if generator.get("connections_opened") is not None:
        facts.append(("connections opened", f"{generator['connections_opened']:,}"))
    if generator.get("max_rss_bytes"):
        facts.append(("memory at most", numbers.amount(generator["max_rss_bytes"], "B")))
    if generator.get("cpus") is not None:
        cpus = ", ".join(str(cpu) for cpu in generator["cpus"]) or "not held on any"
        facts.append(("cores", f"{cpus}; {generator.get('note') or ''}".rstrip("; ")))
    return tuple(facts)
