from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanProbesWatchErrors:
    process_unknown = ErrorWords(
        what="{component}의 프로세스를 알 수 없습니다",
        mend="plan에 pid를 쓰거나 그 머신에서 실행하십시오",
    )
    process_ended = ErrorWords(
        what="프로세스 {pid:이} 끝났습니다",
        mend="마지막에 무엇을 출력했는지 보고 다시 시작하십시오",
    )
    its_process_gone = ErrorWords(what="그 프로세스 {pid:이} 없어졌습니다", mend="왜 끝났는지 살펴보십시오")

    def no_kernel_file(self, path: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(f'/{path}', '이')} 없습니다",
            mend="/proc가 마운트된 Linux에서 실행하십시오",
        )


class KoreanProbesSecretErrors:
    variable_not_set = ErrorWords(
        what="비밀번호가 들어 있어야 할 환경 변수 {variable:이} 설정되지 않았습니다",
        mend="export {variable}=…, 또는 {probe} 프로브의 password_file로 파일을 지정하십시오",
    )
    file_unreadable = ErrorWords(
        what="비밀번호 파일 {path:을} 읽을 수 없습니다: {reason}",
        mend="{probe} 프로브의 password_file을 바로잡으십시오",
    )


class KoreanProbesRightsErrors:
    def traced_by_root_only(self, content: str, pid: str, scope: str, is_final: bool) -> ErrorWords:
        why = f"이 커널에서는 자식이 아닌 프로세스를 root만 추적할 수 있습니다 (kernel.yama.ptrace_scope: {scope})"
        return ErrorWords(
            what=_unreadable(content, pid, why),
            mend=(
                "kernel.yama.ptrace_scope = 0으로 머신을 다시 시작하십시오"
                if is_final
                else "sudo sysctl kernel.yama.ptrace_scope=0"
            ),
        )

    def root_without_right(self, content: str, pid: str) -> ErrorWords:
        why = "대부분의 컨테이너처럼 여기서는 root에게 추적 권한(CAP_SYS_PTRACE)이 없습니다"
        return ErrorWords(what=_unreadable(content, pid, why), mend="docker run --cap-add=SYS_PTRACE …")

    def other_user(self, content: str, pid: str, owner: str, user: str) -> ErrorWords:
        why = f"사용자 {owner}의 것이고, 지금 사용자 {user}에게는 추적 권한(ptrace)이 없습니다"
        return ErrorWords(
            what=_unreadable(content, pid, why), mend="그 사용자로, 또는 sudo로 loadrig를 실행하십시오"
        )

    def changed_user(self, content: str, pid: str) -> ErrorWords:
        why = "시작한 뒤에 사용자나 권한을 바꾸어서 root만 추적할 수 있습니다 (ptrace)"
        return ErrorWords(what=_unreadable(content, pid, why), mend="sudo로 loadrig를 실행하십시오")

    ended_meanwhile = ErrorWords(
        what="프로세스 {pid:이} 끝났습니다",
        mend="할 일이 없습니다: 다시 발견되면 다시 관찰합니다",
    )


class KoreanProbesTailErrors:
    named_by_another = "사용자 {owner}의 것인데 사용자 {user:이} 지정했습니다"


def _unreadable(content: str, pid: str, why: str) -> str:
    return f"프로세스 {pid}의 {with_particle(content, '을')} 읽을 수 없습니다: {why}"
