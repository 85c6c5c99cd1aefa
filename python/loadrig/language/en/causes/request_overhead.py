"""Sentences of `request_overhead` in English, and the sections of its page.

## Signature

The CPU is what limits, and so much of the samples under load lies in functions of one such kind, not in the
program's own work, that the server would do at least 1.15 times as much without it; 1.5 times for what every
server does.

## Data

A profile taken under load (`profile: at saturation`); of Python also the looks at who holds the interpreter
lock; the CPU time of a request.

## Deciding test

`--prove` sends the same load with `Accept-Encoding: identity`, in turns, or lowers the knob of compression;
of TLS it keeps connections in place of a handshake a request; of logging it lowers that knob. CPU time a
request falls as the profile says. The CPU must limit at all: a fifth less of it moves throughput. For
encoders there is no knob: a person sends an answer that is encoded beforehand.

## Guard

Where the CPU is not what limits it costs nobody anything. A profile of a few dozen samples says little. Of
what a service is about (one that makes JSON of a table) the remedy is to make less of it.

## Fix

A lower level or a least size for compression, or leave it to the proxy; a faster encoder, smaller answers;
keep-alive and resumed sessions; asynchronous or less logging; a cache of compiled
scripts and templates.
"""


class RequestOverheadTexts:
    title = "work around the request takes much of its CPU time"
    compress_less_lower = "compress less: a lower level, only above some kB, or leave it to the proxy"
    same_load_accept = "the same load with Accept-Encoding: identity"
    faster_encoder_fewer = "a faster encoder, fewer fields, or answers that are kept encoded"
    same_load_answer = "the same load on an answer that is encoded beforehand"
    keep_connections_alive = "keep connections alive and resume sessions, or end TLS at a proxy"
    same_load_keep = "the same load with keep-alive, or without TLS"
    log_less_way = "log less on the way of a request (a higher level), or asynchronously"
    same_load_higher = "the same load with a higher log level"
    file_access = "file access"
    open_write_read = (
        "open, write and read fewer files for each request: log less, in larger pieces, from a thread of its"
        " own"
    )
    same_load_higher_log = "the same load with a higher log level, or without what it writes"
    regular_expressions = "regular expressions"
    compile_patterns_once = "compile patterns once, or search for plain words"
    same_load_route = "the same load on a route that searches nothing"
    compiling = "compiling"
    compile_once = (
        "compile scripts and templates once and keep the result: a cache of compiled code (opcache.enable of"
        " PHP), templates parsed at start"
    )
    same_load_compiled = "the same load with what was compiled kept"

    def samples_lay(self, share: str, samples: str, detail: str) -> str:
        return f"{share} of {samples} profile samples were in {detail}"

    def lines_written(self, number: str, each: str) -> str:
        return f"it wrote {number} lines of log for each request, each of which takes {each} of CPU at least"

    def effect(self, detail: str, share: str, cpu_s: str, without: str) -> str:
        return f"{detail} takes {share} of the {cpu_s} of CPU time of a request; without {detail}: {without}"

    def decides(self, decides: str, without: str) -> str:
        return f"{decides}: the CPU time of a request falls to {without}"
