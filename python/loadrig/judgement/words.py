"""Bottlenecks in words: what is full, who holds it, what a mend would bring."""

from loadrig.base.units import show_cores, show_number, show_share
from loadrig.judgement.limits.bottlenecks import Bottleneck
from loadrig.judgement.limits.kinds import Resource
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.judgement import JudgementWordsTexts

TEXTS = texts_of(JudgementWordsTexts)

SHOWN_OF_OTHERS = 0.05
"""Share of the cores that others used, 0 to 1, from which on a sentence of their room says so."""

HARDLY_MORE = 1.02
"""Ratio of the requests that there would be room for to those there are, below which its digits say nothing:
three are shown."""


def name_of(resource: Resource, user: str = "") -> str:
    """Return what a resource is called in a sentence. user: the program that it speaks of, of several."""
    owner = user if user and resource.is_used_by(user) else resource.component
    number = resource.number
    match resource.kind:
        case "cores":
            return TEXTS.core_may_use(owner) if number == 1 else TEXTS.may_use(show_cores(number), owner)
        case "quota":
            return TEXTS.the_quota(show_cores(number), owner)
        case "interpreter":
            return TEXTS.interpreter_lock(owner)
        case "thread":
            return TEXTS.thread_does_work(owner)
        case "lock" if resource.is_turn_at_disk:
            return TEXTS.turn_at_disk(owner)
        case "lock":
            return TEXTS.what_gives_request(owner)
        case "backlog":
            return TEXTS.queue_who_connect(owner)
        case "slots":
            if round(number) <= 1:
                return TEXTS.worker_or_thread(owner)
            return TEXTS.workers_or_threads(show_number(round(number)), owner)
        case "places" if resource.of:
            return TEXTS.few_connections_from(owner, resource.of)
        case "places":
            return TEXTS.places_inside_let(show_number(max(1, round(number))), owner)
        case _:
            return TEXTS.connections_from(show_number(round(number)), owner, resource.of)


def room_of(resource: Resource) -> str:
    """Return how much of a resource was in use, in a sentence that says that there was room."""
    name, share = name_of(resource), show_share(resource.share)
    if resource.yielded < SHOWN_OF_OTHERS * resource.number:
        return TEXTS.had_room_use(name, share)
    return TEXTS.had_room_beside(name, share, show_share(resource.yielded / resource.number))


def effect_of(bottleneck: Bottleneck) -> str:
    """Return what the bottleneck does, as a clause with its size."""
    resource, holder = bottleneck.resource, bottleneck.holder
    name = _name_of(bottleneck)
    if holder is not None:
        return TEXTS.took(holder.what, show_share(bottleneck.share), name)
    if resource.waiting > 0:
        return TEXTS.requests_waited(show_number(resource.waiting), name)
    return TEXTS.used(name, _is_singular(resource), show_share(resource.share))


def use_of(bottleneck: Bottleneck) -> str:
    """Return how full the resource was, as a clause."""
    resource = bottleneck.resource
    if resource.kind == "backlog":
        return TEXTS.full_each_who(name_of(resource))
    return TEXTS.used(_name_of(bottleneck), _is_singular(resource), show_share(resource.share))


def gain_of(bottleneck: Bottleneck) -> str:
    """Return what the mend would bring, as a clause."""
    if bottleneck.resource.is_turn_at_disk and bottleneck.resource.counted_gain >= bottleneck.gain:
        return TEXTS.shorter_turns(show_share(1 - 1 / bottleneck.gain), show_number(bottleneck.gain))
    if bottleneck.holder is not None and bottleneck.gain >= bottleneck.holder.most_gain:
        return TEXTS.no_longer_waits(show_number(bottleneck.gain))
    if bottleneck.gain < HARDLY_MORE:
        return TEXTS.hardly_more
    return TEXTS.foretold_without_times(show_number(bottleneck.gain))


def _name_of(bottleneck: Bottleneck) -> str:
    """Return what its resource is called: by the name of who holds it, where several programs use it."""
    holder = bottleneck.holder
    return name_of(bottleneck.resource, holder.component if holder is not None else "")


def _is_singular(resource: Resource) -> bool:
    return (
        resource.kind in ("quota", "interpreter", "thread", "lock", "backlog") or round(resource.number) == 1
    )
