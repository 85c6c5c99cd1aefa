import re

from loadrig.base.error_words import ErrorWords, Labels
from loadrig.language.particles import with_particle


class KoreanCliRenderedErrors:
    labels = Labels(mend="고치기", more="더 보기")


class KoreanCliMainErrors:
    interrupted = "중단됨"
    fault = "\n이것은 loadrig의 결함이며 사용자의 잘못이 아닙니다. 위의 내용과, 실행이 시작되었다면 그 폴더를 보내 주십시오."
    machine_refused = ErrorWords(
        what="머신이 더 진행할 수 없었습니다: {place}{reason}",
        mend="loadrig doctor를 보십시오. 공간을 확보하거나(df -h) 한계를 올리고(ulimit -a) 다시 실행하십시오",
        why="그때까지 측정한 것은 실행 폴더에 남아 있습니다",
    )

    def unknown_command(self, shown: str, nearest: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(shown, '이라')}는 명령이 없습니다",
            mend=f"혹시 `loadrig {nearest}`입니까?" if nearest else "loadrig --help를 보십시오",
        )


class KoreanCliLanguageErrors:
    either = "{one_code} 또는 {other_code}"
    no_such_language = ErrorWords(what="{shown:이라}는 언어가 없습니다", mend="{flag} {codes}")
    no_language_named = ErrorWords(what="{flag}에는 언어가 필요합니다", mend="{flag} {codes}")


class KoreanCliParserErrors:
    def unknown_argument(self, program: str, shown: str, nearest: str) -> ErrorWords:
        return ErrorWords(
            what=f"{program}에는 {with_particle(shown, '이')} 없습니다",
            mend=f"혹시 {nearest}입니까?" if nearest else f"{program} --help를 보십시오",
        )

    def wrong_argument(self, program: str, message: str) -> ErrorWords:
        return ErrorWords(what=_in_korean(message), mend=f"{program} --help를 보십시오")


class KoreanCliStreamsErrors:
    not_printed = ErrorWords(
        what="결과를 표준 출력에 출력할 수 없었습니다: {reason}",
        mend="다른 곳에 출력하거나 그곳의 공간을 확보하십시오",
    )
    not_printed_but_in = ErrorWords(
        what="결과를 표준 출력에 출력할 수 없었습니다: {reason}",
        mend="폴더에서 읽으십시오: loadrig report {word} --text",
        why="측정한 것은 모두 {folder}에 남아 있습니다",
    )


OF_ARGPARSE = (
    ("the following arguments are required: (.+)", "다음 인자가 필요합니다: {0}"),
    ("one of the arguments (.+) is required", "다음 인자 중 하나가 필요합니다: {0}"),
    ("argument (.+?): expected one argument", "{0}: 값 하나가 필요합니다"),
    ("argument (.+?): expected at least one argument", "{0}: 값이 하나 이상 필요합니다"),
    ("argument (.+?): expected at most one argument", "{0}: 값은 하나까지 쓸 수 있습니다"),
    (r"argument (.+?): expected (\d+) arguments?", "{0}: 값 {1}개가 필요합니다"),
    ("argument (.+?): invalid int value: (.+)", "{0}: 정수가 아닙니다: {1}"),
    ("argument (.+?): invalid float value: (.+)", "{0}: 수가 아닙니다: {1}"),
    (
        r"argument (.+?): invalid choice: (.+) \(choose from (.+)\)",
        "{0}: 고를 수 없는 값입니다: {1} ({2} 중 하나)",
    ),
    ("argument (.+?): ignored explicit argument (.+)", "{0}: 값을 받지 않습니다: {1}"),
    ("argument (.+?): not allowed with argument (.+)", "{0}: 함께 쓸 수 없습니다: {1}"),
)
"""Messages of Python's argparse, and the same in Korean."""


def _in_korean(message: str) -> str:
    """Return a message of argparse in Korean; one that is not known as it is."""
    for english, korean in OF_ARGPARSE:
        if match := re.fullmatch(english, message, re.DOTALL):
            return korean.format(*match.groups())
    return message
