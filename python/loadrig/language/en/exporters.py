"""Sentences of `exporters` in English: titles of the formats, and what summaries of a run say."""


class ExportersTexts:
    csv = "every series as CSV"
    github = "annotations of GitHub Actions"
    gitlab = "code quality report of GitLab"
    hlog = "HdrHistogram interval log"
    influx = "every series as InfluxDB line protocol"
    jplot = "JSON lines for jplot, as jaggr makes them"
    jtl = "results of JMeter, as CSV"
    junit = "JUnit XML, a test for each goal"
    k6 = "summary of k6, as JSON"
    markdown = "summary in Markdown"
    openmetrics = "totals as OpenMetrics text"
    parquet = "every series as Parquet"
    vegeta = "results of vegeta, as JSON lines"

    goal = "goal"
    result = "result"
    route = "route"
    requests = "requests"
    failed = "failed"
    disturbed_by = "What disturbed the trial:"

    def goal_met(self, goal: str, figure: str) -> str:
        return f"{goal} was met: {figure}" if figure else f"{goal} was met"

    def goal_missed(self, goal: str, figure: str) -> str:
        return f"{goal} was missed: {figure}" if figure else f"{goal} was missed"

    def goal_undecided(self, goal: str) -> str:
        return f"whether {goal} was met could not be decided"
