class KoreanIntervalTexts:
    no_change = "변화 없음"
    does_not_matter = "{margin} 이내: 의미 없는 차이"
