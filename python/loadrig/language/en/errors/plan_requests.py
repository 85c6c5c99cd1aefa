"""Errors of `plan.check_requests` in English."""

from loadrig.base.error_words import ErrorWords


class PlanCheckRequestsErrors:
    keep_alive_instead = (
        "leave it out; write connections: {keep_alive: false} to close after each request, true to keep open"
    )
    length_counted = "leave it out; the generator counts the bytes of the body"
    body_sent_whole = "leave it out; bodies are sent whole, with Content-Length"
    upgrade_written = "leave it out; the generator writes the upgrade's own headers"
    no_extension = "leave it out; no extension is spoken, so none may be offered"
    call_has_it = "leave it out; every gRPC request has it"
    not_compressed = "leave it out; messages are sent as they are, not compressed"

    def all_weights_zero(self, key: str) -> ErrorWords:
        return ErrorWords(
            what=f"all {key} have the weight 0, so there is nothing to send",
            mend="give one of them a weight above 0",
        )

    def whole_address(self, path: str) -> ErrorWords:
        return ErrorWords(
            what=f"{path} is a whole address",
            mend="write the path alone; another host than the target's stands under `servers`, and the"
            " request names it: server: NAME",
        )

    def path_without_slash(self, method: str, path: str) -> ErrorWords:
        return ErrorWords(what=f"the path {path!r} does not begin with /", mend=f"write {method}: /{path}")

    def path_with_fragment(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"the path {shown} has a # in it, which is never sent", mend="leave out # and the rest"
        )

    def path_with_sign(self, shown: str, sign: str, escaped: str) -> ErrorWords:
        return ErrorWords(what=f"the path {shown} has {sign} in it", mend=f"write {escaped} for it")

    def header_twice(self, name: str, first_name: str) -> ErrorWords:
        return ErrorWords(
            what=f"the header {name} names {first_name} for the second time",
            mend="write each header once",
            why="capitals make no other header, and only one of the two would be sent",
        )

    def line_break_in_header(self, name: str) -> ErrorWords:
        return ErrorWords(
            what=f"the value of the header {name} has a line break in it",
            mend="write it on one line",
            why="a line break would begin another header",
        )

    def control_in_value(self, name: str) -> ErrorWords:
        return ErrorWords(
            what=f"the header {name} has a control character",
            mend="take it out: a header holds text and tabs only",
        )

    def not_a_header_name(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown} cannot be the name of a header", mend="use letters, digits and hyphens"
        )

    def own_header(self, name: str, mend: str) -> ErrorWords:
        return ErrorWords(what=f"the header {name} is the rig's own", mend=mend)

    def misspelt_header(self, name: str, meant: str, mend: str) -> ErrorWords:
        """Return what is said of a header; mend: what is said of the one that is meant, "" to write that."""
        return ErrorWords(
            what=f"the header {name} looks like {meant}, misspelt", mend=mend or f"write {meant}"
        )

    def not_a_hole_name(self, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"{shown} cannot be the name of a hole", mend="use letters, digits and _, a letter first"
        )

    def feed_and_variable(self, name: str, feed_line: int) -> ErrorWords:
        return ErrorWords(
            what=f"{name} is both a feed and a variable taken from an answer",
            mend="rename one of them",
            why=f"the feed stands at line {feed_line}",
        )

    def unfilled_hole(self, name: str, filled: str, meant: str, is_one_meant: bool) -> ErrorWords:
        """Return what is said of a hole; filled: those that are, meant: those that may be meant."""
        if is_one_meant:
            mend = f"write {meant}"
        elif meant:
            mend = f"write one of {meant}"
        else:
            mend = f"add a feed (feeds: {{{name}: {name}.txt}}) or extract {name} from an earlier answer"
        return ErrorWords(
            what=f"nothing fills the hole {{{name}}}",
            mend=mend,
            why=f"filled are {filled}" if filled else "there are no feeds and no extracts",
        )

    def stray_brace(self, fragment: str) -> ErrorWords:
        return ErrorWords(
            what=f"{fragment} is neither a hole nor a doubled brace",
            mend="write {{ and }} for braces; a JSON body is easier under json:",
        )
