from loadrig.base.error_words import ErrorWords


class KoreanFleetErrors:
    ended_too_early = "준비되기 전에 끝났습니다"
    died_midway = "실행 도중에 죽었습니다"
    not_ready = "준비되는 대신 {answer!r} 하고 답했습니다"
    silent_for = "{seconds}초 동안 아무 말이 없었습니다"
    frame_missing = "프레임 {number}번이 오는 도중에 사라졌습니다"
    elsewhere = "{how}, 호스트 {host}"
    no_way_to_target = ErrorWords(
        what="{hosts}에서 {address}에 있는 서버에 연결할 수 없습니다: {how}",
        why="거기서 만드는 부하의 부분이 빠지게 됩니다",
        mend="그곳에서 가는 길을 여십시오(방화벽, 라우팅, 루프백 밖에서도 듣는 서버). 아니면 그 호스트를 빼십시오",
    )
    no_such_host = ErrorWords(
        what="부하 발생기들에 호스트 {host}가 없습니다. 실행되는 곳은 {hosts}입니다",
        mend="`labels`에 호스트를 여기 나온 이름대로 쓰거나, 그 호스트를 빼십시오",
    )
    generator_failed = ErrorWords(
        what="여러 부하 발생기 가운데 {host}의 {name}번이 실패했습니다: {how}",
        why="그때까지 측정한 것은 남아 있습니다",
        mend="다시 실행하십시오. 두 번 일어나면 그 호스트를 살펴보거나 빼십시오",
    )


class KoreanFleetPlacesErrors:
    no_ray = ErrorWords(
        what="이 loadrig에는 {address}에 있는 Ray의 호스트로 가는 길이 없습니다",
        why="다른 호스트의 부하 발생기에는 Ray를 들여오는 추가 패키지가 필요합니다",
        mend="pip install 'loadrig[fleet]'를 하거나 `ray`를 빼십시오. 그러면 발생기는 이 기계의 프로세스입니다",
    )


class KoreanFleetGroupErrors:
    group_gone = "부하 발생기 {first}번부터 {last}번까지를 데리고 있던 {number}번 병합기가 죽었습니다"
    group_failed = ErrorWords(
        what="부하 발생기들을 시작하는 프로세스가 그것들이 준비되기 전에 끝났습니다",
        why="그 프로세스의 말이 위에 있습니다",
        mend="거기에 적힌 것을 고치십시오. 부하 발생기나 `fleet.mergers`가 적으면 이 기계를 덜 씁니다",
    )


class KoreanFleetRayErrors:
    carrier_gone = "Ray와 이야기하던 프로세스가 죽었습니다"
    host_lost = "Ray가 호스트나 액터를 잃었습니다({how})"
    silent = "호스트에서 {seconds}초 동안 아무 응답도 없었습니다"
    head_silent = "{address}의 Ray 헤드가 {seconds}초 동안 대답하지 않았습니다"
    head_gone = "{address}의 Ray 헤드가 없어졌고, Ray와 이야기하던 프로세스도 함께 끝났습니다"
    head_lost = ErrorWords(
        what="{address}의 Ray 헤드가 더는 대답하지 않아, 부하 발생기를 모두 잃었습니다",
        why="Ray는 헤드가 끝나고 1분이 지나면 호스트에서 실행되는 것을 끝냅니다. 그때까지 측정한 것은 남아 있습니다",
        mend="그 기계에서 `gcs_server`가 왜 끝났는지 살펴보고(/tmp/ray/session_latest/logs, 커널 로그), "
        "헤드와 호스트를 다시 시작한 다음 다시 실행하십시오",
    )
    merger_lost = "부하 발생기 {first}번부터 {last}번까지를 듣던 {number}번 병합기를 잃었습니다({how})"
    carrier_failed = ErrorWords(
        what="Ray와 이야기하는 프로세스가 부하 발생기들이 준비되기 전에 끝났습니다",
        why="그 프로세스의 말이 위에 있습니다",
        mend="거기에 적힌 것을 고치십시오. 클러스터가 동작하는지는 `ray status`가 말합니다. 헤드를 다시 시작했다면 "
        "이 기계를 포함한 모든 호스트도 다시 시작하십시오: `ray stop`, `ray start --address …`",
    )
    not_an_address = "HOST:PORT가 아닙니다"

    def no_head(self, key: str, address: str, how: str) -> ErrorWords:
        return ErrorWords(
            what=f"{address}의 Ray에 들어갈 수 없습니다: {how or self.not_an_address}",
            mend=f"클러스터에 속한 기계에서, `ray start --head`가 출력한 HOST:PORT를 `{key}.ray`에 쓰십시오",
        )

    def no_head_of_variable(self, key: str, address: str, how: str) -> ErrorWords:
        return ErrorWords(
            what=f"{address}의 Ray에 들어갈 수 없습니다: {how or self.not_an_address}",
            why=f"`{key}: {{ray: auto}}`는 RAY_ADDRESS에 있는 주소를 씁니다",
            mend="RAY_ADDRESS에 `ray start --head`가 출력한 HOST:PORT를 쓰거나, 그 변수를 지우십시오",
        )

    def no_head_of_file(self, key: str, address: str, how: str) -> ErrorWords:
        return ErrorWords(
            what=f"{address}의 Ray에 들어갈 수 없습니다: {how or self.not_an_address}",
            why=f"`{key}: {{ray: auto}}`는 마지막 `ray start`가 /tmp/ray/ray_current_cluster에 남긴 주소를 씁니다. 그 "
            "Ray가 끝났어도 그렇습니다",
            mend="`ray stop`이 그 파일을 지웁니다. 그러면 `auto`가 loadrig만의 Ray를 시작합니다. 이 기계를 다시 클러스터에 "
            "넣으려면 `ray start`를 하십시오",
        )

    no_token = ErrorWords(
        what="{address}의 Ray 헤드는 토큰을 요구하는데, 여기에는 설정된 토큰이 없습니다",
        mend="여기에서 RAY_AUTH_MODE=token을 설정하고, RAY_AUTH_TOKEN이나 RAY_AUTH_TOKEN_PATH에 클러스터의 토큰을 주십시오",
    )
    other_token = ErrorWords(
        what="{address}의 Ray 헤드는 여기에 설정된 토큰을 받지 않습니다",
        mend="RAY_AUTH_TOKEN이나 RAY_AUTH_TOKEN_PATH에 클러스터를 시작할 때 쓴 토큰을 주십시오",
    )
    silent_head = ErrorWords(
        what="{address}는 연결을 받지만, TLS 없는 Ray 헤드처럼 대답하지 않습니다",
        mend="클러스터가 TLS를 쓴다면 여기에서 RAY_USE_TLS=1과 인증서를 설정하고, 아니면 같은 버전의 Ray 헤드가 거기 있는지 "
        "살펴보십시오",
    )
    open_head = ErrorWords(
        what="{address}의 Ray 헤드는 누가 쓰는지 묻지 않습니다",
        why="그 기계 밖에서도 듣고 있어, 닿을 수 있는 누구나 모든 호스트에서 프로그램을 실행합니다",
        mend="헤드와 loadrig를 RAY_AUTH_MODE=token이나 RAY_USE_TLS=1로 시작하십시오. 따로 떨어진 네트워크라면 "
        "`{key}: {{unguarded: true}}`로 그래도 들어갈 수 있습니다",
    )
    open_hosts = ErrorWords(
        what="{address}에 있는 Ray의 호스트가 누가 쓰는지 묻지 않습니다: {hosts}",
        why="헤드는 이 기계 안에서만 듣지만 이 호스트들은 밖에서도 듣고 있어, 닿을 수 있는 누구나 거기에서 프로그램을 "
        "실행합니다",
        mend="클러스터 전체와 loadrig를 RAY_AUTH_MODE=token이나 RAY_USE_TLS=1로 시작하십시오. 따로 떨어진 네트워크라면 "
        "`{key}: {{unguarded: true}}`로 그래도 들어갈 수 있습니다",
    )
    other_version = ErrorWords(
        what="{host}의 {name}은 {theirs}인데, 여기는 {ours}입니다",
        why="여러 호스트가 함께 하는 일은 같은 프로그램이 합니다",
        mend="그 호스트에 {name} {ours}을 설치하십시오",
    )

    def other_machine(self, host: str, name: str, theirs: str, ours: str) -> ErrorWords:
        del name
        return ErrorWords(
            what=f"{host}는 다른 종류의 기계입니다. 그곳은 {theirs}, 여기는 {ours}입니다",
            why="그곳에는 loadrig가 없고, 여기서 가져갈 loadrig는 거기서 실행되지 않습니다",
            mend=f"{host}에 pip install 'loadrig[fleet]'로 loadrig를 설치하거나, 그 호스트를 클러스터에서 빼십시오",
        )

    too_few_hosts = ErrorWords(
        what="부하 발생기 {wanted}개는 빈 코어 {cpus}개가 있는 호스트를 하나씩 원하는데, Ray에는 {room}개 있습니다",
        mend="클러스터에 호스트를 더하거나, 부하 발생기를 줄이거나, `spread: pack`을 쓰십시오",
    )
    too_few_nodes = ErrorWords(
        what="노드 {wanted}개는 빈 코어 {cpus}개가 있는 호스트를 하나씩 원하는데, Ray에는 {room}개 있습니다",
        why="trial의 부하 발생기와 서버는 호스트를 다른 trial과 나누어 쓰지 않습니다",
        mend="클러스터에 호스트를 더하거나 노드를 줄이십시오: `nodes: {{count: N}}`",
    )
    too_few_cores = ErrorWords(
        what="부하 발생기 {wanted}개는 빈 코어를 {cpus}개씩 원하는데, Ray에는 {room}개의 자리가 있습니다",
        mend="클러스터에 호스트를 더하거나 부하 발생기를 줄이십시오",
    )
    too_few_for_mergers = ErrorWords(
        what="병합기 {mergers}개는 빈 코어를 하나씩 원하는데, 코어를 {cpus}개씩 쓰는 부하 발생기 {wanted}개를 빼면 Ray에 "
        "{left}개가 남습니다",
        why="병합기는 전용 코어가 있어야 합니다. 없으면 맡은 부하 발생기의 프레임이 늦게 옵니다",
        mend="클러스터에 호스트를 더하거나, 부하 발생기나 `fleet.mergers`를 줄이거나, `fleet.cpus`를 낮추십시오",
    )
    busy_why = "호스트를 모두 합치면 코어는 충분하지만, 지금은 클러스터에서 실행 중인 다른 것이 쓰고 있습니다"
    busy_mend = (
        "그것이 끝나게 하거나(`ray status`가 사용 중인 것을 보여 줍니다) 클러스터에 호스트를 더하십시오"
    )
    busy_cores = ErrorWords(
        what="부하 발생기 {wanted}개는 빈 코어를 {cpus}개씩 원하는데, {seconds}초 동안 Ray에 모두의 자리가 없었습니다"
        "(마지막에 {room}개)",
        why=busy_why,
        mend=busy_mend,
    )
    busy_hosts = ErrorWords(
        what="부하 발생기 {wanted}개는 빈 코어 {cpus}개가 있는 호스트를 하나씩 원하는데, {seconds}초 동안 Ray에 그런 "
        "호스트가 모자랐습니다(마지막에 {room}개)",
        why=busy_why,
        mend=busy_mend,
    )
    busy_nodes = ErrorWords(
        what="노드 {wanted}개는 빈 코어 {cpus}개가 있는 호스트를 하나씩 원하는데, {seconds}초 동안 Ray에 그런 호스트가 "
        "모자랐습니다(마지막에 {room}개)",
        why=busy_why,
        mend=busy_mend,
    )
