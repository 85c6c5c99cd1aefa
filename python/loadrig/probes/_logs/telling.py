"""Account of a component's logs so far, and the parts of it that are due as events."""

from dataclasses import dataclass, field

from loadrig.base import known_secrets
from loadrig.base.series import Event
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._logs.known import Fact, fact_in
from loadrig.probes._logs.lines import LogLine
from loadrig.probes._logs.templates import OTHERS, Template, Templates

FACT_SHARE = 1 / 300
"""Share of a fact's age after which the fact is due again: each second in the first five minutes, then
ever more rarely, so that a line each second makes 300 events for each factor of 2.7 in time, not 3,600
an hour."""

TEMPLATE_SHARE = 1.0
"""Share of a template's age after which it is due again, as only its count matters: at each doubling."""


@dataclass(slots=True)
class _Account:
    """Facts of a kind. count: lines since the last event, with those that the lines looked at stand for."""

    fact: Fact
    first_ns: int
    last_ns: int
    reported_ns: int = 0
    count: float = 0.0


@dataclass(slots=True)
class Telling:
    """Templates and facts of a component, as events."""

    templates: Templates
    facts: dict[tuple[str, str, str], _Account] = field(default_factory=dict)

    def add(self, line: LogLine, source: str, t_ns: int, times: float = 1.0) -> Fact | None:
        """Count a line. Return the fact that it tells, if any.

        times: how many lines it stands for, where a log grows too fast for each to be looked at.
        """
        fact = fact_in(line.text)
        if fact is not None:
            key = (fact.message.system, fact.message.resource, fact.message.what)
            account = self.facts.setdefault(key, _Account(fact, t_ns, t_ns))
            account.fact, account.last_ns = fact, t_ns
            account.count += times
        if line.kind == "text":
            # Secrets are hidden before holes are made in it: later searches find whole values only.
            self.templates.add(known_secrets.hidden(line.text), line.level, source, t_ns)
        return fact

    def due(self, t_ns: int, *, is_end: bool = False) -> list[Event]:
        """Return the events of new facts and templates, and of those due again. is_end: return all."""
        happened = []
        for account in self.facts.values():
            if account.count and (is_end or _is_due(t_ns, account.first_ns, account.reported_ns, FACT_SHARE)):
                happened.append(_fact_event(account))
                account.count, account.reported_ns = 0.0, t_ns
        for template in self.templates.all:
            is_new = template.count > template.reported
            if is_new and (is_end or _is_due(t_ns, template.first_ns, template.reported_ns, TEMPLATE_SHARE)):
                happened.append(_template_event(template))
                template.reported, template.reported_ns = template.count, t_ns
        return happened


def _is_due(t_ns: int, first_ns: int, reported_ns: int, share: float) -> bool:
    return not reported_ns or t_ns - reported_ns >= share * (reported_ns - first_ns)


def _fact_event(account: _Account) -> Event:
    kind = account.fact.message
    facts = {
        "system": kind.system,
        "resource": kind.resource,
        "what": kind.what,
        "count": round(account.count),
        "numbers": account.fact.numbers,
    }
    text = event_words(SENTENCES.server_fact, kind.system, kind.fact)
    return Event.of(account.last_ns, "server_fact", "server_log", text, facts)


def _template_event(template: Template) -> Event:
    facts = {
        "template": template.number,
        "level": template.level,
        "source": template.source,
        "count": template.count,
        # Not the instant of the first: on another host it is by another clock.
        "over_s": (template.last_ns - template.first_ns) / 1e9,
    }
    if template.words == [OTHERS]:
        facts["is_rest"] = True
    return Event(template.last_ns, "log_template", "server_log", template.text, facts)
