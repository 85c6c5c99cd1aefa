"""Errors of `importers` in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class ImportersReadErrors:
    def unknown_name(self, shown: str, formats: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no format {shown}",
            mend=f"name one of {formats}, or leave --format out",
        )

    def several_tools(self, file: str, tool: str, other_file: str, other_tool: str) -> ErrorWords:
        return ErrorWords(
            what=f"{file} is of {tool}, {other_file} of {other_tool}",
            mend="import each by itself",
            why="several files are the parts of one load, and that was made by one tool",
        )

    def several_runs(self, files: str, still: str) -> ErrorWords:
        return ErrorWords(
            what=f"{files}: nothing was under way for {still}",
            mend="import each run by itself; split a file where its times jump",
            why="these are several runs, one after the other; JMeter for one appends to a file that is there",
        )

    def several_sums(self, file: str) -> ErrorWords:
        return ErrorWords(
            what=f"{file} holds sums only, and cannot be one of several",
            mend=f"import it by itself: loadrig import {file}",
            why="sums of several generators say nothing of when each of them was loading",
        )

    def binary_form(self, file: str, name: str) -> ErrorWords:
        return ErrorWords(
            what=f"{file} is vegeta's own binary form, which only vegeta reads",
            mend=f"vegeta encode --to json {file} > {name}.json, and import that",
        )

    def unknown_format(self, file: str, tests: str, results: str) -> ErrorWords:
        return ErrorWords(
            what=f"{file} is of no format that loadrig reads",
            mend="name its format with --format; `loadrig explain jmeter` says what is read of JMeter",
            why=self._formats(tests, results),
        )

    def empty_file(self, file: str, tests: str, results: str) -> ErrorWords:
        return ErrorWords(
            what=f"{file} is empty",
            mend="name the file that the tool has written, and see that it was written to its end",
            why=self._formats(tests, results),
        )

    def _formats(self, tests: str, results: str) -> str:
        return f"formats of tests: {tests}; of results: {results}"

    def no_requests(self, files: str, tool: str, read: str) -> ErrorWords:
        return ErrorWords(
            what=f"{files}: there is no request in it",
            mend="name the file that the load wrote, or its format with --format",
            why=f"it was read as {tool}: {read}",
        )


class ImportersSourceErrors:
    longer_than_most = "it is longer than 64 MB"
    is_it_results = "is this a file of results?"
    save_as_utf8 = "save the file as UTF-8"

    def not_utf8(self, reason: str) -> str:
        return f"it is not UTF-8 ({reason})"

    def bad_line(self, number: int, reason: str, mend: str, file: str) -> ErrorWords:
        out = f"take the line out (sed -i {number}d {file}), or save the results anew"
        if number == 1:
            out = "see that it is the file that the tool wrote, and that --format, if given, names its tool"
        return ErrorWords(what=f"line {number} is no line of results: {reason}", mend=mend or out)

    def bad_byte(self, offset: int, reason: str, file: str) -> ErrorWords:
        return ErrorWords(
            what=f"byte {offset} of {file} begins no record: {reason}",
            mend=f"keep what is before it (head -c {offset} {file} > whole.log), or save the results anew",
        )

    packed_damaged = "copy the file anew, to its end: what is packed in it is damaged"

    def unreadable(self, file: str, reason: str, *, is_damaged: bool = False) -> ErrorWords:
        return ErrorWords(
            what=f"{file} cannot be read",
            mend=self.packed_damaged if is_damaged else "name a file of results that you may read",
            why=reason,
        )


class ImportersSampleErrors:
    """Reasons why a line holds no request, in files of any tool."""

    numbers_of_nothing = "its numbers are none of an instant, a length of time or a size"

    def key_missing(self, key: str) -> str:
        return f"{key} is missing"

    def larger_than_most(self, megabytes: str) -> str:
        return f"the file is larger than {megabytes} MB, which no such document is"

    def no_amount(self, shown: str) -> str:
        return f"{shown} is no number from 0 on"

    def no_figure(self, label: str) -> str:
        return f"{label} is not in it"

    def open_quote(self, reason: str) -> str:
        return f"a quote on it is never closed ({reason})"

    def no_instant(self, shown: str) -> str:
        return f"{shown} is no instant with a time zone"

    def no_date(self, shown: str) -> str:
        return f"{shown} is on no calendar"

    def endless_request(self, hours: str) -> str:
        return f"a request that took {hours} hours is none"


class ImportersJmeterErrors:
    """Errors of `importers.jmeter`, of its CSV and its XML."""

    files = "a JTL file, CSV or XML"
    times = "from the send to the last byte, connecting included"
    and_no_column = " and no column "
    save_milliseconds = "save the results with jmeter.save.saveservice.timestamp_format=ms"
    long_tag = "a tag on it is longer than 4 MB"
    foreign_declaration = "it declares a document type or an entity, which JMeter does not write"

    def missing_columns(self, file: str, missing: str, header: str, properties: str) -> ErrorWords:
        return ErrorWords(
            what=f"{file} has no column {missing}",
            mend=f"save the results with them: {properties}",
            why=f"its header names {header}",
        )

    def lacking(self, column: str) -> str:
        return f"it has no {column}"

    def no_stamp(self, shown: str) -> str:
        return f"timeStamp {shown} is no number of milliseconds since 1970"

    def no_elapsed(self, shown: str) -> str:
        return f"elapsed {shown} is no number of milliseconds"

    def no_success(self, shown: str) -> str:
        return f"success {shown} is neither true nor false"

    def deep_nesting(self, most: int) -> str:
        return f"more than {most} elements lie within each other"


class ImportersK6Errors:
    files = "JSON lines or CSV of `k6 run --out`, or its summary as JSON"
    summary_anew = "let k6 write it anew: k6 run --summary-export=summary.json script.js"
    times = "from the first byte sent to the last byte, connecting left out"
    no_verdict = "the request before it has neither a status nor a verdict"
    no_metric = "a metric of it has no figures"
    use_system_tags = "run k6 with its default --system-tags: status and expected_response are needed"

    def no_duration(self, milliseconds: str) -> str:
        return f"a duration of {milliseconds} ms is none"

    def no_status(self, number: str) -> str:
        return f"{number} is no status"


class ImportersVegetaErrors:
    files = "JSON lines or CSV of `vegeta encode`"
    times = "from the send to the last byte, connecting included"

    def few_columns(self, columns: int) -> str:
        return f"it has {columns} columns instead of 12"

    def no_request(self, latency: str, status: str) -> str:
        return f"latency {latency} and code {status} are not those of a request"


class ImportersGatlingErrors:
    files = "a simulation.log, text or binary"
    times = "from the send to the last byte, connecting included"
    no_run_record = "the log begins with no record of a run"
    no_text = "a string in it has no coder of Java"

    def no_record(self, kind: int) -> str:
        return f"no record begins with {kind}"

    def no_length(self, number: str) -> str:
        return f"{number} is the length of nothing in a log"

    def no_string(self, number: int) -> str:
        return f"it names string {number}, which was never written"

    def many_strings(self, most: str) -> str:
        return f"it has more than {most} different strings"

    def few_fields(self, fields: int) -> str:
        return f"{fields} fields are too few for its kind"

    def no_line_kind(self, word: str) -> str:
        return f"{word} begins no line of Gatling's"

    def no_time(self, shown: str) -> str:
        return f"{shown} is no number of milliseconds since 1970"

    def no_verdict(self, shown: str) -> str:
        return f"{shown} is neither OK nor KO"


class ImportersWrkErrors:
    files = "what wrk or wrk2 prints"
    times = "from the send to the last byte, connecting left out"
    times_when_due = "from when a request was due to the last byte, as wrk2 counts without -U"
    print_anew = "keep all that wrk prints: wrk --latency URL > wrk.txt"

    def falling_count(self, number: int) -> str:
        return f"the counts of its spectrum fall, to {number}"


class ImportersHeyErrors:
    files = "what hey prints, or its CSV"
    times = "from the send to the last byte, connecting included"
    print_anew = "keep all that hey prints: hey URL > hey.txt, or every request: hey -o csv URL > hey.csv"


class ImportersOhaErrors:
    files = "what oha prints, its JSON, or its CSV"
    times = "from the send to the last byte"
    print_anew = "keep all that oha prints: oha --no-tui --output-format json URL > oha.json"


class ImportersAbErrors:
    files = "what ab prints, or the rows of ab -g"
    times = "from the begin of connecting to the last byte"
    quantiles_only = "the file of ab -e holds quantiles and not how many requests there were"
    print_anew = "import what ab prints (ab URL > ab.txt) or its rows (ab -g ab.tsv URL)"

    def no_second(self, shown: str) -> str:
        return f"{shown} is no number of seconds since 1970"


class ImportersSiegeErrors:
    files = "the log of siege, or its JSON"
    times = "from the send to the last byte, a mean of hundredths of a second"
    log_anew = "let siege write it anew: siege --log=siege.log URL"


class ImportersLocustErrors:
    files = "stats_history.csv or stats.csv of Locust"
    times = "from the send to the last byte, connecting included, failed requests among them"

    def no_second(self, shown: str) -> str:
        return f"Timestamp {shown} is no second since 1970 after that of the row before"


class ImportersNgrinderErrors:
    files = "output.csv of nGrinder"
    times = "a test, from its begin to its end"

    def goes_back(self, shown: str) -> str:
        return f"DateTime {shown} lies before that of the row before"


class ImportersArtilleryErrors:
    files = "JSON of `artillery run -o FILE`"
    times = "from the send to the first byte of the answer"
    report_anew = "let Artillery write it anew: artillery run -o report.json test.yml"


class ImportersHlogErrors:
    files = "an interval log of HdrHistogram"
    times = "what the program measured, which the log does not say"

    def few_fields(self, fields: int) -> str:
        return f"it has {fields} fields beside the tag instead of 4"

    def goes_back(self, shown: str) -> str:
        return f"its interval begins at {shown} s, before those of the lines before it"
