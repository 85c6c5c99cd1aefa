"""Every sentence there is in every language; holes are filled in each."""

import importlib
import inspect
import pkgutil
import re
import sys

import pytest

import loadrig.language.en
from loadrig.base.base_texts import BaseTexts
from loadrig.language.choice import LANGUAGES, PREFIXES, language_of, translation_of

OTHERS = sorted(LANGUAGES.keys() - {"en"})


def catalogues() -> list[type]:
    """Return all English catalogues."""
    modules = pkgutil.walk_packages(loadrig.language.en.__path__, "loadrig.language.en.")
    return [BaseTexts] + [
        member
        for module in modules
        for member in vars(importlib.import_module(module.name)).values()
        if inspect.isclass(member) and member.__module__ == module.name
    ]


def sentences(catalogue: type) -> dict[str, object]:
    """Return the public attributes and methods of a catalogue, by name."""
    return {name: value for name, value in vars(catalogue).items() if not name.startswith("_")}


def filled(sentence: object, catalogue: type) -> str:
    """Return a sentence with a mark in each hole."""
    if not callable(sentence):
        return repr(sentence)
    holes = list(inspect.signature(sentence).parameters.values())[1:]
    # A hole is a text, unless it says that it counts something or chooses between two sentences.
    marks = {
        hole.name: {"int": 3, "float": 3.0, "bool": True}.get(
            getattr(hole.annotation, "__name__", ""), f"⟨{hole.name}⟩"
        )
        for hole in holes
    }
    return str(sentence(catalogue(), **marks))


@pytest.mark.parametrize("code", OTHERS)
def test_a_catalogue_is_whole_in_every_language(code: str) -> None:
    for catalogue in catalogues():
        translated: type = translation_of(catalogue, code)
        assert sentences(translated).keys() == sentences(catalogue).keys(), catalogue
        for name, english in sentences(catalogue).items():
            other = sentences(translated)[name]
            where = f"{catalogue.__name__}.{name}"
            if callable(english):
                assert inspect.signature(english) == inspect.signature(other), where  # type: ignore[arg-type]
            here, there = filled(english, catalogue), filled(other, translated)
            assert sorted(set(re.findall("⟨.*?⟩", here))) == sorted(set(re.findall("⟨.*?⟩", there))), where
            assert sorted(re.findall(r"\{\d\}", here)) == sorted(re.findall(r"\{\d\}", there)), where
            if isinstance(english, dict):
                assert isinstance(other, dict), where
                assert other.keys() == english.keys(), where
            assert there, where


def test_names_of_sentences_and_holes_say_what_they_hold() -> None:
    numbered = []
    for catalogue in catalogues():
        for name, sentence in sentences(catalogue).items():
            holes = list(inspect.signature(sentence).parameters) if callable(sentence) else []
            numbered += [
                (catalogue.__name__, name, part) for part in [name, *holes] if re.search(r"_\d$", part)
            ]
    assert numbered == []


@pytest.mark.parametrize("code", OTHERS)
def test_a_catalogue_is_described_where_it_is_english(code: str) -> None:
    for catalogue in catalogues():
        translated: type = translation_of(catalogue, code)
        assert translated.__doc__ is None, catalogue
        assert catalogue is BaseTexts or sys.modules[translated.__module__].__doc__ is None, catalogue


def test_the_description_of_a_catalogue_says_more_than_its_name() -> None:
    for catalogue in catalogues():
        module = re.fullmatch(r"(?:Sentences|Errors) of `([\w.]+)`\.", catalogue.__doc__ or "")
        named = "" if module is None else re.sub(r"[._]", "", module[1])
        assert named.lower() != re.sub(r"(?:Texts|Errors)$", "", catalogue.__name__).lower(), catalogue


HELP = {"commands", "options", "labels", "lab_clauses", "base"}
"""Files without an English one: what is English in them stands where it is used, or in the lowest room."""


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_has_no_file_that_english_has_not(code: str) -> None:
    def names(language: str) -> list[str]:
        package = importlib.import_module(f"loadrig.language.{language}")
        prefix = package.__name__ + "."
        return [each.name.removeprefix(prefix) for each in pkgutil.walk_packages(package.__path__, prefix)]

    assert set(names(code)) - HELP == set(names("en"))
    assert code in PREFIXES


@pytest.mark.parametrize(
    ("environment", "code"),
    [
        ({}, "en"),
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LANG": "ko_KR.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "C.UTF-8", "LOADRIG_LANG": "ko"}, "ko"),
        ({"LANG": "ko_KR.UTF-8", "LOADRIG_LANG": "en"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "ko", "LANG": "en_US"}, "ko"),
    ],
)
def test_the_language_is_that_of_the_environment(environment: dict[str, str], code: str) -> None:
    assert language_of(environment) == code
