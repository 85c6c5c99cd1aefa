from loadrig.base.error_words import ErrorWords


class KoreanProbesRemoteLinkErrors:
    output_closed = "출력을 닫았습니다"
    ended_with = "종료 코드 {code:으로} 끝났습니다"
    program_not_permitted = ErrorWords(
        what="이 머신에서 {program:을} 실행할 수 없습니다",
        mend="chmod +x {program}, 또는 plan의 `via`를 바로잡으십시오",
    )
    no_program = ErrorWords(
        what="이 머신에 그 호스트로 갈 프로그램 {program:이} 없습니다",
        mend="{program:을} 설치하거나 plan의 `via`를 바로잡으십시오",
    )

    def connection_broke(self, how: str, via: str) -> ErrorWords:
        return ErrorWords(what=f"커넥션이 끊어졌습니다: {how}", mend=_works(via))

    not_installed = ErrorWords(
        what="그곳의 {python}에 loadrig가 설치되지 않았습니다",
        mend="{install}, 또는 loadrig가 있는 인터프리터를 `python`으로 지정하십시오",
    )
    key_unknown = ErrorWords(
        what="호스트의 키를 여기서 모르거나 키가 바뀌었습니다",
        mend="보고 한 번 직접 받아들이십시오: {via} true",
    )
    host_refused = ErrorWords(
        what="호스트가 거절했습니다: 실행 중에는 아무도 비밀번호를 입력할 수 없습니다",
        mend="키나 agent를 써서 이것이 아무것도 묻지 않게 하십시오: {via} true",
    )
    python_not_permitted = ErrorWords(
        what="그곳에서 {python:을} 실행할 수 없습니다",
        mend="직접 해 보십시오: {command}",
    )
    no_python = ErrorWords(
        what="그곳에 {python:이} 없습니다",
        mend="loadrig가 있는 인터프리터를 `python`으로 지정하십시오, 예: python: /opt/loadrig/bin/python",
    )

    def host_unreachable(self, via: str) -> ErrorWords:
        return ErrorWords(what="호스트에 닿을 수 없습니다", mend=_works(via))

    no_observer = ErrorWords(
        what="이 명령으로는 observer에 닿지 않습니다: {how}", mend="직접 해 보십시오: {command}"
    )
    too_old = ErrorWords(
        what="그곳의 loadrig는 다른 호스트의 observer가 생기기 전 버전입니다",
        mend="양쪽에 같은 버전을 설치하십시오: {install}",
    )
    other_protocol = ErrorWords(
        what=(
            "그곳의 loadrig는 {theirs}, 프로토콜 {their_protocol}이고, 이쪽은 {ours}, 프로토콜 {our_protocol}입니다"
        ),
        mend="양쪽에 같은 버전을 설치하십시오: {install}",
    )


class KoreanProbesRemoteTalkErrors:
    def nothing_said(self, seconds: str, via: str) -> ErrorWords:
        return ErrorWords(what=f"{seconds} s 동안 아무 말이 없었습니다", mend=_works(via))

    def no_hello(self, seconds: str, via: str) -> ErrorWords:
        return ErrorWords(what=f"{seconds} s 안에 그곳의 observer가 응답하지 않았습니다", mend=_works(via))

    def no_answer(self, via: str) -> ErrorWords:
        return ErrorWords(what="응답하지 않습니다", mend=_works(via))


class KoreanProbesRemoteRigErrors:
    nonsense = ErrorWords(
        what="보내는 것을 알아들을 수 없습니다 ({kind}: {error})",
        mend="다른 것이 그 파이프에 쓰지 않는지 살펴보십시오: {via}",
    )
    never_answered = "{name}: 한 번도 응답하지 않아 시계를 알 수 없습니다"
    clock_agrees = "{name}: 시계가 ±{residual_ms} ms 안에서 일치합니다"


class KoreanProbesRemotePresenceErrors:
    observed_again = "{seconds} s 만에 {name:을} 다시 관찰합니다"

    def why(self, reason: str, last_words: str, mend: str) -> str:
        last = f" ({last_words})" if last_words else ""
        return f"{reason}{last}; {mend}"

    no_longer_observed = "{name:을} 더는 관찰하지 않습니다: {why}"
    not_observed = "{name:을} 관찰하지 않습니다: {why}"


class KoreanProbesRemoteServeErrors:
    probe_unknown = "그곳에 없는 프로브입니다"
    observer_failed = "그곳의 observer가 실패했습니다: {kind}: {error}"
    nothing_listens = "그곳의 포트 {port:을} 아직 아무것도 열지 않았습니다; 그때까지 호스트만 관찰합니다"
    no_process = "그곳에 프로세스 {pid:이} 없습니다; 호스트만 관찰합니다"
    other_protocol = ErrorWords(
        what="측정 장치는 프로토콜 {theirs}, 그곳의 loadrig는 {ours}입니다",
        mend="양쪽에 같은 버전을 설치하십시오. 그곳은 {there}입니다",
    )
    option_unknown = "옵션 {name:이} 없습니다"
    probe_refused = ErrorWords(
        what="{why}", mend="이쪽과 같은 버전을 그곳에 설치하십시오. 그곳은 loadrig {there}입니다"
    )


def _works(via: str) -> str:
    return f"이것이 되는지 확인하십시오: {via} true"
