"""Answers stop in the middle: their second part waits for an acknowledgement that is held back for 40 ms."""

from loadrig.base.component import SERVER
from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.cause import About, Law
from loadrig.judgement.constants import HELD_BACK_A_REQUEST, OF_REQUEST
from loadrig.judgement.evidence import STRONG, Claims, Hypothesis, Sign, by_arithmetic
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.legs import delayed_acks, held_back_calls
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.delayed_ack import DelayedAckTexts

TEXTS = texts_of(DelayedAckTexts)

ABOUT = About("network", "signs")

GAIN = Law("share")

HELD_S = 0.04
"""Seconds for which Linux holds an acknowledgement back: TCP_DELACK_MIN, where nothing is sent that could
carry it."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for the namespace in which most acknowledgements were held back."""
    rate, delayed = case.load.ended_rps, delayed_acks(case)
    if delayed is None or rate <= 0 or delayed.mean < HELD_BACK_A_REQUEST / 2 * rate:
        return
    a_request, mean_s = delayed.mean / rate, case.load.waiting / rate
    calls = held_back_calls(case)
    sender, sending_s = _sender(case)
    if calls is not None and calls.number / rate > (sending_s or 0.0):
        sender, sending_s = calls.sender, calls.number / rate
    else:
        calls = None
    lost_s = min(mean_s, sending_s if sending_s is not None else a_request * HELD_S)
    share = lost_s / mean_s if mean_s > 0 else 0.0
    formula = TEXTS.lost_s_of(show_duration(lost_s), show_duration(mean_s))
    held = TEXTS.acknowledgements_held_back(show_number(a_request))
    words = TEXTS.answer_way_time if calls is None else TEXTS.call_way_time
    on_way = words(show_share(share), formula)
    is_long = share >= OF_REQUEST and mean_s >= HELD_BACK_A_REQUEST * HELD_S
    signs = (
        Sign(a_request >= HELD_BACK_A_REQUEST, held, delayed.source, STRONG),
        by_arithmetic(is_long, on_way, formula=formula),
    )
    if calls is None:
        effect, mend = TEXTS.effect(sender, show_duration(lost_s)), TEXTS.mend(sender)
        on_way = TEXTS.answer_way(formula)
    else:
        effect = TEXTS.effect_on_call(sender, calls.to, show_duration(lost_s))
        mend = TEXTS.mend_call(sender, calls.to)
    yield Hypothesis(sender, signs, effect, mend, bound=share, bound_text=on_way)


def _sender(case: Case) -> tuple[str, float | None]:
    """Return the component with most answers on their way, and their seconds of a request or None."""
    senders = [
        (line.ms / 1e3, component.name)
        for component in (case.account.components if case.account is not None else ())
        for line in component.lines
        if line.state == "sending"
    ]
    seconds, name = max(senders, default=(None, SERVER))
    return name, seconds
