"""Tomcat by connector: threads that are busy, connections, requests, errors.

## What it reads

The MBeans of Tomcat's connectors and executors, by the same reader as the probe `jvm`. A Tomcat of its own
always has them. One that is built into a program has them unless the program switches them off, which Spring
Boot does: `server.tomcat.mbeanregistry.enabled=true` switches them on. A JVM without Tomcat is passed over.

## How to read it

`threads_busy` at `threads_limit` says that all threads work or wait, and requests queue as connections that
nobody serves: look what the threads wait for (a pool, a database, a lock) before you give it more. With CPUs
to spare and a database that is not the limit more threads help; otherwise they only wait together.
`connections` at `connections_limit` says that new ones wait in the listener's backlog. `connections_kept` do
nothing but wait for the next request of a client.
`processing_s` over `requests` is the mean time within Tomcat, without the wait for a thread.

## Cost

Together with `hikari`, at a reading every 2 s (option `every`): 0.6 ms of one core a second here, 2 ms in the
reader that they share with `jvm`, and in the JVM 6 ms in the first minutes, while it compiles what it has run
for nobody before. Measured on Linux 6.18, Python 3.11, OpenJDK 17, Tomcat 10.1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loadrig.base.component import Component
from loadrig.base.effects import EFFECT_EVENTS
from loadrig.base.series import Metric
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_jvm import ProbesTomcatErrors
from loadrig.probes._jvm import beans as beans_of
from loadrig.probes._jvm.access import ENTERED, PacedAccess, is_jvm
from loadrig.probes._jvm.beans import Beans, keys
from loadrig.probes._session import Place, Session

ERRORS = texts_of(ProbesTomcatErrors)

EVENTS = EFFECT_EVENTS
ONLY = {"runtime": ("jvm",)}

EFFECTS = ENTERED

METRICS: Mapping[str, Metric] = {
    "threads": Metric("1", "gauge", "Threads of the connector's pool."),
    "threads_busy": Metric("1", "gauge", "Threads that serve a request now."),
    "threads_limit": Metric("1", "gauge", "Most threads it makes."),
    "connections": Metric("1", "gauge", "Connections that the connector has accepted."),
    "connections_limit": Metric("1", "gauge", "Most connections it accepts."),
    "connections_kept": Metric("1", "gauge", "Connections that wait for their next request."),
    "requests": Metric("1", "counter", "Requests answered."),
    "errors": Metric("1", "counter", "Requests answered with a status of 400 or more."),
    "processing_s": Metric("s", "counter", "Time spent on requests, summed over threads."),
    "received_bytes": Metric("B", "counter", "Bytes of request bodies."),
    "sent_bytes": Metric("B", "counter", "Bytes of answers' bodies."),
    "queued": Metric("1", "gauge", "Requests that wait for a thread, of an executor that connectors share."),
}

# The domain of a separate Tomcat is Catalina, of a built-in one Tomcat, of a program's second one Tomcat-1.
_DOMAINS = ("Catalina*", "Tomcat*")
_ATTRIBUTES = {
    "ThreadPool": (
        ("threads", "currentThreadCount", 1.0),
        ("threads_busy", "currentThreadsBusy", 1.0),
        ("threads_limit", "maxThreads", 1.0),
        ("connections", "connectionCount", 1.0),
        ("connections_limit", "maxConnections", 1.0),
        ("connections_kept", "keepAliveCount", 1.0),
    ),
    "GlobalRequestProcessor": (
        ("requests", "requestCount", 1.0),
        ("errors", "errorCount", 1.0),
        ("processing_s", "processingTime", 1e-3),
        ("received_bytes", "bytesReceived", 1.0),
        ("sent_bytes", "bytesSent", 1.0),
    ),
    "Executor": (
        ("threads", "poolSize", 1.0),
        ("threads_busy", "activeCount", 1.0),
        ("threads_limit", "maxThreads", 1.0),
        ("queued", "queueSize", 1.0),
    ),
}
_QUESTION = tuple(
    (f"{domain}:type={kind},name=*", ",".join(attribute for _, attribute, _ in attributes))
    for domain in _DOMAINS
    for kind, attributes in _ATTRIBUTES.items()
)


@dataclass(frozen=True, slots=True)
class Options(PacedAccess):
    """Options of the probe: how the JVM is reached, and how often."""


def figures(beans: Beans) -> Iterator[tuple[str, str, float]]:
    """Yield metric, subject (the connector's or executor's name) and value."""
    for name, values in beans.items():
        properties = keys(name)
        if attributes := _ATTRIBUTES.get(properties.get("type", "")):
            yield from beans_of.figures(values, properties["name"], attributes)


fits = is_jvm  # a reading shows whether it runs Tomcat


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable if the JVM lets nobody in and exposes no JMX."""
    from loadrig.probes._jvm import libraries  # imported here, as only a JVM needs it

    library = libraries.Library(
        "tomcat", METRICS, ("tomcat-embed-core", "catalina.jar"), _QUESTION, figures, ERRORS.no_mbeans(),
        server="tomcat",
    )  # fmt: skip
    return libraries.watch(library, options, component, place)
