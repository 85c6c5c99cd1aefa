from loadrig.language.en.trial.fleet import TrialCheckFleetTexts


class KoreanTrialCheckFleetTexts(TrialCheckFleetTexts):
    mend_lost = "그 호스트를 살펴보고 다시 실행하십시오"
    mend_start = "그 호스트를 바쁘게 하는 것이나 거기로 가는 길을 살펴보십시오"
    mend_slow = "그 발생기에 전용 코어를 주거나 발생기를 늘리십시오"
    mend_short = "호스트를 늘리거나 연결을 다시 쓰게 하십시오"

    def several_logins(self, users: str, times: str, threads: str) -> str:
        return (
            f"사용자마다 자기 요청을 만드는 발생기 스레드마다 한 번씩, 최대 {times}번 로그인할 수 있습니다"
            f"(identities: {users}, 모든 발생기의 스레드: {threads})"
        )

    def mend_logins(self, multiple: str) -> str:
        return (
            f"사용자마다 한 번만 로그인하도록 스레드 수의 배수인 `identities: {multiple}`(으)로 설정하십시오"
        )

    def others(self, count: int) -> str:
        return f"; 같은 문제가 있는 발생기가 {count}개 더 있습니다"

    def lost(self, who: str, seconds: str, how: str) -> str:
        return f"부하 발생기 {who}를 {seconds}초 뒤에 잃어 부하를 끝냈고, 그 전의 것으로 판정합니다: {how}"

    def taken_over(self, who: str, seconds: str, until: str, how: str, missed: str, unanswered: str) -> str:
        how = f"부하 발생기 {who}를 {seconds}초 뒤에 잃어({how}) {until}초 뒤에 새 발생기가 이어받았습니다"
        return (
            f"{how}: 그사이에 보냈어야 할 요청 {missed}개는 보내지 못했고, {unanswered}개는 응답을 모릅니다"
        )

    def late_start(self, who: str, late: str, limit: str) -> str:
        return f"부하 발생기 {who}는 다른 것보다 {late} 늦게 시작했을 수 있습니다({limit}을 넘으면 방해)"

    def late_order(self, took: str, frame: str) -> str:
        return f"명령이 모든 부하 발생기에 닿기까지 {took} 걸렸습니다(프레임 하나, {frame}을 넘으면 방해)"

    def late(self, who: str, lag: str, limit: str) -> str:
        return f"부하 발생기 {who}가 요청을 {lag} 늦게(p99) 집어 들었습니다({limit})"

    def busy(self, who: str, share: str, limit: str) -> str:
        return f"부하 발생기 {who}의 가장 바쁜 스레드가 시간의 {share} 동안 코어에 있었습니다({limit})"

    def starved(self, who: str, share: str, limit: str) -> str:
        return f"부하 발생기 {who}의 스레드가 시간의 {share} 동안 코어를 기다렸습니다({limit})"

    def short_of_ports(self, who: str, share: str, limit: str) -> str:
        return f"부하 발생기 {who}가 그 호스트의 로컬 포트 가운데 {share}를 썼습니다({limit}을 넘으면 방해)"

    def out_of(self, who: str, requests: str) -> str:
        return f"부하 발생기 {who}에 로컬 포트나 파일 디스크립터가 모자라 요청 {requests}개가 실패했습니다"
