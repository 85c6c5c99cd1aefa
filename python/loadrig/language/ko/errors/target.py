from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanTargetCommandErrors:
    _as_list = "항목마다 한 단어씩 목록으로 쓰십시오: argv: [./server, --port, '{port}']"
    empty_command = ErrorWords(what="명령이 비어 있습니다", mend=_as_list)

    def command_not_split(self, command: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"명령 {with_particle(repr(command), '을')} 단어로 나눌 수 없습니다: {reason}",
            mend=self._as_list,
        )

    port_not_told = ErrorWords(
        what="어느 포트를 열어야 하는지 {command!r}에 전달되지 않습니다",
        why="포트가 정해져 있지 않아 시작할 때마다 빈 포트를 고르므로, 그 포트를 명령에 알려야 합니다",
        mend="argv나 env에 {{port}}를 넣거나, 사용하는 포트를 쓰십시오: `address: 8000`",
    )


class KoreanTargetExternalErrors:
    no_address = ErrorWords(
        what="{url!r:은} 서버의 주소가 아닙니다",
        mend="http://HOST:PORT 또는 https://HOST:PORT로 쓰십시오",
    )
    no_process = ErrorWords(
        what="프로세스 {pid:이} 없습니다",
        mend="`pid`를 고치십시오. 빼면 스스로 찾습니다",
    )
    nothing_listens = ErrorWords(
        what="{place}에서 열려 있는 것이 없습니다",
        mend="먼저 서버를 시작하거나 주소를 고치십시오. loadrig가 시작하게 하려면 대상 `command`를 쓰십시오",
    )


class KoreanTargetKnobsErrors:
    overruled_knob = ErrorWords(
        what="설정 항목 {name:은} 아무것도 바꾸지 못합니다: 명령에 이미 {word:이} 있습니다",
        why="{option:은} {variable:으로} 전달되는데, JVM은 명령줄의 값을 대신 씁니다",
        mend="명령에서 {word:을} 빼십시오",
    )


class KoreanTargetProcessErrors:
    not_ended = "아직 끝나지 않음"
    ended_with_status = "종료 상태 {status}"
    ended_by_signal = "시그널 {signal}"
    group_not_entered = "{file}에 들어갈 수 없었습니다: {reason}"
    no_folder = ErrorWords(
        what="서버를 시작할 폴더 {folder!r:이} 없습니다",
        mend="폴더를 고치십시오 (plan이 있는 폴더를 기준으로 합니다)",
    )
    cores_not_allowed = ErrorWords(
        what="서버를 CPU {wanted}에 고정할 수 없습니다",
        why="이 프로세스가 쓸 수 있는 코어는 {allowed}입니다",
        mend="그중에서 코어를 고르거나 cpus를 빼십시오",
    )
    program_not_started = ErrorWords(
        what="서버의 프로그램 {program!r:을} 시작할 수 없었습니다: {reason}",
        why="찾아본 곳: {searched}",
        mend="설치하거나 경로를 쓰십시오. 스크립트는 실행 권한이 있고 첫 줄에 인터프리터를 밝혀야 합니다",
    )


class KoreanTargetReadyErrors:
    no_such_line = "아직 그런 줄이 없음"
    closed_without_answer = "응답 없이 닫힘"
    connected_with_itself = "자기 자신과 연결됨"
    line_that_matches = "출력에서 {pattern!r:과} 일치하는 줄"
    socket = "소켓 {path}"
    either = "{first} 또는 {second}"
    answer_to_get = "{place}에서 GET {path}의 응답"
    answer_with_status = "{place}에서 GET {path}의 응답 (상태 {statuses})"
    connection_taken = "{place}에 커넥션이 맺어지는 것"
    answer_not_http = "HTTP가 아닌 응답: {line!r}"
    other_answer = "응답이 {line!r}"
    no_answer_within = "{seconds} s 안에 응답 없음"


class KoreanTargetServerErrors:
    another_process = "다른 프로세스"
    process_of_another_user = "다른 사용자의 프로세스 (uid {uid})"

    def process_with_command(self, pid: int, command: str, others: int) -> str:
        return f"pid {pid} ({command})" + (f" 외 {others}개" if others else "")

    listened_on_still = "{holders:이} 아직 {url:을} 열고 있습니다"
    address_not_ours = ErrorWords(
        what="서버가 주소 {host!r:을} 쓸 수 없습니다: {reason}",
        mend="127.0.0.1이나 ::1처럼 이 머신의 주소를 쓰십시오",
    )
    port_taken = ErrorWords(
        what="{name:이} {place:을} 열 수 없습니다: {holders:이} 이미 그 포트를 쓰고 있습니다",
        mend="그 프로세스를 멈추거나 다른 포트를 쓰십시오. 포트를 빼면 빈 포트를 고릅니다",
    )

    def exited(self, name: str, how: str, command: str, is_silent: bool) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(name, '이')} 준비되기 전에 종료되었습니다 ({how})",
            why="아무것도 출력하지 않았습니다" if is_silent else "",
            mend=f"마지막 줄에 나온 문제를 고치십시오. 손으로 시작하려면: {command}",
        )

    def never_ready(
        self, name: str, within_s: str, waited_for: str, last_try: str, listens_on: str
    ) -> ErrorWords:
        places = f"열고 있는 곳: {listens_on}" if listens_on else "열고 있는 TCP 포트가 없습니다"
        return ErrorWords(
            what=f"{with_particle(name, '이')} {within_s} s 안에 준비되지 않았습니다",
            why=f"기다린 것: {waited_for}; 마지막 시도: {last_try}; {places}",
            mend="`ready` 아래의 `within`을 늘리거나, 주소나 검사를 고치십시오",
        )


class KoreanTargetTemplatesErrors:
    not_utf8 = "UTF-8 텍스트가 아닙니다"

    def knob_without_value(self, path: str, knob: str, names: str) -> ErrorWords:
        return ErrorWords(
            what=f"템플릿 {with_particle(path, '이')} 요구하는 {{{{{knob}}}}}에 값이 없습니다",
            why=f"값이 있는 것: {names or '없음'}",
            mend="knob_flags 아래에 `default`와 함께 선언하거나, 템플릿에서 빼십시오",
        )

    def untold_knob(self, name: str, variable: str) -> ErrorWords:
        hole = f"{{{{{name}}}}}"
        return ErrorWords(
            what=f"설정 항목 {with_particle(name, '을')} 프로그램에 전달하는 것이 없습니다",
            why="flag, env, jvm, limit, sysctl이 모두 없고, 이것을 요구하는 템플릿도 없습니다",
            mend=f"{name}: {{env: {variable}}}처럼 전달 방법을 쓰거나, `files` 아래의 템플릿에 {with_particle(hole, '을')} 쓰십시오",
        )

    unreadable_template = ErrorWords(
        what="{name}의 템플릿을 읽을 수 없습니다: {file}: {reason}",
        why="파일은 plan이 있는 폴더를 기준으로 합니다",
        mend="`files` 아래의 경로를 고치십시오",
    )


class KoreanTargetWithinErrors:
    groups_not_mounted = "여기에는 cgroup이 마운트되어 있지 않습니다"
    controller_withheld = "cgroup {group:이} 하위 그룹에 컨트롤러 `cpu`를 넘겨주지 않습니다"
    too_few_cores = ErrorWords(
        what="서버가 코어 {wanted}개를 가져야 하는데 쓸 수 있는 것은 {allowed}개입니다",
        why="서버가 고정된 코어: {cores}",
        mend="설정 항목의 값을 {allowed} 이하로 하거나, 대상에 `cpus`를 더 주십시오",
    )
    no_quota = ErrorWords(
        what="서버에 CPU 쿼터를 줄 수 없습니다",
        why="{reason}",
        mend="root로, 또는 위임된 그룹에서 실행하십시오: systemd-run --user --scope -p Delegate=yes loadrig …",
    )
    sysctl_of_machine = ErrorWords(
        what="{name:이} 머신 전체에서 바뀌게 됩니다",
        why="loadrig가 머신의 네트워크 네임스페이스에서 돌고 있습니다",
        mend="root로 별도의 네임스페이스에서 실행하십시오: unshare --net sh -c 'ip link set lo up; loadrig tune PLAN'",
    )
    no_sysctl_of_namespace = ErrorWords(
        what="{name:은} 여기 네트워크 네임스페이스의 sysctl이 아닙니다",
        why="net. 아래의 것만 서버 하나에 대해 설정할 수 있습니다",
        mend="`sysctl -a --pattern ^net`을 보십시오",
    )
    sysctl_refused = ErrorWords(
        what="{name:을} {value!r:으로} 설정할 수 없습니다",
        why="{reason}",
        mend="root로 실행하고, 받아들이는 값을 주십시오",
    )
