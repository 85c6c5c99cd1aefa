"""An ASGI server: one event loop in each worker process."""

from loadrig.base.setting import Setting, Value
from loadrig.catalogue.entry import Entry, TimeConstant, by_name, number

TITLE = "Uvicorn"
V = "uvicorn 0.54"
SOURCE = "Uvicorn documentation, Settings; defaults as in uvicorn 0.54's Config"


def _until_replaced(value: Value, setting: Setting, per_second: float) -> float | None:
    requests, workers = number(value), number(setting.get("workers", 1))
    return requests * workers / per_second if requests and workers and per_second > 0 else None


KNOBS = by_name(
    Entry(
        "workers", "flag", "Worker processes, each with an event loop.",
        "An event loop uses one core at most; more than the cores do not help.",
        "1, or WEB_CONCURRENCY", V, SOURCE, low=1, high=64, scale="log",
        costs="A process and its memory each, and its own pools.",
    ),
    Entry(
        "loop", "flag", "The event loop: asyncio, or uvloop where it is installed.",
        "When small requests are many: the loop itself is then much of the work.",
        "auto", V, SOURCE, words=("auto", "asyncio", "uvloop"), scale="words",
    ),
    Entry(
        "http", "flag", "The HTTP/1.1 parser: h11, or httptools where it is installed.",
        "When small requests are many; h11 is written in Python.",
        "auto", V, SOURCE, words=("auto", "h11", "httptools"), scale="words",
    ),
    Entry(
        "limit_concurrency", "flag", "Connections and tasks above which it answers 503.",
        "To shed load before everything is late.",
        "no limit", V, SOURCE, low=10, high=10_000, scale="log",
    ),
    Entry(
        "limit_max_requests", "flag", "Requests after which a worker ends, to be started anew.",
        "It bounds a leak; each restart costs a start of the application.",
        "no limit", V, SOURCE, low=100, high=100_000, scale="log", zero="above",
        time=TimeConstant("limit_max_requests x workers / throughput", _until_replaced),
    ),
    Entry(
        "backlog", "flag", "Most connections that wait to be accepted; net.core.somaxconn caps it.",
        "Only under bursts: a longer queue turns refusals into waiting.",
        "2048", V, SOURCE, low=64, high=65_535, scale="log",
    ),
    Entry(
        "timeout_keep_alive", "flag", "How long an idle connection is kept for another request.",
        "When clients, or a proxy in front, come again within that time; a proxy should give up first.",
        "5", V, SOURCE, unit="s", low=1, high=120, scale="log", costs="A descriptor each.",
    ),
    Entry(
        "access_log", "flag", "Whether each request is written to the log.",
        "When small requests are many: the line is written in the event loop.",
        "true", V, SOURCE, words=("true", "false"), scale="words",
    ),
)  # fmt: skip
