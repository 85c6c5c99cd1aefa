class KoreanFleetTexts:
    generator_lost = "{host}의 부하 발생기 {name}번을 잃어 부하를 끝냈습니다: {how}"
