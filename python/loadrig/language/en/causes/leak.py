"""Sentences of `leak` in English, and the sections of its page.

## Signature

Memory, descriptors, threads, goroutines or connections rise in a straight line with the requests that were
served, as fast at the end as at the beginning.

## Data

Memory of each process (PSS), heap in use after collections (JVM, Go, Node), descriptors, threads, goroutines,
connections by destination; the lines of code at which memory grows where the server's probe tells them.

## Deciding test

`--prove` asks at half the rate: what each request leaves behind comes half as fast. Where that is a knob it
lets workers be replaced after a number of requests, in turns: growth goes. By hand: after a pause without
load, with a collection forced, what leaked is still there.

## Guard

Caches that fill, arenas of the allocator, compiled code and pools bend and stop: a curve that fills up must
fit clearly worse than a line. Requests that pile up hold memory and descriptors too: that is no leak. A
heap is judged only after collections of its long-lived objects.

## Fix

Give back what the request took: bound the list or cache at the line that grows, close what was opened.
Restarts of workers bound a leak and do not cure it.
"""


class LeakTexts:
    """Sentences about what grows with every request and is never given back."""

    title = "a leak: something grows with every request"
    decides = (
        "twice the rate, then a pause without load: the growth a request stays the same, and the"
        " pause frees nothing"
    )
    it_grows = "grows"
    they_grow = "grow"
    by_pprof = "its pprof pages"
    by_inspector = "its inspector (node --inspect)"
    mend_pool = (
        "give each connection back, also where a request fails (close rows and transactions: with,"
        " defer, try-with-resources)"
    )
    decides_pool = "a larger pool: it lasts longer in proportion, and then again nothing is answered"
    mend_if_it_stops = "nothing to mend; a longer run would show a leak"
    decides_if_it_stops = "a longer run: the growth stops if something fills up"

    def find_line(self, runtime: str) -> str:
        match runtime:
            case "cpython":
                return "find the line that allocates it (python: {memory_sites: true})"
            case "go":
                return "find the line that allocates it (its heap profile: /debug/pprof/heap, twice)"
            case "node":
                return "find what holds it (two heap snapshots of its inspector: node --inspect)"
            case "jvm":
                return "find what holds it (two class histograms: jcmd PID GC.class_histogram)"
            case _:
                return "find what allocates it (a heap profile, twice)"

    def stood_idle(self, number: str, to: str, waiting: str) -> str:
        return f"all {number} connections to {to} stood idle while {waiting} requests waited inside"

    def connections_taken(self, number: str, to: str, after: str) -> str:
        return (
            f"connections to {to} are taken and not given back: after {after} all {number} were taken, and"
            " nothing was answered"
        )

    def grew(self, what: str, amount: str, requests: str) -> str:
        return f"{what} grew by {amount} over {requests} requests"

    def grew_in_lives(self, what: str, amount: str, requests: str, lives: str, at_once: str) -> str:
        return (
            f"{what} grew by {amount} over {requests} requests in each of {lives} lives of a worker,"
            f" {at_once} at a time"
        )

    def growth_a_request(self, grew: str, a_request: str, low: str, high: str) -> str:
        return f"{grew}: {a_request} a request (95 % {low} to {high})"

    def rose_like_a_line(self, rises: str, lasting: str, bic: str) -> str:
        return (
            f"it rose in {rises} of the readings, at the end {lasting} as fast as at the beginning; a"
            f" straight line fits it better than a curve that fills up (BIC {bic} lower)"
        )

    def grows(self, what: str, verb: str, a_request: str, a_second: str, rate: str) -> str:
        return f"{what} {verb} by {a_request} with every request, {a_second} a second at {rate}/s"

    def grows_until_restarted(self, what: str, verb: str, a_request: str) -> str:
        return (
            f"{what} {verb} by {a_request} with every request until the worker is restarted; each restart"
            " starts the same climb anew"
        )

    def reaches_limit(self, name: str, limit: str, left: str) -> str:
        return f"; {name} ({limit}) is reached in {left}"

    def grew_too(self, what: str, a_request: str) -> str:
        return f"{what} grew too: {a_request} a request"

    def restarts_hide_it(self, ended: str) -> str:
        return f"restarts hide it: {ended} processes ended, and each life climbed from the same size again"

    def collector_unseen(self, how: str) -> str:
        return (
            f"how much its garbage collector can still free was not observed: {how} would tell, or a"
            " longer run"
        )

    def each_goes_through_it(self, rise: str) -> str:
        return f"{rise}: each goes through what those before it left, which garbage does not bring about"

    def close_what_is_opened(self, what: str) -> str:
        return (
            f"close what each request opens ({what}), also where it fails (with, defer, try-with-resources)"
        )

    def look_at(self, place: str) -> str:
        return f"look at {place}"

    def mend_memory(self, where: str, *, is_bounded: bool) -> str:
        bounds = "bounds" if is_bounded else "would bound"
        return f"{where} and release it there; max_requests {bounds} the leak, and does not cure it"

    def grew_but(self, what: str, amount: str, how: str) -> str:
        return f"{what} grew by {amount}, but {how}"
