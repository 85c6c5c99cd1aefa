"""Sentences of `gil` in English, and the sections of its page.

## Signature

A process with several threads uses one core and no more, while other cores are free; whenever one looks a
thread holds the lock, and others wait for it. More threads change nothing.

## Data

CPU time of each process; of the probe `python` how often the lock was held and how many threads waited for
it; threads and context switches (each waiting thread wakes every 5 ms to ask for the lock).

## Deciding test

`--prove` starts more processes, in turns, where their number is a knob: throughput rises in proportion. More
threads move nothing; a fifth less of the one core that it uses does, as with all that computes.

## Guard

A server that may use only one core is short of CPU, not of the lock. A process with one thread (a sync
worker, an event loop) waits for nobody: it needs more processes too, but for another reason. Extensions that
let the lock go use more than one core.

## Fix

More processes (`--workers` of gunicorn, uvicorn), work in C code that releases the lock, or an interpreter
that was built without the lock.
"""


class GilTexts:
    """Sentences about a Python process whose interpreter lock is used up."""

    title = "the interpreter lock of one Python process is used up"
    decides = "one process more: throughput rises in proportion; more threads change nothing"

    def held_by(self, function: str) -> str:
        return f"the thread that held it was mostly in {function}"

    def waited(self, number: str, rate: str) -> str:
        return f"{number} threads were waiting for its interpreter lock, {rate}/s"

    def mend(self, processes: str) -> str:
        return f"more processes instead of threads: {processes}"

    def behind_an_address(self, number: str) -> str:
        return f"{number} of them behind one address, such as gunicorn --workers={number}"

    def or_cheaper(self, function: str) -> str:
        return f"; or make {function} cheaper"
