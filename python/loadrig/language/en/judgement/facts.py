"""Sentences of `facts` in English, a class for each of its files."""


class JudgementFactsStatementsTexts:
    wake_ups_sessions = "wake-ups of its sessions"
    messages = "calls"

    def they_take_up(self, spent: str, own: str) -> str:
        return f"they take up to {spent} of the {own} of CPU time that a request takes at both ends"

    def their_round_trips(self, trips_s: str, p50: str) -> str:
        return f"their round trips take {trips_s} of a median of {p50}"

    def share_is(self, share: str, statement: str) -> str:
        return f"{share} of these calls are {statement}"

    def brings(self, rows: str) -> str:
        return f"each of these calls returns {rows} rows"


class JudgementFactsWaitsTexts:
    throughput_time_request = "throughput × time of a request alone"

    looks_at_connections = "looks at its connections"

    def stand_elsewhere(self, awaiting: str, waiting: str, owner: str) -> str:
        return (
            f"looks at its connections met {awaiting} of these {waiting} requests there: most stand inside"
            f" {owner}, or wait for what was not seen"
        )

    def still_on_the_way(self, number: str) -> str:
        return f"{number} calls are still being sent, as acknowledgements are held back"

    def ms_s(self, inside_ms: str, requests_per_s: str, waiting: str) -> str:
        return f"{inside_ms} ms × {requests_per_s}/s = {waiting}"

    def loop_waits_itself(self, name: str, share: str) -> str:
        return f"the event loop of {name} itself stood in calls {share} of the time, and let everybody wait"

    def request_passed_no(self, inside: str) -> str:
        return f"a request spent {inside} inside it, on no core and no disk"

    def request_passed_no_core(self, whole: str, inside: str, waiting: str, at_once: str) -> str:
        return (
            f"of the {whole} that a request is inside it, {inside} pass on no core and no disk: {waiting}"
            f" requests waited there, and {at_once} at a time went on"
        )

    def requests_went_through(self, at_once: str) -> str:
        return f"{at_once} requests at a time went through, however many connections are open"

    def they_wait_there(self, text: str, busy: str, name: str) -> str:
        return f"{text}, of {busy} requests in {name}: they wait inside {name}, not for the dependency"

    def wait_lock(self, lock_waits: str) -> str:
        return f"{lock_waits} of them wait for a lock"

    def requests_waited_ahead(self, waiting: str, owner: str, dependency: str) -> str:
        return (
            f"{waiting} requests waited ahead of {owner}: either it has too few workers, or {dependency} is"
            " slow; a run with a quarter more workers decides"
        )

    def flight_service(self, waiting: str, busy: str) -> str:
        return f"{waiting} in flight, {busy} in service"


class JudgementFactsCarriersTexts:
    def threads_wait_connection(self, mean: str, name: str) -> str:
        return f"{mean} of its threads wait for a connection of {name}"

    def behind_full_core(self, name: str, mean: str) -> str:
        return f"{name}, on which it depends, is full: {mean} of the one core that it can use"

    def behind_full_cpu(self, name: str, fullness: str) -> str:
        return f"{name}, on which it depends, is full: {fullness} of its CPU"

    def sessions_behind_wait(self, waiters: str, name: str) -> str:
        return f"{waiters} sessions of {name}, on which it depends, wait for a lock"


class JudgementFactsGarbageTexts:
    def after_collections_greatest(self, heap: str) -> str:
        return f"after garbage collections {heap} of the maximum heap was still in use"

    def collections_whole_heap(self, full: str) -> str:
        return f"{full} garbage collections were full ones"

    def stood_still_time(self, paused: str) -> str:
        return f"garbage collections stopped it for {paused} of the time"

    def pauses_longest(self, size: str, max_text: str) -> str:
        return f" ({size} pauses, the longest {max_text})"

    def cpu_went_into(self, beside: str) -> str:
        return f", and {beside} of its CPU time went to collector threads that run in parallel"


class JudgementFactsCoresTexts:
    no_process_cpu = "no process.cpu_s"

    def cores_busy_ours(self, busy: str, ours: str, rig: str) -> str:
        return f"{busy} cores busy - {ours} by the server and its tiers - at most {rig} by loadrig"

    def seen_there(self, text: str, programs: str) -> str:
        return f"{text}; other programs observed there: {programs}"

    def cpu_time_not(self, name: str) -> str:
        return f"its CPU time was not observed: run loadrig on the machine of {name}"

    def used_may_use(self, mean: str, cores: str) -> str:
        return f"it used {mean} of the {cores} that it may use"

    def cores_busy_time(self, free: str) -> str:
        return f"the cores that it may use were busy {free} of the time, by whomever"


class JudgementFactsCoursesTexts:
    limit_open_descriptors = "the limit of open descriptors"
    most_tasks_control = "the task limit of its control group"
    greatest_heap_may = "its maximum heap"
    memory_machine = "the memory of the machine"
    memory_limit = "its memory limit"
    memory = "memory"

    def fills_up(self, share: str) -> str:
        return f"at the end it grew {share} as fast as at the beginning: it fills up to a level"

    def came_at_once(self, share: str) -> str:
        return f"{share} of the growth came at once: something was created once"

    def curve_fits(self, bic: str) -> str:
        return f"a curve that fills up fits as well as a line (BIC {bic})"

    def rose_seldom(self, share: str) -> str:
        return f"it rose in only {share} of the readings"

    def like_a_cache(self, share: str) -> str:
        return f"by {share} of its size, which a cache that fills reaches in so short a time"

    def too_little(self, a_request: str) -> str:
        return f"{a_request} a request are too little to be told from the growth of a start"


class JudgementFactsLegsTexts:
    how_many_connections = (
        "its new connections, or its port range, were not read: sock_diag gives them (modprobe tcp_diag)"
    )
    tcp_tw_reuse = "tcp_tw_reuse, by default on loopback only"

    def ports_connections_s(self, total: str, hold: str, sustained: str) -> str:
        return f"{total} ports / {hold} = {sustained} connections/s"

    def closed_second(self, rate: str) -> str:
        return f"at {rate} closed a second"

    def all_taken_after(self, rate: str, empty: str, empty_after_s: str) -> str:
        return f"{rate} all are taken after {empty}{empty_after_s}"

    def they_last_s(self, rate: str, how: str, time_wait_s: str, gone: str) -> str:
        return (
            f"{rate} the ports suffice ({how}); if each were kept for {time_wait_s} s, they would be"
            f" used up after {gone}"
        )

    def they_last_ever(self, rate: str, share: str) -> str:
        return f"{rate} the ports suffice for ever: {share} of that limit"

    def to(self, source: str, to: str) -> str:
        return f"{source} to {to}"

    def no_port_free(self, rate: str, freed: str) -> str:
        return (
            f"no port was free from the beginning; it opened {rate} connections/s, and {freed} ports/s"
            " become free"
        )

    def opened_s_free(self, rate_before: str, rate_when_full: str) -> str:
        return f"it opened {rate_before} connections/s with free ports and {rate_when_full}/s without"


class JudgementFactsLocksTexts:
    interpreter_lock = "its threads wait for the interpreter lock"
    works_singly = "its threads wait for no other program, and it serves one request at a time"
    formula_of_a_lock = "throughput × time of a request alone = 1"

    def threads_waited_lock(self, mean: str) -> str:
        return f"{mean} threads waited for a lock that another process held (a file lock or a semaphore)"

    def threads_waited_file(self, number: str, file: str, share: str) -> str:
        return (
            f"{number} threads waited for the lock of the file {file}, or slept to ask for it again; somebody"
            f" had it {share} of the time"
        )

    def goroutines_stood_lock(self, number: str) -> str:
        return f"{number} goroutines waited for a lock"

    def threads_blocked_they(self, number: str) -> str:
        return f"{number} threads were in the state BLOCKED: they waited for a lock"

    def of_in_flight(self, waiters: str, number: str) -> str:
        return f"{waiters}, of {number} requests in flight"

    def monitors_contended(self, times: str) -> str:
        return f"for each request a thread waited {times} times to enter a synchronized block"

    def goroutines_waited(self, seconds: str) -> str:
        return f"goroutines waited {seconds} s for locks every second"

    def works_on(self, at_once: str, fastest: str, rate: str) -> str:
        return f"it serves {at_once} request at a time: {fastest} for a request alone, {rate}/s"

    def formula_of_work(self, at_once: str) -> str:
        return f"throughput × time of a request alone = {at_once}"

    def gave_up_core(self, times: str) -> str:
        return f"its threads gave up their core {times} times a request"


class JudgementFactsLoopsTexts:
    def loop_used_core(self, mean: str) -> str:
        return f"its event loop used {mean} of one core, without a pause"

    def requests_flight(self, waiting: str) -> str:
        return f"{waiting} requests are in flight"

    def requests_take_alone(self, p50: str, fastest_s: str) -> str:
        return f"a request takes {p50}, and {fastest_s} when it is alone"

    def bytes_each_lie(self, unread: str) -> str:
        return f"; {unread} bytes of each request lie unread: the event loop is busy elsewhere"

    def they_served(self, text: str) -> str:
        return f"{text}: requests are served one after the other"

    def loop_late_most(self, peak: str) -> str:
        return f"its event loop ran at most {peak} late"

    def loop_late_average(self, mean: str, peak: str) -> str:
        return f"its event loop ran {mean} late on average (at most {peak})"

    def takes_alone_beside(self, quick: str, alone: str, beside: str, slow: str, slow_alone: str) -> str:
        return f"{quick} takes {alone} alone, and {beside} while {slow} runs, which takes {slow_alone} alone"

    def sleeps_in_calls(self, asleep: str, awaiting: str, unread: str) -> str:
        return (
            f"the thread of its event loop slept in calls {asleep} of the time and waited for events"
            f" {awaiting}, while {unread} bytes of each request lay unread"
        )

    def sleeps_alone_in_calls(self, asleep: str) -> str:
        return f"its only thread, the event loop, slept in calls {asleep} of the time and served nobody then"

    def slept_time_though(self, sleep_s: str) -> str:
        return (
            f"it slept {sleep_s} at a time while requests lay unread: it slept in a blocking call, not"
            " in its event loop"
        )

    def throughput_time_request(self, at_once: str) -> str:
        return f"throughput × time of a request alone = {at_once} at once"

    def quota_stops(self, quota: str) -> str:
        return f"its CPU quota of {quota} stops it"

    def mean_of(self, mean: str, cores: str) -> str:
        return f"{mean} of {cores}"

    def collections_garbage_stop(self, mean: str) -> str:
        return f"garbage collections stop it {mean} of the time"

    def threads_waited_core(self, mean: str) -> str:
        return f"its threads waited for a core {mean} of the time: other programs use it"

    def used_may_use(self, users: str, ours: str, places: str) -> str:
        return f"{users} used {ours} of the {places} that it may use"

    def lacks_cpu(self, text: str) -> str:
        return f"{text}: it needs more CPU"

    def on_their_way_back(self, sending: str, total: str) -> str:
        return f"answers were on their way back for {sending} of {total}: the loop had sent them"

    mean_less_median = "mean response time less the median"
    no_process_cpu = "no process.cpu_s"
    a_request = "a request"

    def tail_lay_unread(self, slower: str, unread: str, expected: str) -> str:
        return (
            f"the mean response time is {slower} above the median; on average requests or responses lay"
            f" unread for {unread}, where short calls would leave them unread for {expected}"
        )

    def whether_waits_or(self, name: str) -> str:
        return f"whether it waits or computes was not observed: run loadrig on the machine of {name}"

    def used_core_held(self, used: str) -> str:
        return f"it used {used} of a core: part of the time it is held up without computing"

    def used_core_computing(self, used: str) -> str:
        return f"it used {used} of a core, and hardly slept in calls: it is held up while it computes"

    def computes_without_pause(self, what: str, longest_s: str) -> str:
        return f"{what} computes for {longest_s} without a pause"

    def loop_full_calls(self, cpu_s: str) -> str:
        return f"one event loop is full with calls of {cpu_s}, and other cores are idle"

    def calls_short_request(self, cpu_s: str) -> str:
        return f"its calls are short ({cpu_s} a request): it needs more CPU"


class JudgementFactsMemoryTexts:
    memory_processes = "memory of the processes"
    memory_workers = "memory of the workers"
    memory_rss = "memory (RSS)"
    heap_use_after = "heap in use after collections"
    heap_collections = "heap left by collections"
    room_unread = "the free memory was not read"
    limit_unread = "no limit was read"

    def group_uses(self, used: str, limit: str) -> str:
        return f"its control group uses {used} of its limit of {limit}"

    def machine_has_left(self, share: str) -> str:
        return f"{share} of the machine's memory was free"

    def place_holds(self, place: str, size: str, blocks: str, share: str) -> str:
        return (
            f"{place} holds {size} more than in the first snapshot, in {blocks} blocks: {share} of the traced"
            " growth"
        )


class JudgementFactsObservedTexts:
    series_not_read = "the series was not read"


class JudgementFactsOpeningTexts:
    its_time = "its time"
    what_costs_very = "; the true cost in this program was not measured, a profile shows it (--profile)"
    no_cpu_time = "no CPU time, no latency"

    def x(self, a_request: str, usual_s: str, basis_s: str) -> str:
        return f"{a_request} x {usual_s} of {basis_s}"

    def a_request(self, share: str, what: str, each: str) -> str:
        return f"{share} of {what} ({each} a request)"

    def cpu_time(self, name: str) -> str:
        return f"{name}'s CPU time"

    def connections_sessions_opened(self, connections: str, sessions: str, opened: str) -> str:
        return f"({connections} connections - {sessions} sessions) / {opened} opened a second"

    def opening_them_takes(self, formula: str) -> str:
        return f"opening connections takes about {formula}"

    def what_request_costs(self, to: str, source: str) -> str:
        return f"the cost of a request at {to} or {source} was not observed: run loadrig on their machine"

    def closes_them_first(self, closer: str, here: str) -> str:
        return f"{closer} closes {here} of them itself"


class JudgementFactsPoolsTexts:
    the_pool = "the pool"


class JudgementFactsQuotaTexts:
    gomaxprocs_is = "GOMAXPROCS is {}"
    jvm_counts_processors = "the JVM counts {} processors"
    threads_wanted_run = "{} of its threads were runnable at once"


class JudgementFactsReadTexts:
    kernel_killed_server = "the kernel killed the server for lack of memory"
    server_process_not = (
        "the server's process was not observed: run loadrig on its machine,"
        ' or observe it there (observers: [{name: web, via: "ssh HOST", port: PORT}])'
    )


class JudgementFactsRestartsTexts:
    def requests_workers_s(self, most: str, workers: str, rate: str, life_s: str) -> str:
        return f"{most} requests × {workers} workers / {rate}/s = {life_s}"


class JudgementFactsRoutesTexts:
    def each_of(self, number: str, route: str) -> str:
        return f" ({number} for each of {route})"


class JudgementFactsSlotsTexts:
    request_time = "one request at a time"
    leave_out_without = "leave out --without-threads"
    more_tokens_anyio = "more tokens for anyio's limiter, or async handlers"
    event_loop = "one event loop"

    def threads(self, number: str) -> str:
        return f"{number} threads"

    def processes_event_loop(self, workers: str, class_text: str) -> str:
        return f"{workers} processes with an event loop each ({class_text})"

    def processes_hold_many(self, workers: str) -> str:
        return f"{workers} processes whose one thread serves many connections"

    def threads_handlers_without(self, loop_pool_threads: str) -> str:
        return f"{loop_pool_threads} threads for handlers without async"

    def processes_with(self, workers: str, text: str) -> str:
        return f"{workers} processes with {text}"

    def processes_event_loop_each(self, workers: str) -> str:
        return f"{workers} processes with an event loop each"

    def workers_of_threads(self, workers: float, threads: float) -> str:
        each = "one thread" if threads == 1 else f"{threads:g} threads"
        return f"one worker of {each}" if workers == 1 else f"{workers:g} workers of {each} each"

    def threads_or_workers(self, threads: str, workers: str) -> str:
        return f"{threads} or {workers}"

    def workers_or_threads(self, workers: str, threads: str) -> str:
        return f"{workers}, or threads: {threads}"


class JudgementFactsStreamsTexts:
    event_text_gc_pause = "garbage collections of {}"
    event_text_safepoint = "safepoints of {} (all threads stopped)"
    event_text_worker_died = "workers of {} that ended"
    event_text_worker_born = "workers of {} that were started"
    event_text_process_died = "processes of {} that ended"
    event_text_process_born = "processes of {} that were started"
    event_text_checkpoint = "checkpoints of {}"
    event_text_oom_kill = "out-of-memory kills of processes of {}"
    event_text_slow_command = "slow commands of {}"
    event_text_latency_spike = "pauses of {}"
    event_text_restarted = "restarts of {}"
    event_text_log_rotated = "rotations of the log of {}"
    time_stood_still = "time that {} was throttled by its CPU quota"
    pages_read_back = "pages that {} read back from disk"
    look_ups_nothing = "cache misses in {}"
    keys_whose_time = "keys of {} that expired"
    keys_threw_out = "keys that {} evicted"
    workers_autovacuum = "workers of autovacuum in {}"
    answers_token_or = "responses that a token or session has expired"

    def requests_route(self, route: str) -> str:
        return f"requests of the route {route}"

    def time_hypervisor_took(self, name: str) -> str:
        return f"time that the hypervisor took from {name}"
