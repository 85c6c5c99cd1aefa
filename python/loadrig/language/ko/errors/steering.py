class KoreanTrialSteeringErrors:
    over = "부하가 이미 끝났습니다"
    paused = "부하가 이미 일시 정지되어 있습니다"
    not_paused = "부하가 일시 정지되어 있지 않습니다"
    steered = "이 trial의 부하는 탐색이나 실험이 조절합니다"
    of_a_study = "한 study의 trial은 비교할 수 있도록 부하가 같아야 합니다"
    no_one_level = "plan의 부하에 하나의 수준이 없습니다: 단계나 시각 목록을 따르거나, 서버가 응답하는 만큼 빠르게 보냅니다"
    too_much = "{wanted:은} 이 실행에 줄 수 있는 것({most})보다 많습니다: 더 큰 부하로 실행을 시작하십시오"
    no_whole_number = "{shown:은} 사용자 수로 쓸 수 있는 정수가 아닙니다"
