class KoreanMemoryPressureTexts:
    title = "메모리가 부족합니다"
    stalls_unread = "태스크가 메모리를 기다린 시간을 읽지 못했습니다: psi=1로 부팅하십시오"
    mend = (
        "메모리 한도를 높이거나(docker update --memory, Kubernetes: resources.limits.memory),"
        " worker를 줄이거나, 힙과 캐시를 줄이십시오"
    )
    decides = "메모리를 두 배로 늘리거나 worker를 절반으로 줄이고 같은 부하를 걸면 대기가 사라집니다"
    waited_for_memory = "전체 시간의 {share} 동안 메모리를 기다리는 태스크가 있었습니다"
    waited_for_memory_or_disk = (
        "전체 시간의 {share} 동안 메모리나 메모리를 다시 읽어 올 디스크를 기다리는 태스크가 있었습니다"
    )
    reads_take = (
        "다른 요청을 기다리는 시간을 빼면, 요청의 {share:를} 밀려난 페이지를 다시 읽고"
        " 그 자리를 마련하는 데 씁니다"
    )
    read_back = "매초 {pages}개의 페이지를 디스크에서 다시 읽었습니다"
    swapped_in = "매초 {pages}개의 페이지가 swap에서 돌아왔습니다"
    ran_into_limit = "그룹 {group}의 메모리가 초당 {times}번 한도에 부딪혔습니다"
