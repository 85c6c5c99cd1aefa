"""Key that a plan's author may have meant: a slip of the pen, or the word of another load tool."""

from collections.abc import Collection, Mapping

from loadrig.base.members import nearest
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_reader import PlanSynonymsErrors

ERRORS = texts_of(PlanSynonymsErrors)

OTHER_TOOLS: Mapping[str, tuple[str, ...]] = {
    "load": ("workload",),
    **dict.fromkeys(("url", "host", "server", "base_url", "address"), ("target", "get", "via")),
    **dict.fromkeys(("vus", "threads", "num_threads", "concurrency", "clients", "workers"), ("users",)),
    **dict.fromkeys(("rps", "qps", "throughput", "arrival_rate"), ("rate", "per_second")),
    **dict.fromkeys(("targets", "endpoints", "urls", "samplers"), ("requests",)),
    **dict.fromkeys(("thresholds", "slo", "criteria"), ("goals",)),
    **dict.fromkeys(("checks", "check", "assertions", "validate"), ("expect", "goals")),
    **dict.fromkeys(("sleep", "pause", "think_time", "timer"), ("think",)),
    **dict.fromkeys(("ramp_up", "ramp", "rampup"), ("stages", "warm_up")),
    **dict.fromkeys(("duration", "time"), ("measure",)),
    **dict.fromkeys(("iterations", "loop_count", "amount"), ("limit", "loops")),
    **dict.fromkeys(("data", "payload"), ("body", "feeds")),
    **dict.fromkeys(("variables", "params", "csv_data_set"), ("feeds",)),
    **dict.fromkeys(("capture", "extractor", "extractors", "save"), ("extract",)),
}
"""Keys of plans by the words that k6, JMeter, vegeta and wrk have for them; the first that fits is meant."""

AT_THE_TOP: Mapping[str, str] = {
    **dict.fromkeys(("duration", "time", "measure"), "trial: {measure: 30s}"),
    **dict.fromkeys(("warm_up", "warmup"), "trial: {warm_up: 10s}"),
    **dict.fromkeys(("thresholds", "slo", "criteria", "goals"), 'goals: ["p95 < 500ms"]'),
    "seed": "trial: {seed: 7}",
}
"""Ways to write at the top of a plan what other tools write beside the load or in it, by their words."""

IN_THE_WORKLOAD: Mapping[str, str] = {
    **dict.fromkeys(("users", "vus", "threads", "concurrency", "clients"), "users: 10"),
    **dict.fromkeys(("rate", "rps", "qps", "throughput", "arrival_rate"), "rate: 100/1s"),
    **dict.fromkeys(("requests", "targets", "endpoints", "urls", "samplers"), "requests: [{get: /}]"),
    **dict.fromkeys(("stages", "ramp_up", "ramp", "rampup"), "rate: {stages: [{over: 1m, to: 100/1s}]}"),
    **dict.fromkeys(("think", "sleep", "pause", "think_time"), "users: 10, think: 500ms"),
}
"""Ways to write in the load what other tools write at the top, by their words."""

LEAST_SHARED = 4
"""Fewest letters of a key that is taken to be meant because it stands within what was written, or around it.
Shorter ones stand in many words by chance."""


def meant_key(written: str, keys: Collection[str]) -> str | None:
    """Return the key of `keys` that an unknown one stands for; None where none is like it."""
    word = written.replace("-", "_")
    for key in OTHER_TOOLS.get(word.lower(), ()):
        if key in keys:
            return key
    close = nearest(word, list(keys))
    if close is not None:
        return close
    around = (key for key in keys if min(len(key), len(word)) >= LEAST_SHARED)
    return next((key for key in around if key in word or word in key), None)


def elsewhere(written: str, keys: Collection[str]) -> str:
    """Return how to mend a key that has another place in a plan; "" for any other. keys: where it stands."""
    word = written.replace("-", "_").lower()
    if {"workload", "scenarios"} & set(keys) and word in AT_THE_TOP:
        return ERRORS.at_the_top(AT_THE_TOP[word])
    if "workload" in keys and word in IN_THE_WORKLOAD:
        return ERRORS.in_the_load(f"workload: {{{IN_THE_WORKLOAD[word]}}}")
    return ""
