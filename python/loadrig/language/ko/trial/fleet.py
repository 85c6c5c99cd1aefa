class KoreanTrialCheckFleetTexts:
    mend_lost = "그 호스트를 살펴보고 다시 실행하십시오"
    mend_start = "그 호스트를 바쁘게 하는 것이나 거기로 가는 길을 살펴보십시오"
    mend_slow = "그 발생기에 전용 코어를 주거나 발생기를 늘리십시오"
    mend_short = "호스트를 늘리거나 연결을 다시 쓰게 하십시오"
    several_logins = (
        "사용자마다 자기 요청을 만드는 발생기 스레드마다 한 번씩, 최대 {times}번 로그인할 수 있습니다"
        "(identities: {users}, 모든 발생기의 스레드: {threads})"
    )
    mend_logins = (
        "사용자마다 한 번만 로그인하도록 스레드 수의 배수인 `identities: {multiple}`(으)로 설정하십시오"
    )
    others = "; 같은 문제가 있는 발생기가 {count}개 더 있습니다"
    lost = "부하 발생기 {name}를 {seconds}초 뒤에 잃어 부하를 끝냈고, 그 전의 것으로 판정합니다: {how}"

    def taken_over(self, name: str, seconds: str, until: str, how: str, missed: str, unanswered: str) -> str:
        how = f"부하 발생기 {name}를 {seconds}초 뒤에 잃어({how}) {until}초 뒤에 새 발생기가 이어받았습니다"
        return (
            f"{how}: 그사이에 보냈어야 할 요청 {missed}개는 보내지 못했고, {unanswered}개는 응답을 모릅니다"
        )

    late_start = "부하 발생기 {name}는 다른 것보다 {late} 늦게 시작했을 수 있습니다({limit}을 넘으면 방해)"
    late_order = "명령이 모든 부하 발생기에 닿기까지 {took} 걸렸습니다(프레임 하나, {frame}을 넘으면 방해)"
    late = "부하 발생기 {name}가 요청을 {lag} 늦게(p99) 집어 들었습니다({limit})"
    busy = "부하 발생기 {name}의 가장 바쁜 스레드가 시간의 {share} 동안 코어에 있었습니다({limit})"
    starved = "부하 발생기 {name}의 스레드가 시간의 {share} 동안 코어를 기다렸습니다({limit})"
    short_of_ports = (
        "부하 발생기 {name}가 그 호스트의 로컬 포트 가운데 {share}를 썼습니다({limit}을 넘으면 방해)"
    )
    out_of = "부하 발생기 {name}에 로컬 포트나 파일 디스크립터가 모자라 요청 {requests}개가 실패했습니다"
