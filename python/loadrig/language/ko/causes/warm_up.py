from loadrig.language.en.causes.warm_up import WarmUpTexts
from loadrig.language.particles import with_particle


class KoreanWarmUpTexts(WarmUpTexts):
    title = "서버가 아직 데워지지 않았습니다"
    no_proof = "실험할 때는 이미 끝나 있습니다. 그 사이에 재시작하지 말고 같은 부하를 두 번 실행하십시오"
    cpu_time = "CPU 시간"
    mend = "측정하기 전에 부하를 보내고 (load: {warm_up: 30s}), 시작할 때 커넥션을 열고 데이터를 불러오십시오"
    decides = "재시작하지 않고 같은 부하를 한 번 더: 느린 시작이 사라집니다"
    compiler_worked_times = "컴파일러가 나중의 {}배로 일했습니다"
    loaded_times_many = "나중의 {}배로 클래스를 불러왔습니다"
    may_be_another = "처음에도 요청의 CPU 시간은 거의 더 들지 않았습니다: 그때 다른 것이 붙잡았을 수 있습니다"

    def request_took_first(self, head: str, word: str, length: str, level: str) -> str:
        return f"처음 {length} 동안 요청 하나에 {word} {head}, 그 뒤에는 {level}"

    def were_closed(self, closed: str, failed: str) -> str:
        return f"실패한 요청 {failed}건 중 {closed}건은 연결이 닫혔습니다: 느린 서버는 연결을 닫지 않습니다"

    def after_requests_failed(self, failed_share: str) -> str:
        return f"그 뒤에는 요청의 {with_particle(failed_share, '가')} 실패했습니다"

    def load_first_later(self, before: str, after: str) -> str:
        return f"부하가 처음에는 {before}, 나중에는 {after}였습니다"

    def that_lasted(self, length: str, measured_s: str) -> str:
        return f"{measured_s} 중 {length} 동안 계속되었습니다"

    def they_piled_up(self, later: str) -> str:
        return f"{later}, 그리고 쌓였습니다"

    def what_went_wrong(self, share: str, length: str) -> str:
        return f"잘못된 것의 {with_particle(share, '가')} 처음 {length} 동안이었습니다"
