"""Options of the probes that read MBeans, and what they do to a JVM.

Loaded with every plan: nothing dear is imported here.
"""

from dataclasses import dataclass

from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.shape import option
from loadrig.base.units import Seconds

ENTERED: tuple[ServerEffect, ...] = (
    ServerEffect(
        "opens a port", "The JVM's local connector, as jcmd has it opened; it stays until the JVM ends.",
        "permit: [jvm-attach]",
    ),
    ServerEffect(
        "sends a signal", "SIGQUIT, at which a JVM opens a socket in /tmp for its own user; it stays.",
        "permit: [jvm-attach]",
    ),
    ServerEffect("asks the server", "For attributes of MBeans."),
)  # fmt: skip
"""Effects on a JVM of reading its MBeans; a JVM that exposes JMX itself is only asked."""


@dataclass(frozen=True, slots=True)
class MBeanAccess:
    """Options on how the MBeans of a JVM are reached where it does not simply let us in."""

    at: str | None = option(
        "Where its JMX is, as host:port or as a whole JMX URL; where it is not written the JVM is entered.",
        default=None,
        example="127.0.0.1:9010",
    )
    user: str | None = option("The user of its JMX; none where it asks for none.", default=None)
    password_env: str | None = option(
        "Name of the environment variable that holds the password.", default=None, example="JMX_PASSWORD"
    )
    password_file: str | None = option(
        "A file whose first line is the password, relative to the plan.", default=None, example="jmx.secret"
    )


@dataclass(frozen=True, slots=True)
class PacedAccess(MBeanAccess):
    """Options on how the MBeans of a library in a JVM are reached, and how often."""

    every: Seconds = option(
        "Least time between two readings: each is a call or two that the JVM answers.",
        default=Seconds(2.0),
        low=0.0,
    )


def is_jvm(component: Component) -> bool:
    """Return whether a component is a JVM whose process is known."""
    return component.runtime == "jvm" and component.pid is not None
