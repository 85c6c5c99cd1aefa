"""Sentences of `lock_contention` in English."""


class LockContentionTexts:
    """Sentences of `causes.lock_contention`."""

    title = "threads wait for a lock in the application"
    no_proof = "the lock is in the program; hold it for less or split it in a copy, and run the two in turn"
    runtime_setmutexprofilefraction_then = (
        "runtime.SetMutexProfileFraction(5), then /debug/pprof/mutex, names it"
    )
    jstack_or_probe = "jstack, or the probe jvm,"
    jstack_pid_names = "jstack PID names it and who holds it"
    py_spy_dump = "py-spy dump"
    py_spy_dump_pid = "py-spy dump --pid PID names who waits where"
    stack_each_thread = "a stack of each thread (gdb -p)"
    stacks_threads_name = "stacks of its threads name it"
    lock_queue_or = "which lock, queue or pool it is was not seen: "
    mend = "look where its threads stand; take locks in one order, give back what was taken"
    decides = "stacks of its threads while it stands still"
    unknown_number = "an unknown number of"
    more_threads_throughput = (
        "more threads: throughput stays if this is the cause; the lock split in a copy: it rises"
    )
    throughput_time_request = "throughput × time of a request alone = 1"
    threads_wait_interpreter = "its threads wait for the interpreter lock"
    threads_wait_no = "its threads wait for no other program, and one request at a time is worked on"

    def requests_stood_while(self, waiting: str) -> str:
        return f"{waiting} requests stood in it while it used no core and waited for no other program"

    def effect(self, waiting: str, seconds: str) -> str:
        return (
            f"{waiting} requests wait for each other, or for what is never given back, in the last {seconds}"
        )

    def requests_flight(self, in_flight: str) -> str:
        return f"{in_flight} requests in flight"

    def s_cores_use(self, shown: str, ok_rps: str, cores: str) -> str:
        return f"{shown}, {ok_rps}/s at {cores} cores in use"

    def find_lock_hold(self, runtime: str) -> str:
        return f"find the lock ({runtime}), hold it for less or split it"

    def request_waits_time(self, share: str) -> str:
        return f"a request waits {share} of its time for it"

    def requests_flight_2(self, text: str, in_flight: str) -> str:
        return f"{text}, of {in_flight} requests in flight"

    def what_threads_wait(self, how: str) -> str:
        return f"what its threads wait for was not seen: {how}"

    def shows(self, runtime: str) -> str:
        return f"{runtime} shows it"

    def goroutines_waited_s(self, mean: str) -> str:
        return f"goroutines waited {mean} s for locks every second"

    def works_request_once(self, at_once: str, fastest_s: str, ok_rps: str) -> str:
        return f"it works on {at_once} request at once: {fastest_s} alone, {ok_rps}/s"

    def throughput_time_request_alone(self, at_once: str) -> str:
        return f"throughput × time of a request alone = {at_once}"

    def threads_gave_up(self, switches: str) -> str:
        return f"its threads gave up their core {switches} times a request"
