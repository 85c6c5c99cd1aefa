from loadrig.language.en.report.proof import (
    ReportProofTexts,
    ReportProofWordsTexts,
    ReportRivalsTexts,
    ReportTextCardTexts,
    ReportTextProofTexts,
)
from loadrig.language.particles import with_particle


class KoreanReportProofTexts(ReportProofTexts):
    more_better = "클수록 좋음"
    less_better = "작을수록 좋음"


class KoreanReportProofWordsTexts(ReportProofWordsTexts):
    no_capacity_limits = "움직임"
    interval_not = "구간을 알 수 없음"
    and_more = "1,000 이상"
    ended_early_answer = "답이 확실해져 일찍 끝났습니다"
    nothing_changed = "아무것도 바꾸지 않았습니다."
    trials_their_own = "별도의 trial"
    trials_own = "별도의 trial"

    def to(self, low: str, high: str) -> str:
        return f"{low} ~ {high}"

    def at_least(self, factor: str) -> str:
        return f"적어도 {factor}"

    def gives(self, in_percent: str, change: str, suffix: str) -> str:
        return f"{with_particle(in_percent, '이')} {change}{with_particle(suffix, '을')} 줍니다"

    def in_all(self, plural: str, whole: str) -> str:
        return f"{plural}, 모두 {whole}"

    def the_was_given(self, budget_s: str) -> str:
        return f", 주어진 {budget_s} 중"

    def took(self, took_s: str, within: str, ended: str) -> str:
        return f"{took_s}{within} 걸렸습니다{ended}."

    def changed_in(self, things: str, word: str) -> str:
        return f"{word}에서 {with_particle(things, '을')} 바꾸었습니다."

    def more_trials_apart(self, apart: str) -> str:
        return f", 별도의 trial에서 {apart} 더"

    def changed_while_load(self, things: str, word: str) -> str:
        return f"부하가 도는 동안 {with_particle(things, '을')} 바꾸었습니다{word}."


class KoreanReportTextCardTexts(ReportTextCardTexts):
    def not_text(self, rests_on: str, text: str) -> str:
        return f"{rests_on} 아님: {text}"

    def explains(self, symptoms: str) -> str:
        return f"{with_particle(symptoms, '을')} 설명합니다"


class KoreanReportTextProofTexts(ReportTextProofTexts):
    more_experiment = "실험 더"

    def more_page(self, more: str) -> str:
        return f", 페이지에 {more}개 더"

    def done_server(self, word: str) -> str:
        return f"서버에 한 일{word}:"

    def not_tried_either(self, plural: str) -> str:
        return f"시험하지 않은 것: {plural}; 페이지에 이유가 있습니다."

    def not_tried(self, title: str, why_untried: str) -> str:
        return f"시험하지 않음: {title}: {why_untried}."

    def on_the_page(self, plural: str) -> str:
        return f"페이지에 {plural}"

    def fix_to(self, title: str, measure: str, before: str, after: str, change: str) -> str:
        return f"조치, {title}: {measure} {before}에서 {with_particle(after, '으로')}, {change}"

    def predicted(self, change: str) -> str:
        return f", 예측 {change}"


class KoreanReportRivalsTexts(ReportRivalsTexts):
    text_cleared = "아무것도 움직이지 않고, 다른 수단 하나는 확실하지 않음"
    moves = "움직임"
    moves_nothing_cleared = "아무것도 움직이지 않음: 배제됨"

    def what_seen(self, seen: str) -> str:
        return f"본 것으로는: {seen}"

    def is_still(self, get: str, verdict: str) -> str:
        return f"{get}: 여전히 {verdict}"

    def by_what_seen(self, seen: str) -> str:
        return f"; 본 것으로는: {seen}"

    def moves_nothing(self, more: str) -> str:
        return f"아무것도 움직이지 않음{more}"

    def unsure_too_little(self, more: str) -> str:
        return f"불확실: 측정이 너무 적음{more}"

    def moves_others_do(self, more: str) -> str:
        return f"움직임, 다른 것도 그럼{more}"

    def not_tried(self, why_untried: str) -> str:
        return f"시험하지 않음: {why_untried}"

    def not_tried_yet(self, decides: str) -> str:
        return f"시험하지 않음{decides}"
