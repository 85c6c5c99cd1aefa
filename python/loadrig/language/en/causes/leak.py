"""Sentences of `leak` in English."""


class LeakTexts:
    """Sentences of `causes.leak`."""

    title = "something grows with every request and is not given back"
    mend = (
        "give each connection back, also where a request fails (close rows and transactions: with, defer,"
        " try-with-resources)"
    )
    decides = "a larger pool: it lasts longer in proportion, and then nothing is answered either"
    until_worker_restarted = " until the worker is restarted; each restart starts the same climb anew"
    pprof_pages = "its pprof pages"
    inspector_node_inspect = "its inspector (node --inspect)"
    twice_rate_then = (
        "twice the rate, then a pause without load: as much a request, and nothing of it given back"
    )
    find_line_allocates = "find the line that allocates it (python: {memory_sites: true})"
    would_bound = "would bound"
    nothing_mend_longer = "nothing to mend; a longer run would show it if it did leak"
    longer_run_what = "a longer run: what fills up stops"

    def all_connections_stood(self, number: str, name: str, waiting: str) -> str:
        return f"all {number} connections to {name} stood idle while {waiting} requests waited inside"

    def effect(self, name: str, measured_s: str, number: str) -> str:
        return (
            f"connections to {name} are taken and not given back: after {measured_s} all {number} were, and"
            " nothing was answered"
        )

    def grew_over_requests(self, what: str, grown: str, span: str) -> str:
        return f"{what} grew by {grown} over {span} requests"

    def every_request(self, what: str, is_memory: bool, a_request: str) -> str:
        return f"{what} {'grows' if is_memory else 'grow'} by {a_request} with every request"

    def grew_too_request(self, what: str, a_request: str) -> str:
        return f"{what} grew too: {a_request} a request"

    def each_lives_time(self, lives: str, workers: str) -> str:
        return f" in each of {lives} lives, {workers} at a time"

    def restarts_hide_processes(self, died: str) -> str:
        return f"restarts hide it: {died} processes ended, and each life climbed from the same size again"

    def second_s(self, a_request: str, rate: str) -> str:
        return f", {a_request} a second at {rate}/s"

    def is_reached_in(self, limit_text: str, limit: str, left_s: str) -> str:
        return f"; {limit_text} ({limit}) is reached in {left_s}"

    def a_request_to(self, grew: str, a_request: str, low: str, high: str) -> str:
        return f"{grew}: {a_request} a request (95 % {low} to {high})"

    def rose_readings_end(self, rises: str, lasting: str, bic: str) -> str:
        return (
            f"it rose in {rises} of the readings, at the end {lasting} as fast as at the beginning; a"
            f" straight line fits it better than a curve that fills up (BIC {bic} lower)"
        )

    def what_collector_may(self, how: str) -> str:
        return f"what its collector may yet free was not seen: {how} would tell, or a longer run"

    def holds_more_than(self, place: str, here: str, sites: str, here_2: str) -> str:
        return (
            f"{place} holds {here} more than at the first look, in {sites} blocks: {here_2} of the growth"
            " that was traced"
        )

    def close_what_each(self, what: str) -> str:
        return (
            f"close what each request opens ({what}), also where it fails (with, defer, try-with-resources)"
        )

    def look_at(self, place: str) -> str:
        return f"look at {place}"

    def let_go_there(self, where: str, bounds: str) -> str:
        return f"{where} and let go of it there; max_requests {bounds} the leak, and does not cure it"

    def end_fast_beginning(self, word: str) -> str:
        return f"at the end {word} as fast as at the beginning: it fills up"

    def once_something(self, word: str) -> str:
        return f"{word} of it at once: something was made"

    def curve_fills_up(self, bic: str) -> str:
        return f"a curve that fills up fits as well as a line (BIC {bic})"

    def rose_readings_only(self, rises: str) -> str:
        return f"it rose in {rises} of the readings only"

    def what_held_cache(self, of_level: str) -> str:
        return f"by {of_level} of what it held, as a cache that fills does in so short a time"

    def request_too_little(self, slope: str) -> str:
        return f"{slope} a request are too little to tell from a beginning"

    def grew_but(self, what: str, grown: str, how: str) -> str:
        return f"{what} grew by {grown}, but {how}"
