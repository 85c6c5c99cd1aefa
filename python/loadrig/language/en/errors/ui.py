"""Errors and refusals of `ui` in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class UiGuardErrors:
    """Refusals of `ui.guard`."""

    other_address = "This address is not the one that loadrig ui has printed."
    not_from_the_page = "Only the page itself may ask for this."
    no_token = "The token is missing or wrong: open the address that loadrig ui has printed."


class UiHomeErrors:
    """Refusals of `ui.home`."""

    too_long = "That is too long."
    cut_short = "The request ended before its body."

    def no_run(self, run_id: str, folder: str) -> str:
        return f"There is no run {run_id} below {folder}."

    def not_readable(self, reason: str) -> str:
        return f"That cannot be read: {reason}"


class UiPagesErrors:
    """Refusals of `ui.routes.pages`."""

    no_page = "There is no such page."


class UiPlanFilesErrors:
    def not_readable(self, path: str, reason: str) -> str:
        return f"{path} cannot be read: {reason or 'it is no text'}."

    def changed(self, path: str) -> str:
        return (
            f"{path} has other text than when this page read it: open it again, or keep this under another"
            " name."
        )

    def not_writable(self, path: str, reason: str) -> str:
        return f"{path} cannot be written: {reason}."

    def not_below(self, shown: str, folder: str) -> str:
        return f"{shown} is not below {folder}."

    def no_plan_name(self, shown: str) -> str:
        return f"{shown} is no name of a plan: write one such as plan.yaml."

    def no_folder(self, folder: str) -> str:
        return f"There is no folder {folder}."


class UiReportsErrors:
    """Refusals of `ui.routes.reports`."""

    not_made = "The report cannot be made."
    not_two_runs = "A comparison needs two runs."
    run_gone = "One of the two runs is not there any more."

    def made_late(self, seconds: str) -> str:
        return f"The report was not made within {seconds} s; the machine may be busy: ask again."

    def not_readable(self, reason: str) -> str:
        return f"The report cannot be read: {reason}."


class UiRunsErrors:
    """Refusals of `ui.routes.runs`."""

    goes_on = "The run goes on: end it first."

    def labels_not_written(self, reason: str) -> str:
        return f"The labels could not be written: {reason}."

    def not_removed(self, reason: str) -> str:
        return f"The run could not be removed: {reason}."


class UiServeErrors:
    def no_certificate(self, certificate: str, key: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"the certificate {certificate} or its key {key} cannot be used",
            mend="name a certificate and its key in PEM: --tls-cert FILE --tls-key FILE",
            why=reason,
        )

    def cannot_listen(self, address: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"nothing can listen on {address}: {reason}",
            mend="leave --port away, and a free one is taken",
            why="the port is in use, or the address is not one of this machine",
        )


class UiStartErrors:
    """Refusals of `ui.routes.start`."""

    starts_nothing = "This server starts no runs: it shows one run, or another machine reaches it."


class UiStarterErrors:
    def not_begun(self, reason: str) -> str:
        return f"The command cannot be begun: {reason}."


class UiStartingErrors:
    no_starter = "The process that starts runs has ended: begin loadrig ui anew."

    def ended(self, status: str) -> str:
        return f"The command ended with {status}."

    def not_begun(self, seconds: str) -> str:
        return f"The run has not begun within {seconds} s."


class UiSteerErrors:
    """Refusals of `ui.routes.steer`."""

    over = "The run is over."

    def not_written(self, reason: str) -> str:
        return f"The order could not be written: {reason}."
