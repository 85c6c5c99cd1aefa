"""What a component's logs have said so far, and what of it is due to be told."""

from dataclasses import dataclass, field

from loadrig.base import known_secrets
from loadrig.base.series import Event
from loadrig.probes._logs.known import Fact, fact_in
from loadrig.probes._logs.lines import Line
from loadrig.probes._logs.templates import OTHERS, Template, Templates

FACT_SHARE = 1 / 300
"""Of its age, after which a fact is told again: each second in the first five minutes, then ever less often,
so that a line of each second takes 300 events for each factor of 2.7 in time and not 3,600 an hour."""

TEMPLATE_SHARE = 1.0
"""The same for templates, of which only the count matters: each time that they have become twice as old."""


@dataclass(slots=True)
class _Account:
    """Facts of one kind. count: since it was last told."""

    fact: Fact
    first_ns: int
    last_ns: int
    told_ns: int = 0
    count: int = 0
    in_all: int = 0


@dataclass(slots=True)
class Telling:
    """Templates and facts of one component, as events."""

    templates: Templates
    facts: dict[tuple[str, str, str], _Account] = field(default_factory=dict)

    def add(self, line: Line, source: str, t_ns: int) -> Fact | None:
        """Count a line. Returns the fact that it tells."""
        fact = fact_in(line.text)
        if fact is not None:
            key = (fact.known.system, fact.known.resource, fact.known.what)
            account = self.facts.setdefault(key, _Account(fact, t_ns, t_ns))
            account.fact, account.last_ns = fact, t_ns
            account.count += 1
            account.in_all += 1
        if line.kind == "text":
            # Before holes are made in it: what is written is searched again, but for whole values.
            self.templates.add(known_secrets.hidden(line.text), line.level, source, t_ns)
        return fact

    def due(self, t_ns: int, *, is_end: bool = False) -> list[Event]:
        """Events of what is new, and of what was told long enough ago. is_end: of all that is left."""
        happened = []
        for account in self.facts.values():
            if account.count and (is_end or _is_due(t_ns, account.first_ns, account.told_ns, FACT_SHARE)):
                happened.append(_of_fact(account))
                account.count, account.told_ns = 0, t_ns
        for template in self.templates.all:
            is_new = template.count > template.told
            if is_new and (is_end or _is_due(t_ns, template.first_ns, template.told_ns, TEMPLATE_SHARE)):
                happened.append(_of_template(template))
                template.told, template.told_ns = template.count, t_ns
        return happened


def _is_due(t_ns: int, first_ns: int, told_ns: int, share: float) -> bool:
    return not told_ns or t_ns - told_ns >= share * (told_ns - first_ns)


def _of_fact(account: _Account) -> Event:
    known = account.fact.known
    facts = {
        "system": known.system,
        "resource": known.resource,
        "what": known.what,
        "count": account.count,
        "numbers": account.fact.numbers,
    }
    return Event(account.last_ns, "server_fact", "server_log", f"{known.system}: {known.sentence}", facts)


def _of_template(template: Template) -> Event:
    facts = {
        "template": template.number,
        "level": template.level,
        "source": template.source,
        "count": template.count,
        # Not the instant of the first: on another host that is one of another clock.
        "over_s": (template.last_ns - template.first_ns) / 1e9,
    }
    if template.words == [OTHERS]:
        facts["is_rest"] = True
    return Event(template.last_ns, "log_template", "server_log", template.text, facts)
