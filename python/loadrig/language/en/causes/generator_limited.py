"""Sentences of `generator_limited` in English, and the sections of its page.

## Signature

A check on the rig says so: it did not send what was due, arrivals met its own cap, or its core was full. That
it was late or had no core for a while disturbs a trial, and makes it no limit.

## Data

The generator's testimony and what was seen of it from outside (checks G1 to G14).

## Deciding test

A second generator, or more cores for this one: throughput rises though the server is the same. It accuses
the rig, so `--prove` has nothing to change about the server.

## Guard

A closed load with few users is not a limit of the generator: it was asked for no more.

## Fix

More generator threads or cores, a lower rate, or the server on other cores than the generator.
"""


class GeneratorLimitedTexts:
    title = "the generator was the limit"
    no_proof = (
        "the suspect is the generator; repeat the run with more generator threads, or from another machine"
    )
    kept_busy = "every connection waited for the server: more connections would wait as well"
    mend = "give the generator a core of its own or more threads (trial: {threads: 2}), or request less load"
    decides = "the same load from more generator threads, or from another machine"

    def effect(self, text: str, failed_share: str) -> str:
        return f"{text}; {failed_share} of the requests failed"
