"""Errors of `target` in English, but for those of Python servers, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class TargetCommandErrors:
    _as_list = "write it as a list, one word an item: argv: [./server, --port, '{port}']"

    empty_command = ErrorWords(what="the command is empty", mend=_as_list)

    def command_not_split(self, command: str, reason: str) -> ErrorWords:
        return ErrorWords(what=f"the command {command!r} cannot be split: {reason}", mend=self._as_list)

    def port_not_told(self, command: str) -> ErrorWords:
        return ErrorWords(
            what=f"{command!r} is not told which port to listen on",
            why="no port is given, so a free one is chosen at each start, and the command must be told it",
            mend="put {port} into argv or env, or say which port it uses: `address: 8000`",
        )


class TargetExternalErrors:
    def no_address(self, url: str) -> ErrorWords:
        return ErrorWords(
            what=f"{url!r} is not the address of a server", mend="write http://HOST:PORT or https://HOST:PORT"
        )

    def no_process(self, pid: int) -> ErrorWords:
        return ErrorWords(
            what=f"there is no process {pid}", mend="correct `pid`, or leave it out and it is looked for"
        )

    def nothing_listens(self, place: str) -> ErrorWords:
        return ErrorWords(
            what=f"nothing listens on {place}",
            mend="start the server first, or correct the address; to have it started, use the target"
            " `command`",
        )


class TargetKnobsErrors:
    def overruled_knob(self, name: str, word: str, option: str, variable: str) -> ErrorWords:
        return ErrorWords(
            what=f"the knob {name} changes nothing: the command says {word} itself",
            why=f"{option} is told by {variable}; a JVM takes what its command line says instead",
            mend=f"take {word} out of the command",
        )


class TargetProcessErrors:
    not_ended = "not yet"

    def ended_with_status(self, status: int) -> str:
        return f"with status {status}"

    def ended_by_signal(self, signal: str) -> str:
        return f"by {signal}"

    def group_not_entered(self, file: str, reason: str) -> str:
        return f"could not enter {file}: {reason}"

    def no_folder(self, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no folder {folder!r} to start the server in",
            mend="correct the folder (it counts from the plan's folder)",
        )

    def cores_not_allowed(self, wanted: str, allowed: str) -> ErrorWords:
        return ErrorWords(
            what=f"the server cannot be held on cpus {wanted}",
            why=f"this process may use cores {allowed}",
            mend="name cores from that list, or leave cpus out",
        )

    def program_not_started(self, program: str, reason: str, searched: str) -> ErrorWords:
        return ErrorWords(
            what=f"the server's program {program!r} could not be started: {reason}",
            why=f"looked in {searched}",
            mend="install it, or write its path; a script must be executable and name its interpreter",
        )


class TargetReadyErrors:
    """Signs that `target._ready` waits for, and what a try saw instead."""

    no_such_line = "no such line yet"
    closed_without_answer = "it closed without an answer"
    connected_with_itself = "connected with itself"

    def line_that_matches(self, pattern: str) -> str:
        return f"a line of its output that matches {pattern!r}"

    def socket(self, path: str) -> str:
        return f"the socket {path}"

    def either(self, first: str, second: str) -> str:
        return f"{first} or {second}"

    def answer_to_get(self, path: str, place: str) -> str:
        return f"GET {path} on {place} to answer"

    def answer_with_status(self, path: str, place: str, statuses: str) -> str:
        return f"GET {path} on {place} to answer with status {statuses}"

    def connection_taken(self, place: str) -> str:
        return f"{place} to take a connection"

    def answer_not_http(self, line: str) -> str:
        return f"an answer that is not HTTP: {line!r}"

    def other_answer(self, line: str) -> str:
        return f"it answered {line!r}"

    def no_answer_within(self, seconds: str) -> str:
        return f"no answer within {seconds} s"


class TargetServerErrors:
    another_process = "another process"

    def process_of_another_user(self, uid: int) -> str:
        return f"a process of another user (uid {uid})"

    def process_with_command(self, pid: int, command: str, others: int) -> str:
        return f"pid {pid} ({command})" + (f" and {others} more" if others else "")

    def listened_on_still(self, url: str, holders: str) -> str:
        return f"{url} is still listened on by {holders}"

    def address_not_ours(self, host: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the server cannot have the address {host!r}: {reason}",
            mend="write an address of this machine, such as 127.0.0.1 or ::1",
        )

    def port_taken(self, name: str, place: str, holders: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} cannot listen on {place}: the port is taken by {holders}",
            mend="stop that process, write another port, or leave the port out and a free one is chosen",
        )

    def exited(self, name: str, how: str, command: str, is_silent: bool) -> ErrorWords:
        return ErrorWords(
            what=f"{name} exited {how} before it was ready",
            why="it printed nothing" if is_silent else "",
            mend=f"mend what its last lines say; by hand it is started with: {command}",
        )

    def never_ready(
        self, name: str, within_s: str, waited_for: str, last_try: str, listens_on: str
    ) -> ErrorWords:
        places = f"it listens on {listens_on}" if listens_on else "it listens on no TCP port"
        return ErrorWords(
            what=f"{name} was not ready after {within_s} s",
            why=f"waited for {waited_for}; last try: {last_try}; {places}",
            mend="raise `within` under `ready`, or correct the address or the check",
        )


class TargetTemplatesErrors:
    not_utf8 = "it is not UTF-8 text"

    def knob_without_value(self, path: str, knob: str, names: str) -> ErrorWords:
        return ErrorWords(
            what=f"the template {path} asks for {{{{{knob}}}}}, which has no value",
            why=f"values are there for {names or 'nothing'}",
            mend="declare it under knob_flags with a `default`, or take it out of the template",
        )

    def untold_knob(self, name: str, variable: str) -> ErrorWords:
        return ErrorWords(
            what=f"nothing tells the program of the knob {name}",
            why="it has no flag, env, jvm, limit or sysctl, and no template asks for it",
            mend=f"say how it is told, such as {name}: {{env: {variable}}}, or write {{{{{name}}}}} into a"
            " template under `files`",
        )

    def unreadable_template(self, name: str, file: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the template of {name} cannot be read: {file}: {reason}",
            why="files count from the plan's folder",
            mend="correct the path under `files`",
        )


class TargetWithinErrors:
    groups_not_mounted = "control groups are not mounted here"

    def controller_withheld(self, group: str) -> str:
        return f"the control group {group} does not give its controller `cpu` to those below it"

    def too_few_cores(self, wanted: int, allowed: int, cores: str) -> ErrorWords:
        return ErrorWords(
            what=f"the server is to have {wanted} cores and may use {allowed}",
            why=f"it is held on cores {cores}",
            mend=f"give the knob values up to {allowed}, or the target more `cpus`",
        )

    def no_quota(self, reason: str) -> ErrorWords:
        return ErrorWords(
            what="the server cannot be given a quota of CPU",
            why=reason,
            mend="run as root, or in a delegated group: systemd-run --user --scope -p Delegate=yes loadrig …",
        )

    def sysctl_of_machine(self, name: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} would be changed for the whole machine",
            why="the rig runs in the machine's own network namespace",
            mend="run it in one of its own, as root: unshare --net sh -c 'ip link set lo up; loadrig tune"
            " PLAN'",
        )

    def no_sysctl_of_namespace(self, name: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} is no sysctl of a network namespace here",
            why="only those under net. can be set for one server",
            mend="see `sysctl -a --pattern ^net`",
        )

    def sysctl_refused(self, name: str, value: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} cannot be set to {value!r}",
            why=reason,
            mend="run as root, and give it a value that it takes",
        )
