"""Values of a k6 script that its text tells, out of its tree."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from loadrig.converters._k6_bindings import bound_names, parameters_of
from loadrig.converters._k6_constants import ENCODINGS
from loadrig.converters._k6_files import ScriptFeeds, Unread, csv_value, json_value, label_of, order_of
from loadrig.converters._k6_methods import COMPARING, compared, is_true, member, method, of_object
from loadrig.converters._k6_patterns import (
    AnswerElements,
    AnswerMatch,
    AnswerPart,
    ScriptPattern,
    pattern_of,
    read_pattern,
)
from loadrig.converters._k6_texts import (
    MOST_DEEP,
    UNDEFINED,
    DrawnNumber,
    Value,
    json_text,
    text_of,
    within_bounds,
)
from loadrig.converters._k6_tree import is_of_environment, key_of, named_parts, piece_of, text_in
from loadrig.converters._locust_values import ChosenValue, MixedText
from loadrig.converters._owned import OwnedDict, OwnedList
from loadrig.plan.model import Feed

MOST_ITEMS = 10_000
"""Items of all lists and objects of an expression at most: a small script can name a list often."""

_MAKING = frozenset(("binary_expression", "template_string", "call_expression"))
"""Kinds of expressions whose texts are new ones."""

_RANDOM = "Math.random"


class ScriptEvaluator:
    """Evaluation of expressions in an environment of names. owner: of the lists and objects they make.

    functions: those of the script by their names. outer: the names that such a function sees; those of the
    environment where it is None.
    """

    def __init__(
        self,
        names: dict[str, Value],
        feeds: ScriptFeeds,
        owner: object = None,
        functions: Mapping[str, Any] | None = None,
        outer: Mapping[str, Value] | None = None,
    ) -> None:
        self._names = names
        self._owner = owner
        self._feeds = feeds
        self._functions = functions or {}
        self._outer = names if outer is None else outer
        self._items = 0

    def value(self, node: Any, deep: int = 0) -> Value:
        """Return the value of an expression. Raise Unread."""
        if node is None or deep > MOST_DEEP:
            raise Unread
        self._items += 1
        if self._items > MOST_ITEMS:
            raise Unread
        if (reader := getattr(self, f"_{node.type}", None)) is None:
            raise Unread
        value = reader(node, deep + 1)
        if node.type in _MAKING and isinstance(value, MixedText):
            self._feeds.hold(value)
        return value

    def _string(self, node: Any, deep: int) -> Value:
        del deep
        return MixedText((("".join(piece_of(part) for part in node.named_children), False),))

    def _regex(self, node: Any, deep: int) -> ScriptPattern:
        del deep
        return read_pattern(*map(text_in, node.named_children))

    def _template_string(self, node: Any, deep: int) -> Value:
        whole = MixedText(())
        for part in node.named_children:
            if part.type == "template_substitution":
                whole += text_of(self.value(named_parts(part)[0], deep))
            else:
                whole += MixedText(((piece_of(part), False),))
        return within_bounds(whole)

    def _number(self, node: Any, deep: int) -> Value:
        del deep
        text = text_in(node).replace("_", "")
        try:
            is_whole = re.match(r"0[xob]", text, re.IGNORECASE)
            return _whole(float(int(text, 0)) if is_whole else float(text))
        except (ValueError, OverflowError):
            raise Unread from None

    def _true(self, node: Any, deep: int) -> Value:
        del node, deep
        return True

    def _false(self, node: Any, deep: int) -> Value:
        del node, deep
        return False

    def _null(self, node: Any, deep: int) -> Value:
        del node, deep

    def _undefined(self, node: Any, deep: int) -> Value:
        del node, deep
        return UNDEFINED

    def _parenthesized_expression(self, node: Any, deep: int) -> Value:
        return self.value(named_parts(node)[0], deep)

    _as_expression = _non_null_expression = _satisfies_expression = _parenthesized_expression
    _await_expression = _parenthesized_expression

    def _array(self, node: Any, deep: int) -> Value:
        items: list[Value] = []
        for part in named_parts(node):
            if part.type != "spread_element":
                items.append(self.value(part, deep))
                continue
            more = self.value(named_parts(part)[0], deep)
            if not isinstance(more, list) or len(items) + len(more) > MOST_ITEMS:
                raise Unread
            items += more
        return OwnedList(items, self._owner)

    def _object(self, node: Any, deep: int) -> Value:
        entries: dict[str, Value] = {}
        for part in named_parts(node):
            if part.type == "spread_element":
                more = self.value(named_parts(part)[0], deep)
                if not isinstance(more, dict):
                    raise Unread
                entries |= more
            elif part.type == "shorthand_property_identifier":
                entries[text_in(part)] = self._identifier(part, deep)
            elif part.type == "pair":
                key = key_of(part)
                entries[key] = self.value(part.child_by_field_name("value"), deep)
            else:
                raise Unread
        return OwnedDict(entries, self._owner)

    def _identifier(self, node: Any, deep: int) -> Value:
        del deep
        name = text_in(node)
        if name not in self._names:
            raise Unread
        return self._names[name]

    def _unary_expression(self, node: Any, deep: int) -> Value:
        number = self.value(node.child_by_field_name("argument"), deep)
        sign = text_in(node.child_by_field_name("operator"))
        if sign == "!":
            return not is_true(number)
        if sign not in ("-", "+") or isinstance(number, bool) or not isinstance(number, int | float):
            raise Unread
        return -number if sign == "-" else number

    def _binary_expression(self, node: Any, deep: int) -> Value:
        sign = text_in(node.child_by_field_name("operator"))
        right_node = node.child_by_field_name("right")
        try:
            left = self.value(node.child_by_field_name("left"), deep)
        except Unread:
            # A variable of the environment that nobody has set: what stands behind it holds.
            if is_of_environment(node):
                return self.value(right_node, deep)
            raise
        if sign in ("&&", "||", "??"):
            is_kept = left is not None and left is not UNDEFINED if sign == "??" else is_true(left)
            return left if is_kept == (sign != "&&") else self.value(right_node, deep)
        return self.combined(sign, left, self.value(right_node, deep))

    def combined(self, sign: str, left: Value, right: Value) -> Value:
        """Return what an operator makes of two values. Raise Unread."""
        if sign in COMPARING:
            return compared(sign, left, right)
        if sign == "+" and isinstance(left, MixedText | ChosenValue | AnswerPart):
            return within_bounds(text_of(left) + text_of(right))
        if sign == "+" and isinstance(right, MixedText):
            return within_bounds(text_of(left) + right)
        return _reckoned(sign, left, right)

    def _ternary_expression(self, node: Any, deep: int) -> Value:
        condition = node.child_by_field_name("condition")
        is_first = not is_of_environment(node) and is_true(self.value(condition, deep))
        return self.value(node.child_by_field_name("consequence" if is_first else "alternative"), deep)

    def _member_expression(self, node: Any, deep: int) -> Value:
        whole = self.value(node.child_by_field_name("object"), deep)
        return member(whole, text_in(node.child_by_field_name("property")))

    def _subscript_expression(self, node: Any, deep: int) -> Value:
        whole = self.value(node.child_by_field_name("object"), deep)
        index = node.child_by_field_name("index")
        if isinstance(whole, list):
            try:
                order = order_of(text_in(index))
            except Unread:
                pass
            else:
                label = label_of(text_in(node.child_by_field_name("object")))
                return self._feeds.chosen(label, whole, order, node.start_point)
        key = self.value(index, deep)
        return member(whole, key.constant if isinstance(key, MixedText) else key)

    def _new_expression(self, node: Any, deep: int) -> Value:
        """Return the list of a SharedArray whose function the text of the script tells."""
        arguments = node.child_by_field_name("arguments")
        if text_in(node.child_by_field_name("constructor")) != "SharedArray" or arguments is None:
            raise Unread
        return self._returned(named_parts(arguments)[-1], self._names, [], deep)

    def _returned(
        self, function: Any, names: Mapping[str, Value], values: Sequence[Value], deep: int
    ) -> Value:
        """Return what a function returns that declares values and does nothing else. Raise Unread."""
        inner = ScriptEvaluator(dict(names), self._feeds, self._owner, self._functions, self._outer)
        inner._items = self._items
        try:
            return inner._body(function, values, deep)
        finally:
            self._items = inner._items

    def _body(self, function: Any, values: Sequence[Value], deep: int) -> Value:
        for number, pattern in enumerate(parameters_of(function)):
            value = values[number] if number < len(values) else UNDEFINED
            self._names |= bound_names(pattern, value, lambda node: self.value(node, deep))
        body = function.child_by_field_name("body")
        if body is None or body.type != "statement_block":
            return self.value(body, deep)
        for statement in named_parts(body):
            if statement.type == "return_statement":
                return self.value(named_parts(statement)[0], deep) if named_parts(statement) else UNDEFINED
            if statement.type not in ("lexical_declaration", "variable_declaration"):
                raise Unread
            for declared in named_parts(statement):
                name, node = (declared.child_by_field_name(part) for part in ("name", "value"))
                self._names |= bound_names(name, self.value(node, deep), lambda node: self.value(node, deep))
        return UNDEFINED

    def _call_expression(self, node: Any, deep: int) -> Value:
        function = node.child_by_field_name("function")
        name = text_in(function)
        holder = node.child_by_field_name("arguments")
        if holder.type == "template_string" and name.endswith("http.url"):
            # It only names the request in the results, by the template with its holes.
            return self._template_string(holder, deep)
        arguments = named_parts(holder)
        last = name.rpartition(".")[2]
        if name == "JSON.stringify" and len(arguments) == 1:
            return within_bounds(json_text(self.value(arguments[0], deep)))
        if name == "Object.assign" and arguments and arguments[0].type == "object":
            parts = [self.value(argument, deep) for argument in arguments]
            if all(isinstance(part, dict) for part in parts):
                return OwnedDict({key: part[key] for part in parts for key in part}, self._owner)
        if name == "JSON.parse" and len(arguments) == 1:
            body = self.value(arguments[0], deep)
            if isinstance(body, AnswerPart) and body.path == "$body":
                return AnswerPart(body.step, "$")
            if isinstance(body, MixedText) and body.constant is not None:
                return json_value(body.constant)
        if last in ("match", "exec") and function.type == "member_expression" and len(arguments) == 1:
            pair = self.value(function.child_by_field_name("object"), deep), self.value(arguments[0], deep)
            body, pattern = pair if last == "match" else reversed(pair)
            if isinstance(body, AnswerPart) and body.path == "$body":
                return AnswerMatch(body.step, pattern_of(pattern))
        if name == _RANDOM:
            return DrawnNumber(0.0, 1.0)
        if last == "randomIntBetween" and len(arguments) == 2:
            low, high = (self.value(argument, deep) for argument in arguments)
            if isinstance(low, int) and isinstance(high, int) and 0 <= low <= high < 2**31:
                return ChosenValue(self._feeds.add("number", Feed(random=(low, high)), node.start_point))
        if last == "randomItem" and len(arguments) == 1:
            return self._feeds.chosen("item", self.value(arguments[0], deep), "shuffled", node.start_point)
        if name == "open" and len(arguments) == 1:
            path = text_of(self.value(arguments[0], deep)).constant or ""
            return MixedText(((self._feeds.opened(path), False),))
        if name.endswith("papaparse.parse") or name == "Papa.parse":
            content, *more = (self.value(argument, deep) for argument in arguments)
            settings = more[0] if more and isinstance(more[0], dict) else {}
            return csv_value(text_of(content).constant or "", has_header=settings.get("header") is True)
        if last == "json" and function.type == "member_expression":
            return self._json_of(self.value(function.child_by_field_name("object"), deep), arguments, deep)
        if last in ENCODINGS and arguments:
            texts = [text_of(self.value(argument, deep)).constant for argument in arguments]
            if None not in texts and (text := ENCODINGS[last](*map(str, texts))) is not None:
                return within_bounds(MixedText(((text, False),)))
        if last in ("toString", "String") and len(arguments) <= 1:
            inner = arguments[0] if last == "String" else function.child_by_field_name("object")
            return text_of(self.value(inner, deep))
        return self._called(function, name, arguments, deep)

    def _called(self, function: Any, name: str, arguments: Sequence[Any], deep: int) -> Value:
        """Return what a function of the script, or a method that changes nothing, returns. Raise Unread."""
        if (own := self._functions.get(name)) is not None:
            # It sees the script's own names, as far as they are still known here.
            names = {title: value for title, value in self._outer.items() if title in self._names}
            return self._returned(own, names, [self.value(part, deep) for part in arguments], deep)
        if name == "parseHTML" and len(arguments) == 1:
            return AnswerElements.of(self.value(arguments[0], deep), "$body")
        if function.type != "member_expression":
            raise Unread
        last = text_in(function.child_by_field_name("property"))
        if text_in(function.child_by_field_name("object")) == "Object":
            return OwnedList(of_object(last, *(self.value(part, deep) for part in arguments)), self._owner)
        whole = self.value(function.child_by_field_name("object"), deep)
        if last in ("map", "filter") and isinstance(whole, list) and len(arguments) == 1:
            return OwnedList(self._mapped(whole, arguments[0], last, deep), self._owner)
        values = [self.value(part, deep) for part in arguments]
        if last == "html" and isinstance(whole, AnswerPart):
            page = AnswerElements.of(whole, "")
            return page.method("find", values) if values else page
        if isinstance(whole, AnswerElements):
            return whole.method(last, values)
        result = method(whole, last, values)
        return OwnedList(result, self._owner) if isinstance(result, list) else result

    def _mapped(self, items: Sequence[Value], function: Any, name: str, deep: int) -> Iterator[Value]:
        """Yield what `map` or `filter` gives by a function that does nothing else. Raise Unread."""
        own = self._functions.get(text_in(function))
        names = self._outer if own is not None else self._names
        for number, item in enumerate(items):
            result = self._returned(own or function, names, [item, number], deep)
            if name == "map":
                yield result
            elif is_true(result):
                yield item

    def _json_of(self, answer: Value, arguments: Sequence[Any], deep: int) -> Value:
        if not isinstance(answer, AnswerPart) or answer.path:
            raise Unread
        path = self.value(arguments[0], deep) if arguments else MixedText(())
        words = path.constant if isinstance(path, MixedText) else None
        if words is None or not re.fullmatch(r"[\w.]*", words, re.ASCII):
            raise Unread
        place: Value = AnswerPart(answer.step, "$")
        for word in words.split(".") if words else ():
            place = member(place, int(word) if word.isdecimal() else word)
        return place


def _reckoned(sign: str, left: Value, right: Value) -> Value:
    for number in (left, right):
        if isinstance(number, bool) or not isinstance(number, int | float | DrawnNumber):
            raise Unread
    if isinstance(right, DrawnNumber) and sign in ("+", "*"):
        left, right = right, left
    if isinstance(right, DrawnNumber):
        raise Unread
    if isinstance(left, DrawnNumber):
        low, high = (_reckoned(sign, bound, right) for bound in left)
        return DrawnNumber(min(low, high), max(low, high))
    try:
        if sign == "/":
            return _whole(left / right)
        return _whole({"+": left + right, "-": left - right, "*": left * right}[sign])
    except (KeyError, ZeroDivisionError, OverflowError):
        raise Unread from None


def _whole(number: float) -> float | int:
    return int(number) if math.isfinite(number) and number == int(number) else number
