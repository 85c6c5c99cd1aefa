"""Errors of `study` in Korean, a class for each of its files."""

from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.study import (
    StudyCarryOutErrors,
    StudyLedgerErrors,
    StudyRunnerErrors,
    StudyStrategiesCapacityErrors,
    StudyStrategiesGridErrors,
    StudyStrategiesSoakErrors,
    StudyStrategiesSpikeErrors,
    StudyStrategiesTuneErrors,
    StudyYardstickErrors,
)
from loadrig.language.particles import with_particle


class KoreanStudyCarryOutErrors(StudyCarryOutErrors):
    """Errors of `study.carry_out`, in Korean."""

    def run_unfinished(self, run: str, quoted_run: str) -> ErrorWords:
        return ErrorWords(
            what=f"{run}의 실행이 끝나기 전에 멈췄습니다",
            why="그때까지 측정한 것은 남아 있습니다",
            mend=f"멈춘 곳에서 이어 가십시오: loadrig run {quoted_run} --resume",
        )


class KoreanStudyLedgerErrors(StudyLedgerErrors):
    """Errors of `study.ledger`, in Korean."""

    is_link = "링크이며, 링크는 따라가지 않습니다"
    end_of_no_ledger = "파일의 끝이 원장의 줄이 아닙니다"
    no_study_named = "첫 줄에 어느 study의 것인지 나와 있지 않습니다"

    def too_many_bytes(self, size: int, most: int) -> str:
        return f"{size:,}바이트인데, 최대 {most:,}바이트까지 읽습니다"

    def line_not_json(self, number: int) -> str:
        return f"{number}번째 줄이 JSON이 아닙니다"

    def line_of_no_ledger(self, number: int) -> str:
        return f"{number}번째 줄이 원장의 줄이 아닙니다"

    def other_version(self, version: str, own: int) -> str:
        return f"버전 {version}인데, 이 loadrig는 버전 {with_particle(str(own), '을')} 읽습니다"

    def line_no_trial(self, number: int, reason: str) -> str:
        return f"{number}번째 줄이 trial이 아닙니다: {reason}"

    def another_plan(self, path: str, parts: str, is_one: bool, own_plan: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(path, '은')} 다른 plan의 원장입니다: {with_particle(parts, '이')} 다릅니다",
            why="거기 있는 trial은 이 plan이 실행할 trial과 비교할 수 없습니다",
            mend=f"옆에 보관된 plan인 {with_particle(own_plan, '으로')} 이어 가거나, --resume 없이 새로 실행하십시오",
        )

    def in_use(self, folder: str) -> ErrorWords:
        return ErrorWords(
            what=f"다른 loadrig가 {folder}의 study를 실행하고 있습니다",
            why="둘이 동시에 돌면 같은 서버에 부하를 걸고 trial이 섞입니다",
            mend="끝나기를 기다리거나 멈춘 다음 --resume을 쓰십시오",
        )

    def unreadable(self, path: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(path, '을')} 원장으로 읽을 수 없습니다",
            why=reason,
            mend="--resume 없이 새로 실행하십시오. 각 trial의 폴더는 그대로 남아 있습니다",
        )


class KoreanStudyRunnerErrors(StudyRunnerErrors):
    """Errors of `study.runner`, in Korean."""

    stopped_by_hand = ErrorWords(
        what="study를 손으로 멈췄습니다",
        why="그때까지 측정한 것은 남아 있습니다",
        mend="멈춘 곳에서 이어 가십시오: 같은 명령에 --resume",
    )


class KoreanStudyYardstickErrors(StudyYardstickErrors):
    """Errors of `study.yardstick`, in Korean."""

    def unknown_measure(self, name: str, nearest: str, measures: str) -> ErrorWords:
        return ErrorWords(
            what=f"study.by가 없는 지표를 가리킵니다: {name}",
            mend=f"혹시 {nearest}입니까?" if nearest else f"이 중 하나를 쓰십시오: {measures}",
        )


class KoreanStudyStrategiesCapacityErrors(StudyStrategiesCapacityErrors):
    """Errors of `study.strategies.capacity`, in Korean."""

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


class KoreanStudyStrategiesGridErrors(StudyStrategiesGridErrors):
    """Errors of `study.strategies.grid`, in Korean."""

    def too_many_settings(self, settings: int, blocks: int, most: int) -> ErrorWords:
        return ErrorWords(
            what=f"격자에 설정이 {settings:,}개 있습니다",
            why=f"블록 {blocks}개마다 trial이 {settings + 1:,}개입니다. 설정은 최대 {most:,}개까지 시험합니다",
            mend="설정 항목의 값을 줄이거나, 한 번에 하나씩 시험하십시오: `study: {find: one_at_a_time}`",
        )


class KoreanStudyStrategiesSoakErrors(StudyStrategiesSoakErrors):
    """Errors of `study.strategies.soak`, in Korean."""

    load_ends_itself = ErrorWords(
        what="소크는 정한 시간만큼 계속되는데, plan의 부하는 스스로 끝납니다",
        why="단계, 시각 목록, 요청 수로 정한 부하는 길이가 정해져 있습니다",
        mend="`rate: 100/1s`나 `users: 20`처럼 끝이 없는 부하를 쓰십시오",
    )


class KoreanStudyStrategiesSpikeErrors(StudyStrategiesSpikeErrors):
    """Errors of `study.strategies.spike`, in Korean."""

    load_ends_itself = ErrorWords(
        what="급증은 계속되는 부하 위에 얹히는데, plan의 부하는 스스로 끝납니다",
        why="급증은 그 전후의 평소 부하와 비교합니다",
        mend="`rate: 50/1s`나 `users: 20`처럼 끝이 없는 부하를 쓰십시오",
    )


class KoreanStudyStrategiesTuneErrors(StudyStrategiesTuneErrors):
    """Errors of `study.strategies.tune`, in Korean."""

    optuna_not_installed = ErrorWords(
        what="study.model이 tpe인데 Optuna가 설치되어 있지 않습니다",
        why="loadrig 자체의 모델에는 더 필요한 것이 없습니다. Optuna의 모델은 비교를 위한 것입니다",
        mend="pip install 'loadrig[optuna]', 또는 `model:`을 빼십시오",
    )

    def unknown_objective(self, name: str, nearest: str) -> ErrorWords:
        return ErrorWords(
            what=f"study.objective에 없는 값입니다: {name}",
            mend=f"혹시 {nearest}입니까?",
        )
