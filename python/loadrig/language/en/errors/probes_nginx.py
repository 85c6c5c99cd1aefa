from loadrig.base.error_words import ErrorWords


class ProbesNginxErrors:
    """Errors of `probes.nginx`. lines: what its configuration needs."""

    def no_page(self, reasons: str, lines: str) -> ErrorWords:
        why = reasons or "no address of it is of this machine"
        return ErrorWords(
            what=f"nginx has no page of stub_status: {why}",
            mend=(
                f"add `{lines}` to a server of its configuration, or name the page by `at` of the probe nginx"
            ),
        )

    def page_refused(self, url: str, status: str, lines: str) -> ErrorWords:
        return ErrorWords(what=f"{url}: status {status}", mend=f"add `{lines}` to its configuration")

    def another_page(self, url: str, lines: str) -> ErrorWords:
        return ErrorWords(what=f"{url}: another page", mend=f"add `{lines}` to its configuration")

    def no_address(self, lines: str) -> ErrorWords:
        return ErrorWords(
            what=(
                "nginx listens on no address of this machine that could be asked for its page of stub_status"
            ),
            mend=f"add `{lines}` to its configuration, and name the page by `at` of the probe nginx",
        )
