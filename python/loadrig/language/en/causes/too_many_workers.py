"""Sentences of `too_many_workers` in English, and the sections of its page.

## Signature

The cores are used up; several times as many threads as cores want to run at once, and much of the CPU time
goes to starting workers, or to the kernel that switches between them. Or more workers want a core than
there are requests: each new connection wakes all that wait at the listener, and all but one find nothing.
Or requests cost far more CPU time than the fastest of them took in all: each worker finds its caches cold
when its turn comes.

## Data

Threads that run or could run, requests in flight, workers, context switches, the kernel's part of the
CPU time, a profile, the fastest answers.

## Deciding test

`--prove` starts fewer workers or threads, in turns, where these are knobs: throughput is higher, or the tail
shorter. Where nothing is better with fewer, they were not too many.

## Guard

Under a full closed load as many threads want to run as there are users, whatever the workers: one trial
cannot tell that from too many. Threads that wait for a dependency are no excess.

## Fix

Use about as many workers as cores; for work that mostly waits, threads or an event loop instead of processes.
"""


class TooManyWorkersTexts:
    title = "more workers or threads run than there are cores for"
    decides = (
        "the same load with a quarter fewer workers: if this is the cause, throughput stays and the tail"
        " shortens"
    )

    def threads_wanted_run(self, mean: str, cores: str) -> str:
        return f"{mean} of its threads were runnable on {cores}"

    def effect(self, word: str, cores: str, what: str, used: str) -> str:
        return f"{word} processes share {cores}, and {what} used {used} of these"

    def mend(self, word: str) -> str:
        return f"try fewer workers: {word}, and threads only for work that waits"

    def dearer(self, cpu: str, fastest: str) -> str:
        return f"a request cost {cpu} of CPU time on average, although the fastest took {fastest} in all"
