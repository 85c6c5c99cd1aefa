"""Sentences of `pool_too_small` in English."""


class PoolTooSmallTexts:
    title = "the connection pool is too small"

    def requests_waited_connections(self, waiting: str, count: str, name: str) -> str:
        return f"{waiting} requests waited for one of {count} connections to {name}"

    def each_then_held(self, waiting: str) -> str:
        return f": each waited {waiting}, and then held the connection for"

    def mend(self, owner: str, wanted: str, dependency: str) -> str:
        return (
            f"make the pool of {owner} larger: about {wanted} connections to {dependency} for this load, as"
            f" long as {dependency} has room"
        )

    def decides(self, ceil: str) -> str:
        return f"the same load with {ceil} connections: throughput rises"
