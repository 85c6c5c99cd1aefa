class KoreanServiceMapTexts:
    load = "부하"
    title = "누가 누구와 통신하는가"
    tier = "계층"
    what = "종류"
    cpu = "CPU"
    memory = "메모리"
    talks_to = "통신 상대"
    note = "CPU와 메모리: 측정 구간의 중앙값."
    about = (
        "프로세스의 커넥션으로 찾은 계층: {names}. 화살표는 커넥션을 여는 쪽에서 수락하는 쪽으로 향합니다."
    )
    symptom = "증상: {title}"
    of_limit = "/ {limit}"

    def process(self, pid: int, workers: int) -> str:
        more = f", worker {workers:,}개" if workers else ""
        return f"프로세스 {pid}{more}"

    elsewhere = "외부: {address}"
    of_allowed = " / 허용 {limit}"
    connections = "커넥션 {number:,}개"
    opened = "신규 {rate}"
