from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanLabsBundledErrors:
    def unknown_lab(self, shown: str, close: str, is_path: bool) -> ErrorWords:
        mend = f"혹시 {close}입니까?" if close else "loadrig lab list를 보십시오"
        if is_path:
            mend = "lab.yaml이 있는 폴더의 경로를 쓰십시오. 이 파일의 폴더에서부터 셉니다"
        return ErrorWords(what=f"{with_particle(shown, '이라')}는 lab은 없습니다", mend=mend)


class KoreanLabsFindErrors:
    def unknown_plan(self, lab: str, shown: str, close: str, plans: str, ending: str) -> ErrorWords:
        return ErrorWords(
            what=f"lab {lab}에 plan {with_particle(shown, '이')} 없습니다",
            mend=f"혹시 {close}입니까?"
            if close
            else f"있는 plan: {plans}. 직접 쓴 plan은 이름이 {with_particle(ending, '으로')} 끝나는 파일입니다",
        )


class KoreanLabsFillErrors:
    meaningless_place = ErrorWords(
        what="{place:은} 여기서 아무 뜻이 없습니다",
        mend="lab에 있는 것이나 숫자를 쓰십시오",
        why="{reason}",
    )

    def unknown_placeholder(self, place: str, close: str, placeholders: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(place, '이라')}는 자리 표시자는 없습니다",
            mend=f"혹시 {close}입니까?" if close else f"있는 것: {placeholders}",
        )


class KoreanLabsFormatErrors:
    the_lab = "lab"
    the_truth = "정답"
    not_utf8 = "UTF-8 텍스트가 아닙니다"
    unreadable_lab = ErrorWords(
        what="lab이 아닙니다: {file:을} 읽을 수 없습니다: {reason}",
        mend="lab은 lab.yaml, truth.yaml, plan.yaml이 있는 폴더입니다. loadrig lab list를 보십시오",
    )
    files_of_itself = ErrorWords(
        what="lab이 자기 자신의 파일을 가져다 쓸 수는 없습니다",
        mend="다른 lab을 쓰거나 files_of를 빼십시오. 자기 파일은 원래 쓸 수 있습니다",
    )
    files_of_a_third = ErrorWords(
        what="lab {shown} 자체가 다른 lab의 파일을 가져다 씁니다: {third}",
        mend="파일이 있는 폴더의 lab을 쓰십시오",
    )
    no_plan_file = ErrorWords(
        what="plan {shown}의 파일 {name}.yaml이 없습니다",
        mend="{name}.yaml을 쓰거나, 그 plan을 빼십시오",
    )
    no_truth = ErrorWords(
        what="truth.yaml에 plan {shown}의 무엇이 잘못되었는지 없습니다",
        mend="truth.yaml에 `{name}: {{cause: …}}`를 더하십시오",
    )
    no_plan = ErrorWords(
        what="lab.yaml에 plan {shown:이} 없습니다",
        mend="lab.yaml에 있는 plan을 쓰십시오",
    )
    no_sick_plan = ErrorWords(
        what="이름이 {shown}인 plan이 없습니다",
        mend="병든 plan의 이름을 plan.yaml로 하십시오. plan을 지정하지 않으면 그것을 실행합니다",
    )
    service_without_kind = ErrorWords(
        what="서비스 {shown:이} 무엇인지 없습니다",
        mend="kind: 뒤에 redis, mariadb, postgresql, command 중 하나를 쓰십시오",
    )
    service_without_command = ErrorWords(
        what="서비스 {shown}의 명령이 없습니다",
        mend="run: 뒤에 그 명령줄을 쓰십시오",
    )
    no_service = ErrorWords(
        what="lab에 서비스 {shown:이} 없습니다",
        mend="lab.yaml에 있는 서비스를 쓰십시오",
    )
    no_port_range = ErrorWords(
        what="{shown:은} 포트 범위가 아닙니다",
        mend="65535까지의 두 수를 작은 것부터 쓰십시오: 20000-20999",
    )


class KoreanLabsNeedsErrors:
    its_namespace = "자기만의 네트워크 네임스페이스"
    its_groups = "서비스들의 cgroup"
    before_last = ", "
    python_module = "Python 모듈 {name}"
    few_cores = "코어 {needed}개가 필요한데, 이 프로세스가 쓸 수 있는 것은 {allowed}개입니다"
    for_root_alone = "{parts:은} root만 만들 수 있습니다"
    missing_needs = ErrorWords(
        what="lab {lab}에 필요한 것이 없습니다: {lacking}",
        mend="실행하십시오: loadrig lab setup {lab}. 하는 일: {installs}",
        why="{reasons}",
    )

    def cannot_run_here(self, lab: str, reasons: str, is_for_root: bool) -> ErrorWords:
        return ErrorWords(
            what=f"lab {with_particle(lab, '은')} 여기서 실행할 수 없습니다",
            mend="root로 실행하십시오"
            if is_for_root
            else "코어가 더 많은 머신에서 실행하거나, 코어를 더 허용하십시오",
            why=reasons,
        )


class KoreanLabsNetworkErrors:
    def no_namespace(self, reason: str, is_root: bool) -> ErrorWords:
        return ErrorWords(
            what="여기서는 네트워크 네임스페이스를 만들 수 없습니다",
            mend=self._run_elsewhere(is_root),
            why=reason,
        )

    def setting_refused(self, name: str, value: str, reason: str, is_root: bool) -> ErrorWords:
        return ErrorWords(
            what=f"net.ipv4.{with_particle(name, '을')} {with_particle(value, '으로')} 설정할 수 없습니다",
            mend=self._run_elsewhere(is_root),
            why=reason,
        )

    def _run_elsewhere(self, is_root: bool) -> str:
        if is_root:
            return "root가 네임스페이스를 만들 수 있는 머신에서 실행하십시오"
        return "root로 실행하십시오"


class KoreanLabsQuotaErrors:
    nothing_mounted = "여기에는 cgroup이 마운트되어 있지 않습니다"

    def no_group(self, cores: str, reason: str, is_root: bool) -> ErrorWords:
        wanted = f"코어 {cores}개짜리 cgroup을" if cores else "cgroup을"
        return ErrorWords(
            what=f"여기서는 {wanted} 만들 수 없습니다",
            mend="컨테이너 안이 아니라 cgroup을 만들 수 있는 곳에서 실행하십시오"
            if is_root
            else "root로 실행하십시오",
            why=reason,
        )


class KoreanLabsSessionErrors:
    no_capacity = "용량을 측정하지 않았습니다"
    few_cores = "이 프로세스가 쓸 수 있는 코어는 {cores}개입니다"
    no_service = "lab에 서비스 {shown:이} 없습니다"


class KoreanLabsCommandErrors:
    with_status = "종료 상태 {status}"
    after_seconds = "{seconds} s 안에 끝나지 않음"


class KoreanLabsServicesErrors:
    no_socket = "{service}에는 유닉스 소켓이 없습니다"

    def port_taken(self, service: str, lab: str, address: str, pid: str, command: str) -> ErrorWords:
        holder = f"pid {pid} ({command})" if pid else "다른 사용자"
        stop = f"멈추십시오: kill {pid}" if pid else "그 프로세스를 멈추십시오"
        return ErrorWords(
            what=f"lab {lab}의 {with_particle(service, '을')} {address}에서 열 수 없습니다: {with_particle(holder, '이')} 쓰고 있습니다",
            mend=f"{stop}. 강제 종료된 loadrig가 남긴 것은 이렇게 끝냅니다: loadrig doctor --clean",
        )

    no_user_postgres = ErrorWords(
        what="사용자 postgres가 없고, PostgreSQL은 root로 실행되지 않습니다",
        mend="Debian 패키지를 설치하십시오: apt-get install postgresql",
    )
    failed_command = ErrorWords(
        what="{program:이} 실패했습니다: {failed}",
        mend="마지막 줄에 나온 것을 고치십시오. 실행한 명령: {command}",
    )
    failed_sql = ErrorWords(
        what="{file}의 SQL을 {service}에서 실행할 수 없었습니다: {error}",
        mend="{path}의 SQL 문을 고치십시오",
    )


class KoreanLabsWorkErrors:
    foreign_cache = ErrorWords(
        what="{path}에 있는 것은 실행하지 않습니다: {reason}",
        mend="{path:을} 지우거나, 다른 곳을 쓰십시오: XDG_CACHE_HOME=FOLDER",
        why="lab의 프로그램을 그곳에서 빌드하여 사용자의 권한으로 실행합니다",
    )

    def failed_build(self, lab: str, command: str, failed: str, folder: str, source: str) -> ErrorWords:
        copied = f"{source}의 사본에 {with_particle(folder, '을')} 덮은 것" if source else f"{folder}의 사본"
        return ErrorWords(
            what=f"lab {with_particle(lab, '을')} 빌드할 수 없었습니다: `{command}`: {failed}",
            mend=f"마지막 줄에 나온 것을 고치십시오. 실행한 곳: {copied}",
        )
