"""Two labs are twins of others: they have the same server, so that only what their plans say differs."""

import pytest

from loadrig.labs.find import HERE

TWINS = {
    "gc-thrash": ("token-storm", ("service/*", "schema.sql", "serve.sh")),
    "cpu-limit": ("chi-gzip", ("*.go", "go.mod", "go.sum")),
}


@pytest.mark.parametrize("name", TWINS)
def test_a_twin_has_the_sources_of_its_twin(name: str) -> None:
    other, patterns = TWINS[name]
    for pattern in patterns:
        here, there = (
            {file.name: file.read_bytes() for file in (HERE / lab).glob(pattern)} for lab in (name, other)
        )
        assert here, f"{name} has no {pattern}"
        assert here == there, f"copy {pattern} of {other} to {name}"
