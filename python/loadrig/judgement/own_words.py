"""Evidence for causes that a server tells itself, in its log and in failed answers.

A pool that gives up, a database that takes no more clients, a worker that is killed: the program that knows
it says so. A cause's file declares as OWN_WORDS which of these lines speak for it, and whom they accuse.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from loadrig.base.component import SERVER
from loadrig.base.series import Event
from loadrig.base.units import show_number
from loadrig.judgement.cause import Accused
from loadrig.judgement.constants import NO_CHANCE
from loadrig.judgement.declarations import Cause
from loadrig.judgement.evidence import STRONG, EventSource, Evidence, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import DATABASES, PROXIES, Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.judgement import JudgementOwnWordsTexts
from loadrig.language.en.log_mends import LogMendTexts
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._logs.known import Fact, fact_in
from loadrig.recording.event_facts import StatedFacts, facts_of
from loadrig.recording.frame import Frame

TEXTS, MENDS = texts_of(JudgementOwnWordsTexts), texts_of(LogMendTexts)

DNS = "dns"
"""Component that is accused where questions for names are slow or fail: it may be on any machine."""

OF_FAILED = 0.1
"""Lines over requests that failed, from which on they may be why requests fail: a server may say only some of
them, and a few lines of another kind stand in any log."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Line that was said so many times under load, by a component about a system. text: what it means."""

    speaker: str
    system: str
    resource: str
    what: str
    text: str
    count: int

    @property
    def source(self) -> EventSource:
        """Source that a sentence about it links to."""
        return EventSource(self.speaker, "server_fact", self.count)


ANSWERED = "http_5xx"
"""Outcome whose answers say what the server itself met."""


HTTP_CLIENTS = frozenset(
    {
        "aiohttp", "axios", "curl", "go", "haproxy", "httpx", "java-http", "net-http", "netty", "nginx",
        "reqwest", "undici", "urllib3",
    }
)  # fmt: skip
"""Systems that speak of programs which they call by HTTP, and of no database."""


def events_of_answers(frames: Iterable[Frame]) -> Iterator[Event]:
    """Yield what failed answers say in known lines, as the events of a log do; their bodies are its lines.

    A server that says nothing in its log often passes the error on to who asked. Of each kind of failure a
    few answers are kept: all others are taken for as many as their share among these.
    """
    answers, by_kind, failed = 0, dict[tuple[str, str, str], tuple[Fact, int, int]](), 0
    for frame in frames:
        failed += sum(row.count for row in frame.routes if row.outcome == ANSWERED)
        for example in frame.examples:
            if example.outcome != ANSWERED:
                continue
            answers += 1
            fact = fact_in(example.detail)
            if fact is not None:
                key = (fact.message.system, fact.message.resource, fact.message.what)
                by_kind[key] = (fact, by_kind.get(key, (fact, 0, 0))[1] + 1, example.t_ns)
    for (system, resource, what), (fact, number, t_ns) in by_kind.items():
        count = round(failed * number / answers)
        facts = {
            "system": system,
            "resource": resource,
            "what": what,
            "count": count,
            "numbers": fact.numbers,
        }
        text = event_words(SENTENCES.server_fact, system, fact.message.fact)
        yield Event.of(t_ns, "server_fact", "answers", text, facts, SERVER)


def spoken(case: Case) -> tuple[Spoken, ...]:
    """Return what was said under load, each thing once, with the number of its lines."""
    lines: dict[tuple[str, str], list[StatedFacts]] = {}
    for event in case.events_of("server_fact", is_measured=False):
        lines.setdefault((event.component, event.text), []).append(facts_of(event, StatedFacts))
    return tuple(
        Spoken(
            speaker, facts[0].system, facts[0].resource, facts[0].what, text,
            sum(stated.count or 0 for stated in facts),
        )
        for (speaker, text), facts in lines.items()
    )  # fmt: skip


def with_own_words(case: Case, cause: Cause, hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Return the hypotheses of a cause with what servers said for it; of whom there is none, a new one.

    What was said stands for signs that could not be seen; signs that were seen to be wrong stay wrong.
    """
    supported = list(hypotheses)
    for component, words in _speaking(case, cause):
        text = TEXTS.so_times(words.text, words.speaker, show_number(words.count))
        evidence = Evidence(text, words.source, STRONG)
        place = next((i for i, other in enumerate(supported) if other.component == component), None)
        if place is None:
            supported.append(_new(cause, component, words, evidence))
        else:
            hypothesis = supported[place]
            signs = tuple(sign for sign in hypothesis.signs if sign.holds is not None)
            supported[place] = replace(hypothesis, signs=signs, more=(*hypothesis.more, evidence))
    return supported


def _speaking(case: Case, cause: Cause) -> Iterator[tuple[str, Spoken]]:
    """Yield what was said for a cause often enough, with the component that it accuses."""
    if not cause.own_words:
        return
    enough = max(NO_CHANCE, OF_FAILED * case.load.total(case.load.failed))
    for line in spoken(case):
        for words in cause.own_words:
            if line.resource != words.resource or line.what not in words.what:
                continue
            if words.systems and line.system not in words.systems:
                continue
            component = _accused(case, line, words.accused)
            is_enough = words.is_once or line.count >= enough
            if component and is_enough and cause.own_words_apply(case, component):
                yield component, line
                break


def _accused(case: Case, line: Spoken, accused: Accused) -> str:
    """Return the component that a line accuses; empty where that is not known."""
    if accused == "names":
        return DNS
    speaker = _first_to_say(case.tiers.get(line.speaker), line.system)
    if speaker is None:
        return line.speaker
    if accused == "speaker":
        return speaker.name
    is_of_itself = speaker.kind == line.system and (speaker.is_database or not speaker.callees)
    if not is_of_itself and not _may_be_asked(speaker, line.system):
        return ""
    if accused == "asker":
        return (speaker.callers[0].name if speaker.callers else "") if is_of_itself else speaker.name
    if is_of_itself:
        return speaker.name
    return _asked(speaker, line.system)


def _first_to_say(speaker: Tier | None, system: str) -> Tier | None:
    """Return whose words a component passes on: a proxy's answers are those of the one program behind it."""
    while speaker is not None and speaker.kind in PROXIES and speaker.kind != system:
        behind = [callee for callee in speaker.callees if not callee.is_store]
        if len(behind) != 1:
            break
        [speaker] = behind
    return speaker


def _may_be_asked(speaker: Tier, system: str) -> bool:
    """Return whether a program may ask a database of which a line speaks: it asks one, or who knows whom."""
    if system not in DATABASES or not speaker.callees:
        return True
    return any(callee.is_database or callee.kind == "program" for callee in speaker.callees)


def _asked(speaker: Tier, system: str) -> str:
    """Return the dependency that a library speaks of; empty where it may be one of several kinds."""
    callees = speaker.callees
    if system in HTTP_CLIENTS:
        asked = [callee for callee in callees if not callee.is_store]
    else:
        asked = [callee for callee in callees if callee.kind[:5] in system.removeprefix("node-")] or callees
    kinds = {callee.kind for callee in asked}
    # Several servers of one kind are set alike, so what is wrong with one is wrong with all.
    is_alike = len(kinds) == 1 and kinds != {"program"}
    return asked[0].name if len(asked) == 1 or is_alike else ""


def _new(cause: Cause, component: str, words: Spoken, evidence: Evidence) -> Hypothesis:
    of_program = MENDS.mends.get(f"{words.system}.{words.resource}.{words.what}")
    return Hypothesis(
        component=component,
        signs=(Sign(True, evidence.text, evidence.source, STRONG),),
        effect=evidence.text,
        mend=of_program or cause.first_of_page("Fix"),
        decides=cause.first_of_page("Deciding test"),
    )
