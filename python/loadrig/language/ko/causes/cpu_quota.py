class KoreanCpuQuotaTexts:
    title = "CPU 쿼터에 막혀 있습니다"
    measure_again = ", 그리고 다시 측정하십시오"
    stood_still_periods = "주기의 {throttled_share}에서 멈춰 있었고, 매초 {stood_s}입니다"
    running_once_they = (
        "{text}: 동시에 돌면 한 주기의 몫을 {period_s} 만에 다 쓰고 {stall} 동안 멈춰 있습니다"
    )
    and_stood_still_periods = ", {periods}개 주기 중 {throttled}개에서 멈췄습니다"
    together_with = " ({others:과} 함께)"
    used_of = "{used} / "
    used = "{used}{cores}{together}을 썼습니다{still}{need}"
    each_further_cores = "0.1코어를 늘릴 때마다 초당 요청 약 {most_s}건이 늘어납니다"
    more_than = "{least} 이상"
    to = "{least} ~ "
    s_need = "{offered_rps}/s에는 {need:이} 필요합니다"
    raise_quota_or = "쿼터를 {cores} 이상으로 올리거나 (docker update --cpus {docker_cores}; Kubernetes: resources.limits.cpu: {millicores}m) 없애십시오{then}"
