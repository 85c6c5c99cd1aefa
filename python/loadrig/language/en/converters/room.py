"""Sentences of the room `converters` in English: what became of a test's parts."""


class ConvertersTexts:
    """Sentences of `converters`."""

    allowed_as_named = "hosts that the test names; take out what you may not load"
    further = "further on"
    shown_by_json = "loadrig import FILE --json lists them"

    def at_line(self, number: int) -> str:
        return f"line {number}"

    def made_of(self, origin: str) -> str:
        return f"Made by `loadrig import` of {origin}."

    def carried(self, parts: str) -> str:
        return f"Carried: {parts}."

    def altered_and_dropped(self, altered: int, dropped: int) -> str:
        return f"Altered: {altered:,}. Dropped: {dropped:,}."

    def dropped(self, place: str, what: str, why: str) -> str:
        return f"{place}: {what}, dropped: {why}"

    def altered(self, place: str, what: str, how: str) -> str:
        return f"{place}: {what}, altered: {how}"

    def parts(self, count: int) -> str:
        return f"{count:,} more parts"
