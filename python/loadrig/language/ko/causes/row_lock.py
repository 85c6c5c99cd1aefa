from loadrig.language.en.causes.row_lock import RowLockTexts
from loadrig.language.particles import with_particle


class KoreanRowLockTexts(RowLockTexts):
    title = "쿼리들이 서로의 락을 기다립니다"
    no_proof = "행은 프로그램이 고릅니다. 사본에서 쓰기를 더 많은 키에 흩뜨리고 둘을 번갈아 실행하십시오"
    decides = "키 하나 대신 여러 키에 같은 부하를: 다른 것을 바꾸지 않아도 처리량이 오릅니다"
    locks_not_read = "락을 읽지 못했습니다"

    def sessions_work_waited(self, waiting: str, among: str) -> str:
        return f"실행 중인 세션 {among}개 중 평균 {waiting}개가 락을 기다렸습니다"

    def used_meanwhile(self, mean: str, cores: str) -> str:
        return f"그동안 {cores} 중 {with_particle(mean, '를')} 썼습니다"

    def sessions_waited_lock(self, waiting: str) -> str:
        return f"어느 시점에나 세션 {waiting}개가 락을 기다렸습니다"

    def each_request(self, waiting: str) -> str:
        return f": 요청당 {waiting}"

    def whose_median(self, p50: str) -> str:
        return f", 중앙값은 {p50}"

    def requests_database_waited(self, waiting: str, in_it: str) -> str:
        return f"데이터베이스 안의 요청 {in_it}건 중 {waiting}건이 그렇게 기다렸습니다"

    def used(self, mean: str, cores: str) -> str:
        return f"그동안 {cores} 중 {with_particle(mean, '를')} 썼습니다"

    def idle_too(self, used: str, name: str) -> str:
        return f"{used}, 그리고 {name}도 놀고 있었습니다"

    def effect(self, waiting: str) -> str:
        return f"바쁜 CPU 없이 요청 {waiting}건이 안에서 기다릴 수 있습니다"

    def let_probe_read(self, name: str) -> str:
        return f"프로브가 {name}의 세션이 무엇을 기다리는지 읽게 하십시오"

    def look_at(self, top: str) -> str:
        return f" ({top} 참고)"

    def make_transaction_shorter(self, which: str) -> str:
        return f"트랜잭션을 짧게 하거나 몰리는 행을 여럿으로 나누십시오{which}: 쓴 직후에 커밋하십시오"
