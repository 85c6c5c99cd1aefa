"""Sentences of `importers` in English: what is noted of files that were read."""


class ImportersTexts:
    """Sentences of `importers`."""

    all_of_files = "all that the files hold"
    parts_of_samples = "parts of samples (redirects, embedded resources)"
    transactions = "transactions, whose requests have rows of their own"

    def transactions_alone(self, rows: str) -> str:
        return (
            f"{rows} rows are transactions of several requests each, which have no rows of their own: each"
            " counts as one request"
        )

    def expected_failures(self, answers: str) -> str:
        return f"{answers} answers with a status of 400 or more are good, as the plan called them a success"

    def ends_of_samples(self, file: str) -> str:
        return (
            f"timeStamp of {file} is read as the end of a sample: as its start, samples of one thread would"
            " overlap"
        )

    groups_of_requests = "groups, whose requests have records of their own"
    errors_of_scripts = "errors of a script, which are no requests"
    unasked_messages = "messages that came without being asked for"

    sums_only = (
        "the file holds sums, not requests: quantiles are as the tool states them, where it states any, and "
        "nothing is told of what lies within a sum"
    )

    def began_before_file(self, file: str) -> str:
        return f"{file} does not say when the load was: it is taken to end when the file was last written"

    steps_of_spectrum = "times are those of the spectrum's steps, each at its upper end"

    def wrk_timeouts(self, number: str) -> str:
        return f"wrk counted {number} timeouts; a slow request counts again at each look"

    under_way_at_end = "requests that were under way when the load ended"
    earlier_runs = "earlier runs of the same log"
    no_failed_rows = "requests without an answer have no rows, and are not in it"
    whole_seconds = "requests begin at whole seconds, as no more is told"
    taken_as_utc = "its times have no zone, and are taken as UTC"

    failed_checks = "Artillery counted checks that failed; their requests are answered, and not told apart"

    other_histograms = "histograms of other times than those from the send"
    taken_as_ns = "its values are taken as nanoseconds, as HdrHistogram's own tools take them"
    ends_at_whole_seconds = "requests end at whole seconds, as no more is told"

    def iterations_dropped(self, number: str) -> str:
        return f"k6 itself dropped {number} iterations that were due: it had no user free to begin them"

    def no_outcomes(self, form: str) -> str:
        return f"{form} does not say how requests ended: all of them count as good"

    def other_length(self, number: str) -> str:
        return f"{number} answers that ab calls failed had another length than the first; they count as good"

    def torn(self, file: str) -> str:
        return f"the last line of {file} was not written to its end, and is left out"

    def routes_folded(self, most: str, requests: str, others: str) -> str:
        return (
            f"more than {most} routes: {requests} requests of the rest are told together as {others}; "
            "give them fewer names, or join them with --route"
        )
