class KoreanOverviewTexts:
    opening = "서버를 시험대에 올립니다: 부하를 걸고, 모든 계층을 관찰하고, 무엇이 한계인지 찾습니다."
    attack = "URL에 부하를 걸고 어떻게 동작하는지 봅니다"
    run = "plan의 trial이나 study를 실행합니다"
    explain = "용어나 오류 코드의 뜻을 설명합니다"
    help_option = "명령들을 보여 주고 끝냅니다"
    version_option = "버전을 보여 주고 끝냅니다"
    lang_option = "말하는 언어: en 또는 ko (기본: 로캘의 언어)"
    closing = (
        "모든 명령에 --help가 있습니다. 종료 코드: 0 정상, 99 목표를 놓침, 104 잘못된 plan,\n"
        "105 중단됨, 111 무효, 112 판단할 수 없음, 113 퇴보, 120 대상 서버의 실패, 70 loadrig 자체의 결함.\n"
        "언어: --lang en 또는 ko, 또는 LOADRIG_LANG, 없으면 로캘의 언어."
    )
