from loadrig.base.error_words import ErrorWords


class PlanCheckProvingErrors:
    """Errors of `plan.check_proving`."""

    def not_an_address(self, name: str, shown: str, meant: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} cannot be reached through {shown}, which is no host and port",
            mend=f'write host:port, such as {name}: "{meant}"',
        )

    def host_not_allowed(self, name: str, host: str, hosts: str) -> ErrorWords:
        return ErrorWords(
            what=f"{host} is not this machine, and the plan does not allow it",
            mend=f"add at the top: allow: [{hosts}]",
            why=f"what the server asks of {name} would go through the rig to that host",
        )
