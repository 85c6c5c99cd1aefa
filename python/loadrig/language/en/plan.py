"""Sentences of `plan` in English: what `loadrig check` says that a plan will do."""


class PlanExplainTexts:
    """Sentences of `plan.explain`. Parts that are put into sentences have no capital and no full stop."""

    unpaced = "As fast as the connections allow: each asks again as soon as it is answered."
    at_random = "at random times (Poisson)"
    evenly = "evenly spaced"
    no_pause = "no pause between them"
    anew_for_each = ", each user from the first on"
    once_a_loop = ", the next one with each loop"
    shuffled = " in random order"
    own_each = ", each user its own"
    drawn_each = ", drawn once for each user"
    of_each_arrival = ", the one of each arrival's number"
    is_used = "is used"
    lasts_as_said = "lasts as long as the answer says"
    new_connections = "A new connection for every request."
    as_long_as_it_takes = "as long as that takes"
    all_measured = "all of it is measured"
    one_at_a_time = "one request at a time"
    nothing_observed = "Nothing is observed but the answers."
    its_host = "its host"
    all_components = "the server and what it talks to on this machine"
    at_the_end = "at the end"
    when_asked = "when that is asked for"
    all_of_them = "all of them"
    either = " or "
    both = " and "
    then = ", then "

    def server(self, what: str) -> str:
        return f"The server: {what}."

    def further_servers(self, places: str) -> str:
        return f"Beside it are loaded, and not watched: {places}."

    def one_trial(self, what: str) -> str:
        return f"One trial: {what}."

    # --- steps that answers decide --------------------------------------------------------------------

    def is_value(self, variable: str, value: str) -> str:
        return f"{variable} is {value}"

    def is_no_value(self, variable: str, value: str) -> str:
        return f"{variable} is not {value}"

    def is_set(self, variable: str) -> str:
        return f"{variable} has a value"

    def is_not_set(self, variable: str) -> str:
        return f"{variable} has no value"

    def is_true(self, variable: str) -> str:
        return f"{variable} is neither missing, empty, 0 nor false"

    def is_not_true(self, variable: str) -> str:
        return f"{variable} is missing, empty, 0 or false"

    def is_null(self, variable: str) -> str:
        return f"{variable} is null"

    def is_not_null(self, variable: str) -> str:
        return f"{variable} is not null"

    latest_was_good = "the latest request ended well"
    latest_failed = "the latest request failed"

    def is_above(self, variable: str, value: str) -> str:
        return f"{variable} is above {value}"

    def is_at_least(self, variable: str, value: str) -> str:
        return f"{variable} is at least {value}"

    def is_below(self, variable: str, value: str) -> str:
        return f"{variable} is below {value}"

    def is_at_most(self, variable: str, value: str) -> str:
        return f"{variable} is at most {value}"

    def only_if(self, condition: str, through: str | None) -> str:
        return f" (only if {condition}{f', up to {through}' if through else ''})"

    def again_while(self, condition: str, through: str | None, most: str) -> str:
        return f" (again while {condition}{f', up to {through}' if through else ''}, {most} times at most)"

    def again_until(self, condition: str, through: str | None, most: str) -> str:
        return f" (again until {condition}{f', up to {through}' if through else ''}, {most} times at most)"

    # --- arrivals -------------------------------------------------------------------------------------

    def made_by(self, generators: str) -> str:
        return f"The load is made by a fleet on this machine, generators: {generators}."

    def dealt_here(self, nodes: str) -> str:
        return f"Trials run side by side on this machine, nodes: {nodes}."

    def dealt_on_ray(self, nodes: str, address: str) -> str:
        return f"Trials run side by side on hosts of Ray at {address}, nodes: {nodes}."

    def made_on(self, generators: str, address: str) -> str:
        return f"The load is made by a fleet on the hosts of Ray at {address}, generators: {generators}."

    def closed(self, users: str) -> str:
        return f"A closed model: {users}."

    def shared_out(self, users: str) -> str:
        return f", shared out to {users} users in turn"

    def open_model(self, rate: str, how: str, among: str) -> str:
        return f"An open model: {rate}, {how}, answered or not{among}."

    def sessions_in_stages(self, stages: str) -> str:
        return f"sessions begin each second: {stages}"

    def sessions_at(self, rate: str) -> str:
        return f"{rate} sessions begin each second"

    def partly_open(self, level: str, how: str, length: str) -> str:
        return f"A partly open model: {level}, {how}; each makes {length}, then leaves."

    def times_as_fast(self, speed: str) -> str:
        return f", {speed} times as fast"

    def replayed(self, times: str, speed: str) -> str:
        return f"An open model: requests are due at the times in {times}{speed}."

    def replayed_by_name(self, times: str, speed: str) -> str:
        return f"An open model: requests are due at the times in {times}{speed}, each as that file names it."

    def users_in_stages(self, stages: str) -> str:
        return f"users {stages}"

    def users_in_steps(self, start: str, add: str, every: str, until: str) -> str:
        return f"{start} users, then {add} more every {every} up to {until}"

    def users(self, count: int) -> str:
        return f"{count:,} {'user' if count == 1 else 'users'}"

    def rate_in_stages(self, stages: str) -> str:
        return f"requests a second {stages}"

    def rate_in_steps(self, start: str, add: str, every: str, until: str) -> str:
        return f"{start}, then {add} more every {every} up to {until} requests a second"

    def rate(self, rate: str) -> str:
        return f"{rate} requests a second"

    def held(self, length: str) -> str:
        return f"held for {length}"

    def climb(self, to: str, over: str, is_first: bool) -> str:
        return f"{'from 0 ' if is_first else ''}to {to} over {over}"

    def jump(self, to: str, is_first: bool) -> str:
        return to if is_first else f"at once {to}"

    def hold_after_climb(self, length: str) -> str:
        return f" and {length} there"

    def hold_after_jump(self, length: str) -> str:
        return f" for {length}"

    def rounds(self, count: int) -> str:
        return f"{count:,} {'round' if count == 1 else 'rounds'}"

    def mean_rounds(self, mean: str) -> str:
        return f" ({mean} in the mean)"

    def rounds_until_enough(self, stay: str, mean: str) -> str:
        return f"rounds until it has enough, with {stay} to go on after each{mean}"

    # --- requests -------------------------------------------------------------------------------------

    def requests(self, mix: str, pause: str) -> str:
        return f"Requests: {mix}{pause}."

    def in_order(self, steps: str, think: str) -> str:
        return f"Each time in this order: {steps}; {think}."

    def ways(self, ways: str, think: str) -> str:
        return f"Ways through the service: {ways}; {think}."

    def feed_from(self, name: str, source: str) -> str:
        return f"{name} from {source}"

    def feeds(self, feeds: str) -> str:
        return f"Values: {feeds}."

    def pause_between(self, low: str, high: str) -> str:
        return f"a pause of {low} to {high} after each answer"

    def pause_mean(self, mean: str) -> str:
        return f"a pause of {mean} in the mean (exponential) after each answer"

    def pause(self, length: str) -> str:
        return f"a pause of {length} after each answer"

    def column(self, column: str) -> str:
        return f", column {column}"

    def counter(self, first: str) -> str:
        return f"a counter from {first}"

    def at_random_between(self, low: str, high: str) -> str:
        return f"{low} to {high} at random"

    def values(self, count: str) -> str:
        return f"{count} values"

    def lasts(self, length: str) -> str:
        return f"lasts {length}"

    def less_at_random(self, share: str) -> str:
        return f", less up to {share} of that at random"

    def login(self, route: str, until: str, again: str) -> str:
        return (
            f"Before its first request each user logs in ({route}); what it gets {until}, "
            f"or until a {again}; logins are left out of the service's figures."
        )

    reused = "what is fresh is not asked for again"
    validated = "what is fresh is asked about, too"
    empty_each_loop = ", and begins each loop with an empty one"

    def cache(self, entries: str, fresh: str, lasts: str) -> str:
        """Return what users' caches do. fresh: what becomes of a fresh answer. lasts: `empty_each_loop`."""
        return f"Each user has a cache of {entries} answers{lasts}: {fresh}."

    def most_connections(self, most: str) -> str:
        return f"At most {most} connections."

    def after_requests(self, count: str) -> str:
        return f"after {count} requests"

    def after_rounds(self, count: str) -> str:
        return f"when every user has made {count} rounds"

    def ends_early(self, ends: str) -> str:
        return f"It ends early {ends}."

    def time_out(self, length: str) -> str:
        return f"A request that takes longer than {length} has failed."

    def up_to_at_once(self, count: str) -> str:
        return f"up to {count} requests at once"

    def over_http2(self, how: str) -> str:
        return f"Over HTTP/2, {how} on a connection."

    def own_websocket(self, is_session: bool) -> str:
        noun = "session" if is_session else "user"
        return f"Each {noun} opens a WebSocket of its own with its first message, and keeps it."

    # --- trials, settings, goals ------------------------------------------------------------------------

    def at_most(self, length: str) -> str:
        return f"at most {length}"

    def measured_after(self, length: str) -> str:
        return f"measured after {length}"

    def trial_that_ends(self, length: str, after: str) -> str:
        return f"One trial: {length}; {after}."

    def trial_measured(self, warming: str, length: str) -> str:
        return f"One trial: {warming}{length} measured."

    def trial_until_known(self, warming: str, least: str, most: str, until: str) -> str:
        return f"One trial: {warming}{least} to {most} measured, until throughput is known to {until}."

    def warming(self, length: str, is_most: bool) -> str:
        return f"{'up to ' if is_most else ''}{length} to warm up, then "

    def knobs(self, knobs: str) -> str:
        return f"Knobs: {knobs}."

    def base(self, setting: str) -> str:
        return f"The base setting: {setting}."

    def where_is(self, name: str, values: str) -> str:
        return f"{name} is {values}"

    def only_where(self, conditions: str) -> str:
        return f" (only where {conditions})"

    def one_of(self, values: str) -> str:
        return f"one of {values}"

    def study(self, strategy: str) -> str:
        return f"The study: {strategy}."

    def one_in_all(self, time: str) -> str:
        return f"One trial in all; {time}."

    def cut_off(self, time: str, budget: str) -> str:
        return f"{time}, cut off at {budget}"

    def some_settings(self, strategy: str, settings: str, trials: str, time: str) -> str:
        return f"The study {strategy}: some of {settings} settings, in at most {trials} trials; {time}."

    def each_once(self, strategy: str, settings: str, time: str) -> str:
        return f"The study {strategy}: {settings} settings, one trial of each; {time}."

    def all_settings(self, strategy: str, settings: str, blocks: str, trials: str, time: str) -> str:
        return (
            f"The study {strategy}: {settings} settings in {blocks} blocks, the base "
            f"twice in each: {trials} trials; {time}."
        )

    def of_route(self, measure: str, route: str) -> str:
        return f"{measure} of {route}"

    def in_every(self, length: str) -> str:
        return f" in every {length}"

    def goal_below(self, measure: str, limit: str, over: str) -> str:
        return f"{measure} below {limit}{over}"

    def goal_above(self, measure: str, limit: str, over: str) -> str:
        return f"{measure} above {limit}{over}"

    def wanted(self, goals: str) -> str:
        return f"Wanted: {goals}."

    def observed(self, every: str, more: str) -> str:
        return f"Observed every {every}: the host, the server and what it talks to{more}."

    def not_used(self, probes: str) -> str:
        return f"; not used: {probes}"

    def with_options(self, probes: str) -> str:
        return f"; with options of their own: {probes}"

    def host_and_port(self, port: str) -> str:
        return f"its host and the server at port {port}"

    def host_and_process(self, pid: str) -> str:
        return f"its host and the server, process {pid}"

    def observed_there(self, name: str, via: str, what: str) -> str:
        return f"Observed on {name} too, by way of `{via}`: {what}."

    def profiled(self, when: str, length: str, what: str) -> str:
        return f"Profiled {when}, for {length} each: {what}."

    def proved(self, when: str, budget: str) -> str:
        return f"What limits it is proved {when}, in at most {budget}."

    def tried_beside(self, values: str) -> str:
        return f"Tried for that beside the setting: {values}."

    def may_be_touched(self, components: str) -> str:
        return f"Components that the rig did not start and that may be touched: {components}."

    def through(self, name: str, address: str) -> str:
        return f"{name} through {address}"

    def may_be_delayed(self, ways: str) -> str:
        return f"Ways that may be delayed: {ways}."


class PlanKeyPagesTexts:
    kind = "a key of a plan"
    value = "a value of keys of a plan"
    written = "What may be written"
    default = "Default"
    example = "Example"
