"""Errors of observers on other hosts in English: of `probes._remote`. via: the command that leads there."""

from loadrig.base.error_words import ErrorWords


class ProbesRemoteLinkErrors:
    """Errors of `probes._remote.link`. python: the interpreter there; install: the command for loadrig."""

    output_closed = "it closed its output"

    def ended_with(self, code: str) -> str:
        return f"it ended with exit code {code}"

    def program_not_permitted(self, program: str) -> ErrorWords:
        return ErrorWords(
            what=f"{program} may not be run on this machine",
            mend=f"chmod +x {program}, or correct `via` in the plan",
        )

    def no_program(self, program: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no program {program} on this machine to reach the host with",
            mend=f"install {program}, or correct `via` in the plan",
        )

    def connection_broke(self, how: str, via: str) -> ErrorWords:
        return ErrorWords(what=f"the connection broke: {how}", mend=f"see that this works: {via} true")

    def not_installed(self, python: str, install: str) -> ErrorWords:
        return ErrorWords(
            what=f"loadrig is not installed for {python} there",
            mend=f"{install}, or name by `python` the interpreter that has it",
        )

    def key_unknown(self, via: str) -> ErrorWords:
        return ErrorWords(
            what="the key of the host is not known here, or has changed",
            mend=f"look at it and accept it once by hand: {via} true",
        )

    def host_refused(self, via: str) -> ErrorWords:
        return ErrorWords(
            what="the host refused us: nobody can type a password during a run",
            mend=f"let a key or an agent do it, until this asks for nothing: {via} true",
        )

    def python_not_permitted(self, python: str, command: str) -> ErrorWords:
        return ErrorWords(what=f"{python} may not be run there", mend=f"try it by hand: {command}")

    def no_python(self, python: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no {python} there",
            mend="name the interpreter that has loadrig by `python`, such as python: /opt/loadrig/bin/python",
        )

    def host_unreachable(self, via: str) -> ErrorWords:
        return ErrorWords(what="the host cannot be reached", mend=f"see that this works: {via} true")

    def no_observer(self, how: str, command: str) -> ErrorWords:
        return ErrorWords(
            what=f"the command does not lead to an observer: {how}", mend=f"try it by hand: {command}"
        )

    def too_old(self, install: str) -> ErrorWords:
        return ErrorWords(
            what="the loadrig there is older than observers on other hosts",
            mend=f"install the same on both sides: {install}",
        )

    def other_protocol(self, theirs: str, their_protocol: str, ours: str, our_protocol: str,
                       install: str) -> ErrorWords:  # fmt: skip
        return ErrorWords(
            what=(
                f"the loadrig there is {theirs} and speaks protocol {their_protocol}; this one is {ours} and"
                f" speaks {our_protocol}"
            ),
            mend=f"install the same on both sides: {install}",
        )


class ProbesRemoteTalkErrors:
    def nothing_said(self, seconds: str, via: str) -> ErrorWords:
        return ErrorWords(
            what=f"it has said nothing for {seconds} s", mend=f"see that this works: {via} true"
        )

    def no_hello(self, seconds: str, via: str) -> ErrorWords:
        return ErrorWords(
            what=f"no observer has answered there within {seconds} s", mend=f"see that this works: {via} true"
        )

    def no_answer(self, via: str) -> ErrorWords:
        return ErrorWords(what="it does not answer", mend=f"see that this works: {via} true")


class ProbesRemoteRigErrors:
    def nonsense(self, kind: str, error: str, via: str) -> ErrorWords:
        return ErrorWords(
            what=f"what it says makes no sense ({kind}: {error})",
            mend=f"see that nothing else writes to that pipe: {via}",
        )

    def never_answered(self, name: str) -> str:
        return f"{name}: it never answered, so nothing is known of its clock"

    def clock_agrees(self, name: str, residual_ms: str) -> str:
        return f"{name}: one clock to ±{residual_ms} ms"


class ProbesRemotePresenceErrors:
    def observed_again(self, name: str, seconds: str) -> str:
        return f"{name} is observed again, after {seconds} s"

    def why(self, reason: str, last_words: str, mend: str) -> str:
        last = f" ({last_words})" if last_words else ""
        return f"{reason}{last}; {mend}"

    def no_longer_observed(self, name: str, why: str) -> str:
        return f"{name} is no longer observed: {why}"

    def not_observed(self, name: str, why: str) -> str:
        return f"{name} is not observed: {why}"


class ProbesRemoteServeErrors:
    """Errors of `probes._remote.serve` and `_remote.wire`, where the observer runs. there: its version."""

    probe_unknown = "it is not known there"

    def observer_failed(self, kind: str, error: str) -> str:
        return f"the observer there failed: {kind}: {error}"

    def nothing_listens(self, port: str) -> str:
        return f"nothing listens at port {port} there yet; only the host is observed until then"

    def no_process(self, pid: str) -> str:
        return f"there is no process {pid} there; only the host is observed"

    def other_protocol(self, theirs: str, ours: str, there: str) -> ErrorWords:
        return ErrorWords(
            what=f"the rig speaks protocol {theirs}, loadrig there {ours}",
            mend=f"install the same version on both sides; there it is {there}",
        )

    def option_unknown(self, name: str) -> str:
        return f"it has no option {name}"

    def probe_refused(self, why: str, there: str) -> ErrorWords:
        return ErrorWords(what=why, mend=f"install the rig's version there; it has loadrig {there}")
