"""Sentences of the room `converters` in English: what became of a test's parts."""


class ConvertersTexts:
    allowed_as_named = "hosts that the test names; take out what you may not load"
    further = "further on"
    shown_by_json = "loadrig import FILE --json lists them"
    further_servers = "further servers"
    requests = "requests"
    whole_test = "the test as a whole"
    no_such_method = "a plan has no request of this method"
    no_http_url = "that is no URL of HTTP with a host and a path of UTF-8"
    own_header = "loadrig writes this header itself"
    no_header = "that is no header"
    headers_joined = "values of the same name are one header, with commas"

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

    def header(self, name: str) -> str:
        return f"header {name}"

    def too_many_servers(self, most: int) -> str:
        return f"a plan has at most {most} servers beside the target"

    def list_too_long(self, most: int) -> str:
        return f"a list may have {most:,} requests"

    def too_many(self, most: int) -> str:
        return f"a plan has {most:,} different requests at most"
