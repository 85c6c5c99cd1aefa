class KoreanRunByRunTexts:
    about = "점 하나가 실행 하나이며, 가장 오른쪽이 최신입니다. 선은 변화 사이의 수준입니다. 눈금은 0에서 시작하지 않습니다."
