"""Errors of `plan.knobs` and `plan.conditions` in English."""

from loadrig.base.error_words import ErrorWords


class PlanKnobsErrors:
    def unknown_knob(self, target: str, name: str, knobs: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{target} has no knob {name}",
            mend=f"write {close}" if close else "leave it out",
            why=f"its knobs are {knobs}" if knobs else "what is not started by the rig has no knobs to set",
        )

    def no_values(self, name: str) -> ErrorWords:
        return ErrorWords(what=f"{name} is empty", mend=f"write at least one value: {name}: [1, 2, 4]")

    def not_a_value(self, name: str, shown: str) -> ErrorWords:
        return self._values(name, f"a value of {name} is {shown}")

    def value_twice(self, name: str, value: str) -> ErrorWords:
        return self._values(name, f"{name} has the value {value} twice")

    def not_a_range(self, name: str, shown: str) -> ErrorWords:
        return self._values(name, f"{name} is {shown}, not a range")

    def range_reversed(self, name: str, written: str) -> ErrorWords:
        return self._values(name, f"{name} is {written}; the range ends before it begins")

    def range_too_long(self, name: str, written: str, values: int) -> ErrorWords:
        return self._values(name, f"{name} is {written}, {values:,} values")

    def _values(self, name: str, what: str) -> ErrorWords:
        return ErrorWords(
            what=what,
            mend=f"write values such as {name}: [1, 2, 4], or a range of whole numbers such as {name}: 1..9",
        )

    def base_not_among_values(self, name: str, shown: str, values: str) -> ErrorWords:
        return ErrorWords(
            what=f"the base of {name} is {shown}, which is not among its values",
            mend=f"write one of them, or add {shown} to the values",
            why=f"its values are {values}",
        )

    def not_a_word(self, name: str, shown: str, words: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{name} cannot be {shown}; it can be {words}",
            mend=f"write {close or 'one of these words'}",
        )

    def not_a_flag(self, name: str, shown: str) -> ErrorWords:
        return ErrorWords(what=f"{name} is yes or no, not {shown}", mend=f"write {name}: [true, false]")

    def not_a_whole_number(self, name: str, shown: str, sample: str) -> ErrorWords:
        return ErrorWords(what=f"{name} is a whole number, not {shown}", mend=f"write {name}: {sample}")

    def not_a_number(self, name: str, shown: str, sample: str) -> ErrorWords:
        return ErrorWords(what=f"{name} is a number, not {shown}", mend=f"write {name}: {sample}")

    def not_a_size(self, name: str, shown: str) -> ErrorWords:
        return ErrorWords(what=f"{name} is a size, not {shown}", mend=f"write {name}: [64MB, 1GiB]")

    def out_of_range(self, name: str, value: str, low: str, high: str) -> ErrorWords:
        bounds = f"{low} to {high}" if low and high else f"at least {low}" if low else f"at most {high}"
        return ErrorWords(what=f"{name} cannot be {value}; its range is {bounds}", mend=f"write {bounds}")


class PlanConditionsErrors:
    def not_a_condition(self, name: str, shown: str) -> ErrorWords:
        return ErrorWords(
            what=f"the condition of {name} is {shown}, which is not one",
            mend="write worker_class == gthread, worker_class != sync or worker_class in [gthread, gevent]",
        )

    def never_that_value(self, name: str, value: str, values: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{name} never has the value {value!r}",
            mend=f"write {close}" if close else f"write one of them, or add {value} to {name}",
            why=f"its values in this plan are {values}",
        )

    def later_knob(self, name: str, depended: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} depends on {depended}, which is written below it",
            mend=f"write {depended} above {name}",
        )

    def knob_not_in_plan(self, name: str, depended: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{name} depends on {depended}, which is not a knob of this plan",
            mend=f"write {close}" if close else f"add {depended} to the knobs, above {name}",
        )

    def never_set(self, name: str, depended: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} would never be set: no value of {depended} fits its condition",
            mend=f"widen the condition, or leave {name} out",
        )
