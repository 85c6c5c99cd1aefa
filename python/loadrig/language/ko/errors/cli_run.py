from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanCliCutProofErrors:
    proof_cut_short = ErrorWords(
        what="{run}의 증명이 판정되기 전에 끊겨 이어 갈 수 없습니다",
        mend="처음부터 다시 하십시오: {command}",
        why="측정한 것은 남아 있습니다",
    )
    as_note = "참고: {what}; {why}; {mend} (더 보기: loadrig explain {code})"
    proof_begins_anew = (
        "이전 증명이 도중에 끊겨 이어 갈 수 없으므로(loadrig explain prove.cut-short 참고) 처음부터 다시"
        " 합니다; 측정한 것은 {folder}에 남아 있습니다"
    )


class KoreanCliFinishErrors:
    mends: ClassVar[Mapping[str, str]] = {
        "connect_refused": "서버를 시작하거나 호스트와 포트를 확인하십시오",
        "connect_timeout": "호스트가 떠 있는지, 방화벽이 패킷을 버리지 않는지 확인하십시오",
        "connect_reset": "서버의 로그를 보십시오: 커넥션을 맺자마자 닫습니다",
        "tls_failed": "인증서를(-k는 어떤 것이든 받아들입니다), 그리고 포트가 TLS로 통신하는지 확인하십시오(HTTP/2: ALPN으로 h2)",
        "not_http": "포트가 무엇으로 통신하는지 확인하십시오: HTTP/1.1인지 HTTP/2인지, http인지 https인지",
        "timeout": "시간을 더 주거나(timeout: 60s) 서버가 무엇을 기다리는지 보십시오",
        "closed": "서버의 로그를 보십시오: 응답하기 전에 커넥션을 닫습니다",
        "reset": "서버의 로그를 보십시오: 응답하기 전에 커넥션을 리셋합니다",
        "stream_reset": "서버의 로그를 보십시오: 이 요청들의 HTTP/2 스트림을 리셋합니다",
        "go_away": "서버의 로그를 보십시오: 요청을 받기 전에 HTTP/2 커넥션을 끝냅니다",
        "excess_body": "서버의 Content-Length를 고치십시오: 알린 것보다 많은 바이트를 보냅니다",
    }

    def failed_trial(self, reason: str) -> ErrorWords:
        return ErrorWords(
            what=reason or "trial이 실패했습니다",
            mend="문장이 말하는 것을 고치고 다시 실행하십시오",
        )

    def never_answered(self, address: str, counts: str, outcome: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(address, '은')} 어떤 요청에도 HTTP 응답을 하지 않았습니다",
            mend=self.mends.get(outcome, "위의 결과와 서버의 로그를 보십시오"),
            why=f"결과: {counts or '보낸 요청이 없습니다'}",
        )


class KoreanCliLabRunErrors:
    server_ended = ErrorWords(
        what="lab {lab}의 서버가 스스로 끝났습니다",
        mend="마지막 로그가 말하는 것을 고치십시오",
    )
    interrupted = ErrorWords(
        what="중단되었습니다; lab {lab:이} 시작한 것은 멈추었습니다",
        mend="다시 실행하십시오: loadrig lab run {text}",
    )
    no_capacity = ErrorWords(
        what="lab {lab}의 용량을 알 수 없습니다: plan {plan}에서 성공한 응답이 없었습니다",
        mend="기록된 것을 보십시오: loadrig report {folder}",
    )


class KoreanCliLabViewErrors:
    not_root = ErrorWords(
        what="아무것도 설치하지 않았습니다: root만 할 수 있습니다", mend="위의 줄을 입력하십시오"
    )

    def failed_command(self, command: str, status: str) -> ErrorWords:
        return ErrorWords(
            what=f"`{with_particle(command + '`', '이')} 상태 {with_particle(status, '으로')} 끝났습니다",
            mend="위에 나온 문제를 고치거나 다른 방법으로 설치하십시오",
        )

    no_apt = ErrorWords(
        what="아무것도 설치하지 않았습니다: 여기에는 apt-get이 없습니다",
        mend="다음 프로그램을 설치하십시오: {programs}",
    )


class KoreanCliProveErrors:
    no_permit = ErrorWords(
        what="{shown:은} 허용할 수 있는 것이 아닙니다",
        mend="다음 중 하나를 쓰십시오: {permits}",
    )
    prove_again = "처음부터 다시 증명하십시오: {command} (찾은 것은 판정되었습니다: loadrig report {run})"


class KoreanCliQuickErrors:
    flag_of_a_url = ErrorWords(
        what="{flag:은} URL에 쓰는 것인데 {plan:은} plan입니다",
        mend="{flag:을} 빼거나 plan에 쓰십시오",
        why="무엇을 어떻게 요청하는지는 plan이 스스로 말합니다",
    )


class KoreanCliResumeErrors:
    load_cut_short = ErrorWords(
        what="{run}의 부하가 {seconds} s 만에 끊겨 이어 갈 수 없습니다",
        mend="새 폴더에서 처음부터 다시 하십시오: {command}",
        why=(
            "부하의 두 절반 사이에 서버는 쉬고, 캐시와 메모리는 바뀌고, 늘어나던 것은 처음부터 다시 늘어나므로 두"
            " 절반은 하나의 부하가 아닙니다; 측정한 것은 남아 있습니다: loadrig report {report}"
        ),
    )
    no_plan = ErrorWords(
        what="{run}에 plan이 없어 다시 시작할 수 있는 것이 없습니다",
        mend="plan.yaml이 있는 실행을 지정하거나, 증명이라면 plan을 지정하십시오: --plan PLAN",
        why="서버에 다시 부하를 걸려면 같은 plan이 필요합니다",
    )
    nothing_to_resume = ErrorWords(
        what="{place}에 이어 갈 이 plan의 실행이 없습니다",
        mend="--resume을 빼고 시작하거나, --out으로 실행 폴더를 지정하십시오",
    )
    see_results = "부하는 끝나 있었으므로 무엇을 찾았는지 보십시오: loadrig report {run}"
    run_again = "다시 실행하십시오: {command}"
    begin_again = (
        "처음부터 다시 하십시오: {command} (이어 갈 수 없습니다: loadrig explain cli.cannot-resume 참고)"
    )
    go_on = "멈춘 곳에서 이어 가십시오: {command} --resume"


class KoreanCliRunningErrors:
    nothing_runs = ErrorWords(
        what="{folder}에서 도는 실행이 없습니다",
        mend="명령이 시작할 때 출력한 폴더를 지정하십시오",
        why="끝났거나, loadrig가 강제 종료되었거나, 실행 폴더가 아닙니다",
    )
    nothing_runs_below = ErrorWords(
        what="{folder}에서 도는 실행이 없습니다",
        mend="실행 폴더를 지정하십시오",
        why="거기에는 살아 있는 loadrig의 실행이 없습니다",
    )


class KoreanCliSealsErrors:
    damaged_run = ErrorWords(
        what="파일들이 봉인했을 때와 달라 {folder:을} 읽을 수 없습니다",
        mend="사본에서 복원하십시오; 어느 파일인지는 loadrig verify {word:이} 알려 줍니다",
        why="{fault}",
    )
