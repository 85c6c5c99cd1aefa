"""Errors of `comparing` in English, a class for each of its files."""

from loadrig.base.error_words import ErrorWords


class ComparingHistoryErrors:
    def no_usable_run(self, plan: str, names: str) -> ErrorWords:
        return ErrorWords(
            what=f"there is no run of {plan} that can be used"
            if plan
            else "there is no run that can be used",
            mend="name folders of runs, or the plan by its name with --plan",
            why=f"there are runs of {names}" if names else "no folder holds a run",
        )


class ComparingYardsticksErrors:
    def no_margin(self, shown: str) -> str:
        return f"{shown} is no margin; write 3% or p95=10%"

    def wrong_margin(self, reason: str) -> ErrorWords:
        return ErrorWords(what=reason, mend="write a share, such as 3% or p95=10%")

    def measure_on_one_side(self, name: str, close: str, common: str) -> ErrorWords:
        return ErrorWords(what=f"not both sides have {name}", mend=self._measures(close, common))

    def unknown_measure(self, name: str, close: str, common: str) -> ErrorWords:
        return ErrorWords(what=f"there is no measure {name}", mend=self._measures(close, common))

    def _measures(self, close: str, common: str) -> str:
        return f"did you mean {close}?" if close else f"both have {common or 'no measure at all'}"


class ComparingReadErrors:
    nothing_named = "nothing is named"
    no_finished_trial = "no trial of it was finished"
    no_such_folder = "there is no such folder"
    nothing_in_folder = "it holds no result.json, no trial and no folders of runs"
    no_load = "the generator made no load in it"

    def unreadable_files(self, kind: str, error: str) -> str:
        return f"its files cannot be read ({kind}: {error})"

    def no_run(self, name: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} holds no run to compare",
            mend="name the folder of a run, such as runs/2025-01-31-120000-shop, or a folder of runs",
            why=reason,
        )

    def mixed_side(self, name: str, settings: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} is no single thing: its runs are of several settings",
            mend="name runs of one setting on each side, or a setting by its number: RUN#3",
            why=settings,
        )

    def no_setting(self, folder: str, setting: str, settings: str) -> ErrorWords:
        return ErrorWords(
            what=f"{folder} has no setting {setting}",
            mend=f"name one that it has, such as {folder}#0",
            why=f"its settings: {settings}",
        )


class ComparingRefuseErrors:
    no_goal = "no goal"
    search_without_result = "its search found none"

    def users(self, number: str) -> str:
        return f"{number} users"

    def sessions_second(self, number: str) -> str:
        return f"{number} sessions a second"

    def requests_second(self, number: str) -> str:
        return f"{number} requests a second"

    def course(self, numbers: str) -> str:
        return f"a course of {numbers}"

    def all_failed(self, side: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{side}: the server failed in every trial",
            mend="mend the server, and run it again",
            why=reason,
        )

    def all_void(self, side: str, trials: int, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{side} has no trial that can be believed: all {trials} are void or failed",
            mend="see why with `loadrig report`, mend that, and run it again",
            why=reason,
        )

    def trials_in_common(self, a: str, b: str) -> ErrorWords:
        return ErrorWords(
            what=f"{a} and {b} have trials in common",
            mend="name two runs, or two settings of one study: RUN#0 RUN#1",
            why="whatever it is, it does not differ from itself",
        )

    def other_load_model(self, a: str, b: str, is_mixed: bool) -> ErrorWords:
        return ErrorWords(
            what=f"A was loaded by {a}, B by {b}",
            mend="run both by the same plan",
            why="users who wait ask a slow server less: the same server looks better so than at a fixed rate"
            if is_mixed
            else "they ask in another rhythm",
        )

    def search_on_one_side(self, searched: str, other: str) -> ErrorWords:
        return ErrorWords(
            what=f"{searched} was steered to find its capacity, {other} was loaded as the plan says",
            mend="run both the same way: `loadrig capacity` or `loadrig run`",
            why="what was measured near a capacity says nothing of another load",
        )

    def other_load_level(self, a: str, b: str) -> ErrorWords:
        return ErrorWords(
            what=f"A was loaded with {a}, B with {b}",
            mend="run both at the same load, or look for the capacity of both",
            why="a difference between them would be that of the load",
        )

    def other_goals(self, a: str, b: str) -> ErrorWords:
        return ErrorWords(
            what=f"the capacity of A is that under {a}, of B under {b}",
            mend="search both under the same goals",
            why="a capacity is the highest load that meets the goals: under others it is another number",
        )

    def no_capacity(self, side: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"no capacity of {side} is known",
            mend="see what it says with `loadrig report`; another goal or a longer --budget may help",
            why=reason,
        )

    def no_common_route(self, a: str, b: str, is_imported: bool) -> ErrorWords:
        return ErrorWords(
            what="A and B have no route in common",
            mend="run both by the same plan; a route that was only renamed needs its old name"
            + (": loadrig import FILE --route 'THEIRS=OURS'" if is_imported else ""),
            why=f"A asked for {a}; B for {b}",
        )

    def other_unit(self, measure: str, first: str, second: str) -> ErrorWords:
        return ErrorWords(
            what=f"{measure} is in {first} on one side and in {second} on the other",
            mend="bring both to one unit where they are imported",
            why="a number in another unit is another number",
        )
