"""Templates of another language take the arguments of the English sentence, and bend Korean."""

import pytest

from loadrig.base.error_words import ErrorWords
from loadrig.language.templates import sentence


class ExampleTexts:
    def slow_server(self, server: str, count: int = 2) -> str:
        return f"{server} is slow, {count:,} times"

    def no_file(self, path: str, reason: str) -> ErrorWords:
        return ErrorWords(what=f"there is no {path}", mend="write it", why=reason)


TEXTS = ExampleTexts()


def test_holes_are_filled_by_place_and_by_name() -> None:
    slow = sentence(ExampleTexts.slow_server, "{count:,}: {server}")
    assert slow(TEXTS, "app", 1200) == slow(TEXTS, count=1200, server="app") == "1,200: app"
    assert slow(TEXTS, "app") == "2: app"


@pytest.mark.parametrize(
    ("template", "server", "expected"),
    [
        ("{server:이}", "서버", "서버가"),
        ("{server:이}", "앱", "앱이"),
        ("{server!r:을}", "서버", "'서버'를"),
        ("{count:을} {server}", "서버", "3을 서버"),
        ("{{{server}}}", "서버", "{서버}"),
    ],
)
def test_a_particle_is_the_format_of_a_hole(template: str, server: str, expected: str) -> None:
    assert sentence(ExampleTexts.slow_server, template)(TEXTS, server, 3) == expected


def test_each_word_of_an_error_is_a_template() -> None:
    template = ErrorWords(what="{path:이} 없습니다", mend="쓰십시오", why="{reason}")
    words = sentence(ExampleTexts.no_file, template)(TEXTS, "앱", "EIO")
    assert words == ErrorWords(what="앱이 없습니다", mend="쓰십시오", why="EIO")


def test_a_template_takes_what_the_english_sentence_takes_and_no_more() -> None:
    slow = sentence(ExampleTexts.slow_server, "{server}")
    assert slow.__name__ == "slow_server"
    for arguments in ({}, {"server": "app", "other": "app"}):
        with pytest.raises(TypeError):
            slow(TEXTS, **arguments)
    with pytest.raises(KeyError):
        sentence(ExampleTexts.slow_server, "{servers}")(TEXTS, "app")
