from loadrig.base.error_words import ErrorWords


class ProbesPrometheusErrors:
    """Errors of `probes.prometheus`."""

    name_page = "where there is a page, name it: `- prometheus: {at: URL}` under probes"
    name_series = "name those that you want by `only`, or raise `most`, of the probe prometheus"
    page_cut_short = "it is cut short"
    page_empty = "it is empty"
    no_figures = "it holds no figures"

    def not_here(self, component: str) -> ErrorWords:
        return ErrorWords(what=f"{component} is not on this machine", mend=self.name_page)

    def no_page(self, component: str, places: str) -> str:
        return f"probe prometheus found no page of {component} at {places}; {self.name_page}"

    def series_left_out(self, chosen: int, left_out: int) -> str:
        return f"probe prometheus keeps {chosen} series and leaves out {left_out}; {self.name_series}"

    def page_refused(self, url: str, status: str) -> ErrorWords:
        return ErrorWords(
            what=f"{url} refuses us (status {status})",
            mend="name a page that may be read without a password by `at` of the probe prometheus",
        )

    def not_a_page(self, url: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"{url} is no page for Prometheus: {why}",
            mend="look at it with a browser, and name the right one by `at` of the probe prometheus",
        )

    def page_has_status(self, status: str) -> str:
        return f"its status is {status}"

    def page_of_kind(self, kind: str) -> str:
        return f"it is {kind}"

    def line_unreadable(self, error: str) -> str:
        return f"line by line it cannot be read: {error}"
