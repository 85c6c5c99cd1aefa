"""Sentences of `judgement` in English, a class for each of its files."""


class JudgementCardsTexts:
    loop_thread = "its loop is one thread"
    bytes_clients = "bytes to the clients"

    def shorter_test_cannot(self, text: str) -> str:
        return f"{text}: a shorter test cannot fail"

    def ports_from(self, name: str) -> str:
        return f"ports from {name}"

    def more_requests_than(self, mean: str) -> str:
        return f"it cannot answer more requests than this; it used {mean} of its CPU quota"

    def threads_once_use(self, at_once: str, busy_s: str, idle_s: str, period_s: str) -> str:
        return (
            f"; {at_once} threads that run at once use up the quota in {busy_s} and are stopped for"
            f" {idle_s} of every {period_s}"
        )

    def happened_periods(self, grew: str) -> str:
        return f"; they were stopped in {grew} of the periods"

    def cpu_quota(self, name: str) -> str:
        return f"CPU quota of {name}"

    def s_x_use(self, wanted_rps: str, held_s: str, offered: str, m: str, needed: str) -> str:
        return (
            f"{wanted_rps}/s x {held_s} = {offered} of {m} in use; needed: {offered} + 2 √{offered} ="
            f" {needed}"
        )

    def all_use_they(self, m: str, held_s: str, rate: str) -> str:
        return f"all {m} are in use: they can serve {m} / {held_s} = {rate}/s"

    def and_wait_for(self, mean: str) -> str:
        return f", and {mean} requests wait for one"

    def requests_should_have(self, wait: str, queue_s: str) -> str:
        return (
            f"{wait} of the requests are expected to wait (Erlang C), {queue_s} on average over all requests"
        )

    def subject_of(self, subject: str) -> str:
        return f" of {subject}"

    def in_text(self, what: str, word: str, name: str) -> str:
        return f"{what}{word} in {name}"

    def pauses_second(self, mean: str) -> str:
        return f"pauses of {mean} in each second"

    def processes(self, number: str, share: str) -> str:
        return f" / {number} processes = {share}"

    def beside_program(self, along: str, share: str) -> str:
        return f", plus {along} in parallel with the program = {share}"

    def cpu_time(self, median: str, share: str) -> str:
        return f", plus {median} of its CPU time = {share}"

    def collections_can_cost(self, share: str) -> str:
        return (
            f"garbage collection costs at most {share} of the throughput, and delays a slow response by"
            " one pause"
        )

    def garbage_collection(self, name: str) -> str:
        return f"garbage collection in {name}"

    def lock_held_looks(self, held: str, looks: str) -> str:
        return f"the lock was held in {held} of {looks} looks"

    def serial_x_request(self, part: str, demand_s: str) -> str:
        return f"serial part {part} x {demand_s} a request"

    def more_threads_make(self, how: str, cores: str, gain: str, processes: str) -> str:
        return (
            f"{how}; on {cores}, more threads make one process at most {gain} times as fast (Amdahl's law);"
            f" {processes} processes are up to {processes} times as fast"
        )

    def process(self, name: str) -> str:
        return f"one process of {name}"

    def request_x_s(self, size: str, ended_rps: str, bytes_per_s: str) -> str:
        return f"{size} a request x {ended_rps}/s = {bytes_per_s}/s"

    def loopback_has_no(self, byte_ns: str) -> str:
        return (
            f"the loopback interface has no link speed; the server needs at most {byte_ns} ns of CPU"
            " time for a byte"
        )

    def bytes_per_s_of(self, bytes_per_s: str, subject: str) -> str:
        return f"{bytes_per_s} of {subject}"

    def carries_s_full(self, used: str, most: str, requests: str) -> str:
        return f"{used}, whose speed is {most}/s: full at {requests} requests/s"


class JudgementDiagnoseTexts:
    mostly_of_before = "its utilisation was measured mostly before the server stopped answering"
    profile_high_load = (
        "a profile at high load (--profile) shows where the time goes; the server's log shows errors"
    )
    nothing_seen_server = "the server was not observed"
    likely = "Likely: "
    possibly = "Possibly: "
    nothing_full = (
        "No observed resource is full: the response time and the number of users limit the throughput."
    )

    def fails_with_room(self, harm: str) -> str:
        return (
            f"No observed resource is full, and yet {harm}: look at the responses and at the server's"
            " log for the reason."
        )

    def is_less_sure(self, verdict: str, why: str) -> str:
        return f"it is less sure ({verdict}): {why}"

    def is_too(self, verdict: str, effect: str) -> str:
        return f"it is {verdict} too, and explains less: {effect}"

    def would_give_answer(self, mend: str) -> str:
        return f" To get an answer: {mend}."

    def nothing_can_server(self, text: str, mend: str) -> str:
        return f"Nothing can be said of the server: {text}.{mend}"

    def we_cannot_tell(self, harm: str, would: str) -> str:
        return (
            f"What limits the server is not known: {harm}, and no known cause shows its signs. To find"
            f" out: {would}."
        )


class JudgementGainsTexts:
    def the_cpu(self, row: str) -> str:
        return f"the CPU of {row}"

    def much_who_queue(self, times: str, slots: str, more: str, where: str, gain: str) -> str:
        return (
            f"{times} as many ({more} instead of {slots}), which queue for {where}: {gain} the throughput"
            " (mean value analysis)"
        )

    def as_much(self, times: str) -> str:
        return f"{times} the capacity of this resource"

    def many_answers(self, text: str, times: str) -> str:
        return f"{text}: {times} the throughput"

    def nobody_waits_any(self, text: str, times: str, bound: str) -> str:
        return f"{text}, and at {times} the throughput (1 / (1 - {bound})) no request waits for it any more"

    def without_many_answers(self, share: str, times: str) -> str:
        return f"without this work: 1 / (1 - {share}) = {times} the throughput"

    def much_leaves_takes(self, times: str, rest: str, share: str, gain: str) -> str:
        return (
            f"with {times} the capacity it takes {rest} of the time instead of {share}:"
            f" (1 - {rest}) / (1 - {share}) = {gain} the throughput"
        )

    def full_s(self, resource: str, component: str, rate: str) -> str:
        return f"{resource} of {component} is full at {rate}/s"

    def no_more_than(self, offered_rps: str, times: str) -> str:
        return f"the plan asks for no more than {offered_rps}/s: {times}"


class JudgementMeanwhileTexts:
    def slept(self, number: str) -> str:
        return (
            f"{number} of its threads slept meanwhile: a pause in the code, or a lock that is asked for again"
            " and again (as SQLite's is)"
        )

    def wrote(self, number: str, peer: str) -> str:
        return f"{number} of its threads waited meanwhile to write to {peer}: whoever reads it is slow"

    def mend_writing(self, peer: str) -> str:
        return (
            f"let whoever reads {peer} keep up, or write less into it, and by a thread of its own: whoever"
            " writes waits, and all who wait for his turn"
        )

    def connected(self, number: str, peer: str) -> str:
        return f"{number} of its threads waited meanwhile to be connected to {peer}"

    def waited_for_a_file(self, number: str) -> str:
        return f"{number} of its threads waited meanwhile for a file"

    def awaited(self, number: str, peer: str) -> str:
        return f"{number} of its threads waited meanwhile for an answer of {peer}"


class JudgementOwnWordsTexts:
    def so_times(self, text: str, speaker: str, count: str) -> str:
        return f"{text}: {speaker} reported it {count} times"


class JudgementRankTexts:
    def cpu_time_not(self, component: str) -> str:
        return f"its CPU time was not observed: run loadrig on the machine of {component}"

    def own_words_failed(self, name: str, error: str) -> str:
        return f"reading its log lines failed ({name}: {error}); please report it with the run's folder"

    def full_at_times(self, name_of: str) -> str:
        return f"{name_of} had room on average, and can have been full in bursts only"


class JudgementWeighTexts:
    no_goal = "no goal says how fast a request should be"
    nothing_wrong_could = "the run shows no harm that this cause explains"
    no_harm = "no harm was found"

    def looking_failed_please(self, name: str, error: str) -> str:
        return f"judging this cause failed ({name}: {error}); please report it with the run's folder"

    def cause(self, cause: str) -> str:
        return f"cause {cause}"

    def can_explain_most(self, bound: str, bound_text: str) -> str:
        return f"it explains at most {bound} of the harm: {bound_text}"

    def only_measured_s(self, measured_s: str, sure_s: str) -> str:
        return f"only {measured_s} were measured; a sure verdict needs {sure_s} s"


class JudgementWordsTexts:
    def core_may_use(self, owner: str) -> str:
        return f"the core that {owner} may use"

    def may_use(self, number: str, owner: str) -> str:
        return f"the {number} that {owner} may use"

    def the_quota(self, number: str, owner: str) -> str:
        return f"the quota of {number} of {owner}"

    def interpreter_lock(self, owner: str) -> str:
        return f"the interpreter lock of {owner}"

    def thread_does_work(self, owner: str) -> str:
        return f"the one thread of {owner} that does its work"

    def what_gives_request(self, owner: str) -> str:
        return f"the lock, or other part for one request at a time, of {owner}"

    def turn_at_disk(self, owner: str) -> str:
        return f"the part of {owner} in which one request at a time makes its data durable"

    def queue_who_connect(self, owner: str) -> str:
        return f"the accept queue of {owner}"

    def worker_or_thread(self, owner: str) -> str:
        return f"the one worker or thread of {owner}"

    def workers_or_threads(self, number: str, owner: str) -> str:
        return f"the {number} workers or threads of {owner}"

    def few_connections_from(self, owner: str, name: str) -> str:
        return f"the few connections from {owner} to {name}"

    def places_inside_let(self, number: str, owner: str) -> str:
        return f"the {number} slots inside {owner} (a pool, a semaphore or a lock)"

    def connections_from(self, number: str, owner: str, name: str) -> str:
        return f"the {number} connections from {owner} to {name}"

    def took(self, what: str, share: str, name: str) -> str:
        return f"{what} took {share} of {name}"

    def requests_waited(self, waiting: str, name: str) -> str:
        return f"{waiting} requests waited for {name}"

    def used(self, name: str, is_singular: bool, share: str) -> str:
        return f"{name} {'was' if is_singular else 'were'} in use {share} of the time"

    def full_each_who(self, name_of: str) -> str:
        return f"{name_of} was full, and a client that is turned away tries again after a second"

    def shorter_turns(self, share: str, gain: str) -> str:
        return (
            f"predicted without this cause: each turn is {share} shorter, so there is room for {gain} times"
            " as many requests"
        )

    def no_longer_waits(self, gain: str) -> str:
        return (
            f"predicted without this cause: room for at most {gain} times as many requests, as threads"
            " waited for a core no longer than that"
        )

    def foretold_without_times(self, gain: str) -> str:
        return (
            f"predicted without this cause: room for {gain} times as many requests, at what each costs now"
            " (mean value analysis)"
        )

    hardly_more = "predicted without this cause: room for hardly any more requests (mean value analysis)"

    def had_room_use(self, name_of: str, share: str) -> str:
        return f"{name_of} had room: {share} in use"

    def had_room_beside(self, name_of: str, share: str, others: str) -> str:
        return (
            f"{name_of} had room: {share} in use, and {others} in use by other programs, which gave way"
            " at once"
        )
