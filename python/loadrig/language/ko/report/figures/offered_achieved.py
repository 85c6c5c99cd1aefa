from loadrig.language.en.report.figures.offered_achieved import OfferedAchievedTexts


class KoreanOfferedAchievedTexts(OfferedAchievedTexts):
    answered = "응답"
    due = "예정"
    planned = "계획"
    failed = "실패"
    unsent = "미전송"
    title = "요청한 속도와 달성한 속도"
    achieved = "달성한 속도"
    about = "초당 예정된 요청과 초당 응답한 요청입니다. 점선이 실선 위에 있는 곳에서 서버가 뒤처졌습니다."
    about_achieved = "초당 응답한 요청입니다. 얼마나 요청했는지는 알 수 없습니다."
    caption = "측정 구간의 초당 요청"
