class KeepAliveMismatchTexts:
    """Sentences about connections that are closed just when they are used again."""

    title = "connections are closed just when they are used again"
    no_proof = (
        "its time-out is a setting of the program; raise it above that of its callers, and run the same load"
    )
    no_process_ended = "no process of it ended meanwhile"
    mend = "a longer keep-alive time-out than that of who calls it (keepAliveTimeout, --keep-alive)"
    decides = "the same load with a longer keep-alive time-out: none is lost"

    def closed_before_answer(self, number: str) -> str:
        return f"{number} requests were sent on connections that were closed before any answer"

    def processes_ended(self, number: str) -> str:
        return f"{number} processes of it ended"

    def requests_failed(self, share: str) -> str:
        return f"{share} of all requests failed"
