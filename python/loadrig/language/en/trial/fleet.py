"""Sentences of `fleet` in English, a class for each of its files."""


class TrialCheckFleetTexts:
    mend_lost = "look at that host, and run it again"
    mend_start = "look at what keeps that host busy, or at the way to it"
    mend_slow = "give that generator cores of its own, or have more generators"
    mend_short = "have more hosts, or let connections be used again"

    def several_logins(self, users: str, times: str, threads: str) -> str:
        return (
            f"each user may log in {times} times, once in every generator thread that makes its requests"
            f" (identities: {users}, threads of all generators: {threads})"
        )

    def mend_logins(self, multiple: str) -> str:
        return f"set `identities: {multiple}`, a multiple of the threads, so that each user logs in once"

    def others(self, count: int) -> str:
        return f"; {count} more {'has' if count == 1 else 'have'} the same fault"

    def lost(self, name: str, seconds: str, how: str) -> str:
        how = f"generator {name} was lost after {seconds} s ({how})"
        return f"{how}: the load was ended, and what came before is judged"

    def taken_over(self, name: str, seconds: str, until: str, how: str, missed: str, unanswered: str) -> str:
        how = (
            f"generator {name} was lost after {seconds} s ({how}), and a fresh one took over after {until} s"
        )
        return f"{how}: {missed} requests that were due meanwhile are unsent, {unanswered} have no answer"

    def late_start(self, name: str, late: str, limit: str) -> str:
        return f"generator {name} may have started {late} after the others (disturbs above {limit})"

    def late_order(self, took: str, frame: str) -> str:
        return f"an order took {took} to reach all generators (disturbs above one frame, {frame})"

    def late(self, name: str, lag: str, limit: str) -> str:
        return f"generator {name} was {lag} late (p99) in taking requests up ({limit})"

    def busy(self, name: str, share: str, limit: str) -> str:
        return f"the busiest thread of generator {name} was on a core {share} of the time ({limit})"

    def starved(self, name: str, share: str, limit: str) -> str:
        return f"the threads of generator {name} waited for a core {share} of the time ({limit})"

    def short_of_ports(self, name: str, share: str, limit: str) -> str:
        return f"generator {name} used {share} of the local ports of its host (disturbs above {limit})"

    def out_of(self, name: str, requests: str) -> str:
        return (
            f"generator {name} ran out of local ports or file descriptors: {requests} requests failed of it"
        )
