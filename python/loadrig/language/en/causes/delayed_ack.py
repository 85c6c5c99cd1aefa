"""Sentences of `delayed_ack` in English, and the sections of its page.

## Signature

Requests take some 40 ms or a multiple of it, whatever the load; no core is busy with them, and
acknowledgements are held back about as often as requests are answered.

## Data

Acknowledgements that were held back until their time was up (nstat, DelayedACKs), answers sent and not yet
arrived, latency.

## Deciding test

The same load with TCP_NODELAY set, or each answer sent in one write: the 40 ms go. `--prove` has no such
knob.

## Guard

Idle connections hold acknowledgements back, too, and harm nobody: what counts is how many of them there are
for each request, and whether that time is in the answers. A slow network makes answers wait as well,
without them.

## Fix

TCP_NODELAY on the sender's socket, or head and body in one write (a buffered writer, writev).
"""


class DelayedAckTexts:
    title = "writes wait for delayed acknowledgements (Nagle's algorithm)"
    no_proof = (
        "the option is set in the program; repeat the run with TCP_NODELAY, or with head and body"
        " in one write"
    )
    decides = "the same load with TCP_NODELAY: the 40 ms vanish"

    def lost_s_of(self, lost_s: str, mean_s: str) -> str:
        return f"{lost_s} of {mean_s}"

    def acknowledgements_held_back(self, a_request: str) -> str:
        return f"{a_request} acknowledgements were delayed for each request, 40 ms each"

    def answer_way_time(self, share: str, formula: str) -> str:
        return f"a response was being sent for {share} of the response time ({formula})"

    def call_way_time(self, share: str, formula: str) -> str:
        return f"a call was being sent for {share} of the response time ({formula})"

    def effect_on_call(self, sender: str, to: str, lost_s: str) -> str:
        return f"a call from {sender} to {to} takes {lost_s} to send, as it waits for an acknowledgement"

    def mend_call(self, sender: str, to: str) -> str:
        return f"set TCP_NODELAY on the connections from {sender} to {to}, or send a call in one write"

    def effect(self, sender: str, lost_s: str) -> str:
        return f"a response of {sender} takes {lost_s} to send, as it waits for an acknowledgement"

    def mend(self, sender: str) -> str:
        return f"set TCP_NODELAY in {sender}, or send head and body of a response in one write"

    def answer_way(self, formula: str) -> str:
        return f"a response was being sent for {formula}"
