"""Sentences of `keep_alive_mismatch` in English, and the sections of its page.

## Signature

A small share of the requests fail at once: closed or reset before any answer, on a connection that was used
before; behind a proxy they come as 502. No process has ended, and nothing is full.

## Data

Outcomes `closed` and `reset`, ends of processes, and what a proxy says of the program behind it.

## Deciding test

The same load with a longer keep-alive time-out in the program that answers than in who calls it: none is
lost. Over connections of their own none is lost either, whatever that costs. `--prove` does not change it.

## Guard

A process that ends, is killed or is replaced takes its connections with it. A program that is full, or that
gives up after a time of its own, closes connections that it works on, not those that stood idle.

## Fix

A keep-alive time-out in the program that answers that is longer than that of every caller's pool: Node's
keepAliveTimeout, gunicorn's --keep-alive, Tomcat's keepAliveTimeout, above nginx's keepalive_timeout.
"""


class KeepAliveMismatchTexts:
    """Sentences about connections that are closed just when they are used again."""

    title = "the server closes kept connections just when they are used again"
    no_proof = (
        "the time-out is a setting of the program; raise it above that of its callers, and repeat the run"
    )
    no_process_ended = "none of its processes ended meanwhile"
    mend = "a keep-alive time-out longer than that of its callers (keepAliveTimeout, --keep-alive)"
    decides = "the same load with a longer keep-alive time-out: no request is lost"

    mend_each = (
        "let the server keep its connections (uWSGI: --http11-socket, or --http with --http-keepalive, in"
        " place of --http-socket), or let it say `Connection: close`, so that nobody uses one again"
    )

    def one_answer_each(self, opened: str) -> str:
        return f"each of the {opened} connections that were opened gave one answer"

    def closed_before_answer(self, number: str) -> str:
        return f"{number} requests were sent on connections that were closed before any answer"

    def processes_ended(self, number: str) -> str:
        return f"{number} of its processes ended"

    def requests_failed(self, share: str) -> str:
        return f"{share} of all requests failed"

    def in_a_crowd(self, share: str) -> str:
        return f"{share} of these failed while far more requests than usual were in flight: none was idle"
