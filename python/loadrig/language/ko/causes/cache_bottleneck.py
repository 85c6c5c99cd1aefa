from loadrig.language.particles import with_particle


class KoreanCacheBottleneckTexts:
    title = "캐시가 모두를 기다리게 합니다"
    mend = "명령을 줄이고(파이프라인, MGET, 프로세스 안의 작은 캐시), 그다음 레플리카나 샤드"
    missed_most_begin = "처음에 미스가 가장 많았고 점점 줄었습니다: 캐시가 채워지는 중이었습니다"
    logins_rise_same = "같은 구간에서 로그인이 늘어납니다: 부하 자체가 달라졌습니다"
    load_same_steps = "이 구간에서 부하는 같았습니다"
    many_keys_expire = "바로 그때 많은 키가 만료됩니다"
    give_times_live = (
        "TTL에 10분의 1만큼 무작위 값을 더하고, 기다리는 모두를 위해 한 요청만 키를 다시 채우게 하십시오"
    )
    same_load_jitter = "TTL을 흩뜨리고 같은 부하를: 처리량 저하가 사라집니다"
    give_more_memory = "메모리를 늘리거나, 더 적게 또는 더 짧게 보관하십시오. redis는 사용 빈도에 따라 내보내십시오 (allkeys-lfu)"
    same_load_twice = "메모리를 두 배로 하고 같은 부하를: 미스가 줄어듭니다"
    takes_time = "{top:이} 시간의 {word:를} 씁니다"
    effect = "초당 요청 {ended_rps}건에서 전체 시간의 {share} 동안 바빴습니다"
    decides = "{name}의 CPU를 4분의 1 늘리거나 인스턴스를 하나 더: 처리량이 따라 오릅니다"
    commands_slow_log = "slow log에 명령 {events}개가 있고, 가장 긴 것은 {longest_s}입니다"
    latency_monitor_saw = "latency monitor가 멈춤을 {spikes}회 보았습니다"
    held_thread_time = (
        "{name:이} 단 하나의 스레드를 전체 시간의 {word} 동안, 한 번에 {each}씩 잡고 있었습니다"
    )
    takes_nobody_else = (
        "{name:은} {each} 걸리고 그동안 아무도 처리되지 않습니다: 다른 명령은 평균 {waits_s} 기다립니다"
    )

    def replace_what_takes(self, name: str) -> str:
        return f"{with_particle(name, '을')} 상수 시간 명령이나 작은 단계로 바꾸십시오 ({'SCAN' if name == 'KEYS' else '키의 일부씩'})"

    same_load_without = "{name} 없이 같은 부하를: 지연 시간이 줄어듭니다"
    look_ups_missed = "{all_steps}개 구간 중 {stormy_steps}개에서 조회의 {mean:가} 미스였습니다. 평소에는 {usual_miss_share}"
    s_answered_steps = "이 구간에서 {stormy_rps}/s, 나머지에서 {calm_rps}/s가 응답되었습니다"
    computed_by_many = "만료된 키 하나를, 다시 채워지기 전에 놓친 모두가 {times}번 계산합니다: 초당 {misses}번의 미스가 한꺼번에 몰려옵니다"
    when_many_keys = "많은 키가 한꺼번에 없을 때 처리량이 {fell} 떨어집니다"
    usual_look_ups_missed = "조회의 {usual:가} 미스였습니다"
    while_keys_second = "{missed}. 그동안 초당 키 {mean}개가 축출되었습니다: 들어갈 자리가 없었습니다"
    look_ups_second = "자리를 내주느라 축출된 키 때문에 초당 조회 {mean}건이 캐시 뒤까지 갑니다"
