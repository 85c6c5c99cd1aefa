from loadrig.base.error_words import ErrorWords


class KoreanDiscoveryFindErrors:
    elsewhere = ErrorWords(
        what="{host:은} 이 머신의 주소가 아닙니다",
        why="여기서는 이 머신에서 도는 것만 들여다볼 수 있습니다",
        mend="{host}에서 loadrig discover를 실행하거나, plan에 `observers`와 `via`로 쓰십시오",
    )
    nothing_listens = ErrorWords(
        what="{place}에서 열려 있는 것이 없습니다",
        mend="먼저 서버를 시작하거나 주소를 고치십시오",
    )
    no_address = ErrorWords(
        what="{text!r:은} 서버의 주소가 아닙니다",
        mend="http://HOST:PORT/PATH나 :PORT로 쓰거나, --pid N을 쓰십시오",
    )
    no_process = ErrorWords(
        what="프로세스 {pid:이} 없습니다",
        mend="--pid를 고치거나, 서버가 열고 있는 주소를 쓰십시오",
    )
