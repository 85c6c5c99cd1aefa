"""Bottlenecks in words: what is full, who holds it, what a mend would bring."""

from loadrig.base.units import show_cores, show_number, show_share
from loadrig.judgement.limits.bottlenecks import Bottleneck
from loadrig.judgement.limits.kinds import Resource


def name_of(resource: Resource) -> str:
    """Return what a resource is called in a sentence."""
    owner, number = resource.component, resource.number
    match resource.kind:
        case "cores":
            return (
                f"the core that {owner} may use"
                if number == 1
                else f"the {show_cores(number)} that {owner} may use"
            )
        case "quota":
            return f"the quota of {show_cores(number)} of {owner}"
        case "interpreter":
            return f"the interpreter lock of {owner}"
        case "thread":
            return f"the one thread of {owner} that does its work"
        case "lock":
            return f"what {owner} gives to one request after the other"
        case "backlog":
            return f"the queue of those who connect to {owner}"
        case "slots":
            if round(number) <= 1:
                return f"the one worker or thread of {owner}"
            return f"the {show_number(round(number))} workers or threads of {owner}"
        case "places" if resource.of:
            return f"the few connections from {owner} to {resource.of}"
        case "places":
            return f"the {show_number(round(number))} places inside {owner} that let requests through"
        case _:
            return f"the {show_number(round(number))} connections from {owner} to {resource.of}"


def effect_of(bottleneck: Bottleneck) -> str:
    """Return what the bottleneck does, as a clause with its size."""
    resource, holder = bottleneck.resource, bottleneck.holder
    name = name_of(resource)
    if holder is not None:
        return f"{holder.what} took {show_share(bottleneck.share)} of {name}"
    if resource.waiting > 0:
        return f"{show_number(resource.waiting)} requests waited for {name}"
    return f"{name} {_were(resource)} used {show_share(resource.share)}"


def use_of(bottleneck: Bottleneck) -> str:
    """Return how full the resource was, as a clause."""
    resource = bottleneck.resource
    if resource.kind == "backlog":
        return f"{name_of(resource)} was full, and each who is turned away comes back after a second"
    return f"{name_of(resource)} {_were(resource)} used {show_share(resource.share)}"


def gain_of(bottleneck: Bottleneck) -> str:
    """Return what the mend would bring, as a clause."""
    return f"foretold without it: {show_number(bottleneck.gain)} times as many answers (mean value analysis)"


def _were(resource: Resource) -> str:
    is_one = (
        resource.kind in ("quota", "interpreter", "thread", "lock", "backlog") or round(resource.number) == 1
    )
    return "was" if is_one else "were"
