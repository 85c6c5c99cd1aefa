"""Sentences of `base` in Korean; the English ones lie in that room, as it may not import this one."""

from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanBaseTexts:
    no_longer_listens = "더는 듣지 않습니다"
    no_file = "일반 파일이 아닙니다"
    not_utf8 = "UTF-8 텍스트가 아닙니다"
    pid_unknown = "(알 수 없음)"
    kinds_of_files: ClassVar[Mapping[str, str]] = {
        "folder": "폴더입니다",
        "fifo": "FIFO(named pipe)여서 끝나지 않을 수 있습니다. 나오는 내용을 파일에 쓰십시오",
        "device": "끝이 없는 장치입니다",
        "disk": "디스크 위의 파일이 아니라 디스크입니다",
        "socket": "소켓입니다",
    }
    processes: ClassVar[Mapping[str, str]] = {
        "generator": "부하 발생기의 프로세스",
        "node": "노드의 프로세스",
        "server": "서버의 프로세스",
    }

    # --- amounts that people type ---------------------------------------------------------------------
    no_duration = "{text:은} 시간 길이가 아닙니다. 300ms, 10s, 1m30s, 2h처럼 쓰십시오"
    empty_duration = "빈 텍스트는 시간 길이가 아닙니다. 300ms, 10s, 1m30s, 2h처럼 쓰십시오"
    no_count = "{text:은} 개수가 아닙니다. 200, 10k, 1m처럼 쓰십시오"
    no_rate = "{text:은} 요청률이 아닙니다. 1000, 1000/1s, 50/1m처럼 쓰십시오"
    no_share = "{text:은} 비율이 아닙니다. 0.1%나 0.001처럼 쓰십시오"
    no_size = "{text:은} 크기가 아닙니다. 512, 64kB, 1MiB처럼 쓰십시오"

    # --- refusals by the system, files, documents ------------------------------------------------------

    def not_started(self, process: str, reason: str) -> ErrorWords:
        what = self.processes.get(process, process)
        return ErrorWords(
            what=f"{with_particle(what, '을')} 시작할 수 없습니다: {reason}",
            why="시스템이 loadrig의 요청을 거부했습니다. 그때까지 측정한 것은 남아 있습니다",
            mend="머신에 여유를 만든 뒤(ulimit -a, free -m, df -h) 다시 실행하십시오",
        )

    unreadable_document = ErrorWords(
        what="{where:을} 읽을 수 없습니다",
        why="{why}",
        mend="폴더를 사본에서 되살리거나 trial을 다시 실행하십시오. "
        "loadrig는 이런 문서를 쓰지 않으므로 저희에게 보내 주십시오",
    )
    silent_for = "{seconds} 동안 아무 말이 없었습니다"
    file_too_large = "크기가 {size}인데 {most}까지만 읽습니다"
    more_than_read = "읽을 수 있는 {most}보다 큽니다"
    variable_not_set = "환경 변수 {name:이} 설정되어 있지 않습니다"
    secret_unreadable = "파일 {path:을} 읽을 수 없습니다: {why}"

    # --- who serves an address --------------------------------------------------------------------------
    just_ended = "포트를 연 프로세스가 방금 끝났습니다"
    passed_on = (
        "{program:이} {url:을} 전달합니다: 서버는 컨테이너에서 실행됩니다. "
        "관찰하려면 `pid`로 프로세스를 지정하십시오"
    )
    port_shared = "여러 서버가 포트를 함께 씁니다. pid {pid:은} 관찰하고 {others:은} 관찰하지 않습니다"
    listener_unseen = "이 사용자는 {path:을} 연 프로세스를 볼 수 없습니다"
    listener_of = (
        "{url:은} 사용자 {user}(uid {uid})의 프로세스가 열었고, 이 사용자는 그것을 볼 수 없습니다. "
        "관찰하려면 loadrig를 그 사용자나 root로 실행하십시오"
    )

    # --- inspectors of Node -----------------------------------------------------------------------------
    no_inspector = "inspector가 아닙니다"
    an_error = "오류"
    nothing_within = "{seconds} 안에 아무것도 오지 않았습니다"
    inspector_refuses = ErrorWords(
        what="{address}의 inspector가 {method:을} 거부합니다: {why}",
        mend="다른 디버거가 프로파일하고 있는지 확인하십시오",
    )
    inspector_silent = ErrorWords(
        what="{address}의 inspector가 응답하지 않습니다: {why}",
        mend="프로그램이 실행 중인지, CPU를 다 쓰고 있지 않은지 확인하십시오",
    )
    inspector_open_still = "{address}에 있는 프로세스 {pid}의 inspector가 아직 열려 있습니다"
    inspector_is_closed = "프로세스 {pid}의 inspector를 닫았습니다"

    # --- leases: what a rig has left, and what became of it ----------------------------------------------
    standings: ClassVar[Mapping[str, str]] = {
        "living": "만든 측정 장치가 실행 중입니다",
        "other-host": "다른 호스트에서, 또는 이 호스트의 이름이나 machine id가 바뀌기 전에 만들어졌습니다",
        "other-pid-namespace": "pid의 뜻이 다른 PID 네임스페이스(컨테이너)에서 만들어졌습니다",
        "other-user": "다른 사용자가 만들었습니다",
        "other-proc": "/proc이 다른 PID 네임스페이스의 프로세스를 보여 주어 죽은 프로세스를 가려낼 수 없습니다",
        "unknown": "어느 프로세스가 만들었는지 쓰여 있지 않습니다",
    }
    all_in_folder = "이 폴더의 모든 lease"
    gone_by_restart = "머신이 다시 시작되어 사라졌습니다"
    went_with_network = "그것이 만들어진 네트워크 네임스페이스와 함께 사라졌습니다"
    leased_process = "프로세스 {pid}: {command}"
    leased_change = "변경: {what}"
    leased_inspector = "포트 {port}에 있는 프로세스 {pid}의 inspector"
    leased_folder = "{folder}의 데이터"
    no_lease_written = (
        "{folder}에 lease를 쓰지 못했습니다: {why}. `loadrig doctor --clean`이 이것을 알 수 없습니다"
    )
    not_private = "이 사용자만의 것이 아닙니다: {why}"
    other_version = "형식이 {schema}인데 이 버전은 {own:을} 읽습니다"
    no_lease = "lease가 아닙니다: {why}"
    left_alone = "그대로 두었습니다: {why}"
    goes_on = "프로세스 {pid:이} 다시 실행됩니다"
    is_stopped_still = "프로세스 {pid:이} 아직 멈춰 있습니다"
    ended_process = "프로세스 {pid:을} 끝냈습니다: {command}"
    removed_group = "cgroup {group:을} 지웠습니다"
    removed_folder = "{path:을} 지웠습니다"
    folder_not_removed = "{path:을} 지울 수 없습니다: {why}"
    network_not_entered = "그것이 만들어진 네트워크 네임스페이스에 들어갈 수 없습니다: {why}"
    not_moved_back = "프로세스 {pid:을} {folder:으로} 되돌릴 수 없습니다: {why}"
