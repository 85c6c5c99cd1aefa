"""Sentences of `base` in Korean; the English ones lie in that room, as it may not import this one."""

from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.base_texts import BaseTexts
from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanBaseTexts(BaseTexts):
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

    def no_duration(self, text: str) -> str:
        return f"{with_particle(text, '은')} 시간 길이가 아닙니다. 300ms, 10s, 1m30s, 2h처럼 쓰십시오"

    def empty_duration(self) -> str:
        return "빈 텍스트는 시간 길이가 아닙니다. 300ms, 10s, 1m30s, 2h처럼 쓰십시오"

    def no_count(self, text: str) -> str:
        return f"{with_particle(text, '은')} 개수가 아닙니다. 200, 10k, 1m처럼 쓰십시오"

    def no_rate(self, text: str) -> str:
        return f"{with_particle(text, '은')} 요청률이 아닙니다. 1000, 1000/1s, 50/1m처럼 쓰십시오"

    def no_share(self, text: str) -> str:
        return f"{with_particle(text, '은')} 비율이 아닙니다. 0.1%나 0.001처럼 쓰십시오"

    def no_size(self, text: str) -> str:
        return f"{with_particle(text, '은')} 크기가 아닙니다. 512, 64kB, 1MiB처럼 쓰십시오"

    # --- refusals by the system, files, documents ------------------------------------------------------

    def not_started(self, process: str, reason: str) -> ErrorWords:
        what = self.processes.get(process, process)
        return ErrorWords(
            what=f"{with_particle(what, '을')} 시작할 수 없습니다: {reason}",
            why="시스템이 loadrig의 요청을 거부했습니다. 그때까지 측정한 것은 남아 있습니다",
            mend="머신에 여유를 만든 뒤(ulimit -a, free -m, df -h) 다시 실행하십시오",
        )

    def unreadable_document(self, where: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(where, '을')} 읽을 수 없습니다",
            why=why,
            mend="폴더를 사본에서 되살리거나 trial을 다시 실행하십시오. "
            "loadrig는 이런 문서를 쓰지 않으므로 저희에게 보내 주십시오",
        )

    def silent_for(self, seconds: str) -> str:
        return f"{seconds} 동안 아무 말이 없었습니다"

    def file_too_large(self, size: str, most: str) -> str:
        return f"크기가 {size}인데 {most}까지만 읽습니다"

    def more_than_read(self, most: str) -> str:
        return f"읽을 수 있는 {most}보다 큽니다"

    def variable_not_set(self, name: str) -> str:
        return f"환경 변수 {with_particle(name, '이')} 설정되어 있지 않습니다"

    def secret_unreadable(self, path: str, why: str) -> str:
        return f"파일 {with_particle(path, '을')} 읽을 수 없습니다: {why}"

    # --- who serves an address --------------------------------------------------------------------------

    just_ended = "포트를 연 프로세스가 방금 끝났습니다"

    def passed_on(self, url: str, program: str) -> str:
        return (
            f"{with_particle(program, '이')} {with_particle(url, '을')} 전달합니다: 서버는 컨테이너에서 실행됩니다. "
            "관찰하려면 `pid`로 프로세스를 지정하십시오"
        )

    def port_shared(self, pid: str, others: str) -> str:
        return f"여러 서버가 포트를 함께 씁니다. pid {with_particle(pid, '은')} 관찰하고 {with_particle(others, '은')} 관찰하지 않습니다"

    def listener_unseen(self, path: str) -> str:
        return f"이 사용자는 {with_particle(path, '을')} 연 프로세스를 볼 수 없습니다"

    def listener_of(self, url: str, user: str, uid: str) -> str:
        return (
            f"{with_particle(url, '은')} 사용자 {user}(uid {uid})의 프로세스가 열었고, 이 사용자는 그것을 볼 수 없습니다. "
            "관찰하려면 loadrig를 그 사용자나 root로 실행하십시오"
        )

    # --- inspectors of Node -----------------------------------------------------------------------------

    no_inspector = "inspector가 아닙니다"
    an_error = "오류"

    def nothing_within(self, seconds: str) -> str:
        return f"{seconds} 안에 아무것도 오지 않았습니다"

    def inspector_refuses(self, address: str, method: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"{address}의 inspector가 {with_particle(method, '을')} 거부합니다: {why}",
            mend="다른 디버거가 프로파일하고 있는지 확인하십시오",
        )

    def inspector_silent(self, address: str, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"{address}의 inspector가 응답하지 않습니다: {why}",
            mend="프로그램이 실행 중인지, CPU를 다 쓰고 있지 않은지 확인하십시오",
        )

    def inspector_open_still(self, pid: str, address: str) -> str:
        return f"{address}에 있는 프로세스 {pid}의 inspector가 아직 열려 있습니다"

    def inspector_is_closed(self, pid: str) -> str:
        return f"프로세스 {pid}의 inspector를 닫았습니다"

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

    def leased_process(self, pid: str, command: str) -> str:
        return f"프로세스 {pid}: {command}"

    def leased_change(self, what: str) -> str:
        return f"변경: {what}"

    def leased_inspector(self, pid: str, port: str) -> str:
        return f"포트 {port}에 있는 프로세스 {pid}의 inspector"

    def leased_folder(self, folder: str) -> str:
        return f"{folder}의 데이터"

    def no_lease_written(self, folder: str, why: str) -> str:
        return f"{folder}에 lease를 쓰지 못했습니다: {why}. `loadrig doctor --clean`이 이것을 알 수 없습니다"

    def not_private(self, why: str) -> str:
        return f"이 사용자만의 것이 아닙니다: {why}"

    def other_version(self, schema: str, own: str) -> str:
        return f"형식이 {schema}인데 이 버전은 {with_particle(own, '을')} 읽습니다"

    def no_lease(self, why: str) -> str:
        return f"lease가 아닙니다: {why}"

    def left_alone(self, why: str) -> str:
        return f"그대로 두었습니다: {why}"

    def goes_on(self, pid: str) -> str:
        return f"프로세스 {with_particle(pid, '이')} 다시 실행됩니다"

    def is_stopped_still(self, pid: str) -> str:
        return f"프로세스 {with_particle(pid, '이')} 아직 멈춰 있습니다"

    def ended_process(self, pid: str, command: str) -> str:
        return f"프로세스 {with_particle(pid, '을')} 끝냈습니다: {command}"

    def removed_group(self, group: str) -> str:
        return f"cgroup {with_particle(group, '을')} 지웠습니다"

    def removed_folder(self, path: str) -> str:
        return f"{with_particle(path, '을')} 지웠습니다"

    def folder_not_removed(self, path: str, why: str) -> str:
        return f"{with_particle(path, '을')} 지울 수 없습니다: {why}"

    def network_not_entered(self, why: str) -> str:
        return f"그것이 만들어진 네트워크 네임스페이스에 들어갈 수 없습니다: {why}"

    def not_moved_back(self, pid: str, folder: str, why: str) -> str:
        return (
            f"프로세스 {with_particle(pid, '을')} {with_particle(folder, '으로')} 되돌릴 수 없습니다: {why}"
        )
