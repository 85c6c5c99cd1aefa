"""`loadrig attack URL`: load a URL with no plan and say what it does."""

import argparse

HELP = """
Load a URL and say what it does: rates, latencies, outcomes, and whether to believe them.

  loadrig attack http://127.0.0.1:8000/ -c 20 -z 10s         20 users, no pause, for ten seconds
  loadrig attack http://127.0.0.1:8000/ --rate 500/1s        500 requests a second, answered or not
  loadrig attack http://127.0.0.1:8000/ -m POST -d @body.json -H 'Content-Type: application/json'
  loadrig attack http://127.0.0.1:8000/ --print-plan         the same as a plan file, to go on from

On this machine the process that listens there, its workers, and what it talks to are found and
watched by themselves. Ctrl-C keeps what was measured. For another host: --allow HOST.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options, in the notation that wrk, hey, vegeta and oha have made common."""
    from loadrig.cli._request import (
        add_fleet,
        add_goal,
        add_profile,
        add_request,
        add_run,
        add_seed,
        add_spacing,
    )

    add = parser.add_argument
    add("url", metavar="URL", help="http:// or https:// address, with path and query")
    add("-c", "--connections", metavar="N", help="users, or connections at most with --rate (default: 10)")
    add("-z", "--duration", metavar="TIME", help="how long: 300ms, 10s, 1m30s (default: 10s)")
    add("-n", "--requests", metavar="N", help="stop after so many requests: 200, 10k (default: no limit)")
    add(
        "-q",
        "--rate",
        metavar="RATE",
        help="open model: 1000, 1000/1s, 50/1m; 0 is as fast as can be (default: closed model)",
    )
    add_spacing(parser)
    add_request(parser)
    add("--close", action="store_true", help="a new connection for every request (default: keep alive)")
    add("--http2", action="store_true", help="speak HTTP/2, with prior knowledge or ALPN (default: HTTP/1.1)")
    add(
        "--streams",
        metavar="N",
        help="with --http2: requests at once on one connection, before another is opened (default: 100)",
    )
    add_goal(parser, "p95 < 500ms", "none")
    add_profile(parser)
    add_seed(parser)
    add_fleet(parser)
    add_run(parser, "runs/attack-TIME")


def run(arguments: argparse.Namespace) -> int:
    """Build the plan that the flags mean, run it once, print its result."""
    from loadrig.cli._quick import quick_of, run_or_print
    from loadrig.plan.quick import read_quick

    quick = quick_of(
        arguments,
        arguments.url,
        duration=arguments.duration,
        requests=arguments.requests,
        rate=arguments.rate,
        keep_alive=not arguments.close,
        http2=arguments.http2,
        streams=arguments.streams,
    )
    return run_or_print(arguments, f"attack {arguments.url}", quick.text, lambda: read_quick(quick))
