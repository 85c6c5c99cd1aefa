from loadrig.language.en.causes.worker_class import WorkerClassTexts
from loadrig.language.particles import with_particle


class KoreanWorkerClassTexts(WorkerClassTexts):
    title = "sync worker는 기다리는 동안 다른 요청을 처리하지 못합니다"
    mend = "-k gthread --threads 8: 같은 프로세스가 여덟 건씩 동시에 처리합니다"
    decides = "sync와 번갈아 -k gthread --threads 8로 같은 부하를"

    def effect(self, waiting: str, text: str, cpu_each: str, ok_rps: str) -> str:
        return f"요청 {waiting}건이 {with_particle(text, '을')} 기다렸고, 각각 코어의 {with_particle(cpu_each, '를')} 씁니다; {ok_rps}/s"
