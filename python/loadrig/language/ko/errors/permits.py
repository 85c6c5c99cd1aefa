from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


def not_permitted(wanted: str, unseen: str, does: str) -> ErrorWords:
    """Return the words for something that is not observed because an effect is not permitted.

    wanted: name of the permit. unseen: begins the sentence; does: the effect, as it stands before 수.
    """
    return ErrorWords(
        what=f"{with_particle(unseen, '은')} {does} 수 있을 때만 보이는데, 아무도 허용하지 않았습니다",
        mend=f"--permit {with_particle(wanted, '을')} 붙이거나 plan에 `permit: [{wanted}]`를 쓰십시오",
    )
