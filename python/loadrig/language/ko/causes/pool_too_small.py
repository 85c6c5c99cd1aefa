from loadrig.language.en.causes.pool_too_small import PoolTooSmallTexts
from loadrig.language.particles import with_particle


class KoreanPoolTooSmallTexts(PoolTooSmallTexts):
    title = "커넥션 풀이 너무 작습니다"

    def requests_waited_connections(self, waiting: str, count: str, name: str) -> str:
        return (
            f"요청 {waiting}건이 {with_particle(name, '으로')} 가는 커넥션 {count}개 중 하나를 기다렸습니다"
        )

    def each_then_held(self, waiting: str) -> str:
        return f": {waiting}씩 기다렸고, 그 뒤 잡은 시간은"

    def mend(self, owner: str, wanted: str, dependency: str) -> str:
        return f"{owner}의 풀을 키우십시오: {with_particle(dependency, '이')} 한가한 한 이 부하에는 커넥션 약 {wanted}개"

    def decides(self, ceil: str) -> str:
        return f"커넥션 {ceil}개로 같은 부하를: 처리량이 따라 오릅니다"
