"""Refusals of the generator in English, by the names that it gives: see `engine.refusals`."""

from loadrig.base.error_words import ErrorWords


class EngineRefusals:
    """Words of the generator's refusals; their names and holes stand in crates/loadrig-engine."""

    def no_event_queue(self, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the system gives the generator no event queue: {reason}",
            mend="raise the limit of open files (`ulimit -n`), or ask for fewer threads",
        )

    def no_thread(self, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the system gives the generator no thread: {reason}",
            mend="ask for fewer threads, or raise the limits of processes and of open files "
            "(`ulimit -u`, `ulimit -n`)",
        )

    def no_own_address(self, address: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"connections cannot come from {address}: {reason}",
            mend="give an address that this machine has (`ip address` shows them)",
        )

    def no_server_name(self, name: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} is neither a host name nor an IP address",
            mend="give the name that the server's certificate is for",
        )

    def no_authorities(self) -> ErrorWords:
        return ErrorWords(
            what="the system has no authority to check the server's certificate against",
            mend="install the system's certificates (package ca-certificates), "
            "or give the authority with tls: {ca: FILE}",
        )

    def authority_no_certificate(self, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the authority is no certificate in PEM: {reason}",
            mend="give a file that holds BEGIN CERTIFICATE … END CERTIFICATE",
        )

    def unknown_hole(self, hole: str, near: str) -> ErrorWords:
        return ErrorWords(
            what=f"nothing fills the hole {{{hole}}}: no feed and no extraction bears that name",
            mend=(f"did you mean {{{near}}}?" if near else "name a feed or an extracted variable;")
            + " if a brace is meant, write it twice: {{",
        )

    def name_taken(self, name: str, route: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} is both a feed and extracted by the route {route}",
            mend="give one of the two another name",
        )

    def no_regex(self, text: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{text} is no regular expression: {reason}",
            mend="write it in the syntax of Rust's regex crate: no look-around, no back-references",
        )

    def no_json_place(self, text: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{text} is no place in JSON: {reason}",
            mend="write a JSON pointer like /data/0/id, or a JSONPath like $.data[0].id",
        )

    def no_selector(self, text: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{text} is no selector of CSS: {reason}",
            mend='write one like form#login input[name="csrf"], with values in quotes',
        )

    def feed_without_values(self, feed: str) -> ErrorWords:
        return ErrorWords(
            what=f"the feed {feed} has no values",
            mend="put at least one value into its file or list",
        )

    def counter_shuffled(self, feed: str) -> ErrorWords:
        return ErrorWords(
            what=f"the counter {feed} has no end, so chance can draw nothing from it",
            mend="leave out `order`, or use `random: [LOW, HIGH]`",
        )

    def fleet_too_large(self, connections: str, generators: str) -> ErrorWords:
        return ErrorWords(
            what=f"the load has {connections} connections, but there are {generators} generators",
            mend="give it a connection for each generator, or have fewer generators",
        )

    def feed_too_short(self, feed: str, values: str, users: str) -> ErrorWords:
        return ErrorWords(
            what=f"the feed {feed} has {values} values, but there are up to {users} users",
            mend="give it more values, have fewer users, or leave out `order: unique`",
        )

    def no_method(self, method: str) -> ErrorWords:
        return ErrorWords(
            what=f"{method} is no method",
            mend="write a method such as GET or POST",
        )

    def no_header_name(self, name: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} is no name of a header",
            mend="use letters, digits and - only",
        )

    def control_in_header(self, text: str) -> ErrorWords:
        return ErrorWords(
            what=f"{text} has a control character",
            mend="take line breaks out of the header",
        )

    def target_without_slash(self, target: str) -> ErrorWords:
        return ErrorWords(
            what=f"{target} is no target of a request",
            mend="begin it with a slash",
        )

    def wrong_target(self, target: str, mended: str, part: str) -> ErrorWords:
        return ErrorWords(
            what=f"{target} is no target of a request",
            mend=f"write {mended} instead of {part}",
        )

    def wrong_template(self, text: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{text}: {reason}",
            mend="write a hole as {name}, and a brace that is meant as itself twice: {{ or }}",
        )

    def message_with_marks(self, message: str) -> ErrorWords:
        return ErrorWords(
            what=f"{message} has characters of plane 15, where holes are kept",
            mend="use other characters, or a hole for them",
        )

    def message_no_json(self, message: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the message {message} is no JSON: {reason}",
            mend="write it in JSON, holes between quotes: a number may be written as a text",
        )

    def message_does_not_fit(self, place: str, reason: str, message: str) -> ErrorWords:
        return ErrorWords(
            what=f"the message does not fit at {place}: {reason}",
            mend=f"write it as {message} has it in its .proto file",
        )

    def first_values_do_not_fit(self, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the message does not fit with the first values of its holes: {reason}",
            mend="give the feed values of the field's type",
        )

    def protos_without_message(self, message: str, near: str) -> ErrorWords:
        return ErrorWords(
            what=f"the protos have no message {message}",
            mend=f"did you mean {near}?"
            if near
            else "name the .proto file that has it under `protos` of the plan's workload",
        )
