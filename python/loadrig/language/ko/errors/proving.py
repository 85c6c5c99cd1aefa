from loadrig.base.error_words import ErrorWords


class KoreanProvingAbleErrors:
    not_started_here = ErrorWords(
        what="{component:은} 측정 장치가 시작하지 않았고, 다른 쪽이 쓰는 것은 건드리지 않습니다",
        mend="plan에서 허용하십시오: prove: {{allow: [{component}]}}",
    )
    not_seen = ErrorWords(
        what="증명할 때 {component:이} 보이지 않았습니다",
        mend="loadrig discover로 이유를 보십시오",
    )
    nothing_in_front = ErrorWords(
        what="{component} 앞에 프록시가 없습니다", mend="그 주소를 쓰십시오: prove: {{through: …}}"
    )
    proxy_unused = ErrorWords(
        what="서버가 측정 장치의 프록시를 거쳐 {component}에 연결하지 않습니다",
        mend="포트를 밝힌 변수나 인자로 그 주소를 받게 하십시오",
    )


class KoreanProvingCarryOutErrors:
    unix_socket = ErrorWords(
        what="{component:과} 유닉스 소켓으로 통신하며, 그 앞에는 프록시를 둘 수 없습니다",
        mend="서버가 그 TCP 포트를 쓰게 하십시오",
    )
    stopped_by_hand = ErrorWords(
        what="증명을 사람이 멈췄습니다",
        mend="다시 증명하십시오: loadrig diagnose RUN --prove",
        why="그때까지 알아낸 것은 판정하여 남깁니다",
    )


class KoreanProvingChangesErrors:
    failed_change = ErrorWords(
        what="바꿀 수 없었습니다: {error}", mend="root로 실행하거나 loadrig doctor를 보십시오"
    )


class KoreanProvingLiveErrors:
    hardly_anything_answered = ErrorWords(
        what="바꾸기 전에 응답된 것이 거의 없어 비교할 순간이 없습니다",
        mend="소진된 것을 놓아주거나 부하를 줄이십시오",
    )
    short_time = ErrorWords(
        what="{seconds} s로는 더 많은 것을 알려 주는 실험을 하고 나면 모자랐습니다",
        mend="--budget을 늘리십시오",
    )


class KoreanProvingPairsErrors:
    no_time = ErrorWords(what="{change}: 시간이 모자랐습니다", mend="--budget을 늘리십시오")
    spoilt_change = ErrorWords(
        what="{change}: 그 trial들을 못 쓰게 되었습니다: {reason}",
        mend="여기서 다른 것이 돌지 않을 때 다시 실행하십시오",
    )
    spoilt_base = ErrorWords(
        what="{change}: 그것이 없는 trial들을 못 쓰게 되었습니다: {reason}",
        mend="여기서 다른 것이 돌지 않을 때 다시 실행하십시오",
    )


class KoreanProvingSideBySideErrors:
    all_lost = ErrorWords(
        what="증명에 남은 노드가 없습니다. 마지막 노드를 잃었습니다({name}, {why})",
        why="그때까지 찾은 것은 판정하여 보관합니다",
        mend="다시 증명하십시오: loadrig diagnose RUN --prove",
    )


class KoreanProvingRoomErrors:
    another_proof = ErrorWords(
        what="다른 loadrig가 {run:을} 증명하고 있습니다",
        mend="끝나기를 기다리거나 멈추십시오",
        why="둘이 동시에 하면 같은 서버에 부하를 걸고 trial이 섞입니다",
    )
