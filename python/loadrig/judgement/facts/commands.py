"""Commands of a server that does one at a time, and the one of them that holds up all others."""

from dataclasses import dataclass

from loadrig.judgement.evidence import SeriesSource
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.recording.event_facts import CommonFacts, facts_of

SLOW_S = 0.5e-3
"""Mean time of a slow command in seconds: those of constant time take 1 to 20 µs, and what takes 25 times as
long goes through hundreds of keys or elements."""


@dataclass(frozen=True, slots=True)
class SlowCommand:
    """Command of which each call takes long. each_s: seconds of a call; share: of the time, 0 to 1."""

    name: str
    each_s: float
    share: float
    source: SeriesSource

    @property
    def delay_s(self) -> float:
        """Mean time in seconds that any other command waits for this one (M/D/1)."""
        return self.share / max(1e-9, 1 - min(self.share, 0.99)) * self.each_s / 2


def slowest_command(case: Case, tier: Tier) -> SlowCommand | None:
    """Return the slow command that takes most time, None without one.

    Slow is what takes long on average, and what the slow log names: calls of one command differ. How much it
    takes is told by counters, which know every call; the slow log knows those alone that it wrote down.
    """
    events = case.events_of("slow_command", component=tier.name)
    logged = {_name(str(event.subject)) for event in events if event.subject}
    slow = []
    for subject, spent in tier.parts("redis.command_s").items():
        calls, name = tier.track("redis.command_calls", subject), _name(subject)
        if subject == "others" or calls is None or not calls.mean > 0:
            continue
        each_s = spent.mean / calls.mean
        if each_s >= SLOW_S or name in logged:
            slow.append(SlowCommand(name, each_s, spent.mean, spent.source))
    if not slow and events and case.measured_s:
        spent_s = sum(facts_of(event, CommonFacts).duration_s or 0.0 for event in events)
        name = max((*logged, "A COMMAND"), key=len)
        source = SeriesSource(tier.name, "redis.slow_commands")
        slow.append(SlowCommand(name, spent_s / len(events), spent_s / case.measured_s, source))
    return max(slow, key=lambda command: command.share, default=None)


def _name(subject: str) -> str:
    """Return the name of a command as redis writes it, from a subject such as `command:keys`."""
    return subject.rpartition(":")[2].upper()
