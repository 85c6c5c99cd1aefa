from loadrig.language.en.report.figures.service_map import ServiceMapTexts


class KoreanServiceMapTexts(ServiceMapTexts):
    load = "부하"
    title = "누가 누구와 통신하는가"
    tier = "계층"
    what = "종류"
    cpu = "CPU"
    memory = "메모리"
    talks_to = "통신 상대"
    note = "CPU와 메모리: 측정 구간의 중앙값."

    def about(self, names: str) -> str:
        return f"프로세스의 커넥션으로 찾은 계층: {names}. 화살표는 커넥션을 여는 쪽에서 수락하는 쪽으로 향합니다."

    def symptom(self, title: str) -> str:
        return f"증상: {title}"

    def of_limit(self, limit: str) -> str:
        return f"/ {limit}"

    def process(self, pid: int, workers: int) -> str:
        more = f", worker {workers:,}개" if workers else ""
        return f"프로세스 {pid}{more}"

    def elsewhere(self, address: str) -> str:
        return f"외부: {address}"

    def of_allowed(self, limit: str) -> str:
        return f" / 허용 {limit}"

    def connections(self, number: int) -> str:
        return f"커넥션 {number:,}개"

    def opened(self, rate: str) -> str:
        return f"신규 {rate}"
