class KoreanFlameGraphTexts:
    cpu_time = "CPU 시간"
    time = "시간"
    what_grew = "“What grew”는 높은 부하에서의 비율을 낮은 부하에서의 비율과 비교합니다."
    functions = "자체 시간 순 함수"
    about = (
        "막대 하나는 함수이며, 너비는 {time}에서 차지하는 비율이고, 호출한 함수 아래에 놓입니다. 프로그램 자체 코드는"
        " 색과 굵은 글씨로 구분합니다. 클릭이나 Enter로 확대하고, Escape로 축소하며, 화살표 키로 이동합니다."
    )
    title = "{component}의 {time} 사용처"
