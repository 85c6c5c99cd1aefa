class KoreanDescriptorLimitTexts:
    title = "프로세스가 파일과 커넥션을 더 열 수 없습니다"
    no_proof = "한계는 프로세스 자신의 것입니다. 올리고 (prlimit --pid PID --nofile=65536) 다시 실행하십시오"
    connections_waited_accepted = "커넥션 {}개가 accept를 기다렸습니다"
    requests_got_no = "요청 {}건이 커넥션을 얻지 못했습니다"
    decides = "한계를 올리고 같은 부하를: 디스크립터가 이전 한계를 넘고 실패가 멈춥니다"
    raise_limit = (
        "한계를 올리십시오: 유닛의 LimitNOFILE={wanted}, docker run --ulimit nofile={wanted}; 지금은"
        " prlimit --pid {pid} --nofile={wanted}"
    )
    process_had_descriptors = (
        "한 프로세스가 디스크립터의 {used:를} 열었고, 전체 시간의 {at} 동안 한계에 있었습니다"
    )
    descriptors_could_not = "디스크립터를 셀 수 없었습니다. 한계 {limit}에 커넥션 {connections}개가 있습니다: loadrig를 root나 해당 사용자로 실행하십시오"
    limit_of = " / {limit}"
    close_them = (
        "요청이 여는 것을 핸들러의 모든 출구에서 닫으십시오. 한계를 올리면 더 늦게 닿을 뿐입니다 (ls -l /proc/PID/fd가"
        " 열려 있는 것을 보여 줍니다)"
    )
    not_closed = "; 요청마다 {each}개가 열린 채 남습니다"
    effect = "한계에 닿았습니다: 디스크립터{word}, 커넥션 {connections}개"
    requests_waited_accepted = "요청 {waiting}건 중 {queued}건이 accept를 기다렸습니다"
