"""Sentences of `worker_class` in English, and the sections of its page.

## Signature

Workers of class sync, all of them taken, using little CPU each: they wait for something slow (a database, a
call elsewhere, a slow client), and while they wait they serve nobody else.

## Data

The worker class and number of workers (`-k`, sync where it is left out and `--threads` is not above 1), CPU
time of a worker, requests in flight, connections that wait at the listener.

## Deciding test

`--prove` gives sync workers threads (which makes them gthread), or takes another class, in turns, where these
are knobs: throughput rises several times.

## Guard

Few sync workers lack workers first: below 2 × cores + 1, or 4 (gunicorn's advice), the cause is called
`too_few_workers`, and this is its other name; above it, it is the class. Workers that compute are not helped
by another class. Workers that all wait for a dependency which is used up are that dependency's symptom.

## Fix

`-k gthread --threads 8`, or an asynchronous class where all that it calls is asynchronous too; a proxy in
front that takes slow clients away.
"""


class WorkerClassTexts:
    title = "sync workers serve no other request while they wait"
    mend = "-k gthread --threads 8: each process serves eight requests at the same time"
    decides = "the same load with -k gthread --threads 8, in turn with sync"

    def effect(self, waiting: str, text: str, cpu_each: str, ok_rps: str) -> str:
        return (
            f"{waiting} requests waited for {text}, which use {cpu_each} of a core each; throughput"
            f" stops at {ok_rps}/s"
        )
