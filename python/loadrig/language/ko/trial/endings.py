class KoreanTrialDeathTexts:
    memory_kernel_log = ", 메모리가 없어 커널이 죽였습니다 (커널 로그에 이름이 있습니다)"
    memory_control_group = ", 메모리가 없어 커널이 죽였습니다 (cgroup이 강제 종료를 세었습니다)"
    memory_machine = ", 아마 메모리가 없어서입니다 (커널이 그 때문에 이 머신의 프로세스를 죽였습니다)"
    signal = "시그널 {number}"
    after_load_began = "부하 시작 {after_s} 뒤"
    server_went_away = "서버가 {when} 사라졌습니다: 그때부터 모든 연결이 거절되었습니다 (요청 {refused}건)."
    server_died = "서버가 {when} 죽었습니다: {how}."
    was_ended_by = "{by:으로} 끝났습니다"
    exited_status = "상태 {status:으로} 종료했습니다"
    shell_does_whose = " ({signal_name:으로} 프로그램이 끝난 셸처럼)"
    process_gone_only = "프로세스 {pid:이} 없어졌고, 어떻게 끝났는지는 부모만 알 수 있습니다"


class KoreanTrialTargetFailedTexts:
    all_ended = "모두 {worst:으로} 끝났습니다"
    most_ended = "대부분 {worst:으로} 끝났습니다"
    requests = "요청 {every}건"
    server_gave_no = "서버가 {requests} 중 어느 것에도 HTTP 응답을 하지 않았습니다: {how}."
    server_gave_no_http = "서버가 유일한 요청에 HTTP 응답을 하지 않았습니다: {worst:으로} 끝났습니다."
    trials_first_trial = "trial {trials}개 중 {every}개, 처음은 trial {trial} ({label})"
    server_failed = "서버가 {where}에서 실패했습니다: {lower}{first}"


class KoreanTrialResultTexts:
    recording_cut_short = "기록이 도중에 끊겼습니다"
    judged_by_the_end = "{sentence} 늘어나는 부하를 서버가 따라가지 못한 마지막 {part:으로} 판정했습니다."


class KoreanTrialReasonsTexts:
    verb_grave = "심하게 교란"
    above = "{grave:을} 넘으면 {verbs}"


class KoreanTrialValidityTexts:
    requests_due_sent = "예정된 요청 {due}건 중 {sent}건을 보냈습니다"


class KoreanTrialEvidenceTexts:
    s_from_start = "{text}, 시작부터 {word} s"


class KoreanTrialDiagnosisTexts:
    nothing_can_generator = "아무 말도 할 수 없습니다: 부하 발생기가 부하를 만들지 못했습니다. 이유는 발생기의 로그(engine.log)에 있습니다. 부하를 만드는 실행이라면 답을 얻습니다."


class KoreanTrialForeignTexts:
    mend = "알고 싶다면 같은 부하를 loadrig로 만드십시오 (loadrig attack URL, 또는 loadrig run PLAN)"
    not_times_known = " 알 수 없습니다"
    not_times_count = " 알 수 없습니다. 시간을 보낸 때부터 재므로 그 전에 기다린 것은 들어 있지 않습니다"
    see_what_limited = "무엇이 제한했는지 보고 다시 실행하십시오"
    see_outcomes_latency = "결과를 보십시오. 표시된 지연 시간은 성공한 응답만의 것입니다"
    every_probe = "모든 프로브"
    load_did_not = "이 부하는 {tool:이} 만들었고 증언하지 않았습니다: 늦었는지, 멈췄는지, CPU가 모자랐는지"
    did_not_testify = "{tool:은} 증언하지 않았습니다"
    what_limits_cannot = (
        "무엇이 한계인지 말할 수 없습니다: {tool}의 결과이고 아무도 서버를 관찰하지 않았습니다."
    )
    load_loadrig_not = "부하를 {tool:이} 만들었고 loadrig는 그 자리에 없었습니다"


class KoreanTrialWitnessTexts:
    nobody_looked = "아무도 보지 않았습니다"
    server_process_not = "서버의 프로세스를 알 수 없습니다: 다른 머신에 있거나 볼 수 없습니다"


class KoreanTrialOthersTexts:
    process_has_ended = "끝난 프로세스"
    nobody_looked = "아무도 보지 않았습니다"
    server_process_not = "서버의 프로세스를 알 수 없습니다: 다른 머신에 있거나 볼 수 없습니다"
    server_lives_network = "서버가 자기 네트워크 안에 있어 그 커넥션을 보지 않습니다"
    kernel_does_not = "커널이 netlink로 소켓을 알려 주지 않습니다 ({strerror})"
    process = "{name}, 프로세스 {pid}"
