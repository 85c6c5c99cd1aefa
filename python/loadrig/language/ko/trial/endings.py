from loadrig.language.en.trial.endings import (
    TrialDeathTexts,
    TrialDiagnosisTexts,
    TrialEvidenceTexts,
    TrialForeignTexts,
    TrialOthersTexts,
    TrialReasonsTexts,
    TrialResultTexts,
    TrialTargetFailedTexts,
    TrialValidityTexts,
    TrialWitnessTexts,
)
from loadrig.language.particles import with_particle


class KoreanTrialDeathTexts(TrialDeathTexts):
    memory_kernel_log = ", 메모리가 없어 커널이 죽였습니다 (커널 로그에 이름이 있습니다)"
    memory_control_group = ", 메모리가 없어 커널이 죽였습니다 (cgroup이 강제 종료를 세었습니다)"
    memory_machine = ", 아마 메모리가 없어서입니다 (커널이 그 때문에 이 머신의 프로세스를 죽였습니다)"

    def signal(self, number: str) -> str:
        return f"시그널 {number}"

    def after_load_began(self, after_s: str) -> str:
        return f"부하 시작 {after_s} 뒤"

    def server_went_away(self, when: str, refused: str) -> str:
        return f"서버가 {when} 사라졌습니다: 그때부터 모든 연결이 거절되었습니다 (요청 {refused}건)."

    def server_died(self, when: str, how: str) -> str:
        return f"서버가 {when} 죽었습니다: {how}."

    def was_ended_by(self, by: str) -> str:
        return f"{with_particle(by, '으로')} 끝났습니다"

    def exited_status(self, status: str) -> str:
        return f"상태 {with_particle(status, '으로')} 종료했습니다"

    def shell_does_whose(self, signal_name: str) -> str:
        return f" ({with_particle(signal_name, '으로')} 프로그램이 끝난 셸처럼)"

    def process_gone_only(self, pid: str) -> str:
        return f"프로세스 {with_particle(pid, '이')} 없어졌고, 어떻게 끝났는지는 부모만 알 수 있습니다"


class KoreanTrialTargetFailedTexts(TrialTargetFailedTexts):
    def all_ended(self, worst: str) -> str:
        return f"모두 {with_particle(worst, '으로')} 끝났습니다"

    def most_ended(self, worst: str) -> str:
        return f"대부분 {with_particle(worst, '으로')} 끝났습니다"

    def requests(self, every: str) -> str:
        return f"요청 {every}건"

    def server_gave_no(self, requests: str, how: str) -> str:
        return f"서버가 {requests} 중 어느 것에도 HTTP 응답을 하지 않았습니다: {how}."

    def server_gave_no_http(self, worst: str) -> str:
        return f"서버가 유일한 요청에 HTTP 응답을 하지 않았습니다: {with_particle(worst, '으로')} 끝났습니다."

    def trials_first_trial(self, every: str, trials: str, trial: str, label: str) -> str:
        return f"trial {trials}개 중 {every}개, 처음은 trial {trial} ({label})"

    def server_failed(self, where: str, lower: str, first: str) -> str:
        return f"서버가 {where}에서 실패했습니다: {lower}{first}"


class KoreanTrialResultTexts(TrialResultTexts):
    recording_cut_short = "기록이 도중에 끊겼습니다"

    def judged_by_the_end(self, sentence: str, part: str) -> str:
        return f"{sentence} 늘어나는 부하를 서버가 따라가지 못한 마지막 {with_particle(part, '으로')} 판정했습니다."


class KoreanTrialReasonsTexts(TrialReasonsTexts):
    verb_grave = "심하게 교란"

    def above(self, verbs: str, grave: str) -> str:
        return f"{with_particle(grave, '을')} 넘으면 {verbs}"


class KoreanTrialValidityTexts(TrialValidityTexts):
    def requests_due_sent(self, sent: str, due: str) -> str:
        return f"예정된 요청 {due}건 중 {sent}건을 보냈습니다"


class KoreanTrialEvidenceTexts(TrialEvidenceTexts):
    def s_from_start(self, text: str, word: str) -> str:
        return f"{text}, 시작부터 {word} s"


class KoreanTrialDiagnosisTexts(TrialDiagnosisTexts):
    nothing_can_generator = "아무 말도 할 수 없습니다: 부하 발생기가 부하를 만들지 못했습니다. 이유는 발생기의 로그(engine.log)에 있습니다. 부하를 만드는 실행이라면 답을 얻습니다."


class KoreanTrialForeignTexts(TrialForeignTexts):
    mend = "알고 싶다면 같은 부하를 loadrig로 만드십시오 (loadrig attack URL, 또는 loadrig run PLAN)"
    not_times_known = " 알 수 없습니다"
    not_times_count = " 알 수 없습니다. 시간을 보낸 때부터 재므로 그 전에 기다린 것은 들어 있지 않습니다"
    see_what_limited = "무엇이 제한했는지 보고 다시 실행하십시오"
    see_outcomes_latency = "결과를 보십시오. 표시된 지연 시간은 성공한 응답만의 것입니다"
    every_probe = "모든 프로브"

    def load_did_not(self, tool: str) -> str:
        return f"이 부하는 {with_particle(tool, '이')} 만들었고 증언하지 않았습니다: 늦었는지, 멈췄는지, CPU가 모자랐는지"

    def did_not_testify(self, tool: str) -> str:
        return f"{with_particle(tool, '은')} 증언하지 않았습니다"

    def what_limits_cannot(self, tool: str) -> str:
        return f"무엇이 한계인지 말할 수 없습니다: {tool}의 결과이고 아무도 서버를 관찰하지 않았습니다."

    def load_loadrig_not(self, tool: str) -> str:
        return f"부하를 {with_particle(tool, '이')} 만들었고 loadrig는 그 자리에 없었습니다"


class KoreanTrialWitnessTexts(TrialWitnessTexts):
    nobody_looked = "아무도 보지 않았습니다"
    server_process_not = "서버의 프로세스를 알 수 없습니다: 다른 머신에 있거나 볼 수 없습니다"


class KoreanTrialOthersTexts(TrialOthersTexts):
    process_has_ended = "끝난 프로세스"
    nobody_looked = "아무도 보지 않았습니다"
    server_process_not = "서버의 프로세스를 알 수 없습니다: 다른 머신에 있거나 볼 수 없습니다"
    server_lives_network = "서버가 자기 네트워크 안에 있어 그 커넥션을 보지 않습니다"

    def kernel_does_not(self, strerror: str) -> str:
        return f"커널이 netlink로 소켓을 알려 주지 않습니다 ({strerror})"

    def process(self, name: str, pid: str) -> str:
        return f"{name}, 프로세스 {pid}"
