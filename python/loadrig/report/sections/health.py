"""The generator's own testimony: whether it could do what the plan asked."""

from loadrig.report import numbers
from loadrig.report.figures import generator_health
from loadrig.report.model import Block, Facts, Section
from loadrig.report.run import Run, TrialView, per_trial
from loadrig.trial.document import GeneratorDocument

ORDER = 80
TITLE = "Generator"


def build(run: Run) -> Section | None:
    """Return lag, CPU and connections of the generator over time; None without a trial that the rig made."""
    # Another tool does not report its own health; the verdict on the trial says so.
    if all(view.trial.imported for view in run.views):
        return None
    lead = "What the rig says of itself. A trial that it could not run properly is void, whatever came."
    return per_trial(run, "generator", TITLE, _blocks, lead)


def _blocks(view: TrialView) -> tuple[Block, ...]:
    generator = view.trial.generator
    facts: Block = Facts(() if generator is None else _facts(generator))
    return (facts, generator_health.draw(view.id, view.timeline)) if view.timeline.t_s else (facts,)


def _facts(generator: GeneratorDocument) -> tuple[tuple[str, str], ...]:
    facts = []
    if lag := generator.lag_us:
        named = (("p50", lag.p50), ("p99", lag.p99), ("max", lag.max))
        facts.append(
            ("lag of sending", ", ".join(f"{name} {numbers.amount(us / 1e6, 's')}" for name, us in named))
        )
    if wait := generator.connection_wait_us:
        text = f"p99 {numbers.amount(wait.p99 / 1e6, 's')} (the server's or the pool's doing)"
        facts.append(("wait for a connection", text))
    facts += [
        ("busiest thread", numbers.amount(generator.busiest_thread_share, "1")),
        ("CPU used", numbers.amount(generator.cpu_s, "s")),
        ("connections opened", f"{generator.connections_opened:,}"),
    ]
    if generator.max_rss_bytes:
        facts.append(("memory at most", numbers.amount(generator.max_rss_bytes, "B")))
    cpus = ", ".join(map(str, generator.cpus)) or "not held on any"
    facts.append(("cores", f"{cpus}; {generator.note}".rstrip("; ")))
    return tuple(facts)
