class ServiceMapTexts:
    """Sentences about who talks to whom."""

    load = "the load"
    title = "Who talks to whom"
    tier = "tier"
    what = "what"
    cpu = "CPU"
    memory = "memory"
    talks_to = "talks to"
    note = "CPU and memory: the median of the measured part."

    def about(self, names: str) -> str:
        return (
            f"Found by the connections of the processes: {names}. An arrow goes from who opens a"
            " connection to who accepts it."
        )

    def symptom(self, title: str) -> str:
        return f"symptom: {title}"

    def of_limit(self, limit: str) -> str:
        return f"of {limit}"

    def process(self, pid: int, workers: int) -> str:
        more = f" and {workers:,} worker{'' if workers == 1 else 's'}" if workers else ""
        return f"process {pid}{more}"

    def elsewhere(self, address: str) -> str:
        return f"elsewhere: {address}"

    def of_allowed(self, limit: str) -> str:
        return f" of {limit} allowed"

    def connections(self, number: int) -> str:
        return f"{number:,} connection{'' if number == 1 else 's'}"

    def opened(self, rate: str) -> str:
        return f"{rate} opened"
