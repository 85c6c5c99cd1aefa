from loadrig.base.error_words import ErrorWords


class KoreanPlanCheckProvingErrors:
    not_an_address = ErrorWords(
        what="{shown}에는 호스트와 포트가 없어 {name}에 닿을 수 없습니다",
        mend='{name}: "{meant}"처럼 host:port로 쓰십시오',
    )
    host_not_allowed = ErrorWords(
        what="{host:은} 이 머신이 아니며 plan이 허용하지 않습니다",
        mend="맨 위에 추가하십시오: allow: [{hosts}]",
        why="서버가 {name}에 보내는 것이 loadrig를 거쳐 그 호스트로 가게 됩니다",
    )
