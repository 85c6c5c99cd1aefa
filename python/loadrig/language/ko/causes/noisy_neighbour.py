class KoreanNoisyNeighbourTexts:
    title = "서버가 쓰는 코어를 다른 누군가가 차지합니다"
    mend = "찾아서(top, pidstat) 옮기거나, 다른 코어에 고정하거나(taskset), 우선순위를 낮추십시오(nice, cpu.weight)"
    decides = "상대가 멈춰 있을 때, 또는 전용 코어에서 같은 부하를 걸어 봅니다"
    took = "{what:이} {program}의 코어({cores}) 중 {used}개분을 차지했고, {program:은} {own_cores}개분을 썼습니다"
    would_have_kept_up = (
        "보내야 할 요청에 필요한 코어는 {need}개({cores} 중)입니다: {program}만 있었다면 감당했을 것입니다"
    )
    formula_of_need = "코어 {used}개 / {ended}/s * {offered}/s = {need}"
