"""Sentences of `sections` in English, a class for each of its files."""


class AccountSectionTexts:
    """Sentences of `report.sections.account`."""

    title = "Where the time goes"
    drawn_above = "The bar of a request stands beside the verdict; here is what lies behind it."
    disturbed = (
        "The trial was disturbed, as its checks say: the times may be longer than in a quiet run."
        " Their shares change less."
    )
    what_they_do = "what they do"
    none_free = "none free"
    share_time_none = "Share of the time in which none of them is free."
    caption = "What the slots do"
    not_seen_account = "Not seen for the account"

    def time_not_accounted(self, share: str) -> str:
        return f"{share} of the time is not accounted for: read these lines with care."


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
        "Checks on the generator and the machine. A trial that could not be run properly is void,"
        " whatever it measured."
    )
    lag_sending = "lag of sending"
    wait_connection = "wait for a connection"
    busiest_thread = "busiest thread"
    cpu_used = "CPU used"
    connections_opened = "connections opened"
    memory_most = "memory at most"
    not_held_any = "not held on any"

    def p99_server_or(self, amount: str) -> str:
        return f"p99 {amount} (caused by the server or the pool)"


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
        "In an open load requests are due at fixed times, answered or not; in a closed load a slow server"
        " also slows the load, so latency depends on users and throughput."
    )
    caption = "Marks on the time axis"
    good_answers = "good answers"
    in_flight = "in flight"
    beside_the_target = "beside the target"
    from_cache = "from caches"
    by_the_server = "by the server"
    out = "left out"

    def more_events_jsonl(self, more: str) -> str:
        return f"{more} more are in events.jsonl"

    def failures_among_them(self, amount: str) -> str:
        return f"{amount}, failures among them"

    def needed_no_request(self, steps: str) -> str:
        """Return how many steps users' caches answered."""
        return f"{steps} steps that needed no request"

    def due_unsent(self, requests: str, unsent: str) -> str:
        return f"{requests} due, {unsent} unsent"

    def on_average(self, amount: str) -> str:
        return f"{amount} on average"

    def opened_request(self, opened: str, amount: str) -> str:
        return f"{opened} opened, {amount} a request"

    def counted_as_targets(self, shares: str) -> str:
        return f"{shares} of the requests, counted as the target's in its account and limits"

    def out_service_figures(self, count: str) -> str:
        return f"{count}, left out of the service's figures"

    def what_load_asked(self, tool: str) -> str:
        return f"{tool}; the requested load is not in its results"

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
    ran_already_not = "ran already, was not started by loadrig"
    random_order_every = "in random order, every setting once in each and the base twice"
    false_alarm = "false alarm"
    block_unit_each = (
        "The block is the unit: each setting is compared with the base by the ratio within the same block,"
        " so that a drift from block to block cancels out. Every trial restarts the server."
    )
    recommendation_cheapest_setting = (
        "The recommendation is the cheapest setting (fewest processes, then threads, then memory) of those"
        " that meet every goal and are as good as the best within the measurement error."
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
            f" {within}. Undecided (~): the trials do not decide it."
        )


class OutcomesSectionTexts:
    """Sentences of `report.sections.outcomes`."""

    no_request_failed = "No request failed, from the first to the last."
    ends_untold = "The files do not say how requests ended, so the share of failures is not known."
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
        "Its cost to the server is not known: the load around it was not steady for long enough."
    )
    works_within_server = "It runs inside the server, so its CPU time is part of the server's."

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
        return f"In all, {amount} were busy: the profiler does not see the rest."

    def while_did_throughput(self, change: str, change_span: str) -> str:
        return f"Meanwhile throughput was {change} compared with just before and after (95 %: {change_span})."

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

    title = "Log lines of the servers under load"
    what = "what it said"
    lines_read = "lines that read"

    def caption(self, name: str) -> str:
        return f"Log of {name}, without the varying parts"


class SettingsSectionTexts:
    """Sentences of `report.sections.settings`."""

    change_against_base = "Change against the base setting; ~ where it is within the noise"
    trials_count_all = "Trials that count, of all that were run"
    caption = "All settings, best first"
    server_failed = "the server failed"

    def lead(self, measure: str) -> str:
        return (
            f"Sorted by {measure}, which decides. A setting marked ~ is as good as the best within the"
            " measurement error."
        )

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
        return f"No probe observed the server: {why}"

    def for_samples(self, samples: str) -> str:
        return f" for {samples} samples"

    def watching_cost_cpu(self, amount: str, samples: str) -> str:
        return f"Watching cost {amount} of CPU time{samples}."

    def never_heard(self, name: str, via: str) -> str:
        return f"No reading came from {name} ({via})."

    def observed_from_there(self, name: str, via: str, share: str) -> str:
        return f"{name} was observed from there ({via}): one clock to ±{share}."

    def as_permitted(self, text: str, undone: str) -> str:
        return f"As permitted, {text}: {undone}."


class TuningSectionTexts:
    """Sentences of `report.sections.tuning`."""

    lead = "Only the trials of the confirmation decide; the earlier trials chose the settings to confirm."


class VerdictSectionTexts:
    """Sentences of `report.sections.verdict`."""

    base_setting = " at the base setting"
    nothing_can = "no answer"
    believe_care = "read with care"
    trial_void_rig = "This trial is void: loadrig could not run it properly."
    every_goal_met = "; every goal was met"
    goal_met = "; the goal was met"
    no_request_failed = "; no request failed"
    ends_untold = "; its files do not say how they ended"
    study_stopped_before = "the study was stopped before its end: fewer blocks than planned"
    trial_void_rig_could = "The trial is void: loadrig could not run it properly."
    says_nothing_about_server = "It says nothing about the server."

    def soaked(self, label: str, answer: str) -> str:
        return f"{label}: {answer}"

    no_setting_can = "No setting can be recommended."
    the_base = "the base"
    every_trial_void = "Every trial was void: loadrig could not run them properly."
    no_setting_met = "No setting met every goal."
    trials_do_not = "The trials do not decide between the settings."
    against_base = "against the base"

    def to_do(self, rstrip: str) -> str:
        return f"To do: {rstrip}."

    def weaker_all_else(self, parts: str) -> str:
        return f"Less sure: {parts}. Everything else stands."

    def intervals_wider(self, amount: str) -> str:
        return f"intervals are wider, by {amount}"

    def says_nothing_about(self, why: str) -> str:
        return f"It says nothing about the server.{why}"

    def not_load_asked(self, lower: str) -> str:
        return f"The load was not as requested: {lower}."

    def ended_by_loss(self, after: str, generator: str) -> str:
        return f"The load ended early, after {after}, because generator {generator} was lost."

    def requests_answered_well(self, tool: str, requests: str, achieved: str, interval: str) -> str:
        return f"{tool} made {requests} requests, {achieved} answered well{interval}"

    def requests_ended(self, tool: str, requests: str, achieved: str, interval: str) -> str:
        return f"{tool} made {requests} requests, {achieved} ended{interval}"

    def got_good_answers(self, load: str, achieved: str, interval: str) -> str:
        return f"{load} got {achieved} good responses{interval}"

    def answered_well(self, achieved: str, offered: str, interval: str) -> str:
        return f"{achieved} of {offered} succeeded{interval}"

    def was(self, text: str, reached: str) -> str:
        return f"{text} (was {reached})"

    def not_decided(self, listed: str) -> str:
        return f"; not decided: {listed}"

    def requests_failed_most(self, met: str, share: str, worst: str) -> str:
        return f"{met}; {share} of the requests failed, most of them {worst}"

    def valid(self, plural: str, word: str, others: str) -> str:
        return f"{plural} valid{word}{others}"

    def stay_nothing_tried(self, label: str, reached: str) -> str:
        return f"Stay with {label}{reached}; no other setting is shown to be better."

    def use(self, label: str, reached: str, against_base: str) -> str:
        return f"Use {label}{reached}{against_base}."

    def against(self, effect: str, base: str) -> str:
        return f", {effect} against {base}"

    def within(self, margin: str, base: str) -> str:
        return f", within {margin} of {base}"

    def not_from(self, base: str) -> str:
        return f", within the measurement error of {base}"

    def may_good(self, listed: str) -> str:
        return f"May be as good: {listed}."

    def more_blocks_would(self, costs: str) -> str:
        return f"{costs} more blocks would decide it."
