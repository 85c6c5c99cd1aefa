from loadrig.language.en.target import TargetKnobsTexts
from loadrig.language.particles import with_particle


class KoreanTargetKnobsTexts(TargetKnobsTexts):
    application = "애플리케이션"
    command = "명령"

    def cores_held_on(self, owner: str) -> str:
        return f"{with_particle(owner, '을')} 고정하는 코어의 수."

    def quota_in_cores(self, owner: str) -> str:
        return f"{owner}의 CPU 쿼터, 코어의 수로."

    def passed_by(self, way: str, owner: str) -> str:
        return f"{owner}의 {way}"

    def in_the_files(self, hole: str, owner: str) -> str:
        return f"{owner}의 파일에 있는 {hole}"
