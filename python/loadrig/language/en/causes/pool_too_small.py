class PoolTooSmallTexts:
    """Sentences of `causes.pool_too_small`."""

    title = "the pool of connections is too small"

    def requests_waited_connections(self, waiting: str, count: str, name: str) -> str:
        return f"{waiting} requests waited for one of {count} connections to {name}"

    def each_then_held(self, waiting: str) -> str:
        return f": {waiting} each, and then held it for"

    def mend(self, owner: str, wanted: str, dependency: str) -> str:
        return (
            f"make the pool of {owner} larger: about {wanted} connections to {dependency} for this load, as"
            " long as that stays idle"
        )

    def decides(self, ceil: str) -> str:
        return f"the same load with {ceil} connections: throughput follows"
