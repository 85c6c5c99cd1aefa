from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.engine import EngineCompileErrors, EngineProcessErrors, EngineSecretsErrors
from loadrig.language.particles import with_particle


class KoreanEngineCompileErrors(EngineCompileErrors):
    def host_without_address(self, host: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"호스트 {host!r}의 주소를 찾을 수 없습니다",
            why=reason,
            mend="철자를 확인하거나 IP 주소를 쓰십시오",
        )


class KoreanEngineProcessErrors(EngineProcessErrors):
    ended_too_early = "준비되기 전에 끝났습니다"
    died_midway = "실행 도중에 죽었습니다"

    def not_ready(self, answer: str) -> str:
        return f"준비되는 대신 {with_particle(repr(answer), '이라')}고 답했습니다"

    def refused_at(self, place: str) -> str:
        return f"부하 발생기가 찾은 곳: {place}"

    def broken(self, how: str) -> ErrorWords:
        return ErrorWords(
            what=f"부하 발생기가 실패했습니다: {how}",
            why="그때까지 측정한 것은 남아 있습니다",
            mend="다시 실행하십시오. 두 번 일어나면 engine.log가 있는 실행 폴더를 보내 주십시오",
        )


class KoreanEngineSecretsErrors(EngineSecretsErrors):
    def control_character(self, hole: str, header: str) -> ErrorWords:
        return ErrorWords(
            what=f"{{{hole}}}의 값에 줄바꿈이나 제어 문자가 있습니다",
            why=f"헤더 {with_particle(header, '이')} 거기서 끝나게 됩니다",
            mend="한 줄로 쓰십시오",
        )
