"""Sentences of `n_plus_one` in English, and the sections of its page.

## Signature

Ten or more statements for each request, or for each request of one route, alike, each of them cheap; their
round trips and what they cost the client add up to much of the request.

## Data

Statements for each request: Questions and digests (MariaDB), calls and commits (PostgreSQL), commands
(redis, memcached), messages and answers (any other service); wake-ups of the database's process where it does
not count; how these numbers follow the mix of routes, which is never quite the same for two seconds; CPU
time on both sides; round trips.

## Deciding test

`--prove` asks for more at once, in turns, where a knob does so (batch_size, eager): throughput rises. A delay
of d in front of the dependency makes a request slower by k x d, and k is its round trips one after the other;
but one that asks only once becomes slower, too.

## Guard

Retries repeat a statement too: transactions that are rolled back and made again ask for more than a request
needs. Commands sent in one packet (a pipeline) cost one round trip. A request that
takes long for other reasons may well ask twenty cheap things.

## Fix

A JOIN, `WHERE id IN (…)`, MGET or a pipeline; in an ORM: eager loading (select_related, joinedload,
JOIN FETCH).
"""


class NPlusOneTexts:
    """Sentences about requests that ask many small things one after the other."""

    title = "each request makes many small calls one after the other (N+1)"
    by_pipeline = "MGET or a pipeline"
    by_list = "one call that takes a list of them, or calls side by side"
    in_pieces = ", if each is sent in one piece"
    by_join = "a JOIN or WHERE id IN (…), eager loading in the ORM"
    kind_unread = ": pg_stat_statements would tell how many statements these are"

    def round_trips(self, number: str, to: str) -> str:
        return f"{number} round trips to {to} for each request"

    def most_are(self, statement: str) -> str:
        return f", most of them {statement}"

    def alike_at_most(self, share: str) -> str:
        return f"at most {share} of these calls are alike"

    def mend(self, together: str) -> str:
        return f"combine the calls: {together}"

    def decides(self, to: str, number: str) -> str:
        return f"a delay of 1 ms ahead of {to}: a request becomes {number} ms slower"

    def asks(self, number: str, what: str, to: str) -> str:
        return f"each request makes {number} {what} to {to}"

    def made_again(self, number: str) -> str:
        return f"{number} transactions are rolled back for each request: its statements are asked again"

    def costs(self, cpu: str, dependency: str) -> str:
        return f"one of these calls costs {dependency} {cpu} of CPU time"

    def cpu_unseen(self, program: str) -> str:
        return f"the CPU of {program} was not observed"

    def woken(self, times: str) -> str:
        return (
            f"it woke up {times} times for each request: whether calls come in batches shows in the"
            " client's code"
        )
