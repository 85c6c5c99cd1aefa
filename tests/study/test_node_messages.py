"""Messages between a driver and its nodes: an error is heard as it was told."""

import json

import pytest

from loadrig.base.documents import plain, typed
from loadrig.base.errors import Interrupted, Problem, RigError, Span, TargetError
from loadrig.study.node_messages import NodeAnswer, ToldError


@pytest.mark.parametrize("where", [None, Span("plan.yaml", 1, 2, 3, "rate: 5")])
@pytest.mark.parametrize("kind", [TargetError, Interrupted])
def test_an_error_is_heard_as_it_was_told(kind: type[RigError], where: Span | None) -> None:
    error = kind([Problem("it failed", "mend it", "target.died", where=where, detail=("a line",))])
    line = json.dumps(plain(NodeAnswer(error=ToldError.of(error))))
    answer = typed(NodeAnswer, json.loads(line), "node 1")
    assert answer.done is None
    assert answer.error is not None
    error_again = answer.error.as_error()
    assert type(error_again) is kind
    assert error_again.problems == error.problems
