"""Pauses of a k6 script, added to those that stand behind the same request."""

from loadrig.base.units import Seconds
from loadrig.converters._k6_files import ScriptFeeds, Unread
from loadrig.converters._k6_texts import DrawnNumber, Value
from loadrig.converters._locust_values import ChosenValue
from loadrig.plan.requests import Think


def longer(think: Think, pause: Value, feeds: ScriptFeeds) -> Think:
    """Return a pause that is longer by another. Raise Unread where that one is no length of time."""
    low, high = think.uniform or (think.constant or Seconds(0.0),) * 2
    match pause:
        case ChosenValue(hole=hole):
            draft = feeds.drafts.get(hole)
            bounds = draft.feed.random if draft is not None else ()
            if not bounds:
                raise Unread
            low, high = Seconds(low + bounds[0]), Seconds(high + bounds[1])
        case DrawnNumber(low=least, high=most) if least >= 0:
            low, high = Seconds(low + least), Seconds(high + most)
        case int() | float() if pause >= 0 and not isinstance(pause, bool):
            low, high = Seconds(low + pause), Seconds(high + pause)
        case _:
            raise Unread
    return Think(constant=low) if low == high else Think(uniform=(low, high))
