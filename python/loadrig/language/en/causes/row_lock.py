"""Sentences of `row_lock` in English."""


class RowLockTexts:
    title = "statements wait for each other's locks"
    no_proof = (
        "the program chooses its rows; spread the writes over more rows in a copy, and run the two in turn"
    )
    decides = "the same load over many rows instead of one: throughput rises with nothing else changed"
    locks_not_read = "its locks were not read"

    def sessions_work_waited(self, waiting: str, among: str) -> str:
        return f"{waiting} of {among} sessions at work waited for a lock, on average"

    def used_meanwhile(self, mean: str, cores: str) -> str:
        return f"it used {mean} of {cores} meanwhile"

    def sessions_waited_lock(self, waiting: str) -> str:
        return f"{waiting} sessions waited for a lock at a time"

    def each_request(self, waiting: str) -> str:
        return f": {waiting} of the time of each request"

    def whose_median(self, p50: str) -> str:
        return f", whose median was {p50}"

    def requests_database_waited(self, waiting: str, in_it: str) -> str:
        return f"{waiting} of {in_it} requests in the database waited for a lock"

    def used(self, mean: str, cores: str) -> str:
        return f"it used {mean} of {cores}"

    def idle_too(self, used: str, name: str) -> str:
        return f"{used}, and {name} was idle too"

    def effect(self, waiting: str) -> str:
        return f"{waiting} requests may wait in the database while no CPU is busy"

    def let_probe_read(self, name: str) -> str:
        return f"let the probe read what sessions of {name} wait for"

    def look_at(self, top: str) -> str:
        return f" (look at {top})"

    def make_transaction_shorter(self, which: str) -> str:
        return (
            f"make the transaction shorter or spread the hot row over many{which}: commit right after the"
            " write"
        )
