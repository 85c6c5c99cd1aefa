"""Clauses of the bundled labs: each has its translation, and none is left over."""

import pytest

from loadrig.labs.find import find, names
from loadrig.labs.format import OWN_PLAN
from loadrig.language.ko.lab_clauses import CLAUSES


@pytest.mark.parametrize("name", names())
def test_every_clause_of_a_bundled_lab_has_its_translation(name: str) -> None:
    lab = find(name)
    clauses = {lab.title, *(plan.about for plan in lab.plans.values())}
    assert clauses <= CLAUSES.keys()


def test_nothing_is_translated_that_no_lab_says() -> None:
    labs = [find(name) for name in names()]
    used = {lab.title for lab in labs} | {plan.about for lab in labs for plan in lab.plans.values()}
    assert CLAUSES.keys() - used == {OWN_PLAN}
