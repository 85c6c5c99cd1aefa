class KoreanMeasuresErrorsTexts:
    requests_never_sent = "요청 {number}건을 보내지 못했습니다. 어느 경로의 것인지는 알 수 없습니다"


class KoreanMeasuresMemoryTexts:
    rss_warning = "PSS가 아니라 RSS: 프로세스들이 공유하는 페이지를 각각 셉니다"
    shared_warning = (
        "측정 구간에서 PSS를 읽지 못했습니다: 그 구간의 RSS에서 {away:.2g} s 떨어진 때의 공유분을 뺀 것"
    )


class KoreanMeasuresQuantileTexts:
    slowest_them_takes = "{counted} {n}개의 {name:은} 그중 가장 느린 것입니다. 적어도 {least}개가 필요합니다"
    rests_above_know = "{name:은} 그 위의 {counted} {above}개에 기댑니다: ±10 %까지 알려면 {counted} 약 {enough}개가 필요한데 {n}개입니다"
    upper_end_interval = "{name} 구간의 위쪽 끝은 본 것 중 가장 느린 것입니다. 실제는 더 높을 수 있습니다"
    lie_fewer_than = "{counted:이} {frames_for_blocks}개 미만의 프레임에 있습니다: {name} 구간은 서로 독립이라고 봅니다. 더 오래 측정하십시오"


class KoreanMeasuresStepsTexts:
    measured_window_has = "측정 구간에 프레임이 {n}개 있습니다: 구간은 요청이 서로 독립적으로 온다고 봅니다. 더 오래 측정하십시오"
    lie_fewer_than = "{what:이} 프레임 세 개 미만에 있습니다: 구간을 줄 수 없습니다. 더 오래 측정하십시오"
