"""Sentences of `labs` in English: whether a diagnosis names what a lab is known to have."""

from collections.abc import Mapping
from typing import ClassVar


class LabsTruthTexts:
    either = " or "
    no_trial = "no trial was good enough to be diagnosed"
    verdicts: ClassVar[Mapping[str, str]] = {verdict: verdict for verdict in ("possible", "likely", "named")}

    def accused_of_nothing(self, accused: str) -> str:
        return f"nothing is wrong, and {accused} was accused"

    def nobody_accused(self, sentence: str) -> str:
        return f"nobody is accused; {sentence}"

    def not_found(self, wanted: str, sentence: str) -> str:
        return f"it is {wanted}, and was not found: {sentence}"

    def came_later(self, place: int) -> str:
        return f", which came {({2: 'second', 3: 'third'}).get(place, f'in place {place}')}"

    def other_first(self, wanted: str, later: str, first: str) -> str:
        return f"it is {wanted}{later}; {first} came first"

    def found_elsewhere(self, wanted: str, component: str) -> str:
        return f"it is {wanted}; it was found in {component}"

    def only(self, first: str, verdict: str) -> str:
        return f"{first} came first, but is only {self.verdicts.get(verdict, verdict)}"

    def innocent_accused(self, innocent: str) -> str:
        return f"{innocent} is innocent, and was accused"

    def came_first(self, first: str, verdict: str) -> str:
        return f"{first} came first, {self.verdicts.get(verdict, verdict)}"

    def of_trials(self, number: str, trials: str) -> str:
        return f" ({number} of {trials} trials)"

    def lies_in(self, causes: str, components: str) -> str:
        return f"{causes} in {components}"
