from loadrig.base.error_words import ErrorWords


class KoreanStudyCarryOutErrors:
    run_unfinished = ErrorWords(
        what="{run}의 실행이 끝나기 전에 멈췄습니다",
        why="그때까지 측정한 것은 남아 있습니다",
        mend="멈춘 곳에서 이어 가십시오: loadrig run {quoted_run} --resume",
    )


class KoreanStudyLedgerErrors:
    is_link = "링크이며, 링크는 따라가지 않습니다"
    end_of_no_ledger = "파일의 끝이 원장의 줄이 아닙니다"
    no_study_named = "첫 줄에 어느 study의 것인지 나와 있지 않습니다"
    too_many_bytes = "{size:,}바이트인데, 최대 {most:,}바이트까지 읽습니다"
    line_not_json = "{number}번째 줄이 JSON이 아닙니다"
    line_of_no_ledger = "{number}번째 줄이 원장의 줄이 아닙니다"
    other_version = "버전 {version}인데, 이 loadrig는 버전 {own:을} 읽습니다"
    line_no_trial = "{number}번째 줄이 trial이 아닙니다: {reason}"
    another_plan = ErrorWords(
        what="{path:은} 다른 plan의 원장입니다: {parts:이} 다릅니다",
        why="거기 있는 trial은 이 plan이 실행할 trial과 비교할 수 없습니다",
        mend="옆에 보관된 plan인 {own_plan:으로} 이어 가거나, --resume 없이 새로 실행하십시오",
    )
    in_use = ErrorWords(
        what="다른 loadrig가 {folder}의 study를 실행하고 있습니다",
        why="둘이 동시에 돌면 같은 서버에 부하를 걸고 trial이 섞입니다",
        mend="끝나기를 기다리거나 멈춘 다음 --resume을 쓰십시오",
    )
    unreadable = ErrorWords(
        what="{path:을} 원장으로 읽을 수 없습니다",
        why="{reason}",
        mend="--resume 없이 새로 실행하십시오. 각 trial의 폴더는 그대로 남아 있습니다",
    )


class KoreanStudyRunnerErrors:
    stopped_by_hand = ErrorWords(
        what="study를 손으로 멈췄습니다",
        why="그때까지 측정한 것은 남아 있습니다",
        mend="멈춘 곳에서 이어 가십시오: 같은 명령에 --resume",
    )


class KoreanStudyDealingErrors:
    all_lost = ErrorWords(
        what="남은 노드가 없습니다: 마지막 노드 {name}까지 잃었습니다 ({why})",
        why="끝난 trial은 남아 있고, 잃은 노드에서 돌던 trial은 다시 실행됩니다",
        mend="멈춘 곳에서 이어 가십시오: 같은 명령에 --resume을 붙입니다",
    )


class KoreanStudyLocalNodeErrors:
    not_started = ErrorWords(
        what="{name}의 프로세스가 시작되지 않았습니다: {why}",
        mend="위에 있는 마지막 줄들과 `loadrig doctor`를 보십시오",
    )


class KoreanStudyRayNodesErrors:
    no_folder = ErrorWords(
        what="{host}에 폴더 {folder}가 없습니다",
        why="노드마다 여기와 같은 경로에 있는 plan의 폴더에서 서버를 시작합니다",
        mend="필요한 것을 적으면 호스트마다 보냅니다: nodes: {{files: [server.py, app]}}. 아니면 그 폴더를 거기에 두십시오",
    )
    on_host = "{host}에서: {what}"
    no_program = ErrorWords(
        what="{host}에 서버를 시작할 프로그램 {program}이 없습니다",
        why="`nodes.files`는 plan 폴더의 파일을 보내며, 프로그램은 보내지 않습니다",
        mend="거기에 설치하십시오. Ray의 프로세스는 `ray start`의 PATH에서 찾습니다",
    )

    def no_image(self, host: str, image: str, how: str) -> ErrorWords:
        return ErrorWords(
            what=f"{host}에 이미지 {image}가 없습니다" + (f": {how}" if how else ""),
            why="이미지를 가져올 때까지 기다리는 trial은 서버를 시험하는 trial이 아닙니다",
            mend="미리 거기에서 가져오거나 불러오십시오. 그래도 가져오게 하려면 --pull=always를 쓰십시오",
        )

    no_file = ErrorWords(
        what="{folder}에서 읽을 수 있는 파일이나 폴더가 아닙니다: {name}",
        why="`nodes.files`가 적은 것은 plan의 폴더에 있고, 호스트마다 보냅니다",
        mend="plan의 폴더에서 세는 경로를 적으십시오",
    )
    too_large = ErrorWords(
        what="nodes.files는 묶어서 {megabytes} MB인데, 많아야 {most} MB까지 보냅니다",
        mend="파일을 덜 적거나, plan의 폴더를 호스트마다 같은 경로에 두고 `files`를 빼십시오",
    )
    not_kept = ErrorWords(
        what="{name}에서 온 trial {index}번을 보관하지 못했습니다: {why}",
        mend="실행 폴더에 자리가 얼마나 있는지 보고 --resume으로 이어 가십시오",
    )


class KoreanStudyNodePlacesErrors:
    cores_elsewhere = ErrorWords(
        what="nodes.cpus는 이 기계의 코어를 적었는데, 노드는 Ray의 호스트입니다",
        why="노드마다 자기 호스트의 모든 코어를 씁니다",
        mend="`cpus`나 `ray`를 빼십시오",
    )
    files_here = ErrorWords(
        what="nodes.files는 Ray의 호스트가 받을 것을 적었는데, 노드는 이 기계의 프로세스입니다",
        why="plan의 파일은 있는 그 자리에 있습니다",
        mend="`files`를 빼거나 클러스터를 적으십시오: nodes: {ray: auto}",
    )
    server_elsewhere = "이미 돌고 있고 trial 하나만 부하를 걸 수 있는 서버"
    same_cores = "plan이 정한 코어(trial.cpus 또는 target의 cpus)"
    same_hosts = "fleet의 호스트(fleet.ray)"
    begun_without = ErrorWords(
        what="이 study는 노드 없이 시작되었습니다",
        why="어느 노드가 그 trial을 실행했는지 알 수 없고, 각 설정은 같은 노드의 기준과 비교됩니다",
        mend="노드 없이 이어 가거나 --resume 없이 새로 시작하십시오",
    )
    begun_with = ErrorWords(
        what="이 study는 노드에서 시작되었습니다 ({name})",
        why="이 머신이 어느 노드인지 알 수 없고, 각 설정은 같은 노드의 기준과 비교됩니다",
        mend="--nodes N으로 이어 가거나(하나면 됩니다) --resume 없이 새로 시작하십시오",
    )
    no_ray = ErrorWords(
        what="이 loadrig에는 {address}에 있는 Ray의 호스트로 가는 길이 없습니다",
        why="다른 호스트의 노드에는 Ray를 들여오는 추가 패키지가 필요합니다",
        mend="pip install 'loadrig[fleet]'를 하거나 `ray`를 빼십시오. 그러면 노드는 이 기계의 프로세스입니다",
    )
    same_socket = "소켓 {path}"
    same_port = "포트 {port}"
    no_blocks = ErrorWords(
        what="{strategy}에는 나란히 실행할 trial이 없어서 여러 노드를 쓸 수 없습니다",
        why="노드에는 trial의 블록을 나누어 주는데, 서로를 기다리지 않는 블록이 없습니다",
        mend="nodes를 빼거나 knob을 주십시오. grid, one_at_a_time, tune, capacity, soak(`matrix: true`)는 그 값들을 "
        "나란히 시험합니다. "
        "`nodes: {{count: 1}}`은 trial 하나를 노드 하나에서 실행합니다",
    )
    shared = ErrorWords(
        what="노드들이 함께 쓰게 되는 것이 있습니다: {what}",
        why="노드마다 동시에 trial을 실행하므로 저마다 자기 서버와 코어가 필요합니다",
        mend="loadrig가 고른 포트와 코어에서 서버를 시작하게 하거나 nodes를 빼십시오",
    )
    too_few_cores = ErrorWords(
        what="노드 {nodes}개에는 코어가 {each}개씩 필요한데 여기서 쓸 수 있는 코어는 {cores}개입니다",
        why="한 코어에 있는 부하 발생기와 서버는 서로를 방해합니다",
        mend='노드를 줄이거나, 그래도 노드마다 코어를 정하십시오: nodes: {{cpus: ["0", "1"]}}',
    )
    other_count = ErrorWords(
        what="노드는 {nodes}개인데 nodes.cpus에는 코어 목록이 {lists}개 있습니다",
        mend="노드마다 목록을 하나씩 적거나 count를 빼십시오",
    )
    no_list = ErrorWords(what="코어 목록이 아닙니다: {text}", mend='이렇게 적으십시오: "0-3" 또는 "0,2"')
    no_core = ErrorWords(
        what="코어 {core}번은 여기서 쓸 수 없습니다", mend="다음 가운데서 고르십시오: {allowed}"
    )
    twice = ErrorWords(
        what="코어 {core}번이 nodes.cpus의 두 목록 {first}, {second}에 모두 있습니다",
        why="한 코어에 있는 두 노드의 trial은 서로를 방해합니다",
        mend="코어마다 노드 하나에만 주십시오",
    )


class KoreanStudyYardstickErrors:
    def unknown_measure(self, name: str, nearest: str, measures: str) -> ErrorWords:
        return ErrorWords(
            what=f"study.by가 없는 지표를 가리킵니다: {name}",
            mend=f"혹시 {nearest}입니까?" if nearest else f"이 중 하나를 쓰십시오: {measures}",
        )


class KoreanStudyStrategiesCapacityErrors:
    no_constant_load = ErrorWords(
        what="용량은 일정한 부하에서 시작해 찾는데, plan의 부하는 일정하지 않습니다",
        why="언제 얼마나 요청할지는 탐색이 스스로 정합니다",
        mend="`rate: 20/1s`나 `users: 5`처럼 시작할 부하를 쓰십시오",
    )
    no_goal_to_miss = ErrorWords(
        what="부하가 높아지면 놓칠 수 있는 목표가 plan에 없습니다",
        why="용량은 목표를 만족하는 가장 높은 부하입니다",
        mend="`goals: [p99 < 200ms, errors < 0.1%]`처럼 목표를 쓰십시오",
    )


class KoreanStudyStrategiesGridErrors:
    def too_many_settings(self, settings: int, blocks: int, most: int) -> ErrorWords:
        return ErrorWords(
            what=f"격자에 설정이 {settings:,}개 있습니다",
            why=f"블록 {blocks}개마다 trial이 {settings + 1:,}개입니다. 설정은 최대 {most:,}개까지 시험합니다",
            mend="설정 항목의 값을 줄이거나, 한 번에 하나씩 시험하십시오: `study: {find: one_at_a_time}`",
        )


class KoreanStudyStrategiesSoakErrors:
    load_ends_itself = ErrorWords(
        what="소크는 정한 시간만큼 계속되는데, plan의 부하는 스스로 끝납니다",
        why="단계, 시각 목록, 요청 수로 정한 부하는 길이가 정해져 있습니다",
        mend="`rate: 100/1s`나 `users: 20`처럼 끝이 없는 부하를 쓰십시오",
    )


class KoreanStudyStrategiesSpikeErrors:
    load_ends_itself = ErrorWords(
        what="급증은 계속되는 부하 위에 얹히는데, plan의 부하는 스스로 끝납니다",
        why="급증은 그 전후의 평소 부하와 비교합니다",
        mend="`rate: 50/1s`나 `users: 20`처럼 끝이 없는 부하를 쓰십시오",
    )


class KoreanStudyStrategiesTuneErrors:
    optuna_not_installed = ErrorWords(
        what="study.model이 tpe인데 Optuna가 설치되어 있지 않습니다",
        why="loadrig 자체의 모델에는 더 필요한 것이 없습니다. Optuna의 모델은 비교를 위한 것입니다",
        mend="pip install 'loadrig[optuna]', 또는 `model:`을 빼십시오",
    )
    unknown_objective = ErrorWords(
        what="study.objective에 없는 값입니다: {name}",
        mend="혹시 {nearest}입니까?",
    )
