class KoreanHealthyTexts:
    title = "이 부하에서는 서버를 제한하는 것이 없습니다"
    no_proof = "바꿔서 확인할 문제가 없으며, 여유가 있는지는 부하를 20 % 늘려 보면 알 수 있습니다"
    mend = "고칠 것이 없으며, 한계 자체를 찾으려면 부하를 높이십시오"
    decides = "부하를 20 % 늘려도 지금처럼 잘 응답해야 합니다"
    room_unseen = "; 여유가 얼마나 있는지는 관찰되지 않았습니다"
    failed = "요청의 {share:이} 실패했고, 처리 중인 요청은 평균 {in_flight}개였습니다"
    answered_well = "보내야 할 요청의 {share}에 제대로 응답했습니다"
    next_limit_used = "다음 한계인 {component}의 {what} 사용률은 {share}였습니다"
    formula_of_limit = "{servers} / 요청당 {demand} = {rate}/s"
    connections_before = "{to}로 가는 커넥션이 {number}개보다 많아질 수 없다면 {rate}/s에서 모두 쓰입니다"
    formula_of_connections = "커넥션 {number}개 중 {in_use}개 사용: {rate}/s에서 꽉 참"
    limits_nothing = "{rate}/s에서는 서버를 제한하는 것이 없습니다"
    room_beside_others = "; 다른 프로그램이 서버의 {cores} 가운데 {others}만큼 사용했으므로, 여유는 그 프로그램 없이 측정해야 알 수 있습니다"
    room_of_cores = (
        "; 이 부하의 약 {times}배에서 {component}의 {what:이} 가득 차겠지만, 요청들은 이미 서로를"
        " 기다리고 있습니다"
    )
    headroom = (
        "; 이 부하의 약 {times}배까지 여유가 있으며, 그때 {component}의 {what:이} 가득 찹니다"
        "({rate}/s, 95 % {low} – {high})"
    )
