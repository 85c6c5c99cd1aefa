class KoreanWorkloadArtefactTexts:
    title = "서버가 아니라 부하 자체가 원인입니다"
    give_tokens_scenario = "시나리오의 토큰에 실제 사용자처럼 서로 다른 나이를 주고, 서버에서는 토큰 수명에 무작위 값을 더하십시오"
    expiry_staggered_over = "만료를 한 수명 안에 흩뜨리면: 이것이 원인일 때 저하가 평평해집니다"
    regularly_users_who = "같은 시간 생각하는 사용자들처럼 규칙적으로"
    not_regularly = "불규칙하게"
    no_more_requests = "저하 구간에서 실패한 요청이 그 사이보다 많지 않았습니다"
    requests_failed_dips = "저하 구간에서 요청이 실패했습니다: 사용자들이 다시 시도하기 전에 기다렸습니다"
    mend = "사용자들을 따로 시작하게 하고 생각 시간을 다르게 하십시오 (think: {exponential: ...})"
    decides = "서로 다른 생각 시간: 서버는 그대로인데 저하가 사라집니다"
    send_at_random = (
        "초당 같은 수의 요청을 무작위 순간에 보내십시오 (arrivals: poisson). 실제 사용자가 이렇게 온다면"
        " 서버의 크기를 평균이 아니라 몰려서 오는 수에 맞추어야 합니다"
    )
    sent_at_random = "같은 요청을 무작위 순간에: 이것이 원인이라면 줄이 없어집니다"
    queue_by_themselves = (
        "요청이 몰려서 와 서로를 기다립니다: 요청 하나에 걸리는 {total} 가운데 {wait}. 무작위 순간에"
        " 왔다면 {at_random} 기다렸을 것입니다"
    )
    sent_at_once = "보낸 순간 그대로라면 요청은 {wait} 줄을 섭니다: 응답 시간의 {share}"
    has_room = "가장 가까운 한계인 {component}의 {what}에는 여유가 있습니다: 평균 {used} 사용"
    spread_requests_over = "{subject}의 요청을 시간에 걸쳐 흩뜨리거나 나머지와 따로 측정하십시오"
    same_load_without = "{subject} 없이 같은 부하를: 이것이 원인이라면 저하가 없습니다"
    effect = "{text:이} {max_text}/s로 몰려서 들어오고, 그동안 서비스가 {fewer}/s 덜 처리하여 전체 처리량의 {lost_share:를} 잃습니다"
    dips_hold_what = "{text:이} 있는 저하 구간이 잃은 것의 {share:를} 차지합니다"
    dips_many_requests = "저하 구간에서 처리 중인 요청이 그 사이의 {ratio}였습니다"
    less_asked = "{less}: 요청이 덜 들어왔습니다"
    throughput_dipped = "처리량이 {lasted} {regular} 떨어졌습니다"
    users_pause_together = "사용자들이 함께 쉽니다 {lasted}; 그 때문에 {lost_share:를} 잃습니다"
