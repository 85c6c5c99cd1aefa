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

    def lost(self, who: str, seconds: str, how: str) -> str:
        how = f"generator {who} was lost after {seconds} s ({how})"
        return f"{how}: the load was ended, and what came before is judged"

    def taken_over(self, who: str, seconds: str, until: str, how: str, missed: str, unanswered: str) -> str:
        how = f"generator {who} was lost after {seconds} s ({how}), and a fresh one took over after {until} s"
        return f"{how}: {missed} requests that were due meanwhile are unsent, {unanswered} have no answer"

    def late_start(self, who: str, late: str, limit: str) -> str:
        return f"generator {who} may have started {late} after the others (disturbs above {limit})"

    def late_order(self, took: str, frame: str) -> str:
        return f"an order took {took} to reach all generators (disturbs above one frame, {frame})"

    def late(self, who: str, lag: str, limit: str) -> str:
        return f"generator {who} was {lag} late (p99) in taking requests up ({limit})"

    def busy(self, who: str, share: str, limit: str) -> str:
        return f"the busiest thread of generator {who} was on a core {share} of the time ({limit})"

    def starved(self, who: str, share: str, limit: str) -> str:
        return f"the threads of generator {who} waited for a core {share} of the time ({limit})"

    def short_of_ports(self, who: str, share: str, limit: str) -> str:
        return f"generator {who} used {share} of the local ports of its host (disturbs above {limit})"

    def out_of(self, who: str, requests: str) -> str:
        return f"generator {who} ran out of local ports or file descriptors: {requests} requests failed of it"
