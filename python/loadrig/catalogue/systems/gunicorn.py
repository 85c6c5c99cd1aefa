"""A manager that forks worker processes, each serving a Python application."""

from loadrig.base.setting import Setting, Value
from loadrig.catalogue.entry import Entry, TimeConstant, by_name, number

TITLE = "Gunicorn"
V = "gunicorn 27"
SOURCE = "Gunicorn documentation, Settings; defaults as in gunicorn 27.0's config module"


def _until_replaced(value: Value, setting: Setting, per_second: float) -> float | None:
    """Return the time until each worker has had its number of requests and is replaced."""
    requests, workers = number(value), number(setting.get("workers", 1))
    return requests * workers / per_second if requests and workers and per_second > 0 else None


KNOBS = by_name(
    Entry(
        "worker_class", "flag",
        "How a worker serves: one request at a time (sync), threads (gthread), green threads (gevent), "
        "an event loop (tornado, asgi).",
        "Where requests wait, sync workers stand idle; where they compute, the class hardly matters.",
        "sync", V, SOURCE,
        words=("sync", "gthread", "gevent", "eventlet", "tornado", "asgi"), scale="words",
    ),
    Entry(
        "workers", "flag", "Worker processes.",
        "Each uses one core at most; more than the cores help only as far as requests wait.",
        "1, or WEB_CONCURRENCY", V, SOURCE, low=1, high=64, scale="log",
        costs="A process and its memory each, and its own connections to databases.",
    ),
    Entry(
        "threads", "flag", "Threads of each worker, for gthread; above 1, sync becomes gthread.",
        "About 1 + waiting / computing keep a core busy; beyond that they wait for the interpreter's lock.",
        "1", V, SOURCE, low=1, high=128, scale="log",
        costs="A stack each, and a connection each to what the application asks.",
    ),
    Entry(
        "worker_connections", "flag",
        "Most connections that a worker holds at once, of all classes but sync.",
        "When many clients keep connections open; at its limit a worker takes no new ones.",
        "1000", V, SOURCE, low=10, high=10_000, scale="log", costs="A descriptor each.",
    ),
    Entry(
        "max_requests", "flag", "Requests after which a worker is replaced; 0 is never.",
        "It bounds a leak; each replacement costs a start of the application, and in step they make dips.",
        "0", V, SOURCE, low=100, high=100_000, scale="log", zero="above",
        time=TimeConstant("max_requests x workers / throughput", _until_replaced),
    ),
    Entry(
        "max_requests_jitter", "flag",
        "A random number up to this is added to max_requests, for each worker another.",
        "Without it workers that began together are replaced together.",
        "0", V, SOURCE, low=0, high=10_000,
    ),
    Entry(
        "keepalive", "flag", "How long an idle connection is kept for a request more; sync keeps none.",
        "When clients come again within that time, a connection less is made for each request.",
        "2", V, SOURCE, unit="s", low=1, high=75, scale="log",
        costs="A connection of a worker, while it idles.",
    ),
    Entry(
        "backlog", "flag", "Most connections that wait to be accepted; net.core.somaxconn caps it.",
        "Only under bursts: a longer queue turns refusals into waiting.",
        "2048", V, SOURCE, low=64, high=65_535, scale="log",
    ),
    Entry(
        "timeout", "flag", "Silence after which a worker is killed; 0 is never.",
        "When requests take longer than that; sync workers are silent while they serve one.",
        "30", V, SOURCE, unit="s", low=5, high=600, scale="log", zero="above",
    ),
    Entry(
        "graceful_timeout", "flag", "Time that a worker has to end its requests when it is replaced.",
        "When workers are replaced under load and requests are long.",
        "30", V, SOURCE, unit="s", low=1, high=120, scale="log",
    ),
    Entry(
        "preload_app", "flag", "Load the application before the workers are forked.",
        "Workers start faster and share memory that they do not write to.",
        "false", V, SOURCE, words=("true", "false"), scale="words",
    ),
    Entry(
        "worker_tmp_dir", "flag", "Folder of the files by which workers show that they live.",
        "On a slow disk the heartbeat can block a worker; a folder in memory cannot.",
        "the system's folder for temporary files", V, SOURCE, scale="words", words=("/dev/shm",),
    ),
)  # fmt: skip
