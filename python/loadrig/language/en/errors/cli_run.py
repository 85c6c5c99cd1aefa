"""Errors of the parts of `cli` that carry out runs in English, a class for each of its files."""

from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords


class CliCutProofErrors:
    def proof_cut_short(self, run: str, command: str) -> ErrorWords:
        return ErrorWords(
            what=f"the proof of {run} was cut short before it was judged, and cannot go on",
            mend=f"begin it anew: {command}",
            why="what it measured is kept",
        )

    def as_note(self, what: str, why: str, mend: str, code: str) -> str:
        return f"note: {what}; {why}; {mend} (more: loadrig explain {code})"

    def proof_begins_anew(self, folder: str) -> str:
        return (
            "an earlier proof was cut short and cannot go on (see loadrig explain prove.cut-short), so it"
            f" begins anew; what was measured is kept in {folder}"
        )


class CliFinishErrors:
    mends: ClassVar[Mapping[str, str]] = {
        "connect_refused": "start the server, or check the host and the port",
        "connect_timeout": "check that the host is up and that no firewall drops packets",
        "connect_reset": "see the server's log: it closes connections as soon as they are made",
        "tls_failed": "check the certificate (-k accepts any), and that the port speaks TLS (HTTP/2: h2 by"
        " ALPN)",
        "not_http": "check what the port speaks: HTTP/1.1 or HTTP/2, http or https",
        "timeout": "give it more time (timeout: 60s), or see what the server waits for",
        "closed": "see the server's log: it closes connections before it has answered",
        "reset": "see the server's log: it resets connections before it has answered",
        "stream_reset": "see the server's log: it resets the HTTP/2 streams of these requests",
        "go_away": "see the server's log: it ends HTTP/2 connections before it takes requests up",
        "excess_body": "mend the server's Content-Length: it sends more bytes than it announces",
    }

    def failed_trial(self, reason: str) -> ErrorWords:
        return ErrorWords(
            what=reason or "the trial failed",
            mend="mend what the sentence says and run it again",
        )

    def never_answered(self, address: str, counts: str, outcome: str) -> ErrorWords:
        return ErrorWords(
            what=f"{address} gave no HTTP answer to any request",
            mend=self.mends.get(outcome, "see the outcomes above and the server's log"),
            why=f"outcomes: {counts or 'no request was sent'}",
        )


class CliLabRunErrors:
    def server_ended(self, lab: str) -> ErrorWords:
        return ErrorWords(
            what=f"the server of the lab {lab} has ended by itself",
            mend="mend what its last lines say",
        )

    def interrupted(self, lab: str, text: str) -> ErrorWords:
        return ErrorWords(
            what=f"interrupted; what the lab {lab} had started was stopped",
            mend=f"run it again: loadrig lab run {text}",
        )

    def no_capacity(self, lab: str, plan: str, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"the lab {lab} has no capacity: its plan {plan} had no good answer",
            mend=f"see what was recorded: loadrig report {folder}",
        )


class CliLabViewErrors:
    not_root = ErrorWords(what="nothing was installed: only root may", mend="type the lines above")

    def failed_command(self, command: str, status: str) -> ErrorWords:
        return ErrorWords(
            what=f"`{command}` ended with status {status}",
            mend="mend what it says above, or install it your own way",
        )

    def no_apt(self, programs: str) -> ErrorWords:
        return ErrorWords(
            what="nothing was installed: there is no apt-get here",
            mend=f"install these programs: {programs}",
        )


class CliProveErrors:
    def no_permit(self, shown: str, permits: str) -> ErrorWords:
        return ErrorWords(what=f"{shown} is nothing that can be permitted", mend=f"write one of {permits}")

    def prove_again(self, command: str, run: str) -> str:
        return f"prove it again from the start: {command} (what it has found is judged: loadrig report {run})"


class CliQuickErrors:
    def flag_of_a_url(self, flag: str, plan: str) -> ErrorWords:
        return ErrorWords(
            what=f"{flag} is of a URL, and {plan} is a plan",
            mend=f"leave {flag} out, or write it into the plan",
            why="a plan says by itself what is asked, and how",
        )


class CliResumeErrors:
    def load_cut_short(self, run: str, seconds: str, report: str, command: str) -> ErrorWords:
        return ErrorWords(
            what=f"the load of {run} was cut short after {seconds} s, and cannot go on",
            mend=f"begin it again, in a new folder: {command}",
            why=(
                "between two halves of a load the server rests, its caches and memory change and what grows"
                " starts anew, so two halves are not one load; what was measured is kept: loadrig report"
                f" {report}"
            ),
        )

    def no_plan(self, run: str) -> ErrorWords:
        return ErrorWords(
            what=f"{run} holds no plan, so nothing can be started again",
            mend="name a run that has a plan.yaml, or for a proof the plan: --plan PLAN",
            why="what loads the server once more is the same plan",
        )

    def nothing_to_resume(self, place: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no run of this plan to go on with in {place}",
            mend="leave --resume out to begin, or name the run's folder with --out",
        )

    def see_results(self, run: str) -> str:
        return f"see what it found, as its load was over: loadrig report {run}"

    def run_again(self, command: str) -> str:
        return f"run it again: {command}"

    def begin_again(self, command: str) -> str:
        return f"begin it again: {command} (it cannot go on: see loadrig explain cli.cannot-resume)"

    def go_on(self, command: str) -> str:
        return f"go on where it stopped: {command} --resume"


class CliRunningErrors:
    def nothing_runs(self, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"nothing runs in {folder}",
            mend="name the folder that the command printed when it began",
            why="it is over, its rig was killed, or it is no folder of a run",
        )

    def nothing_runs_below(self, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"nothing runs in {folder}",
            mend="name the folder of the run",
            why="no run there has a living rig",
        )


class CliSealsErrors:
    def damaged_run(self, folder: str, fault: str, word: str) -> ErrorWords:
        return ErrorWords(
            what=f"{folder} cannot be read, as its files are not as they were sealed",
            mend=f"restore it from a copy; loadrig verify {word} names the files",
            why=fault,
        )
