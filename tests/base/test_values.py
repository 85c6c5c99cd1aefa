"""The small things that every room hands on: estimates, addresses, settings, declared options."""

from dataclasses import FrozenInstanceError, dataclass, fields

import pytest

from loadrig.base.running import Address
from loadrig.base.setting import show_setting
from loadrig.base.shape import Declaration, option


@pytest.mark.parametrize(
    ("address", "url"),
    [
        (Address("127.0.0.1", 8000), "http://127.0.0.1:8000"),
        (Address("::1", 80, "https"), "https://[::1]:80"),
    ],
)
def test_an_address_shows_ipv6_in_brackets(address: Address, url: str) -> None:
    assert address.url == url


def test_a_setting_is_shown_as_a_plan_would_write_it() -> None:
    assert show_setting({"worker_class": "sync", "workers": 2, "preload": True}) == (
        "worker_class=sync workers=2 preload=true"
    )
    assert show_setting({}) == "as it is"


@dataclass(frozen=True)
class ShapedOptions:
    needed: int = option("A needed one.", low=1, high=9, example="5")
    renewed: list[int] = option("One made anew.", factory=list, key="else")
    fallback: int = option("One given.", default=3)


def test_an_option_is_a_field_with_its_words() -> None:
    needed, renewed, _ = fields(ShapedOptions)
    assert needed.metadata[Declaration] == Declaration("A needed one.", None, 1, 9, "5")
    assert renewed.metadata[Declaration].key == "else"


def test_an_option_without_a_default_is_required_and_factories_make_new_ones() -> None:
    with pytest.raises(TypeError, match="needed"):
        ShapedOptions()
    first, second = ShapedOptions(5), ShapedOptions(5)
    assert first == second
    assert first.renewed is not second.renewed
    with pytest.raises(FrozenInstanceError):
        first.fallback = 4  # type: ignore[misc]
