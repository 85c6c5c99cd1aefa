from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanRecordingBelowErrors:
    no_regular_file = "일반 파일이 아닙니다"
    outside = "{name!r:은} 폴더 밖을 가리킵니다"
    too_long = "{most:,}바이트보다 깁니다"


class KoreanRecordingCheckingErrors:
    kinds: ClassVar[Mapping[str, str]] = {
        "changed": "변경됨", "cut": "잘림", "missing": "없음", "extra": "추가됨", "unreadable": "읽기 불가",
    }  # fmt: skip
    result_without_seal = "trial에는 봉인된 뒤에만 결과가 있습니다"
    trial_without_seal = "이 trial 도중에 loadrig가 강제 종료되었거나, 아직 돌고 있습니다"
    run_without_seal = "trial 옆에 있는 것에 봉인이 없습니다: 실행이 강제 종료되었거나 아직 돌고 있거나, 이전 버전의 loadrig가 만들었습니다"
    set_aside = "부하가 도중에 끊긴 trial을 다시 실행하면서 치워 둔 것입니다"
    whole_trial_missing = "trial 전체가 없습니다"
    open_for_writing = "이것을 쓰려던 명령이 끝까지 가지 못했습니다"
    after_seal = "봉인한 뒤에 생겼습니다"
    link_now = "이제 링크이며, 링크는 따라가지 않습니다"
    no_regular_file_now = "이제 일반 파일이 아닙니다"
    other_content = "크기는 봉인했을 때와 같지만 내용이 다릅니다"
    page_cut = "끝이 잘려 나갔습니다"
    page_changed = "쓰였을 때와 다릅니다"
    page_without_digest = "페이지에 다이제스트가 없습니다: 이전 버전의 loadrig나 다른 프로그램이 만들었습니다"
    not_opened = "열 수 없습니다: {reason}"
    seal_damaged = "봉인: {reason}"
    bytes_sealed = "봉인했을 때 {size:,}바이트였습니다"
    bytes_left = "{sealed:,}바이트 중 {size:,}바이트만 남았습니다"
    more_bytes = "{size:,}바이트인데, 봉인했을 때는 {sealed:,}바이트였습니다"
    page_unreadable = "읽을 수 있는 페이지가 아닙니다: {reason}"


class KoreanRecordingDocumentsErrors:
    not_an_object = "JSON 객체가 아닙니다"
    not_utf8 = "UTF-8 텍스트가 아닙니다: {reason}"
    not_json = "JSON이 아닙니다: {reason}"


class KoreanRecordingEventsErrors:
    line_no_event = "이벤트가 아닌 줄이 있습니다: {reason}"


class KoreanRecordingFilesErrors:
    def no_space(self, path: str, folder: str, is_quota: bool) -> ErrorWords:
        reason = "디스크 쿼터를 다 썼습니다" if is_quota else "디스크에 남은 공간이 없습니다"
        return ErrorWords(
            what=f"{with_particle(path, '을')} 쓸 수 없었습니다: {reason}",
            why="그때까지 측정한 것은 봉인되지 않은 폴더에 남아 있습니다",
            mend=f"거기에 공간을 비우거나 (df -h {folder}), --out FOLDER로 다른 곳에 쓰십시오",
        )

    not_written = ErrorWords(
        what="{path:을} 쓸 수 없었습니다: {reason}",
        why="기록이 없으면 결과도 없습니다",
        mend="폴더에 쓰기 권한을 주거나, --out FOLDER로 다른 곳에 쓰십시오",
    )


class KoreanRecordingHlogErrors:
    not_a_tag = "{text!r:은} 태그가 아닙니다"
    wrong_number_of_parts = "{line}번째 줄이 다섯 부분이 아니라 {parts}개 부분으로 되어 있습니다"
    neither_comment_nor_histogram = "{line}번째 줄이 주석도 태그가 붙은 히스토그램도 아닙니다"


class KoreanRecordingLayoutErrors:
    folder_in_use = ErrorWords(
        what="{folder:은} 이미 쓰이고 있습니다",
        why="실행 폴더는 한 번만 씁니다. 두 번째 실행은 이미 있는 것과 섞입니다",
        mend="아직 없는 폴더를 지정하거나 --out을 빼십시오",
    )
    folder_of_stranger = ErrorWords(
        what="{folder:은} 누구나 쓸 수 있는 폴더 안에 있으며 사용자 {owner}의 것입니다",
        why="그것을 둔 사람이 쓸 파일의 자리에 링크를 놓을 수 있습니다",
        mend="아직 없는 폴더를 지정하십시오",
    )


class KoreanRecordingLinesErrors:
    line_not_json = "{number}번째 줄이 JSON이 아닙니다: {reason}"
    line_not_an_object = "{number}번째 줄이 JSON 객체가 아닙니다"
    not_unpacked = "압축을 풀거나 읽을 수 없습니다: {reason}"
    line_too_long = "{number}번째 줄이 {most_mib} MiB보다 깁니다"
    file_too_long = "{most:,}바이트보다 많습니다"


class KoreanRecordingManifestErrors:
    no_format = "어느 형식의 기록인지 나와 있지 않습니다"
    broken = ErrorWords(
        what="{path:을} 읽을 수 없습니다",
        why="{reason}",
        mend="사본에서 폴더를 복원하거나 trial을 다시 실행하십시오. loadrig가 이런 파일을 남기는 일은 없으니, 파일을 저희에게 보내 주십시오",
    )
    not_a_recording = ErrorWords(
        what="{folder:은} trial의 폴더가 아닙니다",
        why="{file}: {reason}",
        mend="runs/2025-01-31-120000-shop/trials/0001처럼 manifest.json이 있는 폴더를 지정하십시오",
    )


class KoreanRecordingMigrationsErrors:
    def newer_format(self, path: str, version: int, own: int, written_by: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(path, '은')} 기록 형식 {version}인데, 이 loadrig는 {own}까지 읽습니다",
            why=f"기록한 loadrig의 버전: {written_by or '(나와 있지 않음)'}",
            mend="그 버전이나 이후 버전으로 읽으십시오: pip install --upgrade loadrig",
        )


class KoreanRecordingFrameDocumentErrors:
    line_no_frame = "{number}번째 줄이 프레임이 아닙니다: {reason}"


class KoreanRecordingSealsErrors:
    is_link = "링크이며, 링크는 따라가지 않습니다"
    is_cut_short = "끝이 잘렸습니다"
    was_changed = "쓰였을 때와 다릅니다"
    not_read = "읽을 수 없습니다: {reason}"
    no_seal = "봉인이 아닙니다: {reason}"
    other_version = "버전 {version}인데, 이 loadrig는 버전 {own:을} 읽습니다"
    file_outside = "폴더 밖의 파일을 가리키며, 그런 파일은 열지 않습니다: {name!r}"


class KoreanRecordingSeriesStoreErrors:
    too_many_rows = "행이 {rows:,}개인데, 최대 {most:,}개까지 읽습니다"


class KoreanRecordingWriterErrors:
    already_sealed = ErrorWords(
        what="{folder}에는 이미 온전한 기록이 있습니다",
        why="봉인된 기록에는 다시 쓰지 않습니다",
        mend="아직 없는 폴더에 실행하거나, 이 폴더를 지우십시오",
    )
