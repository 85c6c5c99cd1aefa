"""Labels in Korean, by the English word."""

LABELS: dict[str, str] = {
    # Sections.
    "Capacity": "용량", "Comparisons": "비교", "Generator": "부하 발생기", "Latency": "지연 시간", "Load": "부하",
    "Machine": "머신", "Method": "방법", "Outcomes": "결과", "Profiles": "프로파일", "Proof": "증명",
    "Settings": "설정", "Soak": "소크", "Spike": "급증", "Tiers": "계층", "Tuning": "튜닝", "Verdict": "판정",
    "Commands": "명령", "Facts": "사실", "Stages": "단계", "Goals": "목표", "A trial": "trial 하나",
    # Heads of columns and names of facts.
    "component": "구성 요소", "slots": "슬롯", "number": "수", "what": "무엇", "why": "이유", "knee": "무릎점",
    "so": "결론", "cause": "원인", "tier": "계층", "cores": "코어", "max": "최대", "mean": "평균",
    "response": "응답 시간", "service": "서비스 시간", "route": "경로", "requests": "요청", "rate": "요청률",
    "errors": "오류", "failed": "실패", "asked": "요청한 부하", "offered": "보낸 부하", "achieved": "달성",
    "made by": "만든 도구", "files": "파일", "its times count": "시간의 기준", "connections": "커넥션",
    "logins": "로그인", "users": "사용자", "at": "시각", "times": "횟수", "address": "주소", "load": "부하",
    "measured": "측정", "kind": "종류", "decides": "판정 기준", "design": "설계", "trials": "trial", "took": "걸린 시간",
    "warm-up": "워밍업", "server": "서버", "outcome": "결과", "share": "비율", "meaning": "뜻",
    "experiment": "실험", "figure": "수치", "resource": "자원", "lines": "줄", "from": "시작", "to": "끝",
    "level": "수준", "log": "로그", "interval": "구간", "v base": "base 대비", "standing": "상태", "setting": "설정",
    "limit": "한계", "verdict": "판정", "goal": "목표", "stretches": "구간 수", "kept": "지킴", "course": "지표",
    "before": "전", "after": "후", "change": "변화", "measure": "지표", "usual": "평소", "worst": "최악",
    "stage": "단계", "reached": "달성", "since": "부터", "newest": "최근", "first": "처음", "now": "지금",
    "changes": "변화", "function": "함수", "self": "자체", "total": "전체", "whose": "소유", "confirmed": "확인",
    "runner-up": "2위", "95 % interval": "95 % 구간", "95 %": "95 %", "overload": "과부하", "search": "탐색",
    "screening": "선별", "confirmation": "확인", "Why": "근거", "table": "표", "plan": "plan", "machine": "머신",
    "rig": "측정 장치", "memory": "메모리", "throughput": "처리량", "capacity": "용량", "server CPU": "서버 CPU",
    "CPU": "CPU", "good answers": "성공한 응답", "throughout": "내내", "a step": "계단", "a slope": "기울기",
    "facts": "사실", "none": "없음", "unknown": "알 수 없음", "a request": "요청당", "against": "대", "talks to": "통신 상대",
    "used now": "현재 사용률", "full at": "포화 지점",
    # Verdicts and states.
    "running": "실행 중", "killed": "강제 종료됨",
    "best": "최선", "worse": "더 나쁨", "better": "더 나음", "undecided": "판단할 수 없음", "void": "무효",
    "valid": "유효", "disturbed": "교란됨", "equal": "같음", "named": "증명됨", "likely": "유력", "possible": "가능",
    "limits": "한계", "shares": "일부", "cleared": "배제됨", "unsure": "불확실", "leaks": "누수", "met": "만족",
    "missed": "놓침", "closed": "closed", "open": "open", "more": "큰 쪽", "less": "작은 쪽", "base": "base",
    # Parts of sentences.
    "writes the page with all charts": "모든 차트가 있는 페이지를 씁니다", "once more, in a new folder": "새 폴더에서 다시 한번",
    "requests at a time": "동시에 처리하는 요청", "CPU quota": "CPU 쿼터", "Proved": "증명됨",
    " times": "배", "Note": "참고", "disturbs": "교란", "about ": "약 ", "it": "자신", "mend": "고치기", "not": "아님", "B equals A": "B는 A와 같습니다",
    "more ": "추가 ", "loadrig was not there.": "loadrig가 그 자리에 없었습니다.", "a while": "잠시",
    "a process": "프로세스 하나", "a spike": "급증", ", then ": ", 다음 ", " to ": " ~ ",
    # Nouns that are counted.
    "trial": "trial", "block": "블록", "run": "실행", "event": "이벤트", "pair": "쌍", "time": "시간", "thing": "것",
    "answers": "응답", "answer": "응답", "frames": "프레임", "readings": "관찰", "warning": "경고", "note": "참고",
    "process": "프로세스", "sample": "샘플", "connection": "커넥션", "reading": "관찰", "deploy": "배포", "day": "일",
    "blocks": "블록", "frame": "프레임", "core": "코어", "more block": "추가 블록", "file": "파일", "burst": "버스트",
    "more experiment": "추가 실험", "experiments": "실험", "stretch": "구간", "minute": "분", "mark": "표시",
    "low": "낮음", "high": "높음", "saturation": "포화", "own": "자체", "library": "라이브러리", "language": "언어",
    "kernel": "커널", "next": "다음",
}  # fmt: skip

COUNTED: dict[str, str] = {
    "time": "{}회",
    "user": "사용자 {}명",
    "day": "{}일",
    "minute": "{}분",
    "line": "{}줄",
}
"""Counts whose noun has a counter of its own, by the English noun; all others are counted in 개."""
