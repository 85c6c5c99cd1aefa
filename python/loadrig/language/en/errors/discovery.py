"""Errors of `discovery` in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class DiscoveryFindErrors:
    def elsewhere(self, host: str) -> ErrorWords:
        return ErrorWords(
            what=f"{host} is not an address of this machine",
            why="only what runs on this machine can be looked into from here",
            mend=f"run loadrig discover on {host}, or name it in a plan by `observers` and `via`",
        )

    def nothing_listens(self, place: str) -> ErrorWords:
        return ErrorWords(
            what=f"nothing listens on {place}", mend="start the server first, or correct the address"
        )

    def no_address(self, text: str) -> ErrorWords:
        return ErrorWords(
            what=f"{text!r} is not the address of a server",
            mend="write it as http://HOST:PORT/PATH, or :PORT, or give --pid N",
        )

    def no_process(self, pid: int) -> ErrorWords:
        return ErrorWords(
            what=f"there is no process {pid}",
            mend="correct --pid, or give the address that the server listens on",
        )
