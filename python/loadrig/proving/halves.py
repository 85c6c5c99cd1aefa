"""The two halves of a claim: that a resource is the limit, and who holds it.

An experiment that widens a resource, such as more of the CPU, shows that the resource is the limit, whoever
holds it. Its holder is shown by an experiment of its own (the pool switched on, a kind of work left out), or
is seen directly, as counters show the rows that a query reads.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from loadrig.judgement.about import about_of

SHARED_BANS = 1.0
"""Weight of an experiment that shows that a component or a resource matters, and not by which cause."""


def is_seen(cause: str) -> bool:
    """Return whether signs or facts of its own tell who holds a cause's resource, or that is no processor."""
    about = about_of(cause)
    return about.way in ("signs", "fact") or (about.way == "size" and about.resource != "cpu")


def under_their_holders(roots: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the roots; that a processor is full stands under a likely root that says who uses it."""
    standing = list(roots)
    for holder in roots:
        if about_of(holder["cause"]).way == "size" or holder["verdict"] == "possible":
            continue
        plain = [root for root in standing if _is_full_processor_of(root, holder)]
        holder["symptoms"] = [
            *holder["symptoms"],
            *(part for root in plain for part in ({**root, "symptoms": []}, *root["symptoms"])),
        ]
        standing = [root for root in standing if not any(root is other for other in plain)]
    return standing


def _is_full_processor_of(root: Mapping[str, Any], holder: Mapping[str, Any]) -> bool:
    about, of_holder = about_of(root["cause"]), about_of(holder["cause"])
    return (
        root["component"] == holder["component"]
        and (about.resource, about.way) == ("cpu", "size")
        and (of_holder.resource == "cpu" or of_holder.way == "use")
    )


def tell_resource(
    root: dict[str, Any], shown: Mapping[tuple[str, str], str], source: Mapping[str, Any]
) -> None:
    """Add to a root that an experiment has shown its resource to be the limit, where a symptom says that.

    shown: what an experiment says, by the cause and the component that it proves.
    """
    for symptom in root["symptoms"]:
        text = shown.get((symptom["cause"], symptom["component"]))
        if text is None or about_of(symptom["cause"]).way != "size":
            continue
        symptom["verdict"], symptom["decides"] = "named", ""
        root["resource"] = {
            "cause": symptom["cause"], "component": symptom["component"], "verdict": "named",
            "title": symptom["title"], "text": text,
        }  # fmt: skip
        experiment = {"text": text, "weight": SHARED_BANS, "source": dict(source)}
        root["evidence"] = [experiment, *root["evidence"]]
        return
