"""A web server and proxy: directives of nginx.conf."""

from loadrig.catalogue.entry import Entry, by_name

TITLE = "nginx"
V = "nginx 1.22"
CORE = "nginx documentation, Core functionality"
HTTP = "nginx documentation, Module ngx_http_core_module"
UPSTREAM = "nginx documentation, Module ngx_http_upstream_module"

KNOBS = by_name(
    Entry(
        "worker_processes", "key", "Worker processes, each with an event loop; auto is one for each core.",
        "When one core is not enough for TLS, compression or many small requests.",
        "1", V, CORE, low=1, high=64, scale="log", costs="A process each.",
    ),
    Entry(
        "worker_connections", "key", "Most connections of a worker, those to upstreams included.",
        "At its limit connections are refused; a proxied request needs two.",
        "512", V, CORE, low=256, high=65_535, scale="log",
        costs="Some hundred bytes and a descriptor each.",
    ),
    Entry(
        "worker_rlimit_nofile", "key", "Most open files of a worker.",
        "When worker_connections is more than the limit that the shell gave.",
        "as the process was started", V, CORE, low=1_024, high=1_048_576, scale="log",
    ),
    Entry(
        "keepalive_timeout", "key", "How long an idle connection of a client is kept; 0 is not at all.",
        "When clients come again within that time.",
        "75", V, HTTP, unit="s", low=1, high=300, scale="log", costs="A connection of a worker each.",
    ),
    Entry(
        "keepalive_requests", "key", "Requests after which a client's connection is closed.",
        "When a few connections carry many requests; it was 100 before 1.19.10.",
        "1000", V, HTTP, low=100, high=100_000, scale="log",
    ),
    Entry(
        "keepalive", "key", "Idle connections to an upstream that each worker keeps (block upstream).",
        "Without it each proxied request makes a connection; it needs proxy_http_version 1.1.",
        "none", V, UPSTREAM, low=1, high=1_024, scale="log",
        costs="That many connections of the upstream, for each worker.",
    ),
    Entry(
        "sendfile", "key", "Whether files are sent by the kernel, without being copied to nginx.",
        "When files are served.",
        "off", V, HTTP, words=("on", "off"), scale="words",
    ),
    Entry(
        "gzip_comp_level", "key", "How hard answers are compressed, where gzip is on.",
        "When CPU is the limit: beyond 5 little is gained for much of it.",
        "1", V, "nginx documentation, Module ngx_http_gzip_module", low=1, high=9,
    ),
    Entry(
        "access_log", "key", "Where each request is written; buffer= writes many at once, off none.",
        "When small requests are many and the disk is slow.",
        "logs/access.log combined", V, "nginx documentation, Module ngx_http_log_module",
        words=("on", "off", "buffered"), scale="words",
    ),
    Entry(
        "proxy_buffers", "key", "Buffers for an upstream's answer, as number and size.",
        "When answers are larger than all of them: the rest is written to a file.",
        "8 of a page (4 or 8 KiB)", V, "nginx documentation, Module ngx_http_proxy_module",
        low=4, high=64, scale="log", costs="Memory for each request that is being proxied.",
    ),
    Entry(
        "backlog", "key", "Most connections that wait to be accepted (parameter of listen).",
        "Only under bursts; net.core.somaxconn caps it.",
        "511", V, HTTP, low=128, high=65_535, scale="log",
    ),
)  # fmt: skip
