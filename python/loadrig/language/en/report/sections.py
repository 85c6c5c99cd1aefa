"""Sentences of `sections` in English, a class for each of its files."""


class AccountSectionTexts:
    """Sentences of `report.sections.account`."""

    title = "Where the time goes"
    disturbed = (
        "The trial was disturbed, as its checks say: the times may be longer than they would be otherwise."
        " The shares of them change less."
    )
    what_they_do = "what they do"
    none_free = "none free"
    share_time_none = "Share of the time in which none of them is free."
    caption = "What the slots do"
    not_seen_account = "Not seen for the account"

    def time_not_accounted(self, share: str) -> str:
        return f"{share} of the time is not accounted for: take the lines with care."


class CapacitySectionTexts:
    """Sentences of `report.sections.capacity`."""

    surely_met = "surely met"
    no_level = "no level"
    surely_missed = "surely missed"
    most_answers = "most answers"
    contention_usl = "contention (USL σ)"
    coherency_usl = "coherency (USL κ)"
    most_at = "most at"

    def lead(self, levels: str, amount: str) -> str:
        return f"{levels} in {amount}, in one run of the server."

    def with_a_response(self, at: str, amount: str) -> str:
        return f"{at}, with {amount} a response"

    def more_users_get(self, amount: str) -> str:
        return f"{amount}: more users get less"


class ComparisonsSectionTexts:
    """Sentences of `report.sections.comparisons`."""

    def lead(self, margin: str) -> str:
        return (
            f"Differences under {margin} do not matter by the plan. An interval wholly inside that band"
            " shows that two settings are equal; one that reaches both inside and outside decides nothing."
        )


class FindingsSectionTexts:
    """Sentences of `report.sections.findings`."""

    title = "What limits it"
    would_decide = "would decide"
    numbers_run = "with the numbers of this run"
    why_not = "why not"
    what_could_not = "What could not be seen"

    def subject_of(self, subject: str) -> str:
        return f" of {subject}"

    def profile(self, file: str, component: str) -> str:
        return f"profile {file}, {component}"

    def the_generator(self, field: str) -> str:
        return f"the generator: {field}"

    def caption(self, cleared: str) -> str:
        return f"Looked into, and cleared: {cleared}"


class HealthSectionTexts:
    """Sentences of `report.sections.health`."""

    what_rig_says = (
        "What the rig says of itself. A trial that it could not run properly is void, whatever came."
    )
    lag_sending = "lag of sending"
    wait_connection = "wait for a connection"
    busiest_thread = "busiest thread"
    cpu_used = "CPU used"
    connections_opened = "connections opened"
    memory_most = "memory at most"
    not_held_any = "not held on any"

    def p99_server_or(self, amount: str) -> str:
        return f"p99 {amount} (the server's or the pool's doing)"


class LatencySectionTexts:
    """Sentences of `report.sections.latency`."""

    service_time_counts = (
        "Service time counts from when a request was sent; from when it was due is not known. Good answers"
        " only; failed ones stand apart."
    )
    response_time_counts = (
        "Response time counts from when a request was due, service time from when it was sent. Good answers"
        " only; failed ones stand apart."
    )
    whole_session = "whole session"
    caption = "In the measured part"
    note = "login, a class of its own"

    def response_base(self, word: str) -> str:
        return f"response of the base ({word})"

    def good_answers(self, count: str) -> str:
        return f"{count} good answers"

    def routes_time(self, times_kind: str) -> str:
        return f"Routes, {times_kind} time"


class LoadSectionTexts:
    """Sentences of `report.sections.load`."""

    open_load_says = (
        "An open load says when requests are due, answered or not; in a closed one the server's own slowness"
        " slows the asking, so latency there is bound to users and throughput."
    )
    caption = "Marks on the time axis"
    good_answers = "good answers"
    in_flight = "in flight"
    by_the_server = "by the server"
    out = "left out"

    def more_events_jsonl(self, more: str) -> str:
        return f"{more} more are in events.jsonl"

    def failures_among_them(self, amount: str) -> str:
        return f"{amount}, failures among them"

    def due_unsent(self, requests: str, unsent: str) -> str:
        return f"{requests} due, {unsent} unsent"

    def on_average(self, amount: str) -> str:
        return f"{amount} on average"

    def opened_request(self, opened: str, amount: str) -> str:
        return f"{opened} opened, {amount} a request"

    def out_service_figures(self, count: str) -> str:
        return f"{count}, left out of the service's figures"

    def what_load_asked(self, tool: str) -> str:
        return f"{tool}; what load it was asked for is not in its results"

    def ended(self, requests: str) -> str:
        return f"{requests} ended"

    times_as_stated = "times as stated"

    def at_most(self, users: str) -> str:
        return f"{users} at most"


class MethodSectionTexts:
    """Sentences of `report.sections.method`."""

    title = "The study"
    latency_recorded_hdrhistograms = (
        "Latency is recorded in HdrHistograms with three significant digits, by second, route and outcome,"
        " and merged by adding counts; no percentile is ever averaged. Charts of long runs are merged for"
        " display only; every figure in words is of all requests."
    )
    warmed_up_steady = "until steady (MSER-5)"
    warmed_up_not_steady = "ended without being steady"
    before_load = "before the load"
    ran_already_not = "ran already, was not started by the rig"
    random_order_every = "in random order, every setting once in each and the base twice"
    false_alarm = "false alarm"
    block_unit_each = (
        "The block is the unit: each setting is compared with the base by the ratio within the same block,"
        " so that what drifts from block to block cancels. Every trial starts the server anew."
    )
    recommendation_cheapest_setting = (
        "The recommendation is the cheapest setting (fewest processes, then threads, then memory) of those"
        " that cannot be told from the best and meet every goal."
    )

    def by(self, tool: str) -> str:
        return f"made by {tool}"

    def from_text(self, length: str, begin: str) -> str:
        return f"{length}, from {begin}"

    def not_checked(self, check: str) -> str:
        return f"{check} not checked"

    def differences_under_do(self, margin: str) -> str:
        return f"differences under {margin} do not matter"

    def is_better(self, measure: str, better: str, margin: str) -> str:
        return f"{measure}, {better} is better; {margin}"

    def base_itself(self, pairs: str, alarms: str) -> str:
        return f"{pairs} of the base with itself, {alarms}"

    def better_or_worse(self, within: str) -> str:
        return (
            f"Better or worse: the 95 % interval leaves out no change, and the change is beyond {within}."
            f" Equal: the 90 % interval lies within {within}. Too little to matter: not zero, but within"
            f" {within}. Undecided (~): the trials do not tell."
        )


class OutcomesSectionTexts:
    """Sentences of `report.sections.outcomes`."""

    no_request_failed = "No request failed, from the first to the last."
    ends_untold = "The files do not say how requests ended, so there is no share of failures."
    what_came = "what came"
    caption = "Examples of failures"
    outcomes_measured_part = "Outcomes in the measured part"


class ProfilesSectionTexts:
    """Sentences of `report.sections.profiles`."""

    lead = "Which functions take the CPU time: looked at some hundred times a second while the load ran."
    trial_not_profiled = "This trial was not profiled."
    cores_busy = "cores busy"
    threads_once = "threads at once"
    what_cost_server = (
        "What it cost the server cannot be said: the load was not even around it for long enough."
    )
    works_within_server = "It works within the server, so its CPU time is part of the server's."

    def profile_cannot_read(self, component: str, name: str) -> str:
        return f"The profile of {component} cannot be read: {name}."

    def caption(self, named: str) -> str:
        return f"Top functions of {named}"

    def cpu_time_code(self, share: str, name: str) -> str:
        return f"{share} of the CPU time of {name} is in code without symbols."

    def samples_average(self, samples: str, amount: str, what: str) -> str:
        return f"{samples} samples, {amount} {what} on average"

    def load_watched(self, load: str, profiler: str, watched: str, counts: str) -> str:
        return f"At {load} load, {profiler} watched for {watched}: {counts}."

    def all_rest_time(self, amount: str) -> str:
        return f"In all {amount} were: the rest is time that it does not see."

    def while_did_throughput(self, change: str, change_span: str) -> str:
        return f"While it did, throughput was {change} against just before and after (95 %: {change_span})."

    def own_programs_used(self, amount: str) -> str:
        return f"Its own programs used {amount} of CPU time."


class ProofSectionTexts:
    """Sentences of `report.sections.proof`."""

    caption = "To repeat it"
    title = "What was done to the server"
    why_nothing_else = "Why nothing else"
    what_each_cause = "What was said of each cause"
    none = "none made"
    why_not = "why not"
    what_would_let = "what would let it"
    not_tried = "Not tried"

    def not_text(self, title: str) -> str:
        return f"{title}: not made"


class RepeatSectionTexts:
    """Sentences of `report.sections.repeat`."""

    title = "How to repeat"


class ServerLogsSectionTexts:
    """Sentences of `report.sections.server_logs`."""

    title = "What the servers said under load"
    what = "what it said"
    lines_read = "lines that read"

    def caption(self, name: str) -> str:
        return f"Log of {name}, what varies left out"


class SettingsSectionTexts:
    """Sentences of `report.sections.settings`."""

    change_against_base = "Change against the base setting; ~ where it cannot be told from noise"
    trials_count_all = "Trials that count, of all that were run"
    caption = "All settings, best first"
    server_failed = "the server failed"

    def lead(self, measure: str) -> str:
        return f"Sorted by {measure}, which decides. A setting marked ~ cannot be told from the best."

    def is_usable_of(self, is_usable: str, trials: str) -> str:
        return f"{is_usable} of {trials}"

    def misses(self, listed: str) -> str:
        return f"misses {listed}"

    def from_best(self, label: str, cost: str) -> str:
        return f"~ {label}: {cost} it from the best"


class SoakSectionTexts:
    """Sentences of `report.sections.soak`."""

    every_request = "with every request"
    growth_interval = "Growth, and its 95 % interval."
    in_the_run = "in the run"
    at_the_end = "at the end"
    reached_in = "reached in"
    caption = "What could grow"
    longest_miss = "longest miss"
    goals_over_stretches = "Goals over stretches"
    name_latency = "median latency"
    what_drifted = "What drifted"
    each_setting = "Each setting"

    def of_trial(self, number: str) -> str:
        return f"trial {number}"

    def what_of(self, what: str, component: str) -> str:
        return f"{what} of {component}"

    def names_of(self, names: str, route: str) -> str:
        return f"{names} of {route}"


class SpikeSectionTexts:
    """Sentences of `report.sections.spike`."""

    name_latency = "latency (p90)"
    name_in_flight = "requests in flight"
    most_flight = "most in flight"
    piled_up_second = "piled up a second"
    lost_by = "lost by it"
    watched_after = "watched after it"
    band_up = "band up to"
    no_answer = "no answer"
    back_after = "back after"
    caption = "The way back"
    stayed_band = "✓ stayed in its band"
    is_back = "✓ is back"
    on_its_way = "◒ on its way"
    not_back = "✗ not back"

    def before_after(self, usual: str, level: str, length: str) -> str:
        return f"{usual} before and after, {level} for {length}."

    def before(self, share: str, usual: str) -> str:
        return f"{share}, before it {usual}"

    def requests(self, amount: str) -> str:
        return f"{amount} requests"


class TiersSectionTexts:
    """Sentences of `report.sections.tiers`."""

    runs_another_host = "it runs on another host, or its process is not known."
    title = "In the measured part"
    undone_end = "undone at the end"
    not_undone_run = "not undone by this run"

    def no_probe_saw(self, why: str) -> str:
        return f"No probe saw the server: {why}"

    def for_samples(self, samples: str) -> str:
        return f" for {samples} samples"

    def watching_cost_cpu(self, amount: str, samples: str) -> str:
        return f"Watching cost {amount} of CPU time{samples}."

    def never_heard(self, name: str, via: str) -> str:
        return f"{name} was never heard ({via})."

    def observed_from_there(self, name: str, via: str, share: str) -> str:
        return f"{name} was observed from there ({via}): one clock to ±{share}."

    def as_permitted(self, text: str, undone: str) -> str:
        return f"As permitted, {text}: {undone}."


class TuningSectionTexts:
    """Sentences of `report.sections.tuning`."""

    lead = "Only the trials of the confirmation decide; all others chose what was confirmed."


class VerdictSectionTexts:
    """Sentences of `report.sections.verdict`."""

    base_setting = " at the base setting"
    nothing_can = "nothing can be said"
    believe_care = "believe with care"
    trial_void_rig = "This trial is void: the rig could not run it properly."
    every_goal_met = "; every goal was met"
    goal_met = "; the goal was met"
    no_request_failed = "; no request failed"
    ends_untold = "; its files do not say how they ended"
    study_stopped_before = "the study was stopped before its end: fewer blocks than planned"
    trial_void_rig_could = "The trial is void: the rig could not run it properly."
    says_nothing_about_server = "It says nothing about the server."

    def soaked(self, label: str, answer: str) -> str:
        return f"{label}: {answer}"

    no_setting_can = "No setting can be recommended."
    the_base = "the base"
    every_trial_void = "Every trial was void: the rig could not run them properly."
    no_setting_met = "No setting met every goal."
    trials_do_not = "The trials do not decide between the settings."
    against_base = "against the base"

    def to_do(self, rstrip: str) -> str:
        return f"To do: {rstrip}."

    def weaker_all_else(self, parts: str) -> str:
        return f"Weaker: {parts}. All else stands."

    def intervals_wider(self, amount: str) -> str:
        return f"intervals are wider, by {amount}"

    def says_nothing_about(self, why: str) -> str:
        return f"It says nothing about the server.{why}"

    def not_load_asked(self, lower: str) -> str:
        return f"It was not the load that was asked for: {lower}."

    def requests_answered_well(self, tool: str, requests: str, achieved: str, interval: str) -> str:
        return f"{tool} made {requests} requests, {achieved} answered well{interval}"

    def requests_ended(self, tool: str, requests: str, achieved: str, interval: str) -> str:
        return f"{tool} made {requests} requests, {achieved} ended{interval}"

    def got_good_answers(self, load: str, achieved: str, interval: str) -> str:
        return f"{load} got {achieved} good answers{interval}"

    def answered_well(self, achieved: str, offered: str, interval: str) -> str:
        return f"{achieved} of {offered} were answered well{interval}"

    def was(self, text: str, reached: str) -> str:
        return f"{text} (was {reached})"

    def not_decided(self, listed: str) -> str:
        return f"; not decided: {listed}"

    def requests_failed_most(self, met: str, share: str, worst: str) -> str:
        return f"{met}; {share} of the requests failed, most of them {worst}"

    def valid(self, plural: str, word: str, others: str) -> str:
        return f"{plural} valid{word}{others}"

    def stay_nothing_tried(self, label: str, reached: str) -> str:
        return f"Stay with {label}{reached}; nothing tried is shown to be better."

    def use(self, label: str, reached: str, against_base: str) -> str:
        return f"Use {label}{reached}{against_base}."

    def against(self, effect: str, base: str) -> str:
        return f", {effect} against {base}"

    def within(self, margin: str, base: str) -> str:
        return f", within {margin} of {base}"

    def not_from(self, base: str) -> str:
        return f", not to be told from {base}"

    def may_good(self, listed: str) -> str:
        return f"May be as good: {listed}."

    def more_blocks_would(self, costs: str) -> str:
        return f"{costs} more blocks would decide."
