"""Sentences of `endings` in English, a class for each of its files."""


class TrialDeathTexts:
    memory_kernel_log = ", killed by the kernel for lack of memory (the kernel's log names it)"
    memory_control_group = ", killed by the kernel for lack of memory (its control group counted the kill)"
    memory_machine = ", probably for lack of memory (the kernel killed a process of this machine for that)"

    def signal(self, number: str) -> str:
        return f"signal {number}"

    def after_load_began(self, after_s: str) -> str:
        return f"{after_s} after the load began"

    def server_went_away(self, when: str, refused: str) -> str:
        return (
            f"The server disappeared {when}: from then on every connection was refused ({refused} requests)."
        )

    def server_died(self, when: str, how: str) -> str:
        return f"The server died {when}: {how}."

    def was_ended_by(self, by: str) -> str:
        return f"it was ended by {by}"

    def exited_status(self, status: str) -> str:
        return f"it exited with status {status}"

    def shell_does_whose(self, signal_name: str) -> str:
        return f" (as a shell does whose program was ended by {signal_name})"

    def process_gone_only(self, pid: str) -> str:
        return f"its process {pid} is gone, and only its parent process knows how it ended"


class TrialTargetFailedTexts:
    def all_ended(self, worst: str) -> str:
        return f"all ended as {worst}"

    def most_ended(self, worst: str) -> str:
        return f"most ended as {worst}"

    def requests(self, every: str) -> str:
        return f"{every} requests"

    def server_gave_no(self, requests: str, how: str) -> str:
        return f"The server gave no HTTP answer to any of {requests}: {how}."

    def server_gave_no_http(self, worst: str) -> str:
        return f"The server gave no HTTP answer to the only request: it ended as {worst}."

    def trials_first_trial(self, every: str, trials: str, trial: str, label: str) -> str:
        return f"{every} of {trials} trials, first in trial {trial} ({label})"

    def server_failed(self, where: str, lower: str, first: str) -> str:
        return f"The server failed in {where}: {lower}{first}"


class TrialResultTexts:
    recording_cut_short = "the recording was cut short"

    def judged_by_the_end(self, sentence: str, part: str) -> str:
        return f"{sentence} This is judged by the last {part}, in which the rising load outran the server."


class TrialReasonsTexts:
    verb_grave = "disturbs gravely"

    def above(self, verbs: str, grave: str) -> str:
        return f"{verbs} above {grave}"


class TrialValidityTexts:
    def requests_due_sent(self, sent: str, due: str) -> str:
        return f"{sent} of the {due} requests due were sent"


class TrialEvidenceTexts:
    def s_from_start(self, text: str, word: str) -> str:
        return f"{text}, {word} s from the start"


class TrialDiagnosisTexts:
    nothing_can_generator = (
        "There is no answer: the generator sent no load. Its log (engine.log) says why; repeat the"
        " run when that is mended."
    )


class TrialForeignTexts:
    mend = "to know it, send the same load with loadrig (loadrig attack URL, or loadrig run PLAN)"
    not_times_known = " not known"
    not_times_count = " not known; its times count from the send, so they do not contain the waiting before"
    see_what_limited = "see what limited the generator, and repeat the run"
    see_outcomes_latency = "see the outcomes; the latency is of successful responses only"
    every_probe = "every probe"

    def load_did_not(self, tool: str) -> str:
        return (
            f"{tool} made this load and does not report on itself: whether it was late, paused or short of"
            " CPU is"
        )

    def did_not_testify(self, tool: str) -> str:
        return f"{tool} does not report on itself"

    def what_limits_cannot(self, tool: str) -> str:
        return (
            f"What limits the server is not known: these are results of {tool}, and the server was not"
            " observed."
        )

    def load_loadrig_not(self, tool: str) -> str:
        return f"{tool} made the load, and loadrig was not there"


class TrialWitnessTexts:
    nobody_looked = "nobody looked"
    server_process_not = "the server's process is not known: on another machine, or it may not be seen"


class TrialOthersTexts:
    process_has_ended = "a process that has ended"
    nobody_looked = "nobody looked"
    server_process_not = "the server's process is not known: on another machine, or it may not be seen"
    server_lives_network = "the server is in another network namespace, whose connections are not observed"

    def kernel_does_not(self, strerror: str) -> str:
        return f"the kernel does not tell of its sockets by netlink ({strerror})"

    def process(self, name: str, pid: str) -> str:
        return f"{name}, process {pid}"
