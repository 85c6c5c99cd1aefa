from collections.abc import Mapping
from typing import ClassVar


class KoreanDiscoveryTexts:
    rows: ClassVar[Mapping[str, str]] = {
        "at": "주소",
        "listens": "열린 포트",
        "container": "컨테이너",
        "limits": "한도",
        "settings": "설정",
        "note": "참고",
    }
    to_be_started = "서버를 직접 시작하게 하려면:"
    to_be_tuned = "서버를 직접 시작하고 설정을 시도하게 하려면:"
    password = "데이터베이스가 비밀번호를 요구하면 그것을 담은 변수의 이름을 쓰십시오:"
    by_settings = "설정에 쓰여 있음"
    short_connections = "짧은 커넥션"
    and_more_settings = "그 밖에 {count}개: --json이 모두 보여 줍니다"
    up_to = "동시에 최대 {connections}개, 서로 다른 커넥션 {different}개"
    connections = "커넥션 {count}개"
    note = "참고: {text}"
    also_on = "{addresses}에서도"
    workers_below = ", 아래에 {count}개"
    cores = "CPU 시간 코어 {cores}개분"
    memory = "메모리 {size}"
    tasks = "태스크 {count}개"
    descriptors = "파일 디스크립터 {count}개"
    of_another_user = (
        "프로세스 {pid:은} 다른 사용자의 것이어서 프로그램, 환경, 커넥션을 볼 수 없습니다. "
        "sudo loadrig discover --pid {pid:으로} 볼 수 있습니다"
    )
    listener_unseen = "이 사용자는 누가 {address:을} 열었는지 볼 수 없습니다"
    elsewhere = "{address:은} 이 머신에 없어 포트로만 짐작했습니다"
