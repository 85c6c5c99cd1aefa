"""A servlet container: its HTTP connector (NIO), attributes of `Connector` in server.xml."""

from loadrig.catalogue.entry import Entry, by_name

TITLE = "Apache Tomcat"
V = "Tomcat 10.1"
SOURCE = "Apache Tomcat 10.1 Configuration Reference, The HTTP Connector"

KNOBS = by_name(
    Entry(
        "maxThreads", "key", "Most threads that process requests, and so most requests at once.",
        "When all are busy while the CPU idles; where a database is the limit, more of them only wait there.",
        "200", V, SOURCE, low=10, high=1_000, scale="log", costs="A stack each (1 MiB reserved, less used).",
    ),
    Entry(
        "minSpareThreads", "key", "Threads that are always kept running, idle ones too.",
        "After idle times: threads that are missing are made when requests come.",
        "10", V, SOURCE, low=1, high=200, scale="log",
    ),
    Entry(
        "maxConnections", "key", "Most connections that are held at once; further ones wait in the backlog.",
        "When many clients keep connections open.",
        "8192", V, SOURCE, low=100, high=65_535, scale="log", costs="A descriptor and buffers each.",
    ),
    Entry(
        "acceptCount", "key", "Length of the backlog, once maxConnections is reached.",
        "Only under bursts: a longer queue turns refusals into waiting.",
        "100", V, SOURCE, low=10, high=4_096, scale="log",
    ),
    Entry(
        "connectionTimeout", "key", "How long it is waited for the request line after a connection is made.",
        "When clients are slow or gone; the server.xml that comes with Tomcat says 20000.",
        "60000", V, SOURCE, unit="ms", low=1_000, high=120_000, scale="log",
    ),
    Entry(
        "keepAliveTimeout", "key", "How long an idle connection is kept for another request; -1 is for ever.",
        "When clients come again within that time.",
        "that of connectionTimeout", V, SOURCE, unit="ms", low=1_000, high=120_000, scale="log",
    ),
    Entry(
        "maxKeepAliveRequests", "key", "Requests after which a connection is closed; 1 is no keep-alive.",
        "When a few connections carry many requests, as from a proxy: at 100 each hundredth is a new one.",
        "100", V, SOURCE, low=1, high=10_000, scale="log",
    ),
    Entry(
        "compression", "key", "Whether answers are compressed: off, on, force.",
        "When the network is the limit; it costs CPU for every answer.",
        "off", V, SOURCE, words=("off", "on", "force"), scale="words",
    ),
    Entry(
        "processorCache", "key", "Request processors that are kept for use again; -1 is no bound.",
        "When more requests are served at once than are kept: the others make garbage.",
        "200", V, SOURCE, low=50, high=1_000, scale="log",
    ),
)  # fmt: skip
