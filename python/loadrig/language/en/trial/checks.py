"""Sentences of `checks` in English, a class for each of its files."""


class TrialCheckGapsTexts:
    own_core = "give the generator a core of its own, or a lower rate"
    only_arrivals_constant = "only arrivals at one constant rate have gaps of a known distribution"
    requests_taken_up = (
        "requests were due in time and then waited for connections: their gaps depend on the target"
    )

    def gaps_sampled_needed(self, size: str, gaps_enough: str) -> str:
        return f"{size} gaps were sampled; {gaps_enough} are needed"

    def s_taken_up(self, rate: str, planned: str) -> str:
        return f"{rate}/s were started, {planned}/s were planned"

    def disturbs_gravely_where(self, short_share: str) -> str:
        return f" (disturbs gravely where {short_share} are missing)"

    def gaps_between_requests(self, rate: str, p: str) -> str:
        return f"the gaps between requests are not exponential at {rate}/s (p = {p};"

    def disturbs_below(self, least_p: str) -> str:
        return f" disturbs below {least_p})"

    def gaps_between_requests_more(self, uneven_share: str) -> str:
        return f"{uneven_share} of the gaps between requests are more than"

    def off_s_disturbs(self, uneven: str, rate: str, uneven_share: str) -> str:
        return f" {uneven} off at {rate}/s (disturbs above {uneven_share})"


class TrialCheckOthersTexts:
    mend = "stop the other load, or measure a copy of the server that has no other clients"
    nobody_watched_who = "the other clients of the server were not observed"
    and_others = " and others"

    def somebody_else_sent(self, share: str) -> str:
        return f"other clients sent {share} of the requests that the server counted"

    def least_probe_disturbs(self, others: str, counted: str, probe: str) -> str:
        return f" (at least {others} of {counted}, by probe {probe}; disturbs above"

    def somebody_else_suspected(self, connections: str) -> str:
        return f"other clients are suspected: {connections} of the server's connections"

    def not_rig_what(self, by: str) -> str:
        return f" were not loadrig's{by}, and the requests on them are not counted"

    def somebody_else_sent_bytes(self, share: str) -> str:
        return f"other clients sent {share} of the bytes that the server received, over"

    def connections_once_disturbs(self, connections: str, disturbed_share: str) -> str:
        return f" {connections} connections at once (disturbs above {disturbed_share})"


class TrialChecksTexts:
    more_ports = "keep connections alive, or use more source addresses (connections: {from_addresses: […]})"
    more_descriptors = "raise the limit (ulimit -Hn), or use fewer connections"
    dedicated = "use a dedicated host, or one with fewer virtual machines"
    closed_model_nothing = "in a closed load no request is due before it can be sent"
    no_request_due = "no request was due in the measured window"
    measure_longer = "measure longer"
    allow_more_connections = "allow more connections, or ask for a lower rate"
    any_disturbs_rate = " (any disturbs); the rate is above the target's capacity"
    ask_lower_rate = "choose a lower rate to get meaningful latencies"
    no_request_sent = "no request was sent in the measured window"
    give_generator_core = "give the generator a core of its own, or a lower rate"
    no_frame_measured = "no frame in the measured window"
    give_more_threads = "give it more threads (trial: {threads: 2}) or a lower rate"
    stop_what_else = "stop other programs on this machine, or keep the target off the generator's core"
    raise_quota_or = "raise that quota, or run loadrig outside of the group"
    do_not_stop = "do not stop it (SIGSTOP, Ctrl-Z, a debugger) while it measures; run the trial again"
    look_what_pauses = (
        "find out what pauses it: a frozen control group (docker pause), a suspended virtual machine,"
        " swapping"
    )
    each_user_has = "each user has a connection of its own"
    disturbs_gravely_above_share = " (disturbs gravely above 0.1 %)"
    raise_connections_most = "raise connections: {most: …} or ask for a lower rate"
    any_disturbs = " (any disturbs)"
    raise_connections = "raise connections: {most: …}"
    local_ports = "local ports"
    file_descriptors = "file descriptors"
    plan_itself_changes = "the plan itself changes the load"
    ask_lower_rate_before = "choose a lower rate before reading the latency"
    requests_flight = "requests in flight"
    disturbs_above_p = " disturbs above 2 % with p below 0.01)"
    warm_up_longer = "warm up longer"
    some_requests_never = "some requests were never sent, so the sum of response times is not complete"
    nothing_answered = "nothing was answered"
    fault_loadrig_please = "this is a fault of loadrig: please send the run folder"
    machine_not_calibrated = "this machine was not calibrated: loadrig doctor --calibrate"
    nothing_measured = "nothing was measured"

    def requests_due_not(self, missing: str, due: str) -> str:
        return f"{missing} of the {due} requests due were not sent"

    def requests_not_sent(self, unsent: str, due: str, open_most: str) -> str:
        return f"{unsent} of {due} requests were not sent: the target held {open_most} connections"

    def generator_late_p99(self, lag_s: str, p99_s: str) -> str:
        return f"the generator sent {lag_s} late (p99); the p99 of the response times is {p99_s}"

    def busiest_generator_thread(self, busiest: str) -> str:
        return f"the busiest generator thread used {busiest} of a core in its worst second"

    def generator_threads_waited(self, run_delay_share: str) -> str:
        return f"generator threads waited for a core {run_delay_share} of the time"

    def hypervisor_took_time(self, host_stolen_share: str) -> str:
        return f"the hypervisor took {host_stolen_share} of the time of this machine's cores"

    def cpu_quota_generator(self, throttled: str) -> str:
        return f"the CPU quota of the generator's own group held it up {throttled} of the time"

    def hypervisor_took_generator(self, stolen: str) -> str:
        return f"the hypervisor took the generator's core for {stolen} of the time (steal;"

    def times(self, stops: str) -> str:
        return f"{stops} times"

    def generator_stopped_time(self, often: str, share: str) -> str:
        return f"the generator was stopped {often}, {share} of the time (any disturbs,"

    def gravely_above(self, delayed: str) -> str:
        return f" gravely above {delayed})"

    def generator_stood_still(self, still: str, frame_s: str) -> str:
        return f"the generator was paused for {still}: a frame of {frame_s} came that late"

    def disturbs_gravely_above(self, limit_s: str) -> str:
        return f" (disturbs gravely above {limit_s})"

    def arrivals_given_up(self, no_connection: str, due: str) -> str:
        return f"{no_connection} of {due} requests were not sent: no connection was free"

    def arrivals_waited_because(self, capped: str, due: str) -> str:
        return f"{capped} of {due} requests waited because every connection was in use"

    def generator_used_disturbs(self, used: str, limit: str, what: str) -> str:
        return f"the generator used {used} of {limit} {what} (disturbs above half)"

    def generator_ran_out(self, what: str, outcomes: str) -> str:
        return f"the generator ran out of {what} {outcomes} times (any disturbs gravely)"

    def s_measured_needed(self, size: str, seconds_enough: str) -> str:
        return f"{size} s were measured; {seconds_enough} are needed"

    def requests_flight_grew(self, slope: str) -> str:
        return (
            f"requests in flight grew by {slope} a second until the end: the rate is above the target's"
            " capacity, and latency grows with the length of the test"
        )

    def drifted_while_measuring(self, name: str, change: str, p: str) -> str:
        return f"{name} drifted by {change} while measuring (Mann-Kendall p = {p};"

    def requests_flight_sum(self, off: str) -> str:
        return f"requests in flight and the sum of responses disagree by {off}"

    def void_above(self, books: str) -> str:
        return f" (void above {books})"

    def rate_s_generator(self, share: str, most: str) -> str:
        return f"the rate is {share} of the {most}/s that the generator can send on this machine"

    def at_most(self, above: str) -> str:
        return f" at most ({above})"


class TrialChecksAroundTexts:
    fewer_than_ten = "fewer than ten requests were sent"
    each_visitor_opens = "each visitor opens a connection of its own, as planned"
    connection_disturbs_above = " connection (disturbs above 5 %): the server closes them"
    see_server_keep = (
        "see the server's keep-alive or its worker class; or measure new connections: keep_alive: false"
    )
    disturbs_below = " one (disturbs below 95 %)"
    fault_loadrig_please = "this is a fault of loadrig: please send the run folder"
    see_examples_latency = "see the examples; the latency shown is of good answers only"
    follow_redirects_or = "follow_redirects: 1, or `expect: {status: 302}` if they are meant"
    say_what_right = (
        "state the expected answer: `expect: {contains: …}`, or `expect: {status: 200}` if it may be empty"
    )
    answers_checked_status = "answers were checked by status only"
    add_expect_requests = "add `expect:` to the requests"
    not_compared_machine = "not compared on this machine: loadrig doctor --calibrate"
    its_rate = "its rate"
    its_p99 = "its p99"
    find_what_hinders = "find out what slows it (loadrig doctor), calibrate again, or use two machines"
    only_thread_plain = "only one thread with plain HTTP/1.1 was compared on this machine"
    nobody_watched_where = "the cores of the generator and the server were not observed"
    hold_them_cores = (
        "pin them to different cores: trial: {cpus: [0]}, and the server on the others (taskset)"
    )
    compare_only_what = (
        "compare only runs that alternate with this one (A B A B ...), or use a host with dedicated cores"
    )
    caches_logs_server = " caches and logs of the server do"
    stop_what_sets = "stop the program that sets the clock (NTP at boot), then repeat the run"

    def keep_alive_asked(self, word: str) -> str:
        return f"the plan asks for keep-alive, but {word} of the requests needed a new"

    def only_requests_had(self, per_request: str) -> str:
        return f"only {per_request} of the requests had a new connection, but the plan asks for"

    def answers_redirects_no(self, redirects: str, statuses: str) -> str:
        return f"{redirects} of the answers were redirects ({statuses}) that no `expect:`"

    def names_disturbs_above(self, unforeseen_share: str) -> str:
        return f" names (disturbs above {unforeseen_share}): the target of the redirect was not requested"

    def every_answer_empty(self, empty_routes: str) -> str:
        return f"every answer of {empty_routes} was empty (disturbs where no check looks at it)"

    def requests_did_not(self, wrong: str, worst: str) -> str:
        return f"{wrong} of the requests did not get the expected response, most of them: {worst}"

    def disturbs_above_fast(self, unforeseen_share: str) -> str:
        return f" (disturbs above {unforeseen_share}): a fast error is not a fast server"

    def machine_generator_differs(self, what: str, apart: str) -> str:
        return f"on this machine one generator differs from two that share its load: {what} by {apart}"

    def at_s(self, above: str, per_second: str) -> str:
        return f" ({above}), at {per_second}/s"

    def compared_machine_up(self, compared: str, had: str) -> str:
        return f"compared on this machine up to {compared}/s; this trial made {had}/s"

    def generator_used_core(self, share: str, core: str) -> str:
        return f"the generator used {share} of core {core}, where the server's"

    def busiest_thread_ran(self, thread: str, pid: str, above: str) -> str:
        return f" busiest thread ran ({thread}, process {pid}; {above}"

    def seen_looks(self, looks: str) -> str:
        return f"; seen in {looks} looks)"

    def speed_cores_read(self, size: str, readings_enough: str) -> str:
        return f"the speed of the cores was read {size} times; {readings_enough} are needed"

    def server_cores_not(self, fast: str, slow: str, uneven: str) -> str:
        return (
            f"the server's cores were not equally fast: the same piece of work took {fast} to {slow} of CPU"
            f" time (noted from {uneven} times on); a neighbour on the physical cores or heat causes this,"
            " and rates and latencies changed with it"
        )

    def wall_clock_set(self, is_forward: bool, step_s: str) -> str:
        return f"the wall clock was set {'forward' if is_forward else 'back'} by {step_s}"

    def during_load_disturbs(self, limit_s: str) -> str:
        return f" during the load (disturbs above {limit_s}); no figure here uses it, but tokens,"
