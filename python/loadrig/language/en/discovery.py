"""Sentences of `discovery` in English."""

from collections.abc import Mapping
from typing import ClassVar


class DiscoveryTexts:
    """Sentences of `discovery`: the map as text, its notes, and the comments of a plan made of it."""

    rows: ClassVar[Mapping[str, str]] = {
        name: name for name in ("at", "listens", "container", "limits", "settings", "note")
    }
    to_be_started = "To have it started:"
    to_be_tuned = "To have it started, and its settings tried:"
    password = "Where a database asks for a password, name the variable that holds it:"
    by_settings = "by its settings"
    short_connections = "short connections"

    def and_more_settings(self, count: str) -> str:
        return f"and {count} more: --json shows all"

    def up_to(self, connections: str, different: str) -> str:
        return f"up to {connections} at once, {different} different ones seen"

    def connections(self, count: int) -> str:
        return f"{count} connection{'s' if count != 1 else ''}"

    def note(self, text: str) -> str:
        return f"note: {text}"

    def also_on(self, addresses: str) -> str:
        return f"also on {addresses}"

    def workers_below(self, count: int) -> str:
        return f" with {count} below it"

    def cores(self, cores: str) -> str:
        return f"{cores} cores of time"

    def memory(self, size: str) -> str:
        return f"{size} of memory"

    def tasks(self, count: str) -> str:
        return f"{count} tasks"

    def descriptors(self, count: str) -> str:
        return f"{count} descriptors"

    def of_another_user(self, pid: str) -> str:
        return (
            f"process {pid} belongs to another user: its program, environment and connections may not be"
            f" seen; sudo loadrig discover --pid {pid} would show them"
        )

    def listener_unseen(self, address: str) -> str:
        return f"who listens on {address} may not be seen by this user"

    def elsewhere(self, address: str) -> str:
        return f"{address} is not on this machine; told by its port alone"
