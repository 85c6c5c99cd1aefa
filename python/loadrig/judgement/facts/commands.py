"""Commands of a server that does one at a time, and the one of them that holds up all others."""

from dataclasses import dataclass

from loadrig.judgement.evidence import SeriesSource
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.recording.event_facts import CommonFacts, facts_of

SLOW_S = 2e-3
"""Mean time of a slow command in seconds: those of constant time take 1 to 20 µs, and a thousand others wait
meanwhile."""


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
    """Return the slow command that takes most time, by counters or else the slow log; None without one."""
    slow = []
    for subject, spent in tier.parts("redis.command_s").items():
        calls = tier.track("redis.command_calls", subject)
        if subject != "others" and calls is not None and calls.mean > 0 and spent.mean / calls.mean >= SLOW_S:
            name = subject.partition(":")[2].upper()
            slow.append(SlowCommand(name, spent.mean / calls.mean, spent.mean, spent.source))
    events = case.events_of("slow_command", component=tier.name)
    if not slow and events and case.measured_s:
        spent_s = sum(facts_of(event, CommonFacts).duration_s or 0.0 for event in events)
        name = max((str(event.subject or "a command") for event in events), key=len).upper()
        source = SeriesSource(tier.name, "redis.slow_commands")
        slow.append(SlowCommand(name, spent_s / len(events), spent_s / case.measured_s, source))
    return max(slow, key=lambda command: command.share, default=None)
