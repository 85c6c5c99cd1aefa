"""Sentences of `noisy_neighbour` in Korean."""

from loadrig.language.en.causes.noisy_neighbour import NoisyNeighbourTexts
from loadrig.language.particles import with_particle


class KoreanNoisyNeighbourTexts(NoisyNeighbourTexts):
    """Sentences of `causes.noisy_neighbour`, in Korean."""

    title = "다른 누군가가 서버의 코어를 빼앗습니다"
    no_proof = "누가 코어를 빼앗는지는 우리가 바꿀 수 없습니다. 머신이 조용할 때, 또는 전용 코어에서 다시 실행하십시오"
    find_top_pidstat = (
        "찾아서 (top, pidstat) 옮기거나, 다른 코어에 묶거나 (taskset), 뒤로 미루십시오 (nice, cpu.weight)"
    )
    decides = "상대를 멈춰 두고, 또는 전용 코어에서 같은 부하를"

    def effect(self, what: str, used: str, cores: str, name: str, mean: str) -> str:
        return f"{name}의 {cores} 중 {with_particle(used, '를')} {with_particle(what, '이')} 차지했고, 서버는 {with_particle(mean, '를')} 얻었습니다"

    def what_due_needs(self, need: str, cores: str, name: str) -> str:
        return f"예정된 부하에는 {cores} 중 {with_particle(need, '이')} 필요합니다: {with_particle(name, '은')} 혼자였다면 감당했을 것입니다"

    def cores_s_s(self, ours: str, ended_rps: str, offered_rps: str, need: str) -> str:
        return f"{ours}코어 / {ended_rps}/s * {offered_rps}/s = {need}"
