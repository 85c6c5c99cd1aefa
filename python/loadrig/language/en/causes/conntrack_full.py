class ConntrackFullTexts:
    """Sentences of `causes.conntrack_full`."""

    title = "the table of tracked connections is full"
    no_proof = (
        "the table is one for the whole machine; double net.netfilter.nf_conntrack_max by hand and run it"
        " again"
    )
    segments_sent_again = "{} segments were sent again, as those of new connections are"
    decides = "the same load with nf_conntrack_max doubled: failures go, or come later"
    whether_connecting_failed = (
        "whether connecting failed was not read: nstat -az TcpAttemptFails TcpRetransSegs"
    )

    def connections_may_tracked(self, peak: str) -> str:
        return f"{peak} of the connections that may be tracked were"

    def entries(self, peak: str) -> str:
        return f": {peak} entries"

    def effect(self, count: str, ok_rps: str) -> str:
        return f"new connections were dropped: {count} requests failed, and {ok_rps}/s were answered well"

    def requests_failed_want(self, lost: str) -> str:
        return f"{lost} requests failed for want of a connection or an answer"

    def attempts_failed_or(self, count: str) -> str:
        return f"{count} attempts failed or were tried again"
