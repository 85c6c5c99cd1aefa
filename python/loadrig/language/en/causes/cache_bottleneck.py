class CacheBottleneckTexts:
    """Sentences of `causes.cache_bottleneck`."""

    title = "the cache holds everybody up"
    mend = "fewer commands (pipelines, MGET, a small cache in the process), then replicas or shards"
    missed_most_begin = "it missed most at the begin, and less and less: it was being filled"
    logins_rise_same = "logins rise in the same steps: the load itself has changed"
    load_same_steps = "the load was the same in these steps"
    many_keys_expire = "many keys expire just then"
    give_times_live = (
        "give times to live a jitter of a tenth, and let one request refill a key for all that wait"
    )
    same_load_jitter = "the same load with jitter on the times to live: the dips go"
    give_more_memory = (
        "give it more memory, keep less in it or for a shorter time; with redis, evict by use (allkeys-lfu)"
    )
    same_load_twice = "the same load with twice the memory: misses fall"

    def takes_time(self, top: str, word: str) -> str:
        return f"{top} takes {word} of its time"

    def effect(self, share: str, ended_rps: str) -> str:
        return f"it was busy {share} of the time at {ended_rps} requests a second"

    def decides(self, name: str) -> str:
        return f"a quarter more CPU or a second instance for {name}: throughput follows"

    def commands_slow_log(self, events: str, longest_s: str) -> str:
        return f"{events} commands are in its slow log, the longest of {longest_s}"

    def latency_monitor_saw(self, spikes: str) -> str:
        return f"its latency monitor saw {spikes} pauses"

    def held_thread_time(self, name: str, word: str, each: str) -> str:
        return f"{name} held its one thread {word} of the time, {each} each time"

    def takes_nobody_else(self, name: str, each: str, waits_s: str) -> str:
        return (
            f"{name} takes {each}, and nobody else is served meanwhile: any other command waits {waits_s} on"
            " average"
        )

    def replace_what_takes(self, name: str) -> str:
        return f"replace {name} by what takes constant time or small steps (SCAN for KEYS, no whole sets)"

    def same_load_without(self, name: str) -> str:
        return f"the same load without {name}: latency falls"

    def look_ups_missed(self, mean: str, stormy_steps: str, all_steps: str, usual_miss_share: str) -> str:
        return (
            f"{mean} of the look-ups missed in {stormy_steps} of {all_steps} steps,"
            f" {usual_miss_share} usually"
        )

    def s_answered_steps(self, stormy_rps: str, calm_rps: str) -> str:
        return f"{stormy_rps}/s were answered in these steps, {calm_rps}/s in the others"

    def computed_by_many(self, times: str, misses: str) -> str:
        return (
            f"a key that expires is computed {times} times, by all who miss it before it is back:"
            f" {misses} misses a second come in bursts"
        )

    def when_many_keys(self, fell: str) -> str:
        return f"when many keys are missing at once, throughput falls by {fell}"

    def usual_look_ups_missed(self, usual: str) -> str:
        return f"{usual} of the look-ups missed"

    def while_keys_second(self, missed: str, mean: str) -> str:
        return f"{missed} while {mean} keys a second were evicted: there was no room for them"

    def look_ups_second(self, mean: str) -> str:
        return f"{mean} look-ups a second go behind it because keys had to make room"
