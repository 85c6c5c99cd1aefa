from loadrig.language.en.causes.time_wait_overflow import TimeWaitOverflowTexts


class KoreanTimeWaitOverflowTexts(TimeWaitOverflowTexts):
    title = "한도 때문에 TIME_WAIT이 일찍 잘립니다"
    no_proof = "커넥션을 유지하는 편이 더 많은 것을 고칩니다. net.ipv4.tcp_max_tw_buckets를 두 배로 하고 다시 실행하십시오"
    no_request_ended = "reset으로 끝난 요청이 없습니다: TIME_WAIT이 일찍 잘려도 잃은 것이 없고, 한도에 닿은 수는 닫힌 커넥션의 수를 말해 주지 않습니다"
    resets_have_many = "reset의 원인은 많고, 짧아진 TIME_WAIT이 원인인 경우는 드뭅니다"
    limit_not_read = "한도를 읽지 못했습니다: sysctl net.ipv4.tcp_max_tw_buckets"
    mend = "커넥션을 유지하십시오 (풀, keep-alive). net.ipv4.tcp_max_tw_buckets는 그대로 두십시오"
    decides = "net.ipv4.tcp_max_tw_buckets를 두 배로: reset이 그대로라면 이것이 원인이 아닙니다"

    def time_wait_stood(self, high: str) -> str:
        return f"TIME_WAIT이 한도의 {high}였습니다"

    def them(self, peak: str) -> str:
        return f", 그중 {peak}개"

    def requests_ended_reset(self, resets: str) -> str:
        return f"요청 {resets}건이 reset이나 끊긴 커넥션으로 끝났습니다"

    def cut_short_second(self, rate: str) -> str:
        return f"초당 {rate}개가 일찍 잘렸습니다"

    def effect(self, rate: str, resets: str) -> str:
        return f"초당 TIME_WAIT {rate}개가 일찍 잘립니다. 요청 {resets}건이 reset되었습니다"

    def failures_resets(self, resets: str, failed: str) -> str:
        return f"실패 {failed}건 중 {resets}건이 reset이었습니다"
