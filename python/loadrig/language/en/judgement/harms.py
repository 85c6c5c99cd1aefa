"""Sentences of `harms` in English, a class for each of its files."""


class JudgementHarmsDipsTexts:
    keep_alive_time = "the keep-alive time of Node and Apache"
    prometheus_usual_scrape = "Prometheus' usual scrape"
    many_health_checks = "many health checks and scrapes"
    cron_minute_how = "cron's minute, and how long TIME_WAIT lasts"
    nginx_keep_alive = "the keep-alive time of nginx"
    postgresql_usual_checkpoint = "PostgreSQL's usual checkpoint"
    regression_all_streams = "regression on all streams together"

    def times_in(self, dips: str, measured_s: str) -> str:
        return f"{dips} times in {measured_s}"

    def every(self, often: str, period_s: str) -> str:
        return f"{often}, every {period_s}"

    def throughput_dipped_lost(self, lasted: str, depth: str, lost_share: str) -> str:
        return f"throughput dipped {lasted}, by {depth}: {lost_share} of it was lost"

    def dips_had_within(self, recall: str, text: str, precision: str, q: str) -> str:
        return (
            f"in {recall} of the dips there were {text} within a second or two, and {precision} of these came"
            f" with a dip (p {q})"
        )

    def server_starts_anew(self, beside: str) -> str:
        return f"{beside}: a restarted server forgets who was logged in"

    def come_every(self, text: str, every: str) -> str:
        return f"{text} come every {every}"

    def alone_explain_variance(self, text: str, unique: str) -> str:
        return f"{text} alone explain {unique} of the variance of what was lost"

    def dips_s_more(self, excess: str, text: str, fewer: str) -> str:
        return f"in the dips {excess}/s more {text} and {fewer}/s fewer responses of the service"


class JudgementHarmsDriftTexts:
    def requests_took_first(self, head: str, length: str, level: str) -> str:
        return f"requests took {head} in the first {length} and {level} afterwards"

    def request_took_cpu(self, before: str, after: str, ratio: str) -> str:
        return f"a request took {before} of CPU time at first and {after} at the end, {ratio} times as much"


class JudgementHarmsLeaksTexts:
    open_descriptors = "open descriptors"
    threads = "threads"
    goroutines = "goroutines"
    open_connections = "open connections"
    connections_half_closed = "connections left half closed"

    def grew_every_request(self, what: str, component: str, a_request: str, low: str, high: str) -> str:
        return f"{what} of {component} grew by {a_request} with every request (95 % {low} to {high})"

    def to(self, what: str, to: str) -> str:
        return f"{what} to {to}"


class JudgementHarmsPausesTexts:
    def pauses_long_slow(self, size: str, over_s: str, met: str) -> str:
        return (
            f"{size} pauses were as long as the slow requests waited ({over_s}), and coincide with {met}"
            " of these requests"
        )

    def pauses_dips_work(self, stood_s: str, lost_s: str, bound: str) -> str:
        return f"{stood_s} of pauses in the dips, {lost_s} of work lost in them: {bound} at most"

    def gc_took_time(self, share: str) -> str:
        return f"GC took {share} of the time: it cannot make a dip of"


class JudgementHarmsStandstillTexts:
    def no_request_answered(self, seconds: str, waiting: str) -> str:
        return f"no request was answered well in the last {seconds}, while {waiting} waited"


class JudgementHarmsAnswersTexts:
    def s_answered_well(self, ok_rps: str, offered_rps: str, is_due: bool) -> str:
        return f"{ok_rps}/s succeeded of {offered_rps}/s that were {'due' if is_due else 'sent'}"

    def requests_failed(self, failed_share: str, ended: str) -> str:
        return f"{failed_share} of {ended} requests failed"

    def requests_rejected(self, share: str, ended: str) -> str:
        return f"{share} of {ended} requests were answered with a status from 400 to 499"

    def requests_never_sent(self, unsent: str, why: str) -> str:
        return f"{unsent} requests were never sent: {why}"


class JudgementHarmsQueueingTexts:
    def overtaken(self, waiting: str, p99: str, usual: str) -> str:
        return (
            f"{waiting} requests were in flight on average, where response times of {p99} (p99) leave"
            f" {usual}: some requests are overtaken by all others"
        )

    def waited_to_be_worked_on(self, queued: str, total: str) -> str:
        return f"a request waited for the server to work on it for {queued} of its {total}"

    def waited_for_acknowledgement(self, sending: str, total: str) -> str:
        return f"the response to a request waited for an acknowledgement for {sending} of {total}"

    def requests_flight_grew(self, first: str, last: str) -> str:
        return f"requests in flight grew from {first} to {last}"


class JudgementHarmsSaturationTexts:
    def every_connection_waiting(self, unsent: str, ok_rps: str) -> str:
        return (
            f"every connection was waiting for an answer; {unsent} requests found none free, and"
            f" {ok_rps}/s were answered"
        )

    def users_waiting_answer(self, waiting: str, users: str, ok_rps: str) -> str:
        return f"{waiting} of {users} users were waiting for a response at a time; {ok_rps}/s were answered"

    def used_cpu_may(self, name: str, word: str) -> str:
        return f"{name} used {word} of the CPU that it may use"


class JudgementHarmsTailsTexts:
    def p99_times_median(self, p99: str, times: str, p50: str) -> str:
        return f"p99 was {p99}, {times} times the median of {p50}"

    def p99_times_p95(self, p99: str, times: str, p95: str) -> str:
        return f"p99 was {p99}, {times} times p95, which was {p95}"

    def waited_for_others_core(self, waited: str, total: str, p99: str) -> str:
        return (
            f"for {waited} of its {total} a request waited for a core that other programs had; p99 was {p99}"
        )


class JudgementHarmsTableTexts:
    def what_wrong_measured(self, by: str, why: str) -> str:
        return f"the harm was measured while the trial was disturbed, and may be {by} less: {why}"
