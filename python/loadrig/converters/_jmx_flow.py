"""Controllers of JMeter as sequences of requests: what a thread does in one loop, in its variants.

What the test decides by chance becomes several sequences with shares, what it decides by values that it fixes
itself is decided here, and what it decides by answers is marked, as far as a plan can say it; else noted.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from loadrig.converters._jmx_conditions import holds
from loadrig.converters._jmx_decisions import DecisionMark, decision_of
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_text import Variables
from loadrig.converters._jmx_timers import RATES, TIMERS, TimerPause, pause_of
from loadrig.converters._jmx_tree import TreeElement
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts

TEXTS = texts_of(ConvertersJmeterTexts)

MOST_STEPS = 500
"""Requests of one loop of a user at most; loops within a test that would make more are made once."""

MOST_VARIANTS = 64
"""Sequences by chance at most; beyond it every part is made in every loop."""

MOST_ROUNDS = 50
"""Loops of a thread that are one of the plan at most, so that its controllers' parts come in their turn."""

MOST_FIRST_ROUNDS = 10
"""Loops of a thread of which the first makes requests that the others do not, at most: each loop becomes
steps of the plan of its own."""

MOST_VISITS = 20_000
"""Elements that controllers and modules make in a group, at most: modules that point at modules may mean any
number."""

MOST_DEPTH = 60
"""Controllers within each other at most, those that modules point at included."""

HTTP_SAMPLERS = ("HTTPSamplerProxy", "HTTPSampler", "HTTPSampler2")
_SAMPLERS = (*HTTP_SAMPLERS, "TestAction")
"""Classes that a thread runs as one step: an action takes its turn among requests."""

LISTENERS = frozenset(
    (
        "ResultCollector", "Summariser", "BackendListener", "ResultSaver", "MailerResultCollector",
        "BeanShellListener", "BSFListener", "JSR223Listener", "DebugPostProcessor", "DebugSampler",
    )
)  # fmt: skip
CONFIGS = frozenset(
    (
        "Arguments", "ConfigTestElement", "HeaderManager", "CookieManager", "CacheManager", "AuthManager",
        "CSVDataSet", "CounterConfig", "RandomVariableConfig", "UserParameters", "DNSCacheManager",
        "KeystoreConfig", "LoginConfig", "JDBCDataSource", "JavaConfig", "LDAPArguments",
        "BoltConnectionElement",
    )
)  # fmt: skip
"""Classes of elements that make no requests and change those in their scope."""

AS_A_WHOLE = ("GenericController", "TransactionController", "RecordingController", "TestFragmentController")
"""Classes of controllers whose children are made in their order, each once."""

_ALTERED_WHOLE = ("CriticalSectionController", "RunTime", "ParallelSampler", "RandomOrderController")


@dataclass(frozen=True, slots=True)
class Scope:
    """Elements that hold for a sampler, those of the outermost controller first."""

    elements: tuple[TreeElement, ...] = ()

    def of(self, *kinds: str) -> tuple[TreeElement, ...]:
        """Return those of some classes."""
        return tuple(element for element in self.elements if element.kind in kinds)

    def within(self, children: Sequence[TreeElement]) -> "Scope":
        """Return the scope of a level below."""
        inner = (child for child in children if child.is_enabled and is_modifier(child))
        return Scope((*self.elements, *inner))


@dataclass(frozen=True, slots=True)
class SamplerStep:
    """A sampler as a step of a loop, in its scope. round: loop of the thread that it is of, from 0."""

    sampler: TreeElement
    scope: Scope
    round: int = 0


Item = SamplerStep | TimerPause | DecisionMark


@dataclass(frozen=True, slots=True)
class LoopVariant:
    """A sequence that a loop may be. share: of all loops."""

    items: tuple[Item, ...] = ()
    share: float = 1.0


@dataclass(slots=True)
class Flow:
    """Reader of controllers. users: None for visitors, of whom each makes one loop.

    once: samplers of a Once Only Controller, made before a user's first loop.
    """

    top: TreeElement
    variables: Variables
    report: JmxReport
    loops: int | None = None
    users: int | None = None
    once: list[SamplerStep] = field(default_factory=list)
    visits: int = 0
    _takes_turns: bool = True
    _chances: int = 0
    _round: int = 0
    _is_first_apart: bool = False
    _turns: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Turns that an Interleave Controller has taken, and how many it has, by its line."""

    _in_turn: dict[int, TreeElement] = field(default_factory=dict)

    def loop_variants(self, children: Sequence[TreeElement], scope: Scope) -> tuple[list[LoopVariant], int]:
        """Return the sequences that a loop of the plan may be, and how many loops of a thread each is.

        There are several where the parts of a controller come in their turn: until the first ones come again.
        """
        self._takes_turns = self.users is not None
        rounds = [self.variants(children, scope)]
        while self._takes_turns and len(rounds) <= MOST_ROUNDS and not self._ends_with(len(rounds)):
            self._round = len(rounds)
            rounds.append(self.variants(children, scope))
        steps = sum(max(len(variant.items) for variant in variants) for variants in rounds)
        number = math.prod(len(variants) for variants in rounds)
        is_short = len(rounds) <= MOST_ROUNDS and steps <= MOST_STEPS and number <= MOST_VARIANTS
        if len(rounds) == 1 or is_short:
            for element in self._in_turn.values():
                self.report.carry(element)
            joined = rounds[0]
            for variants in rounds[1:]:
                joined = self._followed(joined, variants, self.top)
            return joined, len(rounds)
        self._takes_turns, self._is_first_apart, self._round = False, False, 0
        self.once = []
        return self.variants(children, scope), 1

    def _ends_with(self, rounds: int) -> bool:
        """Return whether a thread does the same again after some loops, or ends with them."""
        if self._is_first_apart or (self.loops is not None and self.loops == rounds):
            return self.loops == rounds
        is_divisor = self.loops is None or self.loops % rounds == 0
        return is_divisor and all(turns % parts == 0 for turns, parts in self._turns.values())

    def variants(self, children: Sequence[TreeElement], scope: Scope, depth: int = 0) -> list[LoopVariant]:
        """Return the sequences that the children of a controller or group make."""
        inner = scope.within(children)
        variants = [LoopVariant()]
        for child in children:
            variants = self._followed(variants, self._of(child, inner, depth + 1), child)
        return variants

    def _of(self, child: TreeElement, scope: Scope, depth: int) -> list[LoopVariant]:
        if not child.is_enabled:
            self.drop(child, TEXTS.switched_off)
            return [LoopVariant()]
        self.visits += 1
        if depth > MOST_DEPTH or self.visits > MOST_VISITS:
            self.report.drop(child, TEXTS.too_deep(MOST_DEPTH, MOST_VISITS))
            return [LoopVariant()]
        if is_modifier(child):
            return [LoopVariant()]
        if child.kind in HTTP_SAMPLERS:
            return [LoopVariant((SamplerStep(child, scope.within(child.children), self._round),))]
        if child.kind == "TestAction":
            return [LoopVariant(self._pause(child, scope))]
        make = self._controllers().get(child.kind)
        if make is not None:
            return make(child, scope, depth)
        self.drop(child, TEXTS.no_such_loop if child.kind.endswith("Controller") else TEXTS.no_sampler)
        return [LoopVariant()]

    def drop(self, element: TreeElement, why: str) -> None:
        """Note that an element is left out, with all below it."""
        below = sum(1 for _ in element.all_below()) - 1
        self.report.drop(element, TEXTS.with_below(why, below) if below else why)

    def _controllers(self) -> dict[str, Callable[[TreeElement, Scope, int], list[LoopVariant]]]:
        return {
            **dict.fromkeys(AS_A_WHOLE, self._whole),
            **dict.fromkeys(_ALTERED_WHOLE, self._altered_whole),
            "LoopController": self._loop,
            "OnceOnlyController": self._once_only,
            "IfController": self._if,
            "WhileController": self._while,
            "RandomController": self._random,
            "InterleaveControl": self._interleaved,
            "ThroughputController": self._throughput,
            "SwitchController": self._switch,
            "ModuleController": self._module,
        }

    # --- controllers ------------------------------------------------------------------------------

    def _whole(self, element: TreeElement, scope: Scope, depth: int) -> list[LoopVariant]:
        if element.kind == "TransactionController":
            self.report.alter(element, TEXTS.no_transactions)
        else:
            self.report.carry(element)
        return self.variants(element.children, scope, depth)

    def _altered_whole(self, element: TreeElement, scope: Scope, depth: int) -> list[LoopVariant]:
        self.report.alter(element, TEXTS.in_sequence)
        return self.variants(element.children, scope, depth)

    def _loop(self, element: TreeElement, scope: Scope, depth: int) -> list[LoopVariant]:
        loops = element.get("LoopController.loops")
        # JMeter reads none where none are written.
        number = int(self.variables.number(loops, element, 1)) if loops else 0
        before = dict(self._turns)
        variants = self.variants(element.children, scope, depth)
        takes_turns = self._turns != before
        if number < 0:
            self.report.alter(element, TEXTS.endless_loop)
            return variants
        if number == 0:
            self.drop(element, TEXTS.never)
            return [LoopVariant()]
        longest = max(len(variant.items) for variant in variants)
        if number * longest > MOST_STEPS or len(variants) ** min(number, 10) > MOST_VARIANTS:
            self.report.alter(element, TEXTS.loop_once(number))
            return variants
        self.report.carry(element)
        repeated = variants
        for _ in range(number - 1):
            if takes_turns:
                variants = self.variants(element.children, scope, depth)
            repeated = self._followed(repeated, variants, element)
        # In spite of its name: whether the controller begins anew in the next loop of the thread.
        is_made_anew = element.get("LoopController.continue_forever") != "false"
        return repeated if is_made_anew else self._first_only(element, repeated, depth)

    def _once_only(self, element: TreeElement, scope: Scope, depth: int) -> list[LoopVariant]:
        return self._first_only(element, self.variants(element.children, scope, depth), depth)

    def _first_only(self, element: TreeElement, variants: list[LoopVariant], depth: int) -> list[LoopVariant]:
        """Return what is made in the first loop of a thread alone, as far as a plan can say so."""
        items = [item for item in variants[0].items if isinstance(item, SamplerStep)]
        if self.loops == 1:
            self.report.carry(element)
            return variants
        if self.once and [item.sampler.line for item in items] == [item.sampler.line for item in self.once]:
            return [LoopVariant()]
        if depth == 1 and (self._is_first_apart or self._sets_first_apart(len(items))):
            self._in_turn[element.line] = element
            return [LoopVariant()] if self._round else variants
        if len(variants) == 1 and len(items) == 1 and not self.once:
            self.once = items
            self.report.alter(element, TEXTS.as_login)
            return [LoopVariant()]
        self.report.alter(element, TEXTS.in_every_loop)
        return variants

    def _sets_first_apart(self, requests: int) -> bool:
        """Return whether a plan has all loops of a thread as its steps, so that the first may make more.

        requests: those that are made once; a single one is a login. Rows of a file last for a plan's loop.
        """
        is_short = self.loops is not None and self.loops <= MOST_FIRST_ROUNDS
        is_alone = not self._chances and not self._round and not self.once
        self._is_first_apart = (
            is_short and is_alone and self._takes_turns and requests > 1 and not self.variables.rows.tables
        )
        return self._is_first_apart

    def _if(self, element: TreeElement, scope: Scope, depth: int) -> list[LoopVariant]:
        is_true = holds(element.get("IfController.condition"), element, self.variables)
        if is_true is False:
            self.drop(element, TEXTS.never)
            return [LoopVariant()]
        if is_true is None:
            return self._decided(element, scope, depth, TEXTS.always)
        self.report.carry(element)
        return self.variants(element.children, scope, depth)

    def _while(self, element: TreeElement, scope: Scope, depth: int) -> list[LoopVariant]:
        is_true = holds(element.get("WhileController.condition"), element, self.variables)
        if is_true is False:
            self.drop(element, TEXTS.never)
            return [LoopVariant()]
        if is_true is None:
            return self._decided(element, scope, depth, TEXTS.while_once)
        self.report.alter(element, TEXTS.endless_loop)
        return self.variants(element.children, scope, depth)

    def _decided(self, element: TreeElement, scope: Scope, depth: int, otherwise: str) -> list[LoopVariant]:
        """Return what a controller makes that answers decide. otherwise: the note where a plan cannot.

        A plan picks by chance once a loop, and a While Controller in each round.
        """
        variants = self.variants(element.children, scope, depth)
        condition = element.get(f"{element.kind}.condition")
        decision = decision_of(element, condition, self.variables, self.top, otherwise)
        is_loop = element.kind == "WhileController"
        if decision is None or (is_loop and len(variants) > 1):
            self.report.alter(element, otherwise)
            return variants
        begin, end = DecisionMark(decision), DecisionMark()
        return [replace(variant, items=(begin, *variant.items, end)) for variant in variants]

    def _random(self, element: TreeElement, scope: Scope, depth: int) -> list[LoopVariant]:
        inner = scope.within(element.children)
        choices = self._choices(element, inner, depth)
        if element.kind == "InterleaveControl":
            self.report.alter(element, TEXTS.in_turn_by_chance)
        else:
            self.report.carry(element)
        self._chances += 1
        variants = [
            replace(variant, share=variant.share / len(choices))
            for child in choices
            for variant in self._of(child, inner, depth + 1)
        ]
        self._chances -= 1
        return variants or [LoopVariant()]

    def _choices(self, element: TreeElement, inner: Scope, depth: int) -> list[TreeElement]:
        """Return the children of which a controller makes another each time; note those that are left out."""
        choices = [
            child for child in element.children if child.is_enabled and not is_modifier(child)
            and (child.kind in _SAMPLERS or child.kind in self._controllers())
        ]  # fmt: skip
        for child in element.children:
            if child not in choices:
                self._of(child, inner, depth + 1)
        return choices

    def _interleaved(self, element: TreeElement, scope: Scope, depth: int) -> list[LoopVariant]:
        """Return what a controller makes whose parts come in their turn, one in each loop of a thread."""
        inner = scope.within(element.children)
        choices = self._choices(element, inner, depth)
        if not self._is_in_turn(element, choices):
            return self._random(element, scope, depth)
        self._in_turn[element.line] = element
        turns, _ = self._turns.get(element.line, (0, 1))
        variants = [LoopVariant()]
        for _ in choices:
            child, turns = choices[turns % len(choices)], turns + 1
            variants = self._of(child, inner, depth + 1)
            # A part that makes no request is passed over.
            if any(variant.items for variant in variants):
                break
        self._turns[element.line] = (turns, max(1, len(choices)))
        return variants

    def _is_in_turn(self, element: TreeElement, choices: Sequence[TreeElement]) -> bool:
        """Return whether the parts of a controller come in a turn that is known before."""
        is_of_all = element.is_true("InterleaveControl.accrossThreads") and self.users != 1
        # Without this style a part that is a controller itself makes one of its requests.
        are_whole = element.get("InterleaveControl.style") == "1" or all(
            child.kind in _SAMPLERS for child in choices
        )
        return self._takes_turns and not self._chances and are_whole and not is_of_all

    def _throughput(self, element: TreeElement, scope: Scope, depth: int) -> list[LoopVariant]:
        self._chances += 1
        variants = self.variants(element.children, scope, depth)
        self._chances -= 1
        if element.get("ThroughputController.style") != "1":
            self.report.alter(element, TEXTS.always)
            return variants
        text = element.get("ThroughputController.percentThroughput", "100")
        share = min(1.0, max(0.0, self.variables.number(text, element, 100.0) / 100))
        self.report.carry(element)
        if share == 0:
            return [LoopVariant()]
        weighted = [replace(variant, share=variant.share * share) for variant in variants]
        return weighted if share == 1 else [*weighted, LoopVariant(share=1 - share)]

    def _switch(self, element: TreeElement, scope: Scope, depth: int) -> list[LoopVariant]:
        value = self.variables.constant(element.get("SwitchController.value"), element)
        choices = [child for child in element.children if child.is_enabled and not is_modifier(child)]
        if value is None or "${" in value:
            self.report.alter(element, TEXTS.switch_by_chance)
            return self._random(element, scope, depth)
        chosen = [child for child in choices if child.name == value]
        if value.strip().isdecimal() or not value.strip():
            number = int(value.strip() or 0)
            chosen = choices[number : number + 1] or choices[:1]
        # A name that is no child's means the child of this name: JMeter's component reference.
        chosen = chosen or [child for child in choices if child.name.lower() == "default"]
        self.report.carry(element)
        for child in choices:
            if child not in chosen[:1]:
                self.drop(child, TEXTS.never)
        return self.variants(
            [child for child in element.children if is_modifier(child) or child in chosen[:1]], scope, depth
        )

    def _module(self, element: TreeElement, scope: Scope, depth: int) -> list[LoopVariant]:
        path = [part.text for part in element.items("ModuleController.node_path")]
        targets = [
            candidate
            for candidate in self.top.all_below()
            if path and candidate.name == path[-1] and candidate.kind in self._controllers()
        ]
        if len(targets) != 1:
            self.report.drop(element, TEXTS.no_module(path[-1][:80] if path else ""))
            return [LoopVariant()]
        self.report.carry(element)
        return self._of(replace(targets[0], is_enabled=True), scope, depth)

    # --- parts ------------------------------------------------------------------------------------

    def _followed(
        self, first: list[LoopVariant], second: list[LoopVariant], element: TreeElement
    ) -> list[LoopVariant]:
        """Return every variant of one part followed by every variant of another."""
        if len(first) * len(second) > MOST_VARIANTS:
            self.report.alter(element, TEXTS.too_many_variants(MOST_VARIANTS))
            longest = max(second, key=lambda variant: len(variant.items))
            second = [LoopVariant(longest.items)]
        joined = [
            LoopVariant((*before.items, *after.items), before.share * after.share)
            for before in first
            for after in second
        ]
        if max(len(variant.items) for variant in joined) > 4 * MOST_STEPS:
            self.report.drop(element, TEXTS.too_many_steps(4 * MOST_STEPS))
            return first
        return joined

    def _pause(self, element: TreeElement, scope: Scope) -> tuple[Item, ...]:
        """Return the pause of an action: that of all timers which hold for it, then its own."""
        if element.get("ActionProcessor.action") != "1":
            self.drop(element, TEXTS.no_other_action)
            return ()
        pause_s = self.variables.number(element.get("ActionProcessor.duration"), element) / 1000
        pause = TimerPause(max(0.0, pause_s), max(0.0, pause_s))
        for timer in scope.within(element.children).of(*TIMERS):
            if timer.kind not in RATES:
                pause += pause_of(timer, self.variables, self.report)
        for timer in element.children:
            if timer.kind in RATES and timer.is_enabled:
                self.report.drop(timer, TEXTS.rate_of_part)
        self.report.carry(element)
        return (pause,) if pause.high_s > 0 else ()


def is_modifier(element: TreeElement) -> bool:
    """Return whether an element makes no request of its own and holds for those in its scope."""
    kind = element.kind
    return (
        kind in CONFIGS
        or kind in TIMERS
        or kind in LISTENERS
        or kind.endswith(
            (
                "Assertion", "Extractor", "PostProcessor", "PreProcessor", "Timer", "Listener", "Modifier",
                "Config", "Manager", "ResultAction", "SampleTimeout", "RegExUserParameters", "AssertionGui",
            )
        )
    )  # fmt: skip
