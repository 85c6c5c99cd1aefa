"""Sentences of `healthy` in English, and the sections of its page.

## Signature

All requests that were due were answered, well and in time; none piled up; no tier is near its limit.

## Data

The generator's own counts, and the CPU time of every tier.

## Deciding test

A fifth more load still meets the goals. There is nothing to prove: what is not wrong cannot be moved.

## Guard

The busiest resource of a healthy server is not a bottleneck. Counters that tick without harm accuse nobody.

## Fix

None; the headroom is stated.
"""


class HealthyTexts:
    """Sentences about a server that nothing limits."""

    title = "nothing limits the server at this load"
    no_proof = (
        "there is no harm that an experiment could change; a run with a fifth more load shows"
        " whether there is room"
    )
    mend = "nothing to mend; to find the limit itself, raise the load"
    decides = "a fifth more load: all of it should be answered"
    room_unseen = "; how much room there is was not observed"

    def failed(self, share: str, in_flight: str) -> str:
        return f"{share} failed, {in_flight} in flight on average"

    def answered_well(self, share: str) -> str:
        return f"{share} of the requested load was answered well"

    def next_limit_used(self, what: str, component: str, share: str) -> str:
        return f"{what} of {component}, the next limit, was {share} used"

    def formula_of_limit(self, servers: str, demand: str, rate: str) -> str:
        return f"{servers} / {demand} a request = {rate}/s"

    def connections_before(self, number: str, to: str, rate: str) -> str:
        return (
            f"if it may open no more than its {number} connections to {to}, these are all in use at {rate}/s"
        )

    def formula_of_connections(self, number: str, in_use: str, rate: str) -> str:
        return f"{number} connections, {in_use} of them in use: full at {rate}/s"

    def limits_nothing(self, rate: str) -> str:
        return f"nothing limits it at {rate}/s"

    def room_beside_others(self, others: str, cores: str) -> str:
        return (
            f"; how much room there is shows without the other programs, which used {others} of its {cores}"
        )

    def room_of_cores(self, times: str, what: str, component: str) -> str:
        return (
            f"; {what} of {component} would be full at about {times} times that load, but requests already"
            " wait for each other"
        )

    def headroom(self, times: str, what: str, component: str, rate: str, low: str, high: str) -> str:
        return (
            f"; it can serve about {times} times that load, then {what} of {component} is full"
            f" ({rate}/s, 95 % {low} to {high})"
        )
