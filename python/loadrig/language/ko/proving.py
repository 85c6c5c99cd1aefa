from collections.abc import Mapping
from typing import ClassVar


class KoreanProvingAbleTexts:
    round_trips = "요청마다 {name}까지 왕복 {number}회"


class KoreanProvingChangesTexts:
    title_cpu = "{}의 CPU"
    title_cores = "바쁜 구성 요소들이 나누어 쓰는 코어"
    title_delay = "{} 앞의 지연"
    title_precedence = "자기 코어에서 다른 모두보다 먼저: {}"
    the_proof = "증명"
    towards: ClassVar[Mapping[str, str]] = {"more": "더 크게", "less": "더 작게", "other": "다른 값으로"}


class KoreanProvingComposeTexts:
    while_diagnosis_proved = "진단을 증명하는 동안, {lower}{text}"


class KoreanProvingLiveTexts:
    hardly_anything_answered = "응답된 것이 거의 없습니다"
    nothing_could_changed = "바꿀 수 있는 것이 없습니다"
    no_change_would = "더 알려 줄 변경이 없습니다"
    nothing_could_changed_any = "더 바꿀 수 있는 것이 없습니다"
    what_asked_sure = "물어본 것이 확실합니다"
    every_answer_sure = "모든 답이 확실합니다"
    more_blocks_would = "블록을 늘려도 더 알 수 없습니다"
    time_experiments_up = "실험 시간이 다 되었습니다"


class KoreanProvingSideBySideTexts:
    place_lost = "{name:을} 잃었습니다({why}). 아직 비교하지 못한 것은 다른 노드에서 실행합니다"


class KoreanProvingTrialsTexts:
    trials_server_started = "trial {own}개, 매번 서버를 새로 시작"


class KoreanSoakingResultTexts:
    headline = "측정된 것이 없습니다."
    cut_short = "도중에 끊겼습니다"


class KoreanSoakingSpikeResultTexts:
    spike_not_carried = "급증을 끝까지 수행하지 못했습니다."
    nothing_measured_before = "급증 전에 측정된 것이 없습니다."


class KoreanSoakingStopTexts:
    not_yet_sure = "아직 확실하지 않음"
    too_few_readings = "관찰이 너무 적음"
    bends_may_something = "완만해지고 있어 채워지는 것일 수 있음"
    seen_once_what = "한 번 보임: 채워지는 것은 다음 관찰까지 완만해짐"
    seen_two_looks = "같은 크기로 두 번 보임"
    too_few_requests = "요청이 너무 적음"
    whatever_grows_less = "늘어나는 것이 문제될 만한 것보다 적음"
    may_yet_grow = "아직 문제될 만큼 늘어날 수 있음"
    early_what_fills = "아직 이릅니다: 천천히 채워지는 것도 같아 보임"
    leak_size = "{leaking}: 누수, 크기를 {name} 안에서 앎"
    no_leak_matters = "문제될 만한 누수 없음, {t_s} 뒤 {confidence:으로} 확인"
    its_size_is = "크기를 {relative_half_width} 안에서 앎"
