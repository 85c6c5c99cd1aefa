class KoreanCeilingTexts:
    title = "다음 한계, 순서대로"
    about = (
        "점 하나는 1초이며, 그 초당 요청 수에서 얼마나 사용 중이었는지를 나타냅니다. 선은 요청당 비용이고, 100 %와 만나는"
        " 곳에서 그 계층이 가득 찹니다. 막대는 95 % 구간입니다."
    )
    limit = "한계"
    full_at = "포화 지점"
    used_now = "현재 사용률"
    request_takes = "요청당 소요"
    limit_of = "{component}의 {what}"
    full_at_rate = "{rate}/s에서 포화"
