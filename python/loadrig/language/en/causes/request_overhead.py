"""Sentences of `request_overhead` in English."""


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

    def samples_lay(self, share: str, samples: str, detail: str) -> str:
        return f"{share} of {samples} profile samples were in {detail}"

    def lines_written(self, number: str, each: str) -> str:
        return f"it wrote {number} lines of log for each request, each of which takes {each} of CPU at least"

    def effect(self, detail: str, share: str, cpu_s: str, without: str) -> str:
        return f"{detail} takes {share} of the {cpu_s} of CPU time of a request; without {detail}: {without}"

    def decides(self, decides: str, without: str) -> str:
        return f"{decides}: the CPU time of a request falls to {without}"
