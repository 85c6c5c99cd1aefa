"""Sentences of `workload_artefact` in English, and the sections of its page.

## Signature

What is asked for changes at the dips: tokens that expire together are asked for anew, one expensive route
comes in bursts, or the users all pause at the same moment. The dips come as regularly as that does. Or there
are no dips, and requests queue at a server with much room, as they were sent all at once.

## Data

The generator's own counts by route, logins and status codes, second by second, laid beside the dips. The
instants at which requests were sent, put through one queue with the time that the nearest limit takes for
each; beside it the wait of as many requests at random instants.

## Deciding test

`--prove` renews the tokens at random moments of their lives, or sets the knob of their expiry, in turns: the
dips flatten, though the server does the same work. Bursts of one route: the same load without it. Users who
pause together a person gives think times that differ, and a list of times random ones.

## Guard

Where a server restarts and forgets its sessions, logins follow the dip and did not make it. Where logins come
evenly and are slow all the time, the server is too slow for them: that is no artefact. A collection or a
checkpoint at the same moment is bounded by the time that it took.

## Fix

Change the load as real users differ: tokens of different ages, users that start apart. Report the bursts
apart. A real server gives every token a little random lifetime more.
"""


class WorkloadArtefactTexts:
    title = "the load itself causes what is wrong, not the server"
    give_tokens_scenario = (
        "give the tokens of the scenario different ages, as those of real users have; in the server, add a"
        " random part to the lifetime of each token"
    )
    expiry_staggered_over = (
        "tokens that expire spread over one lifetime: if this is the cause, the dips flatten"
    )
    regularly_users_who = "as regularly as users who think for the same time"
    not_regularly = "not regularly"
    no_more_requests = "no more requests failed in the dips than between them"
    requests_failed_dips = "requests failed in the dips: users waited before they tried again"
    mend = "start the users apart and let their think times differ (think: {exponential: ...})"
    decides = "think times that differ: the dips vanish, though the server is the same"

    send_at_random = (
        "send as many requests a second at random instants (arrivals: poisson); where real users come like"
        " this, the server has to be sized for the burst and not for the mean"
    )
    sent_at_random = "the same requests at random instants: if this is the cause, the queue is gone"

    def queue_by_themselves(self, wait: str, total: str, at_random: str) -> str:
        return (
            f"requests come in bursts and queue for each other: {wait} of the {total} that one takes; at"
            f" random instants they would wait for {at_random}"
        )

    def sent_at_once(self, wait: str, share: str) -> str:
        return f"sent when they were sent, requests queue for {wait}: {share} of the response time"

    def has_room(self, what: str, component: str, used: str) -> str:
        return f"the nearest limit, {what} of {component}, has room: {used} of it is used on average"

    def spread_requests_over(self, subject: str) -> str:
        return f"spread the requests of {subject} over time, or measure them apart from the rest"

    def same_load_without(self, subject: str) -> str:
        return f"the same load without {subject}: if it is the cause, the dips are gone"

    def effect(self, text: str, max_text: str, fewer: str, lost_share: str) -> str:
        return (
            f"{text} come in bursts of {max_text}/s; meanwhile the service answers {fewer}/s fewer, and"
            f" {lost_share} of the throughput is lost"
        )

    def dips_hold_what(self, text: str, share: str) -> str:
        return f"the dips with {text} make up {share} of the lost throughput"

    def dips_many_requests(self, ratio: str) -> str:
        return f"in the dips {ratio} as many requests were in flight as between the dips"

    def less_asked(self, less: str) -> str:
        return f"{less}: less load was offered"

    def throughput_dipped(self, lasted: str, regular: str) -> str:
        return f"throughput dipped {lasted}, {regular}"

    def users_pause_together(self, lasted: str, lost_share: str) -> str:
        return f"the users pause together {lasted}; {lost_share} of the throughput is lost by that"
