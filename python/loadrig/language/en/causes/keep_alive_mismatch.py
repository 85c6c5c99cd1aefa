"""Sentences of `keep_alive_mismatch` in English."""


class KeepAliveMismatchTexts:
    """Sentences about connections that are closed just when they are used again."""

    title = "the server closes kept connections just when they are used again"
    no_proof = (
        "the time-out is a setting of the program; raise it above that of its callers, and repeat the run"
    )
    no_process_ended = "none of its processes ended meanwhile"
    mend = "a keep-alive time-out longer than that of its callers (keepAliveTimeout, --keep-alive)"
    decides = "the same load with a longer keep-alive time-out: no request is lost"

    def closed_before_answer(self, number: str) -> str:
        return f"{number} requests were sent on connections that were closed before any answer"

    def processes_ended(self, number: str) -> str:
        return f"{number} of its processes ended"

    def requests_failed(self, share: str) -> str:
        return f"{share} of all requests failed"

    def in_a_crowd(self, share: str) -> str:
        return f"{share} of these failed while far more requests than usual were in flight: none was idle"
