from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords

_AS_ROOT = "root로 loadrig를 실행하십시오"
_NETLINK = "sudo modprobe tcp_diag, 또는 컨테이너가 netlink를 쓸 수 있게 하십시오"
_TABLE_ONLY = "/proc/net/tcp를 읽으므로 연 수, backlog, 왕복 시간은 없습니다"


class KoreanProbesCgroupErrors:
    groups_gone = ErrorWords(what="cgroup이 없어졌습니다", mend="아직 도는지, 어디서 도는지 살펴보십시오")
    no_group = ErrorWords(
        what="읽을 수 있는 서버의 cgroup이 없습니다", mend="cgroup 파일 시스템을 마운트하십시오"
    )


class KoreanProbesCpuClockErrors:
    speed_unknown = ErrorWords(
        what="머신이 코어의 속도를 알려 주지 않습니다", mend="끄십시오: unwatched: [cpu_clock]"
    )


class KoreanProbesProcessErrors:
    memory_hidden = "이 사용자는 프로세스 {pid}의 메모리를 읽을 수 없습니다: 공유 페이지를 프로세스마다 세는 RSS만 읽습니다"
    too_many_threads = "스레드가 {most}개를 넘습니다: 상태, 컨텍스트 스위치, 실행 큐 지연을 읽지 않습니다 (프로브의 옵션 `threads`)"


class KoreanProbesSocketStagesErrors:
    netlink_failed = ErrorWords(what="커널이 netlink로 소켓을 알려 주지 않습니다: {why}", mend=_NETLINK)

    def namespace_refused(self, component: str, why: str) -> ErrorWords:
        return ErrorWords(what=_no_entry(component, why), mend=_AS_ROOT)

    netlink_refused = ErrorWords(
        what="커널이 netlink, sock_diag로 소켓을 알려 주지 않습니다 ({why})", mend=_NETLINK
    )
    descriptors_hidden = ErrorWords(
        what=(
            "이 사용자는 {component}의 디스크립터를 읽을 수 없습니다: 자기 커넥션을 다른 것과 구별하지 못하고, 포트는 알려진 것뿐입니다"
        ),
        mend="root로, 또는 그 프로그램의 사용자로 loadrig를 실행하십시오",
    )
    sockets_left_out = ErrorWords(
        what="소켓이 너무 많습니다: {count}개를 보지 않아 수치가 실제보다 작습니다",
        mend="아무도 쓰지 않는 커넥션을 닫으십시오",
    )


class KoreanProbesTcpSocketsErrors:
    def namespace_refused(self, component: str, why: str) -> ErrorWords:
        return ErrorWords(what=f"{_no_entry(component, why)}: {_TABLE_ONLY}", mend=_AS_ROOT)

    def netlink_refused(self, why: str) -> ErrorWords:
        return ErrorWords(
            what=f"커널이 netlink(sock_diag)로 소켓을 알려 주지 않습니다 ({why}): {_TABLE_ONLY}",
            mend=_NETLINK,
        )


class KoreanProbesThreadStatesErrors:
    system_calls = "시스템 콜"
    as_root = _AS_ROOT
    gaps: ClassVar[Mapping[str, str]] = {
        "calls": "프로세스 {0}의 시스템 콜을 읽을 수 없습니다: 스레드가 무엇을 기다리는지 커널 안의 위치(wchan)로"
        " 알며, 상대는 모릅니다",
        "places": "프로세스 {0}의 스레드가 무엇을 기다리는지 읽을 수 없습니다: 보지 못한 것으로 셉니다",
        "foreign": "프로세스 {0}: 32비트 프로그램입니다. 스레드가 무엇을 기다리는지 커널 안의 위치(wchan)로 알며,"
        " 상대는 모릅니다",
        "sockets": "커널이 netlink(sock_diag)로 프로세스 {0}의 소켓을 알려 주지 않습니다: 상대를 `socket`으로"
        " 표시합니다",
        "delay": "커널이 실행 큐의 시간을 세지 않습니다 (CONFIG_SCHED_INFO): 실행 시간은 커널의 tick으로, 코어를"
        " 기다린 시간은 관찰한 것으로 셉니다",
    }
    with_reason = "{gap} ({reason})"
    threads_left_out = "처음 20,000개를 넘는 스레드 {count}개를 읽지 않습니다"


def _no_entry(component: str, why: str) -> str:
    return f"{component}의 네트워크 네임스페이스에 들어가려면 CAP_SYS_ADMIN 권한이 필요합니다 ({why})"
