"""Sentences of `warm_up` in English, and the sections of its page.

## Signature

A request takes more CPU time, or more time, in the beginning than later at the same load; then it settles.
What goes wrong goes wrong in that beginning.

## Data

CPU time a request and latency step by step; compilation and loading of classes of a JVM.

## Deciding test

The same load once more without a restart: the slow beginning is gone. Each trial of `--prove` starts the
server anew, or warms it up; so it shows nothing of this.

## Guard

A load that falls or a queue that is worked off changes latency as well. A server that gives up on requests
seems to do them for less. The first second or two of any run are of no account, and so is a tail that comes
of them alone. A cost that goes on falling to the end of the run has not settled, and the run was too short.

## Fix

Send some load before it counts (warm-up), make connections and load data at the start, keep what was
compiled (class data sharing, preload_app).
"""


class WarmUpTexts:
    title = "the server was not yet warm"
    no_proof = (
        "the warm-up is over by the time of an experiment; run the same load twice without a"
        " restart in between"
    )
    cpu_time = "CPU time"
    mend = (
        "send some load before it counts (load: {warm_up: 30s}), and open connections and load data at the"
        " start of the server"
    )
    decides = "the same load again without a restart: the slow beginning is gone"
    compiler_worked_times = "its JIT compiler worked {} times as much as later"
    loaded_times_many = "it loaded {} times as many classes as later"
    may_be_another = "its requests cost hardly more CPU time at first: something else may have held them up"

    def as_full_later(self, share: str) -> str:
        return f"it used {share} of the CPU that it may use after that, too: a queue was worked off"

    def request_took_first(self, head: str, word: str, length: str, level: str) -> str:
        return f"a request took {head} of {word} in the first {length}, {level} later"

    def were_closed(self, closed: str, failed: str) -> str:
        return (
            f"{closed} of {failed} requests that failed had their connection closed: a server that is"
            " only slow closes none"
        )

    def after_requests_failed(self, failed_share: str) -> str:
        return f"after that {failed_share} of the requests failed"

    def load_first_later(self, before: str, after: str) -> str:
        return f"the load was {before} at first and {after} later"

    def that_lasted(self, length: str, measured_s: str) -> str:
        return f"the slow beginning lasted {length} of {measured_s}"

    def they_piled_up(self, later: str) -> str:
        return f"{later}, and requests piled up"

    def what_went_wrong(self, share: str, length: str) -> str:
        return f"{share} of the harm was in the first {length}"
