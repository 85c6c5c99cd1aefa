"""Knobs of each stack that can be set from outside, as an engineer would declare it in a plan.

Every case of a stack declares the same knobs, sick or healthy, with the values that its wish has: so a plan
gives no label away. A knob is told to the program by a word of its command line, by a number of the
application's own, or by a command that is run before the program (an index).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Value = int | str

SOME = "some"
"""The word for a number between those of the other words: so many connections are not kept."""


@dataclass(frozen=True)
class StackKnob:
    """A knob by the name that it has in the plan.

    word: of the command line, with {} for the value. dial: the number of the application that it sets.
    is_before: whether commands are run for it, one for each of its words. words: the allowed ones, each with
    what is told instead of it. low, high: of a number. usual: its value where the wish says none; None: it is
    not told then. cost: as of a plan's knob_flags.
    """

    name: str
    doc: str
    word: str = ""
    dial: str = ""
    is_before: bool = False
    words: Mapping[str, Any] = field(default_factory=dict)
    low: int | None = None
    high: int | None = None
    usual: Value | None = None
    cost: int = 0


def _pooled(name: str, dial: str, pooled: float, renewed: float) -> StackKnob:
    doc = f"Whether connections to {name.removesuffix('_pool')} are kept"
    return StackKnob(name, doc, dial=dial, words={"on": pooled, "off": renewed})


_INDEX = StackKnob("index", "The column of items that has an index beside its key", is_before=True,
                   words={"code": None, "none": None})  # fmt: skip

KNOBS: Mapping[str, tuple[StackKnob, ...]] = {
    "gunicorn": (
        StackKnob("workers", "Worker processes", "--workers={}", low=1, high=64, usual=1, cost=3),
        StackKnob("threads", "Threads of each worker", "--threads={}", low=1, high=512, usual=1, cost=2),
        StackKnob("worker_class", "How a worker serves", "--worker-class={}",
                  words={"sync": "sync", "gthread": "gthread"}, usual="sync"),
        StackKnob("max_requests", "Requests after which a worker is replaced", "--max-requests={}", low=0,
                  usual=0),
        StackKnob("max_requests_jitter", "Random addition to that", "--max-requests-jitter={}", low=0,
                  usual=0),
        StackKnob("backlog", "Connections that wait to be accepted", "--backlog={}", low=1, usual=2048),
        StackKnob("keepalive", "Seconds that an idle connection is kept", "--keep-alive={}", low=0, usual=2),
        StackKnob("timeout", "Seconds after which a silent worker is killed", "--timeout={}", low=0,
                  usual=30),
        _pooled("db_pool", "renewed", 0.0, 1.0),
        _pooled("redis_pool", "redis_pooled", 1, 0),
        StackKnob("db_pool_size", "Connections of a worker to the database", dial="pool", low=1, high=200,
                  cost=1),
        _INDEX,
    ),
    "uvicorn": (
        StackKnob("workers", "Worker processes", "--workers={}", low=1, high=64, usual=1, cost=3),
        StackKnob("limit_concurrency", "Connections at once, above which it refuses",
                  "--limit-concurrency={}",
                  low=1),
        StackKnob("backlog", "Connections that wait to be accepted", "--backlog={}", low=1, usual=2048),
        StackKnob("timeout_keep_alive", "Seconds that an idle connection is kept", "--timeout-keep-alive={}",
                  low=0, usual=5),
        _pooled("redis_pool", "redis_renewed", 0.0, 1.0),
    ),
    "jvm": (
        StackKnob("max_threads", "Threads that serve requests", dial="threads", low=1, high=1000, cost=2),
        StackKnob("pool_size", "Connections to the database", dial="pool", low=1, high=1000, cost=1),
        StackKnob("heap", "Heap of the JVM", "-Xmx{}", usual="256m", cost=1),
        StackKnob("gc", "Collector", "-XX:+Use{}GC",
                  words={"serial": "Serial", "parallel": "Parallel", "g1": "G1"}, usual="serial"),
        _INDEX,
    ),
    "go": (
        StackKnob("gomaxprocs", "Cores that Go uses", dial="procs", low=1, high=64),
        StackKnob("gogc", "Growth of the heap between collections, in percent", dial="gc_percent", low=1),
        StackKnob("compression", "How answers are compressed", dial="gzip_level",
                  words={"off": 0, "fast": 1, "best": 9}),
        _pooled("redis_pool", "redis_renewed", 0.0, 1.0),
    ),
    "node": (
        StackKnob("max_old_space_size", "Heap of V8, in MB", "--max-old-space-size={}", low=16, cost=1),
        _pooled("redis_pool", "redis_renewed", 0.0, 1.0),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Settled:
    """A wish as a setting. knobs: those of the stack, with the words that this wish needs.

    setting: name and value; a knob that is not told is not in it. options: words that are no knob's.
    """

    knobs: tuple[StackKnob, ...]
    setting: Mapping[str, Value]
    options: tuple[str, ...]


def settled(
    stack: str, options: Sequence[str], dials: Mapping[str, Any], cores: Sequence[int] = (1,)
) -> Settled:
    """Return the knobs of a stack as its options and numbers have them. dials: all of the stack's."""
    words = list(options)
    knobs, setting = [], dict[str, Value]()
    for knob in KNOBS[stack]:
        own, value = knob, knob.usual
        if knob.word:
            value = _take_value(knob, words)
        elif knob.dial == "procs":
            value = int(dials["procs"]) or len(cores)
        elif knob.dial:
            own, value = _of_number(knob, dials[knob.dial])
        else:
            value = "none" if dials["where"] == "code" else "code"
        knobs.append(own)
        if value is not None:
            setting[knob.name] = value
    return Settled(tuple(knobs), setting, tuple(words))


def _take_value(knob: StackKnob, options: list[str]) -> Value | None:
    """Return the value that an option says, which is taken out; else the usual one."""
    before, _, after = knob.word.partition("{}")
    for option in options:
        if option.startswith(before) and option.endswith(after):
            word_given = option.removeprefix(before).removesuffix(after)
            if knob.words and word_given not in knob.words.values():
                continue
            options.remove(option)
            if knob.words:
                return next(word for word, value in knob.words.items() if value == word_given)
            return int(word_given) if knob.low is not None else word_given
    return knob.usual


def _of_number(knob: StackKnob, number: float) -> tuple[StackKnob, Value]:
    if not knob.words:
        return knob, int(number)
    for word, value in knob.words.items():
        if value == number:
            return knob, word
    (first, *rest) = knob.words.items()
    words = dict([first, (SOME, number), *rest])
    return StackKnob(knob.name, knob.doc, dial=knob.dial, words=words), SOME


def flags(knobs: Sequence[StackKnob]) -> dict[str, dict[str, Any]]:
    """Return the knobs as a plan declares them, told by --NAME VALUE."""
    return {
        knob.name: {
            "flag": f"--{knob.name} {{}}", "doc": knob.doc, "cost": knob.cost,
            **({"words": list(knob.words)} if knob.words else {}),
            **({"low": knob.low} if knob.low is not None else {}),
            **({"high": knob.high} if knob.high is not None else {}),
        }
        for knob in knobs
    }  # fmt: skip


def channels(knobs: Sequence[StackKnob]) -> dict[str, dict[str, Any]]:
    """Return how the launcher tells each of them: see bench/diagnosis/app.py."""
    return {
        knob.name: {
            **({"word": knob.word} if knob.word else {}),
            **({"dial": knob.dial} if knob.dial else {}),
            **({"before": True} if knob.is_before else {}),
            **({"words": dict(knob.words)} if knob.words else {}),
        }
        for knob in knobs
    }  # fmt: skip
