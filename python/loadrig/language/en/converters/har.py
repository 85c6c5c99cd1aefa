"""Sentences of the converter `har` in English: why a part of a recording is left out, or said otherwise."""


class ConvertersHarTexts:
    files = "a recording of a browser (.har)"
    requests = "requests"
    pauses = "pauses"
    at_once = "requests at once with others"
    tokens = "tokens"
    body = "body"

    # --- left out -------------------------------------------------------------------------------

    no_websocket = "write the messages of a WebSocket into the plan as `websocket` requests"
    other_address = "it is no address of HTTP"
    from_cache = "the browser had the answer in its cache, and did not ask"
    no_answer = "the browser stopped it, or had no answer"
    own_header = "loadrig writes what the connection needs itself"
    own_cookies = "each user keeps the cookies that it is given"
    no_body = "the recording has no content of it"
    no_files = "the recording has no bytes of its files"

    # --- altered --------------------------------------------------------------------------------

    in_sequence = "what the browser asks for while an answer before is under way waits for it"
    no_times = "without their times requests are made one after the other"
    files_as_recorded = "a browser records no bytes of files: they may be empty"
    own_encoding = "loadrig asks for gzip, which it can unpack"
    other_version = "the plan speaks HTTP/1.1; write `connections: {http: 2}` for HTTP/2"

    def at_entry(self, number: int) -> str:
        return f"entry {number}"

    def several_requests(self, count: int) -> str:
        return f"{count:,} requests"

    def header(self, name: str, count: int) -> str:
        return f"header {name} ({count:,})"

    def other_method(self, method: str) -> str:
        return f"a plan has no method {method}"

    def other_server(self, count: int, host: str) -> str:
        what = "request goes" if count == 1 else "requests go"
        return f"{count:,} {what} there; --host {host} takes them, too"

    def too_many(self, most: int) -> str:
        return f"a plan of a recording has {most:,} requests at most"

    def further(self, count: int) -> str:
        return f"{count:,} more requests"


class ConvertersHarErrors:
    no_entries = "there is no list of entries in its log"
    deep_json = "its lists and objects lie too deep within each other"
    export_anew = "export the recording anew, to its end"

    def no_json(self, reason: str) -> str:
        return f"it is no JSON ({reason})"
