"""Sentences of `soak` in English, a class for each of its files."""


class JudgementSoakDriftTexts:
    name_latency = "median latency"
    name_throughput = "throughput"

    def route_of(self, route: str) -> str:
        return f" of {route}"

    def was_steady(self, what: str) -> str:
        return f"{what} was steady"

    def to(self, change: str, low: str, high: str) -> str:
        return f"{change} (95 % {low} to {high})"

    def steadily_from_begin(self, what: str, is_rise: bool, by: str) -> str:
        return f"{what} {'rose' if is_rise else 'fell'} steadily from the beginning to the end: {by}"

    def stayed_there(self, what: str, is_rise: bool, at_s: str, by: str) -> str:
        return f"{what} {'rose' if is_rise else 'fell'} at {at_s} and stayed there: {by}"


class JudgementSoakForecastTexts:
    never = "never"

    def is_reached(self, what: str) -> str:
        return f"{what} is reached"

    def at_the_soonest(self, in_days: str) -> str:
        return f"{in_days} at the soonest"

    def not_reached_within(self, what: str, in_days: str, soonest: str) -> str:
        return f"{what} is not reached within {in_days}: {soonest}"

    def may_reached_soonest(self, what: str, in_days: str) -> str:
        return f"{what} may be reached in {in_days} at the soonest, or never"

    def is_reached_in(self, what: str, in_days: str, soonest: str, latest: str) -> str:
        return f"{what} is reached in {in_days} (95 % {soonest} to {latest})"

    def days(self, days: str) -> str:
        return f"{days} days"


class JudgementSoakMixTexts:
    same_asked_throughout = "the requested load was the same throughout"

    def first_last(self, first: str, last: str) -> str:
        return f"{first} of the load at first and {last} at the end"

    def another_load_end(self, route: str, shares: str) -> str:
        return f"the load was different at the end: {route} was {shares}"

    def alone_mean_request(self, of_mix_s: str, is_longer: bool, change_s: str) -> str:
        more = "longer" if is_longer else "less"
        return f"; by that alone a mean request takes {of_mix_s} {more}, of {change_s} in all"


class JudgementSoakSpikeTexts:
    server_took_nothing = "the server carried the spike, nothing left its usual band"
    too_little_watched = "the time after the spike was too short to decide whether it recovered"

    def times_usual_load(self, factor: str) -> str:
        return f"{factor} times the usual load"

    def for_text(self, times: str, to_s: str, outcome_text: str) -> str:
        return f"{times} for {to_s}: {outcome_text}."

    def meanwhile_requests_second(self, value: str) -> str:
        return f" During the spike {value} requests a second piled up."

    def those_that_ended(self, share: str) -> str:
        return f"{share} of the requests that ended"

    def requests_failed(self, lost: str, of_ended: str) -> str:
        return f" {lost} requests failed because of the spike ({of_ended})."

    def back_usual_band(self, back: str, low: str, high: str) -> str:
        return f"back in the usual band {back} after the spike (between {low} and {high})"

    def not_back_after(self, watched_s: str) -> str:
        return f"not back {watched_s} after the spike, but recovering"

    def not_back_after_though(self, watched_s: str) -> str:
        return (
            f"not back {watched_s} after the spike, although the load is as before: the server keeps"
            " itself overloaded"
        )


class JudgementSoakVerdictTexts:
    latency_throughput_steady = "latency and throughput were steady on every route"
    nobody_knows_how = "an unknown amount"
    once_for = "once, for"

    def requests_in(self, requests: str, measured_s: str) -> str:
        return f"{requests} requests in {measured_s}"

    def leaks_seen_over(self, over: str) -> str:
        return f"The server leaks: observed over {over}."

    def did_not_keep(self, over: str) -> str:
        return f"The server did not meet its goals throughout: {over}."

    def dips_again_again(self, over: str) -> str:
        return f"Throughput dips again and again: {over}."

    def not_same_end(self, over: str) -> str:
        return f"The server behaves differently at the end: {over}."

    def not_yet_whether(self, over: str) -> str:
        return f"Whether the server leaks is not decided yet: {over}."

    def nothing_leaks_drifts(self, over: str) -> str:
        return f"Nothing leaks, drifts or dips: {over}."

    def more_courses_drifted(self, changed: str) -> str:
        return f"{changed} more series drifted"

    def short_of(self, short: str, component: str) -> str:
        return f"{short} of {component}"

    def leaks_every_request(self, what: str, size_text: str) -> str:
        return f"{what} leaks {size_text} with every request"

    def restarts_hide_each(self, lives: str, again: str) -> str:
        return f"; restarts hide the leak: each of {lives} lives of a worker grows by {again} again"

    def grows_time_not(self, what: str, hour: str) -> str:
        return f"{what} grows with time and not with requests: {hour} an hour"

    def fills_something_bends(self, what: str, why: str, most: str) -> str:
        return f"{what} fills up to a level{why}; in the last half it grew by at most {most} a request"

    def grew_few_rises(self, what: str) -> str:
        return f"{what} grew in few steps: something was created once"

    def grows_request_too(self, what: str, size_text: str) -> str:
        return f"{what} grows by {size_text} a request: too little to matter here"

    def read_too_seldom(self, what: str) -> str:
        return f"{what} was read too seldom to judge its growth"

    def request_most(self, most: str) -> str:
        return f": by at most {most} a request (95 %)"

    def did_not_grow(self, what: str, bound: str) -> str:
        return f"{what} did not grow{bound}"

    def to(self, value: str, low: str, high: str) -> str:
        return f"{value} (95 % {low} to {high})"

    def throughput_dipped(self, lasted: str, depth: str) -> str:
        return f"throughput dipped {lasted}, by {depth}"

    def nothing_watched_comes(self, whose: str) -> str:
        return f"no observed event comes with the dips{whose}"

    def load_makes_them(self, beside: str, ok: str) -> str:
        return (
            f"the load causes the dips: {beside}; in the dips {ok}/s fewer requests of the service were"
            " answered"
        )

    def nothing_measured_could(self, text: str) -> str:
        return f"{text}: nothing was measured that could decide this goal"

    def all_stretches(self, text: str, stretches: str) -> str:
        return f"{text}: met in all of {stretches} stretches"

    def times_longest(self, misses: str) -> str:
        return f"{misses} times; longest"

    def missed_stretches_from(self, text: str, share: str, often: str, longest_s: str, from_s: str) -> str:
        return f"{text}: missed in {share} of the stretches, {often} {longest_s}, from {from_s} on"
