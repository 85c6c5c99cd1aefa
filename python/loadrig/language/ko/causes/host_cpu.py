class KoreanHostCpuTexts:
    title = "CPU가 포화되었습니다"
    most_time_in = "CPU 시간의 대부분을 {function:이} 썼습니다"
    waited_for_core = "스레드들이 코어를 기다린 시간이 매초 합계 {seconds} s입니다"
    mend = "{function:을} 더 가볍게 만들거나, 코어를 늘리거나, 인스턴스를 추가하십시오"
    mend_unnamed_node = (
        "코어를 늘리거나 인스턴스를 추가하십시오. 그 전에 시간을 가장 많이 쓰는 함수를 줄이십시오. "
        "어느 함수인지는 다음 실행을 --permit node-inspector로 하면 나옵니다"
    )
