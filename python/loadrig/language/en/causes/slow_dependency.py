"""Sentences of `slow_dependency` in English, and the sections of its page.

## Signature

As many connections to the dependency as requests in the server, whose CPU idles; the dependency's CPU, where
it can be seen, idles too, and nobody waits for a lock in it. Or few of its answers are slow: then requests
wait for it longer on average than half of them take in all.

## Data

Connections to the dependency, how many are opened for each request and how many are given up; requests that
the server works on; CPU time on both sides, sessions at work where it is a database.

## Deciding test

`--prove` puts a delay in front of it: latency rises, or throughput falls, by its share. Where that moves
nothing, nobody waits for it. A stand-in that answers at once shows the same from the other side.

## Guard

A dependency whose CPU is full is overloaded, not slow: the cause is in it. Connections that are only kept
look like connections in use. Where the server's workers are all taken, too few of them may be the cause.

## Fix

A shorter time-out with a budget for retries, a circuit breaker, calls side by side instead of one after the
other, a cache; enough workers or an event loop to wait in.
"""


class SlowDependencyTexts:
    title = "a dependency is slow"
    mend = (
        "cache names on the machine (systemd-resolved, nscd, dnsmasq), or keep connections open: then no name"
        " is resolved for each request"
    )
    decides = "the same load with the name in /etc/hosts"
    look_why_stands = (
        "find out why it does not answer; set a time-out on each call, so that none holds a request for ever"
    )
    ask_directly_while = "call the dependency directly while the server stands still"
    cores_machine_waited = "cores of its machine waited for the disk {} s every second"
    sessions_work = "sessions were at work"
    commands_work_or = "commands were at work or blocked"
    calls_any_time = "{} calls at a time were given up while the dependency still worked on them"

    def takes_most(self, total: str, awaited: str, name: str) -> str:
        return f"a request waits for {name} for {awaited} of its {total}"

    def slowest_wait(self, name: str, awaited: str, median: str) -> str:
        return (
            f"requests wait for {name} for {awaited} on average, and half of them take less than {median} in"
            " all: a few of its answers are slow"
        )

    def bound_slowest(self, name: str) -> str:
        return (
            f"find out which calls of {name} are slow (its log or trace by duration), and bound the wait by a"
            " time-out"
        )

    def requests_flight_waited(self, waiting: str, in_flight: str, server: str) -> str:
        return f"{waiting} requests of {in_flight} in flight waited for the name server {server}"

    def waited_over_udp(self, waiting: str, in_flight: str, server: str) -> str:
        return f"{waiting} requests of {in_flight} in flight waited for {server}, which is asked over UDP"

    def request_waits_time(self, share: str) -> str:
        return f"a request waits {share} of its time for name resolution"

    def until_end(self, awaiting: str, waiting: str) -> str:
        return f"{awaiting} calls of {waiting} requests waited for the dependency until the end"

    def slower_than(self, slow: str, slow_s: str, quick: str, quick_s: str, proxy: str) -> str:
        return f"behind {proxy} {slow} takes {slow_s} for a request, and {quick} {quick_s}"

    def mend_slower(self, slow: str, quick: str) -> str:
        return (
            f"find what {slow} has less of, or does besides, than {quick} (version, settings, host, what it"
            " calls), or take it out of the rotation until then; balance by the fewest requests under way"
        )

    def decides_slower(self, slow: str) -> str:
        return f"the same load without {slow} in the rotation: requests get quicker if this is the cause"

    def effect(self, name: str, seconds: str, awaiting: str, waiting: str) -> str:
        return f"{name} answered nothing in the last {seconds}: {awaiting} calls of {waiting} requests waited"

    def requests_waited_any(self, waiting: str) -> str:
        return f"{waiting} requests waited for the dependency at a time"

    def each(self, seconds: str) -> str:
        return f": {seconds} of the time of each"

    def median(self, latency: str) -> str:
        return f", median {latency}"

    def ask_less_often(self, name: str) -> str:
        return f"call {name} less often or in parallel, cache its responses, bound the wait by a time-out"

    def same_load_stand(self, name: str) -> str:
        return f"the same load with a stand-in for {name} that answers at once: latency falls"

    def requests_flight(self, awaiting: str, waiting: str) -> str:
        return f"{awaiting} of {waiting} requests in flight"

    def may_wait_connections(self, awaiting: str, busy: str, name: str) -> str:
        return f"{awaiting} of the {busy} requests in {name} may wait for it, by its connections"

    def itself_used(self, name: str, cpu: str, cores: str) -> str:
        return f"{name} itself used {cpu} of {cores}"

    def cpu_not_seen(self, name: str) -> str:
        return f"the CPU of {name} was not observed: run loadrig on its machine"

    def part_time_may(self, text: str) -> str:
        return f"{text}: part of the time may be its own work"

    def average_connections_use(self, inside: str, kind: str, in_use: str) -> str:
        return f"{inside} {kind} in it on average, for {in_use} connections in use"

    def what_sessions_do(self, name: str) -> str:
        return f"what the sessions of {name} do was not read"

    def used_cpu_may(self, fullness: str) -> str:
        return f"it used {fullness} of the CPU that it may use"

    def connections_opened_each(self, opened: str) -> str:
        return f"{opened} connections to it were opened for each request: its name is resolved each time"
