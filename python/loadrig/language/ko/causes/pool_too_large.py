class KoreanPoolTooLargeTexts:
    title = "데이터베이스가 쓸 수 있는 것보다 많은 커넥션을 엽니다"
    most_them_waited = "대부분 락을 기다렸습니다"
    few_them_waited = "락을 기다린 것은 적었습니다"
    whether_fewer_connections = (
        "커넥션을 줄여도 되는지 시험하지 않았습니다: 풀 크기에 대한 study가 보여 줍니다"
    )
    statements_work_once = "{cores}에 {name}의 쿼리 {statements}개가 동시에 실행 중이었습니다"
    used = "{name:은} {cores} 중 {mean:를} 썼습니다"
    connections = "커넥션 {connections}개, {cores}"
    threads_waited_core = "{name}의 스레드가 매초 {{}} s 동안 코어를 기다렸습니다"
    effect = "커넥션 {connections}개 때문에 쿼리 {statements}개가 {name}의 {cores:를} 기다렸습니다"
    rolled_back = "커밋된 트랜잭션 하나마다 {number}개가 롤백되어 다시 시작됩니다"
    thrown_away = "트랜잭션의 {share:가} 응답을 가져오지 않습니다"
    effect_of_conflicts = (
        "커넥션 {connections}개가 {name}에 트랜잭션을 한꺼번에 너무 많이 들여보내 서로 충돌합니다:"
        " 커밋된 하나마다 {number}개가 롤백됩니다"
    )
    mend = "풀을 {wanted}개로 해 보십시오. {name}의 코어당 커넥션 약 두 개입니다"
    decides = "풀을 {wanted}개로 같은 부하를: 처리량은 그대로이거나 오르고 쿼리는 빨라집니다"
