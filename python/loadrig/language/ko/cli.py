from collections.abc import Mapping
from typing import ClassVar

from loadrig.language.particles import with_particle


class KoreanCliCheckTexts:
    plan_fine_run = "\n문제없는 plan입니다. 실행하십시오: loadrig run {plan}"


class KoreanCliDoctorTexts:
    calibrating_half_minute = "30초 동안 보정합니다; 다른 것을 돌리지 마십시오"
    cleaned_nothing_no = "되돌림  없음: 강제 종료된 loadrig가 남긴 것이 없습니다"
    all_well = "모두 괜찮습니다"
    cleaned = "되돌림  {lease}"
    could_not_undo = "         되돌릴 수 없었습니다: {line}"
    alone = "그대로 둠  {what}: {reason}"
    its_lease = "            lease: {path}"
    mend = "      {word}  고치기: {mend}"
    more_loadrig_explain = "      {word}  더 보기: loadrig explain {code}"
    to_look_at = "살펴볼 것 {worst}개"
    next_command = "\n{verdict}; 다음: loadrig attack URL, 또는 loadrig check PLAN"


class KoreanCliDryTexts:
    first_bytes = "각 경로의 첫 요청의 바이트"
    first_fields = "각 경로의 첫 요청, 필드는 HTTP/1.1이 쓰는 대로 (HTTP/2는 압축하므로)"
    port_stands_chosen = " (포트 {unknown_port:은} 시작할 때 정해질 포트를 대신합니다)"


class KoreanCliExplainTexts:
    headings: ClassVar[Mapping[str, str]] = {
        "word": "낱말",
        "code": "오류 코드",
        "measure": "지표",
        "target": "대상",
        "probe": "프로브",
        "cause": "원인",
        "strategy": "전략",
        "knob": "설정 항목",
        "check": "loadrig 자신의 검사",
        "key": "plan의 키",
        "metric": "프로브의 지표",
        "intervention": "증명에 쓰는 개입",
        "profiler": "프로파일러",
        "exporter": "loadrig export의 형식",
        "publisher": "실행 중인 부하를 알릴 곳",
        "importer": "다른 도구의 결과",
        "converter": "다른 도구의 테스트",
        "value": "키의 값",
        "lab": "lab",
        "command": "명령",
        "exit": "종료 코드",
        "outcome": "요청의 결과",
        "figure": "부하의 값",
    }
    kinds: ClassVar[Mapping[str, str]] = {
        "measure": "지표",
        "target": "대상",
        "probe": "프로브",
        "cause": "원인",
        "strategy": "전략",
        "check": "loadrig 자신의 검사",
        "metric": "프로브의 지표",
        "intervention": "개입",
        "profiler": "프로파일러",
        "exporter": "loadrig export의 형식",
        "publisher": "실행 중인 부하를 알릴 곳",
        "importer": "다른 도구의 결과",
        "converter": "다른 도구의 테스트",
        "lab": "lab",
        "command": "명령",
        "exit": "종료 코드",
        "outcome": "요청의 결과",
        "figure": "부하의 값",
    }
    exits: ClassVar[Mapping[int, str]] = {
        0: "모든 목표를 지켰거나 목표가 없었고, 요청한 것을 출력했습니다.",
        70: "loadrig 자신의 결함입니다: traceback과 보내 줄 폴더를 출력했습니다.",
        99: "지키지 못한 목표가 있습니다.",
        104: "plan이나 명령줄이 잘못되었으며, 아무것도 시작하지 않았습니다.",
        105: "Ctrl-C, SIGTERM 또는 닫힌 터미널(SIGHUP)로 멈추었으며, 측정한 것은 남아 있습니다.",
        111: "loadrig가 할 일을 하지 못했습니다: 아무것도 말할 수 없거나(무효), 부하가 요청한 것이 아니었거나, 디스크가 "
        "가득 찼거나, 알아낸 것을 출력하지 못했거나, `verify`가 봉인한 때와 다른 실행을 찾았습니다.",
        112: "물음에 답할 수 없었습니다. 예를 들어 목표를 놓친 정도가 방해만으로도 설명될 만큼 작습니다. `verify`에서는 "
        "봉인한 것이 없다는 뜻입니다.",
        113: "비교한 대상보다 나쁩니다.",
        120: "서버가 시작되지 않았거나, 준비되지 않았거나, 죽었거나, 한 번도 응답하지 않았습니다.",
        141: "출력만 하는 명령의 읽는 쪽이 사라졌습니다. SIGPIPE 뒤와 같습니다.",
    }
    metrics = "지표"
    how_to_see_a_page = "loadrig explain NAME으로 하나의 설명을 볼 수 있습니다."
    options = "옵션: loadrig {command} --help"


class KoreanCliImportTexts:
    plan_made = "{tool}의 테스트로 만든 plan입니다"
    run_made = "{tool}의 결과로 만든 실행입니다"
    beside = "함께 쓴 파일: {file}"
    left_out = "뺀 것: {what} {count:,}개"
    further_lines = "{count:,}줄 더 있습니다: plan 안에, 그리고 --json의 답에 있습니다"
    secrets_in_plan = (
        "테스트에 있던 비밀 {count}개가 plan에 그대로 있습니다. "
        "남에게 주기 전에 {{env:NAME}}이나 {{file:PATH}}로 바꾸십시오"
    )
    look_at = "살펴보십시오: loadrig check {plan}; loadrig run {plan} --dry"


class KoreanCliLabRunTexts:
    has_network_own = "자기 네트워크 안에 있으며 nsenter로 들어갑니다"
    none_was = "하지 않음"
    lab = "lab {name} {stem}"
    no_trial_good = "진단할 만큼 좋은 trial이 없습니다: {why_void}"
    but = "{text}; 그러나 {slowed}"
    void_run_again = "\n무효: {text}; 여기서 다른 것이 돌지 않을 때 다시 실행하십시오"
    listens_on = "{name:이} 127.0.0.1:{port}에서 열려 있습니다"
    load_loadrig_attack = (
        "부하 걸기: {inside}loadrig attack {url} -c 20 -z 30s; 여기서 Ctrl-C를 누르면 멈춥니다"
    )
    lab_run = "lab {name} {which}"
    capacity = "{name}의 용량"
    capacity_requests_second = "용량: 초당 요청 {rps}건이 제대로 응답됨 ({path})"


class KoreanCliLabViewTexts:
    next_loadrig_lab = "\n다음: loadrig lab show NAME, 또는 loadrig lab run NAME"
    is_here = "있음"
    is_not_here = "없음"
    nothing_install_all = "설치할 것이 없습니다: 필요한 것이 모두 있습니다"
    plans = "\nplan:"
    needs = "\n필요한 것:"
    truth = "정답: {causes}"
    files_and_next = "\n파일: {files}\n다음: {command}"
    case = "{name}  사례 {case}  {title}"
    not_here = "{word}          여기에 없음: {lacks}"
    not_here_package = "없음; 패키지 {package}"
    and_those = ", 그리고 {folder}의 것"


class KoreanCliInitTexts:
    listening = "이 머신에서 포트를 연 서버:"
    which = "어느 것입니까?"
    path = "첫 요청의 경로(쿼리 포함)는?"
    users = "동시 사용자 수는?"
    goal = "목표는? 예: p95 < 500ms"
    no_goal = "없음"
    row = "  {number:>2}  {url}  {kind}, pid {pid}"
    asked = "{question} [{default}] "
    no_such_number = "1부터 {count}까지의 번호를 쓰십시오"
    not_understood = "{what}. {mend}"
    unseen = "{count}개는 이 사용자가 그 프로그램을 볼 수 없습니다. URL을 쓰거나 sudo로 다시 해 보십시오."
    next_steps = "다음: loadrig check {plan}, 그리고 loadrig run {plan}"


class KoreanCliManTexts:
    name = "이름"
    synopsis = "사용법"
    description = "설명"
    options = "옵션"
    see_also = "함께 보기"
    options_word = "옵션"


class KoreanCliLeftOverTexts:
    killed_rig_not = (
        "강제 종료된 loadrig가 남긴 것, 되돌리지 못함: {lease}: {not_undone}; loadrig doctor --clean"
    )
    killed_rig_undone = "강제 종료된 loadrig가 남긴 것, 되돌림: {lease}"


class KoreanCliMachineTexts:
    benchmark_generator = "부하 발생기의 벤치마크"
    comparison_wrk = "wrk와의 비교"
    target_gunicorn_demo = "대상 gunicorn과 데모"
    target_uvicorn = "대상 uvicorn"
    the_demo = "데모"
    built_in = "내장"
    never = "하지 않음"
    unknown_meaning = "알 수 없음"
    measured_earlier = "이전에"
    nothing_left = "없음"
    installed = "설치됨"
    widen_ports = (
        "sysctl -w net.ipv4.ip_local_port_range='10240 65535', 또는 커넥션을 keep-alive로 유지하십시오"
    )
    reuse_ports = "sysctl -w net.ipv4.tcp_tw_reuse=2, 또는 커넥션을 keep-alive로 유지하십시오"
    calibrate_here = "loadrig doctor --calibrate (30초; 다른 것을 돌리지 마십시오)"
    calibrate_alone = "다른 것이 돌지 않을 때 loadrig doctor --calibrate"
    make_or_pip = "make, 또는 pip install loadrig를 다시"
    generator_server_disturb = ": 부하 발생기와 서버가 서로 방해합니다"
    give_machine_second = "이 머신에 코어를 하나 더 주거나 서버를 다른 머신에서 돌리십시오"
    mount_cgroup_file = (
        "cgroup 파일 시스템을 마운트하거나, 없이 쓰십시오: 그러면 CPU 시간을 프로세스에서 읽습니다"
    )
    none_mounted = "마운트된 것 없음"
    run_systemd_run = (
        "`systemd-run --user --scope`로 실행하거나, 없이 쓰십시오: CPU 시간을 프로세스에서 읽습니다"
    )
    no_limit = "제한 없음"
    range_cannot_read = "범위를 읽을 수 없음"
    for_all_connections = "모든 커넥션에"
    for_loopback = "루프백 커넥션에"
    boot_clocksource_tsc = "프로세서에 있다면 clocksource=tsc로 부팅하십시오. 이 시계는 읽기가 느립니다"
    unknown_source = "알 수 없는 소스"
    stop_what_else = "여기서 도는 다른 것을 멈추십시오. 가상 머신이면 덜 공유되는 호스트가 필요할 수 있습니다"
    not_controlled_here = "여기서 제어되지 않음 (가상 머신이거나 드라이버 없음)"
    cpupower_frequency_set = "cpupower frequency-set -g performance (root로)"
    not_done_so = "하지 않음, 그래서 검사 G10과 G13은 빠집니다"
    machine_three_cores = "코어가 셋인 머신에서: loadrig doctor --calibrate"
    see_timer_cores = "위의 timer, cores, governor를 보고 다른 것을 멈춘 뒤 loadrig doctor --calibrate"
    set_xdg_state = "쓸 수 있는 폴더로 XDG_STATE_HOME을 설정하십시오"
    does_not_load = "불러올 수 없음: {error}"
    numbers = "{allowed} (번호 {map_text})"
    may_written = "{kind}, {folder} 쓸 수 있음"
    may_not_written = "{kind}, {folder} 쓸 수 없음"
    raise_hard_limit = (
        "하드 한계를 올리십시오: root로 `ulimit -Hn {fds_wanted}`, 또는 /etc/security/limits.conf"
    )
    most_now = "최대 {hard} (지금 {soft})"
    new_connections_second = "{ports} ({low}-{high}): 재사용 없이 한 주소로 초당 새 커넥션 {per_second}"
    resolution_ns = "{source}, 해상도 {resolution_ns} ns"
    sleeper_wakes_s = "잠든 스레드가 {median} µs 늦게 깹니다 ({sleeps}회의 중앙값), 최악 {worst} µs"
    machine_can_generate = (
        "이 머신은 스레드 하나로 초당 요청 {most}건을 만들 수 있습니다. 그 절반인 {honest}/s까지가"
    )
    honest_limit_measured = " 정직한 한계입니다 ({measured} 측정)"
    at_s = "{per_second}/s에서"
    rate = "요청률 {rate}"
    generator_two_agree = "{at} 발생기 하나와 둘이 일치합니다: {rate}, {p99}"
    not_decided_so = "{at} 판단할 수 없음 ({rate}, {p99}), 그래서 검사 G13은 빠집니다: {why_undecided}"
    generator_differs_from = "{at} 발생기 하나가 둘과 다릅니다: {rate}, {p99}; 모든 trial이 {verbs} (G13)"
    from_rig_killed = "강제 종료된 loadrig의 것 {stale}: "
    none_rig_alone = "이 loadrig의 것은 없음; 그대로 둠 {alone}: "
    where_nothing_them = "남은 것이 없는 곳이면 {folder}에서 파일을 지우십시오"
    none_cannot_written = "알려진 것 없음; {folder:을} 쓸 수 없어 강제 종료된 loadrig의 것을 알 수 없습니다"
    not_installed_needed = "설치되지 않음; {use}에 필요"


class KoreanCliSealsTexts:
    def damaged(self, folder: str, file: str, others: int, kind: str, text: str, word: str) -> str:
        which = f"{file} 외 {others}개가" if others else with_particle(file, "이")
        return f"경고: {folder}: {which} 봉인했을 때와 다릅니다 ({kind}: {text}); 참고: loadrig verify {word}"


class KoreanCliVerifyTexts:
    not_sealed = "봉인 안 됨"
    what_not_sealed = "; 봉인되지 않은 것은 손상이 아니며, 확인할 수 없었습니다"
    file_not_sealed = "파일 1개가 봉인했을 때와 다릅니다"
    mend_restore_folder = (
        "고치기: 사본에서 폴더를 복원하거나 다시 실행하십시오. 그때까지는 내용을 믿지 마십시오"
    )
    no_file_run = (
        "{folder}: 실행이나 trial의 파일 중 봉인된 것이 없어 아무것도 확인하지 않았습니다. 손상은 아닙니다"
    )
    all_sealed_whole = "{folder}: 봉인된 모든 것이 온전합니다 ({checked}){rest}"
    files_not_they = "파일 {count}개가 봉인했을 때와 다릅니다"
    folder_of = "{folder}: {summary} ({checked} 중)"
