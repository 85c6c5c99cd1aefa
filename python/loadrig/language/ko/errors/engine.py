from loadrig.base.error_words import ErrorWords


class KoreanEngineCompileErrors:
    host_without_address = ErrorWords(
        what="호스트 {host!r}의 주소를 찾을 수 없습니다",
        why="{reason}",
        mend="철자를 확인하거나 IP 주소를 쓰십시오",
    )


class KoreanEngineProcessErrors:
    ended_too_early = "준비되기 전에 끝났습니다"
    died_midway = "실행 도중에 죽었습니다"
    not_ready = "준비되는 대신 {answer!r:이라}고 답했습니다"
    refused_at = "부하 발생기가 찾은 곳: {place}"
    broken = ErrorWords(
        what="부하 발생기가 실패했습니다: {how}",
        why="그때까지 측정한 것은 남아 있습니다",
        mend="다시 실행하십시오. 두 번 일어나면 engine.log가 있는 실행 폴더를 보내 주십시오",
    )


class KoreanEngineSecretsErrors:
    control_character = ErrorWords(
        what="{{{hole}}}의 값에 줄바꿈이나 제어 문자가 있습니다",
        why="헤더 {header:이} 거기서 끝나게 됩니다",
        mend="한 줄로 쓰십시오",
    )
