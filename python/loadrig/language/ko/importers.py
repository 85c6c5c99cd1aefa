"""Sentences of `importers` in Korean: what is noted of files that were read."""

from loadrig.language.en.importers import ImportersTexts
from loadrig.language.particles import with_particle


class KoreanImportersTexts(ImportersTexts):
    """Sentences of `importers`, in Korean."""

    all_of_files = "파일에 있는 전부"
    parts_of_samples = "sample의 일부(리다이렉트, 포함된 자원)"
    transactions = "요청이 각자 행을 가진 트랜잭션"

    groups_of_requests = "요청이 각자 기록을 가진 그룹"
    errors_of_scripts = "요청이 아닌 스크립트의 오류"
    unasked_messages = "요청 없이 온 메시지"

    def torn(self, file: str) -> str:
        return f"{file}의 마지막 줄은 끝까지 쓰이지 않아 뺐습니다"

    def routes_folded(self, most: str, requests: str, others: str) -> str:
        return (
            f"경로가 {most}개보다 많습니다: 나머지의 요청 {requests}건을 {with_particle(others, '으로')} 묶었습니다. "
            "이름을 줄이거나 --route로 합치십시오"
        )
