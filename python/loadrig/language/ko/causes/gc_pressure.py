class KoreanGcPressureTexts:
    title = "가비지 컬렉션이 시간을 차지합니다"
    decides = "힙을 두 배로 하고 같은 부하를: GC의 비중이 줄고 피해도 줄어듭니다"
    whether_they_collect = "가비지를 수집하는지 보지 못했습니다: inspector가 알려 줍니다 (node --inspect)"
    mend_go = (
        "덜 할당하거나 (pprof: allocs) GOGC 또는 GOMEMLIMIT을 올리십시오: 메모리를 더 쓰고 GC는 줄어듭니다"
    )
    mend_node = "덜 할당하거나, young 세대(--max-semi-space-size)와 힙(--max-old-space-size)을 늘리십시오"
    mend_cpython = "순환 참조 객체를 줄이거나, 시작 뒤 gc.freeze(), 또는 gc.set_threshold를 높이십시오"
    more_heap_xmx = (
        "힙을 늘리십시오 (-Xmx): GC 뒤에도 거의 가득 차 있습니다. 그다음 무엇이 붙들고 있는지 찾으십시오"
    )
    allocate_less_profile = "덜 할당하거나 (할당 프로파일이 위치를 알려 줍니다) 힙을 늘리십시오 (-Xmx)"
    threads_wanted_core = "한 번에 스레드 {mean}개가 코어를 원했고, 코드는 하나에서 돕니다"
    threads_work_beside = "자신의 코드 옆에서 스레드 {mean}개가 GC처럼 일합니다"
