"""Particles of Korean, whose form follows the sound that the word before them ends in.

Source: Standard Korean orthography (한글 맞춤법); digits and Latin letters are read as Koreans read them.
"""

FORMS = {
    "은": ("은", "는"), "는": ("은", "는"), "이": ("이", "가"), "가": ("이", "가"), "을": ("을", "를"),
    "를": ("을", "를"), "과": ("과", "와"), "와": ("과", "와"), "으로": ("으로", "로"), "로": ("으로", "로"),
    "이다": ("이다", "다"), "이라": ("이라", "라"),
}  # fmt: skip
"""Forms after a consonant and after a vowel, by any of them."""

FIRST_SYLLABLE, LAST_SYLLABLE, FINALS, FINAL_RIEUL = 0xAC00, 0xD7A3, 28, 8
"""Code points of Hangul syllables; each is a multiple of 28 and its final consonant. Source: Unicode 3.12."""

DIGIT_FINALS = {"0": 1, "1": FINAL_RIEUL, "3": 1, "6": 1, "7": FINAL_RIEUL, "8": FINAL_RIEUL}
"""Final consonants of the digits as they are read (영, 일, 삼, 육, 칠, 팔): ㄹ, or 1 for any other."""

LETTER_FINALS = {"l": FINAL_RIEUL, "m": 1, "n": 1, "b": 1, "p": 1, "k": 1, "g": 1, "c": 1, "t": 1}
"""Final consonants of words in Latin letters by their last letter: near to how they are pronounced."""


UNIT_FINALS = {
    "h": 1, "min": 1, "B": 0, "kB": 0, "MB": 0, "GB": 0, "KiB": 0, "MiB": 0, "GiB": 0,
    "ns": 0, "ms": 0, "s": 0, "/s": 0,
}  # fmt: skip
"""Final consonants of units as they are read (시간, 분, 바이트, 초), where one follows a number."""


def with_particle(word: str, particle: str) -> str:
    """Return a word with a particle in the form that fits its end; signs at its end are passed over."""
    after_consonant, after_vowel = FORMS[particle]
    final = _final(word)
    if particle in ("으로", "로") and final == FINAL_RIEUL:
        return word + after_vowel
    return word + (after_consonant if final else after_vowel)


def _final(word: str) -> int:
    """Return which final consonant the last sound of a word has; 0 for none."""
    stripped = word.rstrip(" )]}>'\"`.,;:*")
    if not stripped:
        return 0
    number, blank, unit = stripped.rpartition(" ")
    if blank and number[-1:].isdigit() and unit in UNIT_FINALS:
        return UNIT_FINALS[unit]
    last = stripped[-1]
    if FIRST_SYLLABLE <= ord(last) <= LAST_SYLLABLE:
        return (ord(last) - FIRST_SYLLABLE) % FINALS
    if last == "%":  # 퍼센트
        return 0
    return DIGIT_FINALS.get(last, 0) or LETTER_FINALS.get(last.lower(), 0)
