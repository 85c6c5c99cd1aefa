"""`dataclass` for the many small frozen classes of a room that a command needs at once.

The standard one writes and compiles six functions for every class, 0.6 ms each time a program starts;
the plan room alone has fifty classes, and the first request waits for them. Here all classes share
functions that look their fields up: a class is made in a quarter of the time, an instance in three
times as much (3 µs), which is right for what a plan is made of and wrong for what is made by the thousand.
It is a dataclass all the same: fields, replace, asdict, match, pickle and type checkers know it as one.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses

    _put = object.__setattr__

    def dataclass(*, frozen: bool, slots: bool, kw_only: bool = False) -> Any:
        """As dataclasses.dataclass(frozen=True, slots=True); for everything else use that one."""
        if not (frozen and slots):
            raise TypeError("only frozen classes with slots are made here")

        def made(cls: type) -> type:
            # Frozen is inherited only by what is called frozen; said of all, it would be compiled for all.
            heir = any(dataclasses.is_dataclass(base) for base in cls.__mro__[1:])
            found = dataclasses.dataclass(
                init=False, repr=False, eq=False, frozen=heir, slots=True, kw_only=kw_only
            )(cls)
            said = found.__dataclass_params__
            said.init = said.repr = said.eq = said.frozen = True
            fields = dataclasses.fields(found)
            found._given = tuple(field.name for field in fields if field.init and not field.kw_only)
            found._taken = tuple(
                (field.name, field.default, field.default_factory) for field in fields if field.init
            )
            found._compared = tuple(field.name for field in fields if field.compare)
            for name, function in vars(_Shared).items():
                if callable(function) and name not in cls.__dict__:
                    setattr(found, name, function)
            return found

        return made

    class _Shared:
        """What every such class is given, unless it says otherwise itself."""

        __slots__ = ()

        def __init__(self, *given: Any, **named: Any) -> None:
            if len(given) > len(self._given):
                raise TypeError(f"{type(self).__name__} takes {len(self._given)} values, not {len(given)}")
            for name, value in zip(self._given, given, strict=False):
                if name in named:
                    raise TypeError(f"{type(self).__name__} got {name!r} twice")
                named[name] = value
            for name, default, factory in self._taken:
                if name in named:
                    value = named.pop(name)
                elif default is not dataclasses.MISSING:
                    value = default
                elif factory is not dataclasses.MISSING:
                    value = factory()
                else:
                    raise TypeError(f"{type(self).__name__} needs {name!r}")
                _put(self, name, value)
            if named:
                raise TypeError(f"{type(self).__name__} has no {next(iter(named))!r}")
            if after := getattr(self, "__post_init__", None):
                after()

        def __repr__(self) -> str:
            shown = ", ".join(
                f"{field.name}={getattr(self, field.name)!r}"
                for field in dataclasses.fields(self)
                if field.repr
            )
            return f"{type(self).__qualname__}({shown})"

        def __eq__(self, other: object) -> bool:
            if other.__class__ is not self.__class__:
                return NotImplemented
            return all(getattr(self, name) == getattr(other, name) for name in self._compared)

        def __hash__(self) -> int:
            return hash(tuple(getattr(self, name) for name in self._compared))

        def __setattr__(self, name: str, value: Any) -> None:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

        def __delattr__(self, name: str) -> None:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

        def __getstate__(self) -> list[Any]:
            return [getattr(self, field.name) for field in dataclasses.fields(self)]

        def __setstate__(self, state: list[Any]) -> None:
            for field, value in zip(dataclasses.fields(self), state, strict=True):
                _put(self, field.name, value)
