from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanProbesPrometheusErrors:
    name_page = "페이지가 있으면 probes 아래에 지정하십시오: `- prometheus: {at: URL}`"
    name_series = "prometheus 프로브의 `only`로 원하는 것을 고르거나 `most`를 올리십시오"
    page_cut_short = "잘려 있습니다"
    page_empty = "비어 있습니다"
    no_figures = "수치가 없습니다"

    def not_here(self, component: str) -> ErrorWords:
        return ErrorWords(what=f"{with_particle(component, '이')} 이 머신에 없습니다", mend=self.name_page)

    def no_page(self, component: str, places: str) -> str:
        return f"prometheus 프로브가 {places}에서 {component}의 페이지를 찾지 못했습니다; {self.name_page}"

    def series_left_out(self, chosen: int, left_out: int) -> str:
        return f"prometheus 프로브가 시계열 {chosen}개를 남기고 {left_out}개를 뺐습니다; {self.name_series}"

    page_refused = ErrorWords(
        what="{url:이} 거절합니다 (상태 {status})",
        mend="prometheus 프로브의 `at`으로 비밀번호 없이 읽을 수 있는 페이지를 지정하십시오",
    )
    not_a_page = ErrorWords(
        what="{url:은} Prometheus용 페이지가 아닙니다: {why}",
        mend="브라우저로 보고 prometheus 프로브의 `at`으로 맞는 것을 지정하십시오",
    )
    page_has_status = "상태가 {status}입니다"
    page_of_kind = "{kind}입니다"
    line_unreadable = "읽을 수 없는 줄이 있습니다: {error}"
