"""Sentences of `running` in English, a class for each of its files."""


class TrialBurstsTexts:
    server_not_profiled = (
        "the server is not profiled: no probe read its CPU time, so it is not known whether it is full"
    )
    mend = "use the probes process and thread_states, or --profile"
    load_longer_such = "run the load for longer, such as -z 20s"
    full_thread = "one of its threads fills a core"
    full_process = "one of its processes fills the core that its interpreter can use"
    full_quota = "it uses up its CPU quota"
    full_cores = "it fills the cores that it may use"
    full_waiting = "its threads wait for a core at least half as long as they run"

    def not_profiled_measured(self, component: str, why: str) -> str:
        return f"{component} is not profiled: {why}, and the measured part ends before a profile would"


class TrialCalibrationTexts:
    the_calibration = "the calibration"


class TrialCompanionsTexts:
    no_thread_server = "no thread of the server used any CPU time"

    def threads_can_move(self, looks: str, looks_enough: str) -> str:
        return f"the threads' cores were read {looks} times; {looks_enough} are needed"


class TrialPaceTexts:
    plan_schedule_measured = "the whole schedule of the plan is measured"
    plan_asks_none = "the plan asks for none"
    run_ended_within = "the run ended within the warm-up, so the figures contain all of it"
    plan_leaves_out = "the plan leaves out this long"
    time_measuring_up = "the time for measuring was up"

    def throughput_had_not(self, elapsed_s: str) -> str:
        return f"throughput had not settled after {elapsed_s} s (MSER-5)"

    def throughput_within(self, width: str) -> str:
        return f"throughput was known to within ±{width}"


class TrialPlacementTexts:
    core_generator_target = "generator and target share one core: each disturbs the other"
    target_holds_every = "the target is pinned to every core: the generator shares them"

    def generator_target_share(self, shared: str) -> str:
        return f"generator and target share core {shared}, as the plan says"


class TrialProfilingTexts:
    low_too = "at low and saturation"
    no_profile_low = "no profile at low load: this load has no lower part"

    def not_profiled_no(self, name: str) -> str:
        return f"{name} is not profiled: no component of this name is known"

    def not_profiled_load(self, name: str, load: str) -> str:
        return f"{name} is not profiled at {load} load: that part is too short"


class TrialCourseTexts:
    generator_stopped = "the generator stopped"
    terminal_closed = "as its terminal was closed"
    by_hand = "by hand"

    def load_ended(self, get: str) -> str:
        return f"the load ended: {get}"


class TrialSplitTexts:
    two_generators_server = (
        "to compare two generators with one, three cores are needed; this machine has fewer"
    )
    noise_hides_whether = (
        "the noise is too high to compare one generator with two; calibrate when the machine is quiet"
    )


class TrialSteeringTexts:
    ended = "it was ended early by hand"
    by_hand = "by hand"
    load_ends_what = "the load ends; what was measured is kept"
    load_paused = "the load is paused"

    def marked(self, text: str) -> str:
        return f"marked: {text}"

    def users(self, number: str) -> str:
        return f"{number} users"

    def rate(self, number: str) -> str:
        return f"{number}/s"

    def load_paused_hand(self, show: str) -> str:
        return f"the load was paused by hand at {show}"

    def load_went(self, show: str) -> str:
        return f"the load went on with {show}"

    def load_changed_hand(self, before: str, now: str) -> str:
        return f"the load was changed by hand from {before} to {now}"


class TrialSurroundingsTexts:
    before_load_began = "before the load began"
    something_else_runs = "something else runs on this machine"

    def was_busy(self, core: str, share: str, when: str, programs: str) -> str:
        return f"{core} was {share} busy {when}: {programs}"

    def program_of(self, program: str) -> str:
        return f" of {program}"

    def process_used_cores(self, name: str, pid: str, owner: str, cores: str) -> str:
        return f"{name} (process {pid}{owner}) used {cores} cores"


class TrialTakingTexts:
    def not_profiled_no(self, name: str, what: str) -> str:
        return f"{name} is not profiled: no profiler fits {what}"

    def does_not_profile(self, name: str, component: str, reason: str, mend: str) -> str:
        return f"{name} does not profile {component}: {reason}; {mend}"

    def on(self, name: str, component: str) -> str:
        return f"{name} on {component}"

    def load(self, profiler: str, name: str, load: str) -> str:
        return f"{profiler}, {name}, {load} load"

    def profiled_s_load(self, profiler: str, name: str, duration_s: str, load: str) -> str:
        return f"{profiler} profiled {name} for {duration_s} s at {load} load"

    def failed(self, what: str, name: str, error: str) -> str:
        return f"{what} failed: {name}: {error}"


class TrialLiveAccountTexts:
    def account_last_seconds(self, name: str, error: str) -> str:
        return f"the account of the last seconds is not shown ({name}: {error})"
