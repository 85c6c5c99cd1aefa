"""Sentences of `cache_bottleneck` in English, and the sections of its page.

## Signature

Redis's one thread is busy nearly all of the time; or single commands hold it for many milliseconds; or what
is asked for is suddenly, or always, not there, and the work falls on what lies behind.

## Data

CPU time, time in commands, the slow log, pauses of the latency monitor, hits, misses and evictions.

## Deciding test

`--prove` takes a fifth of redis's CPU or gives it a quarter more: throughput follows where its one thread is
the limit, and mostly where a slow command holds it. Of misses that come together: the knob that gives times
to live a jitter, in turns; the dips go. Of a cache that is too small: the knob of its size.

## Guard

A client that spends its time on packing and unpacking is busy itself, and redis is not. A cache that fills
after a start misses less and less by itself.

## Fix

SCAN instead of KEYS, commands of constant time, pipelines, replicas or shards; jitter on times to live; more
memory where keys are evicted.
"""


class CacheBottleneckTexts:
    title = "the cache is the bottleneck"
    mend = "fewer commands (pipelines, MGET, a small cache in the process), then replicas or shards"
    missed_most_begin = (
        "most misses were at the beginning, and then fewer and fewer: the cache was being filled"
    )
    logins_rise_same = "logins rise in the same seconds: the load itself changed"
    load_same_steps = "the load was the same in these seconds"
    many_keys_expire = "many keys expire in these seconds"
    give_times_live = (
        "add a jitter of 10 % to the times to live, and let one request refill a key for all that wait for it"
    )
    same_load_jitter = "the same load with jitter on the times to live: the dips vanish"
    give_more_memory = (
        "give the cache more memory, or keep fewer keys or for a shorter time; with redis, evict by"
        " use (allkeys-lfu)"
    )
    same_load_twice = "the same load with twice the memory: misses fall"

    def takes_time(self, top: str, word: str) -> str:
        return f"{top} takes {word} of its time"

    def effect(self, share: str, ended_rps: str) -> str:
        return f"the cache was busy {share} of the time at {ended_rps} requests a second"

    def decides(self, name: str) -> str:
        return f"a quarter more CPU or a second instance for {name}: throughput follows"

    def commands_slow_log(self, events: str, longest_s: str) -> str:
        return f"{events} commands are in its slow log, the longest of {longest_s}"

    def latency_monitor_saw(self, spikes: str) -> str:
        return f"its latency monitor saw {spikes} pauses"

    def held_thread_time(self, name: str, word: str, each: str) -> str:
        return f"{name} occupied its one thread for {word} of the time, {each} each time"

    def takes_nobody_else(self, name: str, each: str, waits_s: str) -> str:
        return (
            f"{name} takes {each}, and no other command is served meanwhile: each waits {waits_s} on average"
        )

    def replace_what_takes(self, name: str) -> str:
        return (
            f"replace {name} by commands of constant time or small steps"
            f" ({'SCAN' if name == 'KEYS' else 'a part of a key at a time'})"
        )

    def same_load_without(self, name: str) -> str:
        return f"the same load without {name}: latency falls"

    def look_ups_missed(self, mean: str, stormy_steps: str, all_steps: str, usual_miss_share: str) -> str:
        return (
            f"{mean} of the look-ups missed in {stormy_steps} of {all_steps} seconds,"
            f" {usual_miss_share} usually"
        )

    def s_answered_steps(self, stormy_rps: str, calm_rps: str) -> str:
        return f"throughput was {stormy_rps}/s in these seconds and {calm_rps}/s in the others"

    def computed_by_many(self, times: str, misses: str) -> str:
        return (
            f"an expired key is computed {times} times, by every request that misses it before it is stored"
            f" again: {misses} misses a second come in bursts"
        )

    def when_many_keys(self, fell: str) -> str:
        return f"when many keys are missing at once, throughput falls by {fell}"

    def usual_look_ups_missed(self, usual: str) -> str:
        return f"{usual} of the look-ups missed"

    def while_keys_second(self, missed: str, mean: str) -> str:
        return f"{missed} while {mean} keys a second were evicted for lack of memory"

    def look_ups_second(self, mean: str) -> str:
        return f"{mean} look-ups a second miss because their keys were evicted"
