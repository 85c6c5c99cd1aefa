"""Particles follow the sound before them."""

import pytest

from loadrig.language.particles import with_particle


@pytest.mark.parametrize(
    ("word", "particle", "whole"),
    [
        ("서버", "은", "서버는"), ("병목", "은", "병목은"), ("서버", "이", "서버가"),
        ("커넥션", "를", "커넥션을"), ("서울", "으로", "서울로"), ("병목", "로", "병목으로"),
        ("서버", "으로", "서버로"), ("16", "을", "16을"), ("12", "을", "12를"),
        ("1", "로", "1로"), ("95 %", "을", "95 %를"), ("worker", "가", "worker가"),
        ("redis", "와", "redis와"), ("nginx (proxy)", "은", "nginx (proxy)는"), ("", "은", "는"),
        ("16.5 kB", "을", "16.5 kB를"), ("2 h", "를", "2 h을"), ("3 ms", "이", "3 ms가"),
        ("worker 7 (메모리 40 MiB)", "이", "worker 7 (메모리 40 MiB)가"),
        ("4 min", "가", "4 min이"),
    ],
)  # fmt: skip
def test_a_particle_fits_the_end_of_its_word(word: str, particle: str, whole: str) -> None:
    assert with_particle(word, particle) == whole
