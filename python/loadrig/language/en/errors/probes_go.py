"""Errors of `probes.go` and `probes._go` in English."""

from loadrig.base.error_words import ErrorWords


class ProbesGoErrors:
    def not_here(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"{component} is not on this machine",
            mend="name its pages: `- go: {pprof: URL}` under probes",
        )

    def either(self, place: str, other: str) -> str:
        return f"{place} or {other}"

    def no_pages(self, places: str) -> ErrorWords:
        return ErrorWords(
            what=(
                f"no page of its own figures was found at {places}: goroutines, heap and collections are not"
                " seen"
            ),
            mend=(
                'add `import _ "net/http/pprof"` to the program, or name the page: `- go: {pprof: URL}` under'
                " probes"
            ),
        )

    def only_outside(self, component: str, reason: str, mend: str) -> str:
        return f"probe go sees {component} only from outside: {reason}; {mend}"


class ProbesGoPagesErrors:
    def no_longer_go(self, page: str) -> ErrorWords:
        return ErrorWords(
            what=f"{page} no longer shows the figures of a Go program", mend="look what listens there now"
        )
