from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.proving import (
    ProvingAbleErrors,
    ProvingCarryOutErrors,
    ProvingChangesErrors,
    ProvingLiveErrors,
    ProvingPairsErrors,
    ProvingRoomErrors,
    ProvingSideBySideErrors,
)
from loadrig.language.particles import with_particle


class KoreanProvingAbleErrors(ProvingAbleErrors):
    def not_started_here(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(component, '은')} 측정 장치가 시작하지 않았고, 다른 쪽이 쓰는 것은 건드리지 않습니다",
            mend=f"plan에서 허용하십시오: prove: {{allow: [{component}]}}",
        )

    def not_seen(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"증명할 때 {with_particle(component, '이')} 보이지 않았습니다",
            mend="loadrig discover로 이유를 보십시오",
        )

    def nothing_in_front(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"{component} 앞에 프록시가 없습니다", mend="그 주소를 쓰십시오: prove: {through: …}"
        )

    def proxy_unused(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"서버가 측정 장치의 프록시를 거쳐 {component}에 연결하지 않습니다",
            mend="포트를 밝힌 변수나 인자로 그 주소를 받게 하십시오",
        )


class KoreanProvingCarryOutErrors(ProvingCarryOutErrors):
    def unix_socket(self, component: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(component, '과')} 유닉스 소켓으로 통신하며, 그 앞에는 프록시를 둘 수 없습니다",
            mend="서버가 그 TCP 포트를 쓰게 하십시오",
        )

    def stopped_by_hand(self) -> ErrorWords:
        return ErrorWords(
            what="증명을 사람이 멈췄습니다",
            mend="다시 증명하십시오: loadrig diagnose RUN --prove",
            why="그때까지 알아낸 것은 판정하여 남깁니다",
        )


class KoreanProvingChangesErrors(ProvingChangesErrors):
    def failed_change(self, error: str) -> ErrorWords:
        return ErrorWords(
            what=f"바꿀 수 없었습니다: {error}", mend="root로 실행하거나 loadrig doctor를 보십시오"
        )


class KoreanProvingLiveErrors(ProvingLiveErrors):
    def hardly_anything_answered(self) -> ErrorWords:
        return ErrorWords(
            what="바꾸기 전에 응답된 것이 거의 없어 비교할 순간이 없습니다",
            mend="소진된 것을 놓아주거나 부하를 줄이십시오",
        )

    def short_time(self, seconds: str) -> ErrorWords:
        return ErrorWords(
            what=f"{seconds} s로는 더 많은 것을 알려 주는 실험을 하고 나면 모자랐습니다",
            mend="--budget을 늘리십시오",
        )


class KoreanProvingPairsErrors(ProvingPairsErrors):
    def no_time(self, change: str) -> ErrorWords:
        return ErrorWords(what=f"{change}: 시간이 모자랐습니다", mend="--budget을 늘리십시오")

    def spoilt_change(self, change: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{change}: 그 trial들을 못 쓰게 되었습니다: {reason}",
            mend="여기서 다른 것이 돌지 않을 때 다시 실행하십시오",
        )

    def spoilt_base(self, change: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{change}: 그것이 없는 trial들을 못 쓰게 되었습니다: {reason}",
            mend="여기서 다른 것이 돌지 않을 때 다시 실행하십시오",
        )


class KoreanProvingSideBySideErrors(ProvingSideBySideErrors):
    def all_lost(self, name: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"증명에 남은 노드가 없습니다. 마지막 노드를 잃었습니다({name}, {why})",
            why="그때까지 찾은 것은 판정하여 보관합니다",
            mend="다시 증명하십시오: loadrig diagnose RUN --prove",
        )


class KoreanProvingRoomErrors(ProvingRoomErrors):
    def another_proof(self, run: str) -> ErrorWords:
        return ErrorWords(
            what=f"다른 loadrig가 {with_particle(run, '을')} 증명하고 있습니다",
            mend="끝나기를 기다리거나 멈추십시오",
            why="둘이 동시에 하면 같은 서버에 부하를 걸고 trial이 섞입니다",
        )
