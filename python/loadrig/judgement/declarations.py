"""Declarations of every cause, read from its file by type; nobody else knows how they are named there."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, get_args

from loadrig.base import members
from loadrig.judgement.cause import About, Law, OwnWords, Proof, speaks_of
from loadrig.judgement.evidence import Hypothesis, Wording
from loadrig.language.member_pages import page

if TYPE_CHECKING:
    from loadrig.judgement.facts.case import Case
    from loadrig.judgement.facts.tier import Tier
    from loadrig.judgement.limits.holders import Holder
    from loadrig.judgement.limits.kinds import Resource

ROOM = "loadrig.judgement.causes"

Heading = Literal["Signature", "Data", "Deciding test", "Guard", "Fix"]
HEADINGS: tuple[Heading, ...] = get_args(Heading)
"""Headings of a cause's page, in their order, which is the same in every language."""

Occasion = Literal["examine", "where_nothing_is_wrong", "where_nothing_stands"]
"""Function of a cause that is asked for its claims: always; for what could be better in a trial in which
nothing is wrong; for what may be behind a harm that nothing else accounts for."""


def cause_of(name: str) -> "Cause":
    """Return a cause by its name. Raises KeyError with the nearest name if there is none."""
    return Cause(name, members.load(ROOM, name))


def causes() -> "Iterator[Cause]":
    """Yield every cause, in the order of their names."""
    return (cause_of(name) for name in members.names(ROOM))


def about_of(name: str) -> About:
    """Return what a cause is about."""
    return cause_of(name).about


@dataclass(frozen=True, slots=True)
class Cause:
    """Cause, as its file declares it: data that may be left out, and functions that may be left out."""

    name: str
    _file: ModuleType

    @property
    def about(self) -> About:
        """Resource that it is about, and how that is short."""
        about: About = self._file.ABOUT
        return about

    @property
    def texts(self) -> Any:
        """Sentences of its own, `title` among them, in the language of the reader."""
        return self._file.TEXTS

    @property
    def title(self) -> str:
        """Clause that follows "Likely: "."""
        title: str = self._file.TEXTS.title
        return title

    def first_of_page(self, heading: Heading) -> str:
        """Return the first sentence below a heading of its page, as a clause."""
        first = self.below(heading).partition(". ")[0].rstrip(".")
        is_word = first[1:2].islower()
        return first[:1].lower() + first[1:] if is_word else first

    def below(self, heading: Heading) -> str:
        """Return what its page says below a heading, on one line, in the language of the reader."""
        sections = dict(zip(HEADINGS, page("cause", ROOM, self.name).split("\n## ")[1:], strict=False))
        return " ".join(sections.get(heading, "").partition("\n")[2].split())

    @property
    def is_of_the_rig(self) -> bool:
        """Whether it lies in the rig itself and not in the server."""
        return bool(self._declared("OF_THE_RIG", False))

    def law_of(self, detail: str) -> Law | None:
        """Return the law of the gain for a finding with this detail; None where none is foretold."""
        law: Law | None = self._declared("GAIN", None)
        return law if law is not None and speaks_of(law.of, detail) else None

    def proofs_of(self, detail: str | None = None) -> tuple[Proof, ...]:
        """Return the experiments that decide about it; empty where no experiment of loadrig does.

        detail: detail of the finding, where it is known; it leaves out experiments that are for other kinds
        of the cause.
        """
        every: tuple[Proof, ...] = self._declared("PROOFS", ())
        return tuple(proof for proof in every if detail is None or speaks_of(proof.of, detail))

    @property
    def is_provable(self) -> bool:
        """Whether an experiment proves the cause itself, and not only that its resource is the limit."""
        return any(proof.is_own for proof in self.proofs_of())

    @property
    def why_no_proof(self) -> str:
        """Reason why no experiment of loadrig decides about it, as a clause; empty where one does."""
        return str(getattr(self.texts, "no_proof", ""))

    @property
    def own_words(self) -> tuple[OwnWords, ...]:
        """Lines of logs that speak for it."""
        lines: tuple[OwnWords, ...] = self._declared("OWN_WORDS", ())
        return lines

    def own_words_apply(self, case: "Case", component: str) -> bool:
        """Return whether such lines can accuse a component, as far as the cause knows."""
        apply = self._declared("own_words_apply", None)
        return apply is None or bool(apply(case, component))

    @property
    def signals(self) -> tuple[str, ...]:
        """Series of the events that it blames, PROBE.METRIC, best first; empty where it blames none."""
        return tuple(self._declared("SIGNALS", ()))

    @property
    def signal(self) -> str:
        """Name of those events."""
        return str(self._file.SIGNAL)

    def comes_in_bursts(self, detail: str) -> bool:
        """Return whether its kind with this detail does what it does in bursts, with calm between them."""
        return detail in self._declared("IN_BURSTS", ())

    @property
    def shows_in(self) -> str | None:
        """Only measure that shows what it does, "dips" or "growth"; None where the mean does."""
        measure: str | None = self._declared("SHOWS_IN", None)
        return measure

    @property
    def unseen_in(self) -> Mapping[str, Collection[str]]:
        """Causes that look the same without a profile, by the kind of this cause."""
        lookalikes: Mapping[str, Collection[str]] = self._declared("UNSEEN_IN", {})
        return lookalikes

    def fits(self, tier: "Tier") -> bool:
        """Return whether it can be said of the slots of a program, besides what ABOUT asks."""
        fits = self._declared("fits", None)
        return fits is None or bool(fits(tier))

    def claims(self, case: "Case", when: Occasion = "examine") -> list[Hypothesis]:
        """Return what it claims of a trial by signs of its own; nothing if it is seen from its resource."""
        examine = self._declared(when, None)
        return [] if examine is None else list(examine(case))

    def wording(self, case: "Case", tier: "Tier", resource: "Resource") -> Wording:
        """Return its words for its resource, which is full."""
        wording: Callable[..., Wording] | None = self._declared("wording", None)
        return Wording() if wording is None else wording(case, tier, resource)

    def wording_of_holder(self, case: "Case", holder: "Holder") -> Wording:
        """Return its words for a holder of a resource."""
        wording: Callable[..., Wording] | None = self._declared("wording_of_holder", None)
        return Wording(mend=holder.mend) if wording is None else wording(case, holder)

    @property
    def has_words_of_holder(self) -> bool:
        """Whether it is known by who holds a resource, and needs no signs."""
        return hasattr(self._file, "wording_of_holder")

    def _declared(self, name: str, otherwise: object) -> Any:
        return getattr(self._file, name, otherwise)
