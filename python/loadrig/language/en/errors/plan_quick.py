from loadrig.base.error_words import ErrorWords


class PlanQuickErrors:
    """Errors of `plan.quick`."""

    command_line = "the command line"
    command = "the command"
    user_name_in_url = ErrorWords(
        what="a user name in the URL is not sent",
        mend="write it as a header: -H 'Authorization: Basic …'",
    )
    arrivals_without_rate = ErrorWords(
        what="--arrivals says how a rate is spaced, and no rate is given",
        mend="add --rate, such as --rate 500/1s, or leave --arrivals out",
    )
    streams_over_http1 = ErrorWords(
        what="several streams on a connection need HTTP/2",
        mend="add --http2, or leave --streams out",
    )
    closed_http2 = ErrorWords(
        what="a connection of HTTP/2 carries many requests, and --close allows it one",
        mend="leave out either --close or --http2",
    )

    def not_an_address(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown} is not the address of a server",
            mend="write http://HOST:PORT/PATH or https://HOST:PORT/PATH",
        )

    def unknown_method(self, shown: str, methods: str) -> ErrorWords:
        return ErrorWords(what=f"there is no method {shown}", mend=f"write one of {methods}")

    def not_a_header(self, shown: str) -> ErrorWords:
        return self._header(f"{shown} is not NAME: VALUE")

    def header_twice(self, shown: str) -> ErrorWords:
        return self._header(f"{shown} names a header for the second time")

    def _header(self, what: str) -> ErrorWords:
        return ErrorWords(what=what, mend="write each header once, such as -H 'Accept: text/html'")

    def allowed_by_flag(self, host: str) -> str:
        return f"add --allow {host}"
