from loadrig.base.error_words import ErrorWords


class KoreanProbesNginxErrors:
    def no_page(self, reasons: str, lines: str) -> ErrorWords:
        why = reasons or "이 머신의 주소가 하나도 없습니다"
        return ErrorWords(
            what=f"nginx에 stub_status 페이지가 없습니다: {why}",
            mend=f"설정의 server에 `{lines}`를 더하거나 nginx 프로브의 `at`으로 페이지를 지정하십시오",
        )

    page_refused = ErrorWords(what="{url}: 상태 {status}", mend="설정에 `{lines}`를 더하십시오")
    another_page = ErrorWords(what="{url}: 다른 페이지", mend="설정에 `{lines}`를 더하십시오")
    no_address = ErrorWords(
        what="nginx가 이 머신의 어떤 주소에서도 열려 있지 않아 stub_status 페이지를 물을 수 없습니다",
        mend="설정에 `{lines}`를 더하고 nginx 프로브의 `at`으로 페이지를 지정하십시오",
    )
