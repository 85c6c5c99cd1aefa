"""Errors of a probe's connection to a server in English: of `probes._line` and `probes._pages`."""

from loadrig.base.error_words import ErrorWords

_BUSY = "look whether it runs, what it is busy with, and whether its CPU is used up"
_STOPPED = "look whether it runs, and why it was stopped"


class ProbesLineErrors:
    """Errors of `probes._line`, and of all that speak over such a connection."""

    def address_unknown(self, component: str, probe: str, port: str) -> ErrorWords:
        return ErrorWords(
            what=f"it is not known where {component} is spoken to",
            mend=f"write `- {probe}: {{at: HOST:{port}}}` under probes",
        )

    def not_an_address(self, shown: str, probe: str, port: str) -> ErrorWords:
        return ErrorWords(
            what=f"its address {shown} is not one",
            mend=f"write `- {probe}: {{at: HOST:{port}}}` under probes, or the path of a Unix socket",
        )

    def no_answer_within(self, server: str, limit_s: str) -> ErrorWords:
        return ErrorWords(what=f"{server} did not answer within {limit_s} s", mend=_BUSY)

    def unreachable(self, server: str, why: str) -> ErrorWords:
        return ErrorWords(what=f"{server} cannot be connected to: {why}", mend=_STOPPED)

    def connection_closed(self, server: str, why: str = "") -> ErrorWords:
        reason = f": {why}" if why else ""
        return ErrorWords(what=f"{server} has closed the connection{reason}", mend=_STOPPED)

    def no_answer(self, server: str, why: str) -> ErrorWords:
        return ErrorWords(what=f"{server} does not answer: {why}", mend=_STOPPED)

    def connections_used_up(self, server: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"{server} has no connection left for us: {why}",
            mend="close connections, or raise max_connections",
        )


class ProbesPagesErrors:
    def not_accepted(self, base: str) -> ErrorWords:
        return ErrorWords(what=f"{base} does not accept a connection in time", mend=_BUSY)

    def page_late(self, page: str) -> ErrorWords:
        return ErrorWords(what=f"{page} does not answer in time", mend=_BUSY)

    def page_too_long(self, page: str, most_mib: str) -> ErrorWords:
        return ErrorWords(what=f"{page} answers with more than {most_mib} MiB", mend="name another page")

    def page_cut_short(self, page: str, missing: str) -> ErrorWords:
        return ErrorWords(what=f"{page} ended too early: {missing} bytes are missing", mend=_STOPPED)

    def not_a_url(self, shown: str, probe: str, option: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown} is no URL",
            mend=f"write `- {probe}: {{{option}: http://127.0.0.1:9090/…}}` under probes",
        )
