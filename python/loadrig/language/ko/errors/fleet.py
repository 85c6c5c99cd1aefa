"""Errors of `fleet` in Korean, a class for each of its files."""

from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.fleet import FleetErrors, FleetPlacesErrors


class KoreanFleetErrors(FleetErrors):
    """Errors of `fleet.fleet`, in Korean."""

    ended_too_early = "준비되기 전에 끝났습니다"
    died_midway = "실행 도중에 죽었습니다"

    def not_ready(self, answer: str) -> str:
        return f"준비되는 대신 {answer!r} 하고 답했습니다"

    def silent_for(self, seconds: str) -> str:
        return f"{seconds}초 동안 아무 말이 없었습니다"

    def generator_failed(self, name: str, host: str, how: str) -> ErrorWords:
        return ErrorWords(
            what=f"여러 부하 발생기 가운데 {host}의 {name}번이 실패했습니다: {how}",
            why="그때까지 측정한 것은 남아 있습니다",
            mend="다시 실행하십시오. 두 번 일어나면 그 호스트를 살펴보거나 빼십시오",
        )


class KoreanFleetPlacesErrors(FleetPlacesErrors):
    """Errors of `fleet.places`, in Korean."""

    def no_ray(self, address: str) -> ErrorWords:
        return ErrorWords(
            what=f"이 loadrig에는 {address}에 있는 Ray의 호스트로 가는 길이 없습니다",
            why="다른 호스트의 부하 발생기에는 Ray를 들여오는 추가 패키지가 필요합니다",
            mend="pip install 'loadrig[fleet]'를 하거나 `ray`를 빼십시오. 그러면 발생기는 이 기계의 프로세스입니다",
        )
