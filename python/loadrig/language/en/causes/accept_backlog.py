class AcceptBacklogTexts:
    """Sentences of `causes.accept_backlog`."""

    title = "connections are turned away: the accept queue is full"
    another_listener_queue = "another listener's queue was fuller"
    nobody_turned_away = "nobody was turned away"
    whether_connections_turned = (
        "whether connections were turned away was not read: nstat -az TcpExtListenOverflows"
    )
    queue_full_most = (
        "the queue was full most of the time: it is served too slowly, and a longer one only waits longer"
    )
    listen_backlog = "listen() with a backlog of"
    requests_got_no = "{} requests got no connection in time"
    decides = (
        "a backlog ten times as long (and net.core.somaxconn): the drops go; if throughput stays, it is the"
        " workers"
    )

    def kernel_turned_connections(self, away: str) -> str:
        return f"the kernel turned {away} connections away"

    def connections_waited_accepted(self, peak: str, backlog: str) -> str:
        return f"{peak} connections waited to be accepted, of {backlog} that may"

    def whether_more_did(self, seen: str) -> str:
        return f"{seen}; whether more did between two looks was not seen (probe_every: 200ms)"

    def used_cpu_accepts(self, name: str, word: str) -> str:
        return f"{name} used {word} of its CPU: it accepts late"

    def effect(self, away: str, name: str, backlog: str) -> str:
        return f"{away} attempts to connect to {name} were turned away, with a backlog of {backlog}"

    def mend(self, option: str, longer: str) -> str:
        return (
            f"more workers if they are all busy; {option} {longer} and sysctl -w net.core.somaxconn={longer}"
        )

    def turned_away_requests(self, away: str, total: str) -> str:
        return f"{away} turned away, {total} requests sent"

    def slowest_answers_took(self, latency_s: str, mode_s: str) -> str:
        return f"the slowest answers took {latency_s}: a client turned away tries again after {mode_s}"
