from loadrig.language.en.fleet import FleetTexts


class KoreanFleetTexts(FleetTexts):
    def generator_lost(self, name: str, host: str, how: str) -> str:
        return f"{host}의 부하 발생기 {name}번을 잃어 부하를 끝냈습니다: {how}"
