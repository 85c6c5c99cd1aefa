"""Sentences of `too_few_workers` in English, and the sections of its page.

## Signature

More requests are in flight than the server has slots (workers × threads), the rest wait at its listener or
in its queue; CPU stands idle; each request takes as long as it takes alone, once it has a slot.

## Data

Settings (`--workers`, `--threads`, Tomcat's threads), busy threads, connections that wait to be accepted,
requests in flight, throughput × the time of a request alone (what is really worked on at once), CPU time.

## Deciding test

`--prove` starts more workers or threads, in turns, where these are knobs: throughput rises by nearly as much.
A delay in front of what it asks lowers throughput where slots are short, and hardly where the CPU is.

## Guard

Busy workers that wait for something that is used up (a database, a pool, a lock) are a symptom: they take
longer under load than alone, and more of them would only wait together. A process that is full of CPU with
several threads is the interpreter lock. Sync workers that mostly wait, and are already as many as gunicorn
advises (2 × cores + 1, 4 at least), call for another worker class rather than for more of them.

## Fix

More workers or threads, up to what CPU and memory bear.
"""


class TooFewWorkersTexts:
    title = "all workers are busy while the CPU has room"
    decides = "a quarter more workers or threads: if this is the cause, throughput rises by nearly as much"

    def workers_or_threads(self, number: str) -> str:
        return f"{number} worker or thread" if number == "1" else f"{number} workers or threads"

    def connections_waited_listener(self, mean: str) -> str:
        return f"{mean} connections waited to be accepted"

    def effect(self, waiting: str, slots_text: str, ok_rps: str) -> str:
        return f"{waiting} requests waited for {slots_text}; throughput stops at {ok_rps}/s"

    def more_them(self, more: str) -> str:
        return f"more workers: {more}"
