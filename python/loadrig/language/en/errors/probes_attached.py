from loadrig.base.error_words import ErrorWords


class ProbesAttachedErrors:
    """Errors of `probes._attached`: what becomes of probes while a run goes on."""

    def probe_off(self, probe: str, reason: str, mend: str) -> str:
        return f"probe {probe} is off: {reason}; {mend}"

    def nothing_seen(self, probe: str, component: str, reason: str, mend: str) -> str:
        return f"probe {probe} sees nothing of {component}: {reason}; {mend}"

    def seen_again(self, probe: str, component: str, seconds: str) -> str:
        return f"probe {probe} sees {component} again, after {seconds} s"

    def probe_failed(self, probe: str, kind: str, error: str) -> ErrorWords:
        return ErrorWords(
            what=f"probe {probe} failed and was detached: {kind}: {error}",
            mend="switch it off in the plan by `unwatched`; please report it with the trace in events.jsonl",
        )
