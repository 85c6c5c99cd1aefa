"""Sentences of `facts` in English, a class for each of its files."""


class JudgementFactsAskedTexts:
    wake_ups_sessions = "wake-ups of its sessions"
    messages = "calls"

    def they_take_up(self, spent: str, own: str) -> str:
        return f"they take up to {spent} of {own} of CPU a request"

    def their_round_trips(self, trips_s: str, p50: str) -> str:
        return f"their round trips take {trips_s} of a median of {p50}"

    def share_is(self, share: str, statement: str) -> str:
        return f"{share} of them are {statement}"

    def brings(self, rows: str) -> str:
        return f"each of them brings {rows} rows"


class JudgementFactsAwaitedTexts:
    throughput_time_request = "throughput × time of a request alone"

    def ms_s(self, inside_ms: str, requests_per_s: str, waiting: str) -> str:
        return f"{inside_ms} ms × {requests_per_s}/s = {waiting}"

    def request_passed_no(self, inside: str) -> str:
        return f"{inside} of a request passed in it on no core and no disk"

    def request_passed_no_core(self, whole: str, inside: str, waiting: str, at_once: str) -> str:
        return (
            f"of {whole} of a request in it, {inside} passed on no core and no disk: {waiting} requests"
            f" stood there, and {at_once} at a time were let through"
        )

    def requests_went_through(self, at_once: str) -> str:
        return f"requests went through {at_once} at a time, however many connections are open"

    def they_wait_there(self, text: str, busy: str, name: str) -> str:
        return f"{text}, of {busy} requests in {name}: they wait there and not for it"

    def wait_lock(self, lock_waits: str) -> str:
        return f"{lock_waits} of these wait for a lock"

    def requests_waited_ahead(self, waiting: str, owner: str, dependency: str) -> str:
        return (
            f"{waiting} requests waited ahead of {owner}: whether it has too few workers or {dependency} is"
            " slow, a quarter more workers would show"
        )

    def flight_service(self, waiting: str, busy: str) -> str:
        return f"{waiting} in flight, {busy} in service"


class JudgementFactsBehindTexts:
    def threads_wait_connection(self, mean: str, name: str) -> str:
        return f"{mean} of its threads wait for a connection of {name}"

    def behind_full_core(self, name: str, mean: str) -> str:
        return f"{name} behind it is full: {mean} of the one core it can use"

    def behind_full_cpu(self, name: str, fullness: str) -> str:
        return f"{name} behind it is full: {fullness} of its CPU"

    def sessions_behind_wait(self, waiters: str, name: str) -> str:
        return f"{waiters} sessions of {name} behind it wait for a lock"


class JudgementFactsCollectingTexts:
    def after_collections_greatest(self, heap: str) -> str:
        return f"after collections {heap} of the greatest heap was still in use"

    def collections_whole_heap(self, full: str) -> str:
        return f"{full} collections were of the whole heap"

    def stood_still_time(self, paused: str) -> str:
        return f"it stood still {paused} of the time for collections"

    def pauses_longest(self, size: str, max_text: str) -> str:
        return f" ({size} pauses, the longest {max_text})"

    def cpu_went_into(self, beside: str) -> str:
        return f", and {beside} of its CPU went into them beside its threads"


class JudgementFactsCoresTexts:
    def cores_busy_ours(self, busy: str, ours: str, rig: str) -> str:
        return f"{busy} cores busy - ours {ours} - the rig {rig} at most"

    def seen_there(self, text: str, seen: str) -> str:
        return f"{text}; seen there: {seen}"


class JudgementFactsCoursesTexts:
    limit_open_descriptors = "the limit of open descriptors"
    most_tasks_control = "the most tasks of its control group"
    greatest_heap_may = "the greatest heap that it may have"
    memory_machine = "the memory of the machine"
    memory_limit = "its memory limit"
    memory = "memory"

    def fills_up(self, share: str) -> str:
        return f"at the end {share} as fast as at the beginning: it fills up"

    def came_at_once(self, share: str) -> str:
        return f"{share} of it at once: something was made"

    def curve_fits(self, bic: str) -> str:
        return f"a curve that fills up fits as well as a line (BIC {bic})"

    def rose_seldom(self, share: str) -> str:
        return f"it rose in {share} of the readings only"

    def like_a_cache(self, share: str) -> str:
        return f"by {share} of what it held, as a cache that fills does in so short a time"

    def too_little(self, a_request: str) -> str:
        return f"{a_request} a request are too little to tell from a beginning"


class JudgementFactsLegsTexts:
    how_many_connections = (
        "how many connections it opened, or its port range, was not read: sock_diag shows it (modprobe"
        " tcp_diag)"
    )
    tcp_tw_reuse = "tcp_tw_reuse, by default on loopback only"

    def ports_connections_s(self, total: str, hold: str, sustained: str) -> str:
        return f"{total} ports / {hold} = {sustained} connections/s"

    def closed_second(self, rate: str) -> str:
        return f"at {rate} closed a second"

    def all_taken_after(self, rate: str, empty: str, empty_after_s: str) -> str:
        return f"{rate} all are taken after {empty}{empty_after_s}"

    def they_last_s(self, rate: str, how: str, time_wait_s: str, gone: str) -> str:
        return f"{rate} they last ({how}); kept for {time_wait_s} s they would be gone after {gone}"

    def they_last_ever(self, rate: str, share: str) -> str:
        return f"{rate} they last for ever, {share} of that limit"

    def to(self, source: str, to: str) -> str:
        return f"{source} to {to}"

    def no_port_free(self, rate: str, freed: str) -> str:
        return f"no port was free from the begin on; it opened {rate}/s, and {freed}/s are freed"

    def opened_s_free(self, rate_before: str, rate_when_full: str) -> str:
        return f"it opened {rate_before}/s with free ports and {rate_when_full}/s without"


class JudgementFactsLocksTexts:
    interpreter_lock = "its threads wait for the interpreter lock"
    works_singly = "its threads wait for no other program, and one request at a time is worked on"
    formula_of_a_lock = "throughput × time of a request alone = 1"

    def threads_waited_lock(self, mean: str) -> str:
        return f"{mean} threads waited for a lock that another process had (on a file, or a semaphore)"

    def goroutines_stood_lock(self, number: str) -> str:
        return f"{number} goroutines stood in a lock"

    def threads_blocked_they(self, number: str) -> str:
        return f"{number} threads were BLOCKED: they waited for a lock"

    def of_in_flight(self, waiters: str, number: str) -> str:
        return f"{waiters}, of {number} requests in flight"

    def goroutines_waited(self, seconds: str) -> str:
        return f"goroutines waited {seconds} s for locks every second"

    def works_on(self, at_once: str, fastest: str, rate: str) -> str:
        return f"it works on {at_once} request at once: {fastest} alone, {rate}/s"

    def formula_of_work(self, at_once: str) -> str:
        return f"throughput × time of a request alone = {at_once}"

    def gave_up_core(self, times: str) -> str:
        return f"its threads gave up their core {times} times a request"


class JudgementFactsLoopsTexts:
    def loop_used_core(self, mean: str) -> str:
        return f"its loop used {mean} of one core, without a pause"

    def requests_flight(self, waiting: str) -> str:
        return f"{waiting} requests are in flight"

    def requests_take_alone(self, p50: str, fastest_s: str) -> str:
        return f"requests take {p50}, and {fastest_s} alone"

    def bytes_each_lie(self, unread: str) -> str:
        return f"; {unread} bytes of each lie unread: the loop does not come round"

    def they_served(self, text: str) -> str:
        return f"{text}: they are served one by one"

    def loop_late_most(self, peak: str) -> str:
        return f"its loop was late by {peak} at most"

    def loop_late_average(self, mean: str, peak: str) -> str:
        return f"its loop was late by {mean} on average ({peak} at most)"

    def takes_alone_beside(self, quick: str, alone: str, beside: str, slow: str, slow_alone: str) -> str:
        return f"{quick} takes {alone} alone, and {beside} beside {slow}, which takes {slow_alone} alone"

    def slept_time_though(self, sleep_s: str) -> str:
        return f"it slept {sleep_s} at a time though requests lay unread: in a call, not in its loop"

    def throughput_time_request(self, at_once: str) -> str:
        return f"throughput × time of a request alone = {at_once} at once"

    def quota_stops(self, quota: str) -> str:
        return f"its quota of {quota} stops it"

    def mean_of(self, mean: str, cores: str) -> str:
        return f"{mean} of {cores}"

    def collections_garbage_stop(self, mean: str) -> str:
        return f"collections of garbage stop it {mean} of the time"

    def threads_waited_core(self, mean: str) -> str:
        return f"its threads waited for a core {mean} of the time: others use it"

    def used_may_use(self, users: str, ours: str, places: str) -> str:
        return f"{users} used {ours} of the {places} it may use"

    def lacks_cpu(self, text: str) -> str:
        return f"{text}: it lacks CPU"

    mean_less_median = "mean response time less the median"
    no_process_cpu = "no process.cpu_s"
    a_request = "a request"

    def tail_lay_unread(self, slower: str, unread: str, expected: str) -> str:
        return (
            f"requests took {slower} longer on average than in the median; {unread} of that they or their"
            f" answers lay unread, where short calls would leave them {expected}"
        )

    def whether_waits_or(self, name: str) -> str:
        return f"whether it waits or computes was not seen: run loadrig where {name} runs"

    def used_core_held(self, used: str) -> str:
        return f"it used {used} of a core: it is held up without computing all the time"

    def computes_without_pause(self, what: str, longest_s: str) -> str:
        return f"{what} computes for {longest_s} without a pause"

    def loop_full_calls(self, cpu_s: str) -> str:
        return f"one loop is full of calls of {cpu_s}, and other cores stand idle"

    def calls_short_request(self, cpu_s: str) -> str:
        return f"its calls are short ({cpu_s} a request): it lacks CPU"


class JudgementFactsMemoryTexts:
    memory_processes = "memory of the processes"
    memory_workers = "memory of the workers"
    memory_rss = "memory (RSS)"
    heap_use_after = "heap in use after collections"
    heap_collections = "heap left by collections"
    room_unread = "how much memory is left was not read"
    limit_unread = "no limit was read"

    def group_uses(self, used: str, limit: str) -> str:
        return f"its group uses {used} of the {limit} that it may"

    def machine_has_left(self, share: str) -> str:
        return f"{share} of the machine's memory was left"

    def place_holds(self, place: str, size: str, blocks: str, share: str) -> str:
        return (
            f"{place} holds {size} more than at the first look, in {blocks} blocks: {share} of the growth"
            " that was traced"
        )


class JudgementFactsObservedTexts:
    series_not_read = "the series was not read"


class JudgementFactsOpeningTexts:
    its_time = "its time"
    what_costs_very = "; what one costs this very program was not seen, a profile shows it (--profile)"
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
        return f"opening them takes about {formula}"

    def what_request_costs(self, to: str, source: str) -> str:
        return f"what a request costs {to} or {source} was not seen: watch the server's machine"

    def closes_them_first(self, who: str, here: str) -> str:
        return f"{who} closes {here} of them first"


class JudgementFactsPoolsTexts:
    the_pool = "the pool"


class JudgementFactsQuotaTexts:
    gomaxprocs_is = "GOMAXPROCS is {}"
    jvm_counts_processors = "the JVM counts {} processors"
    threads_wanted_run = "{} of its threads wanted to run at once"


class JudgementFactsReadTexts:
    kernel_killed_server = "the kernel killed the server for lack of memory"
    server_process_not = (
        "the server's process was not seen: run loadrig on its machine,"
        ' or observe it there (observers: [{name: web, via: "ssh HOST", port: PORT}])'
    )


class JudgementFactsRestartsTexts:
    def requests_workers_s(self, most: str, workers: str, rate: str, life_s: str) -> str:
        return f"{most} requests × {workers} workers / {rate}/s = {life_s}"


class JudgementFactsRoomTexts:
    no_process_cpu = "no process.cpu_s"

    def cpu_time_not(self, name: str) -> str:
        return f"its CPU time was not seen: run loadrig where {name} runs"

    def used_may_use(self, mean: str, cores: str) -> str:
        return f"it used {mean} of the {cores} it may use"

    def cores_busy_time(self, free: str) -> str:
        return f"its cores were busy {free} of the time"


class JudgementFactsSlotsTexts:
    request_time = "one request at a time"
    leave_out_without = "leave out --without-threads"
    more_tokens_anyio = "more tokens for anyio's limiter, or handlers that are async"
    event_loop = "one event loop"

    def threads(self, number: str) -> str:
        return f"{number} threads"

    def processes_event_loop(self, workers: str, class_text: str) -> str:
        return f"{workers} processes with an event loop each ({class_text})"

    def processes_hold_many(self, workers: str) -> str:
        return f"{workers} processes that hold many connections in one thread"

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
    event_text_safepoint = "stops of all threads of {}"
    event_text_worker_died = "workers of {} that ended"
    event_text_worker_born = "workers of {} that were started"
    event_text_process_died = "processes of {} that ended"
    event_text_process_born = "processes of {} that were started"
    event_text_checkpoint = "checkpoints of {}"
    event_text_oom_kill = "processes of {} killed for lack of memory"
    event_text_slow_command = "slow commands of {}"
    event_text_latency_spike = "pauses of {}"
    event_text_restarted = "restarts of {}"
    event_text_log_rotated = "rotations of the log of {}"
    time_stood_still = "time that {} stood still under its CPU quota"
    pages_read_back = "pages that {} read back from disk"
    look_ups_nothing = "look-ups in {} that found nothing"
    keys_whose_time = "keys of {} whose time was over"
    keys_threw_out = "keys that {} threw out"
    workers_autovacuum = "workers of autovacuum in {}"
    answers_token_or = "answers that a token or session is over"

    def requests_route(self, route: str) -> str:
        return f"requests of the route {route}"

    def time_hypervisor_took(self, name: str) -> str:
        return f"time that the hypervisor took from {name}"
