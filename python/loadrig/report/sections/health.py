"""The generator's own testimony: whether it could do what the plan asked."""

from loadrig.base.documents import ABSENT
from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import HealthSectionTexts
from loadrig.report import numbers
from loadrig.report.figures import generator_health
from loadrig.report.model import Block, Facts, Section, Table
from loadrig.report.run import Run, TrialView, per_trial
from loadrig.report.sections import _fleet
from loadrig.trial.document import GeneratorDocument

TEXTS = texts_of(HealthSectionTexts)

ORDER = 80
TITLE = "Generator"


def build(run: Run) -> Section | None:
    """Return lag, CPU and connections of the generator over time; None without a trial that the rig made."""
    # Another tool does not report its own health; the verdict on the trial says so.
    if all(view.trial.imported for view in run.views):
        return None
    return per_trial(run, "generator", TITLE, _blocks, TEXTS.what_rig_says)


def _blocks(view: TrialView) -> tuple[Block, ...]:
    generator = view.trial.generator
    facts: Block = Facts(() if generator is None else _facts(generator))
    fleet: tuple[Table, ...] = ()
    if view.trial.fleet is not ABSENT:
        fleet = (_fleet.table(view.trial.fleet), *_fleet.label_table(view.trial.fleet))
    drawn = (generator_health.draw(view.id, view.timeline),) if view.timeline.t_s else ()
    return (facts, *fleet, *drawn)


def _facts(generator: GeneratorDocument) -> tuple[tuple[str, str], ...]:
    facts = []
    if lag := generator.lag_us:
        named = (("p50", lag.p50), ("p99", lag.p99), ("max", lag.max))
        facts.append(
            (TEXTS.lag_sending, ", ".join(f"{name} {numbers.amount(us / 1e6, 's')}" for name, us in named))
        )
    if wait := generator.connection_wait_us:
        facts.append((TEXTS.wait_connection, TEXTS.p99_server_or(numbers.amount(wait.p99 / 1e6, "s"))))
    facts += [
        (TEXTS.busiest_thread, numbers.amount(generator.busiest_thread_share, "1")),
        (TEXTS.cpu_used, numbers.amount(generator.cpu_s, "s")),
        (TEXTS.connections_opened, f"{generator.connections_opened:,}"),
    ]
    if generator.max_rss_bytes:
        facts.append((TEXTS.memory_most, numbers.amount(generator.max_rss_bytes, "B")))
    cpus = ", ".join(map(str, generator.cpus)) or TEXTS.not_held_any
    facts.append(("cores", f"{cpus}; {generator.note}".rstrip("; ")))
    return tuple(facts)
