from loadrig.base.error_words import ErrorWords


class KoreanReportPageErrors:
    page_not_written = ErrorWords(
        what="페이지를 {path}에 쓸 수 없습니다",
        why="{reason}",
        mend="--out FILE로 다른 곳을 지정하거나, 디스크에 공간을 비우십시오",
    )


class KoreanReportComparisonErrors:
    not_written = ErrorWords(
        what="{path:을} 쓸 수 없습니다",
        why="{reason}",
        mend="다른 곳을 지정하거나, 디스크에 공간을 비우십시오",
    )


class KoreanReportRunErrors:
    no_folder = "그런 폴더가 없습니다"
    no_file_of_run = "result.json도, 원장(ledger)도, manifest도 없습니다"
    not_json = "{file:이} JSON이 아닙니다: {reason}"
    neither_schema = "{file}의 스키마가 {study}도 {trial}도 아닙니다"
    no_result = ErrorWords(
        what="{folder}에 아직 결과가 없습니다",
        why="실행이 끝나기 전에 멈췄거나, 아직 돌고 있습니다",
        mend="끝나게 두거나, 멈춘 곳에서 이어 가십시오: loadrig run {folder} --resume",
    )
    not_a_run = ErrorWords(
        what="{folder:은} 실행 폴더가 아닙니다",
        why="{reason}",
        mend="runs/2025-01-31-shop처럼 loadrig가 쓴 폴더를 지정하십시오",
    )
