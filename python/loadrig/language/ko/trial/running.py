class KoreanTrialBurstsTexts:
    server_not_profiled = (
        "서버를 프로파일링하지 않습니다: CPU 시간을 읽은 프로브가 없어 한계에 닿았는지 알 수 없습니다"
    )
    mend = "process와 thread_states 프로브를 쓰거나 --profile"
    load_longer_such = "더 오래 부하를 거십시오, 예: -z 20s"
    full_thread = "스레드 하나가 코어를 가득 채웁니다"
    full_process = "프로세스 하나가 인터프리터가 쓸 수 있는 코어를 가득 채웁니다"
    full_quota = "CPU 쿼터를 다 씁니다"
    full_cores = "쓸 수 있는 코어를 가득 채웁니다"
    full_waiting = "스레드들이 도는 시간의 절반 이상 동안 코어를 기다립니다"
    not_profiled_measured = (
        "{component:을} 프로파일링하지 않습니다: {why}, 그리고 프로파일이 끝나기 전에 측정 구간이 끝납니다"
    )


class KoreanTrialCalibrationTexts:
    the_calibration = "보정"


class KoreanTrialCompanionsTexts:
    no_thread_server = "CPU 시간을 쓰는 서버 스레드를 보지 못했습니다"
    threads_can_move = "옮겨 다닐 수 있는 스레드를 {looks}회 보았습니다. {looks_enough}회가 필요합니다"


class KoreanTrialPaceTexts:
    plan_schedule_measured = "plan의 일정 전체를 측정합니다"
    plan_asks_none = "plan이 요구하지 않습니다"
    run_ended_within = "실행이 워밍업 안에 끝나서 모두 수치에 들어 있습니다"
    plan_leaves_out = "plan이 이만큼을 뺍니다"
    time_measuring_up = "측정 시간이 다 되었습니다"
    throughput_had_not = "{elapsed_s} s 뒤에도 처리량이 안정되지 않았습니다 (MSER-5)"
    throughput_within = "처리량을 ±{width} 안에서 알았습니다"


class KoreanTrialPlacementTexts:
    core_generator_target = "발생기와 대상 서버에 코어가 하나뿐입니다: 서로 방해합니다"
    target_holds_every = "대상 서버가 모든 코어를 잡고 있습니다: 발생기가 나누어 씁니다"
    generator_target_share = "plan대로 발생기와 대상 서버가 코어 {shared:을} 나누어 씁니다"


class KoreanTrialProfilingTexts:
    low_too = "낮은 부하와 포화에서"
    no_profile_low = "낮은 부하의 프로파일이 없습니다: 이 부하에는 더 낮은 부분이 없습니다"
    not_profiled_no = "{name:을} 프로파일링하지 않습니다: 그런 이름의 구성 요소를 모릅니다"
    not_profiled_load = "{load} 부하에서 {name:을} 프로파일링하지 않습니다: 그보다 오래 지속되지 않습니다"


class KoreanTrialCourseTexts:
    generator_stopped = "발생기가 멈췄습니다"
    terminal_closed = "터미널이 닫혀서"
    by_hand = "손으로"
    load_ended = "부하가 끝났습니다: {get}"


class KoreanTrialSplitTexts:
    two_generators_server = "발생기 둘을 하나와 비교하려면 서버까지 코어 셋이 필요한데 여기는 더 적습니다"
    noise_hides_whether = "발생기 하나와 둘이 일치하는지 잡음에 가려 있습니다. 머신이 조용할 때 보정하십시오"


class KoreanTrialSteeringTexts:
    ended = "손으로 일찍 끝냈습니다"
    by_hand = "손으로"
    load_ends_what = "부하를 끝냅니다. 측정한 것은 남습니다"
    load_paused = "부하를 일시 정지합니다"
    marked = "표시했습니다: {text}"
    users = "사용자 {number}명"
    rate = "{number}/s"
    load_paused_hand = "{show}에서 부하를 손으로 일시 정지했습니다"
    load_went = "부하가 {show:으로} 계속되었습니다"
    load_changed_hand = "부하를 손으로 {before}에서 {now:으로} 바꾸었습니다"


class KoreanTrialSurroundingsTexts:
    before_load_began = "부하가 시작되기 전"
    something_else_runs = "이 머신에서 다른 것이 돕니다"
    was_busy = "{core:이} {when} {share} 바빴습니다: {programs}"
    program_of = " ({program})"
    process_used_cores = "{name} (프로세스 {pid}{owner})이 코어 {cores}개를 썼습니다"


class KoreanTrialTakingTexts:
    not_profiled_no = "{name:을} 프로파일링하지 않습니다: {what}에 맞는 프로파일러가 없습니다"
    does_not_profile = "{name:이} {component:을} 프로파일링하지 않습니다: {reason}; {mend}"
    on = "{component}에 대한 {name}"
    load = "{profiler}, {name}, {load} 부하"
    profiled_s_load = "{profiler:이} {load} 부하에서 {name:을} {duration_s} s 동안 프로파일링했습니다"
    failed = "{what} 실패: {name}: {error}"


class KoreanTrialLiveAccountTexts:
    account_last_seconds = "마지막 몇 초의 시간 계산을 보여 주지 않습니다 ({name}: {error})"
