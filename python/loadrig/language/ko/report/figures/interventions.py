class KoreanInterventionTexts:
    title = "초 단위로 본 변경"
    nothing = "없음"
    start = "시작"
    length = "길이"
    block = "블록"
    changed = "변경 대상"
    caption = "언제 무엇을 변경했는가"
    in_trial = " (trial {trial})"
    about = (
        "표시 하나는 한 구간의 {measure}{where}입니다({better}). 아무것도 변경하지 않은 구간은 고리, 변경한 구간은 그 변경의 띠 안에 채운 점으로"
        " 나타냅니다. 시간에 따른 드리프트가 모두에게 똑같이 미치도록 순서는 블록마다 무작위로 정했습니다."
    )
    more_rows = "나머지 {number}개는 proof.json에 있습니다."
