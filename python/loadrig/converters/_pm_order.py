"""Order of a collection's requests where scripts ask for the next one, as conditions of the steps between.

A jump ahead leaves the steps between out, a jump back makes its steps again, and `null` leaves out the rest
of the loop. What a script goes past in any case is no part of the plan.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from loadrig.converters._account import DocumentAccount
from loadrig.converters._clauses import Clauses, NotSaid, as_conditions, negated
from loadrig.converters._draft import StepDraft
from loadrig.converters._pm_steps import SentRequest
from loadrig.converters._pm_variables import PostmanVariables
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.postman import ConvertersPostmanTexts
from loadrig.plan.passages import Conditions, Repeat, When
from loadrig.plan.written import WrittenRequest

TEXTS = texts_of(ConvertersPostmanTexts)


@dataclass(frozen=True, slots=True)
class JumpPlace:
    """Place of a jump's request. first, last: places of the steps of the item that it belongs to."""

    first: int
    last: int


class JumpedSteps:
    """Steps of a plan, whose scripts jump. gone: places of those that are never made."""

    def __init__(self, requests: Sequence[WrittenRequest]) -> None:
        self.requests = list(requests)
        self.gone: set[int] = set()
        self._ranges: list[tuple[int, int, bool]] = []

    def add(self, source: JumpPlace, target: JumpPlace | None, clauses: Clauses) -> bool:
        """Add a jump under clauses. target: None ends the loop. Return whether a plan can say it."""
        end = len(self.requests) if target is None else target.first
        is_back = end <= source.last
        first, last = (end, source.last) if is_back else (source.last + 1, end - 1)
        if not clauses and not is_back:
            return self._go_past(first, last)
        try:
            otherwise = as_conditions(negated(clauses))
        except NotSaid:
            return False
        if not otherwise or not self._fits(first, last, source, is_back=is_back):
            return False
        self._put(first, last, otherwise, is_back=is_back)
        self._ranges.append((first, last, is_back))
        return True

    def _go_past(self, first: int, last: int) -> bool:
        """Leave steps out for good. Return whether nothing else depends on them."""
        around = [
            (begin, end, is_back) for begin, end, is_back in self._ranges if begin <= last and first <= end
        ]
        is_asked = any(not begin < first <= last <= end for begin, end, _ in around)
        if is_asked or any(request.beside for request in self.requests[last + 1 : last + 2]):
            return False
        for begin, end, is_back in around:
            if end == last:
                self._shorten(begin, first - 1, is_back=is_back)
        self.gone |= set(range(first, last + 1))
        return True

    def _shorten(self, first: int, last: int, *, is_back: bool) -> None:
        """Let a passage end before the steps that are left out at its end."""
        step, through = self.requests[first], self.requests[last].name if last > first else None
        if is_back and step.repeat is not None:
            self.requests[first] = replace(step, repeat=replace(step.repeat, through=through))
        elif step.when is not None:
            self.requests[first] = replace(step, when=replace(step.when, through=through))

    def _fits(self, first: int, last: int, source: JumpPlace, *, is_back: bool) -> bool:
        """Return whether a passage can be there: it parts no others, and its script has run before it."""
        step = self.requests[first]
        is_taken = step.repeat is not None if is_back else step.when is not None
        after = self.requests[last + 1 : last + 2]
        parts_others = step.beside or any(request.beside for request in after)
        by_half = any(
            (first < other_first <= last < other_last) or (other_first < first <= other_last < last)
            for other_first, other_last, _ in self._ranges
        )
        left_out = [(begin, end) for begin, end, is_round in self._ranges if not is_round]
        # Where its script has not run, what it decides about is left out, too.
        is_unsure = any(
            begin <= source.last <= end and not begin <= first <= last <= end for begin, end in left_out
        )
        if not is_back:
            left_out.append((first, last))
        is_sure_step = any(
            place not in self.gone and not any(begin <= place <= end for begin, end in left_out)
            for place in range(len(self.requests))
        )
        is_gone = not self.gone.isdisjoint(range(first, last + 1))
        return not (is_taken or parts_others or by_half or is_unsure or is_gone) and is_sure_step

    def _put(self, first: int, last: int, otherwise: Conditions, *, is_back: bool) -> None:
        through = self.requests[last].name if last > first else None
        step = self.requests[first]
        if is_back:
            self.requests[first] = replace(step, repeat=Repeat(until=otherwise, through=through))
        else:
            self.requests[first] = replace(step, when=When(otherwise, through))


def renamed(clauses: Clauses, names: Mapping[str, str]) -> Clauses:
    """Return clauses with other names of their variables."""
    return tuple(
        tuple(replace(part, variable=names[part.variable or ""]) for part in clause) for clause in clauses
    )


def jumped_steps(
    requests: Sequence[SentRequest], variables: PostmanVariables, account: DocumentAccount
) -> Iterator[StepDraft]:
    """Yield the steps, with what their scripts ask for next; note what a plan cannot say."""
    places: dict[int, JumpPlace] = {}
    for number, sent in enumerate(requests):
        first = places[sent.item].first if sent.item in places else number
        places[sent.item] = JumpPlace(first, number)
    jumped = JumpedSteps([sent.step.request for sent in requests])
    asked = {jump.target for sent in requests for jump in sent.jumps} - {None}
    for number, sent in enumerate(requests):
        names: dict[str, str] = {}
        for jump in sent.jumps if number not in jumped.gone else ():
            account.place, account.order = sent.step.request.name or "", sent.step.order
            used = {part.variable or "" for clause in jump.clauses for part in clause}
            targets = [other.item for other in requests if jump.target in other.titles]
            target = places[targets[0]] if targets else None
            end = target.first if target else len(requests)
            if end == places[sent.item].last + 1:
                account.carry(TEXTS.jumps, 1)  # that request is the next one anyway
                continue
            is_asked = any(asked.intersection(other.titles) for other in requests[number + 1 : end])
            names |= {name: variables.own(name) for name in sorted(used - names.keys())}
            is_plain = (jump.target is None or len(targets) == 1) and not (is_asked and not jump.clauses)
            if not is_plain or not jumped.add(places[sent.item], target, renamed(jump.clauses, names)):
                account.drop(jump.text, TEXTS.other_order)
                continue
            extracts = {names[name]: jump.places[name] for name in sorted(used)}
            step = jumped.requests[number]
            jumped.requests[number] = replace(step, extract={**step.extract, **extracts})
            account.carry(TEXTS.jumps, 1)
            if any(place.part is None for place in extracts.values()):
                account.alter(jump.text, TEXTS.decided_by_body)
    for number, (sent, request) in enumerate(zip(requests, jumped.requests, strict=True)):
        if number in jumped.gone:
            account.place, account.order = request.name or "", sent.step.order
            account.drop(TEXTS.request, TEXTS.gone_past)
        else:
            yield replace(sent.step, request=request)
