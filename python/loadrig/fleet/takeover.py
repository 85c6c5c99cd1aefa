"""Loads whose lost part a fresh generator takes over: those in which it is due exactly when the lost one was.

That is an open load by a rate or a list: its due times are a function of the config alone. Where what a
request carries depends on how many were made before it, a fresh generator would carry it again; where answers
or a limit of requests decide what is due, it cannot know them. Those loads are ended instead.
"""

from loadrig.base.talks import Message

OPEN = ("rate", "replay")
"""Models in the generator's config whose due times depend on nothing that happens."""

UNDRAWN = ("unique", "arrival")
"""Orders of feeds by which a value belongs to a user or an arrival, whatever was drawn before it."""


def can_be_taken_over(config: Message) -> bool:
    """Return whether a part of this load can be taken over. config: the generator's, of the whole load."""
    is_open = any(model in config["arrivals"] for model in OPEN)
    draws_nothing = all(feed["order"] in UNDRAWN for feed in config["feeds"])
    return is_open and config["stop"]["requests"] is None and draws_nothing
