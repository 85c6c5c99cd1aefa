"""Sentences of `n_plus_one` in English."""


class NPlusOneTexts:
    """Sentences of `causes.n_plus_one`."""

    title = "each request asks many small things one after the other"
    mget_or_pipeline = "MGET or a pipeline"
    join_or_where = "a JOIN or WHERE id IN (…), eager loading in the ORM"
    pg_stat_statements = ": pg_stat_statements would tell how many statements these are"

    def round_trips_each(self, count: str, name: str) -> str:
        return f"{count} round trips to {name} for each request"

    def most_them(self, top: str) -> str:
        return f", most of them {top}"

    def no_more_than(self, top_share: str) -> str:
        return f"no more than {top_share} of them are alike"

    def mend(self, together: str) -> str:
        return f"ask for them together: {together}"

    def decides(self, name: str, count: str) -> str:
        return f"a delay of 1 ms ahead of {name}: a request becomes {count} ms slower"

    def each_request_makes(self, count: str, by: str, name: str) -> str:
        return f"each request makes {count} {by} to {name}"

    def them_costs_cpu(self, theirs: str) -> str:
        return f"one of them costs it {theirs} of CPU"

    def cpu_not_seen(self, name: str) -> str:
        return f"the CPU of {name} was not seen"

    def woken_times_each(self, switches: str) -> str:
        return (
            f"it was woken {switches} times for each request: whether they come in batches would show in the"
            " code of the client"
        )

    def them_are(self, top_share: str, top: str) -> str:
        return f"{top_share} of them are {top}"

    def each_them_brings(self, sent: str) -> str:
        return f"each of them brings {sent} rows"
