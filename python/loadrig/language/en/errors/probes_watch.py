"""Errors that many probes share, in English: of `probes._watch`, `_secret`, `_rights` and `_tail`."""

from loadrig.base.error_words import ErrorWords


class ProbesWatchErrors:
    """Errors of `probes._watch`, and of probes whose process is gone."""

    def process_unknown(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"the process of {component} is not known",
            mend="name its pid in the plan, or run on its machine",
        )

    def process_ended(self, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"process {pid} has ended", mend="see what it printed last, and start it again"
        )

    def its_process_gone(self, pid: str) -> ErrorWords:
        return ErrorWords(what=f"its process {pid} is gone", mend="look why it ended")

    def no_kernel_file(self, path: str) -> ErrorWords:
        return ErrorWords(what=f"there is no /{path}", mend="run on Linux with /proc mounted")


class ProbesSecretErrors:
    def variable_not_set(self, variable: str, probe: str) -> ErrorWords:
        return ErrorWords(
            what=f"the environment variable {variable} that holds its password is not set",
            mend=f"export {variable}=…, or name a file by password_file of the probe {probe}",
        )

    def file_unreadable(self, path: str, reason: str, probe: str) -> ErrorWords:
        return ErrorWords(
            what=f"the file of its password, {path}, cannot be read: {reason}",
            mend=f"correct password_file of the probe {probe}",
        )


class ProbesRightsErrors:
    """Errors of `probes._rights`. content: what would be read of the process ("the stacks")."""

    def traced_by_root_only(self, content: str, pid: str, scope: str, is_final: bool) -> ErrorWords:
        return ErrorWords(
            what=(
                f"{content} of process {pid} may not be read: this kernel lets only root trace a process that"
                f" is not its own child (kernel.yama.ptrace_scope is {scope})"
            ),
            mend=(
                "restart the machine with kernel.yama.ptrace_scope = 0"
                if is_final
                else "sudo sysctl kernel.yama.ptrace_scope=0"
            ),
        )

    def root_without_right(self, content: str, pid: str) -> ErrorWords:
        why = "root has not the right to trace (CAP_SYS_PTRACE) here, as in most containers"
        return ErrorWords(
            what=f"{content} of process {pid} may not be read: {why}",
            mend="docker run --cap-add=SYS_PTRACE …",
        )

    def other_user(self, content: str, pid: str, owner: str, user: str) -> ErrorWords:
        why = f"it belongs to user {owner} and this is user {user}, without the right to trace (ptrace)"
        return ErrorWords(
            what=f"{content} of process {pid} may not be read: {why}",
            mend="run loadrig as that user or by sudo",
        )

    def changed_user(self, content: str, pid: str) -> ErrorWords:
        why = "it has changed its user or its rights since it started, and only root may trace it (ptrace)"
        return ErrorWords(
            what=f"{content} of process {pid} may not be read: {why}", mend="run loadrig by sudo"
        )

    def ended_meanwhile(self, pid: str) -> ErrorWords:
        return ErrorWords(
            what=f"process {pid} has ended", mend="nothing to do: it is watched again when it is found again"
        )


class ProbesTailErrors:
    def named_by_another(self, owner: str, user: str) -> str:
        return f"it belongs to user {owner}, and user {user} has named it"
