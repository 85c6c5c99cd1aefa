"""Causes, one file each; the file's name is the cause's name in results, in `truth.yaml` and in the docs.

A cause has TEXTS, its sentences, of which `title` follows "Likely: ", and `mend` and `decides` hold where a
claim has no words of its own; and ABOUT (the resource that it is about, from which follows what is its
symptom: `judgement.symptoms`; and the harms that it can bring about). It stands in one way or several:

- its resource is full (ABOUT.full): `wording(case, tier, resource)` says that in its own words;
- somebody uses a resource for what could be spared (`limits.holders`): `wording_of_holder(case, holder)`;
- by signs of its own: `examine(case)` yields a hypothesis for each component that it could lie in;
- where nothing is wrong and no goal is met: `where_nothing_is_wrong(case)` yields what could be better.
- where something is wrong and nothing stands: `where_nothing_stands(case)` yields what may be behind it.

Everything that a cause's file may declare is a member of `judgement.declarations.Cause`, the one reader of
these files. OWN_WORDS are lines of logs that speak for it; `own_words_apply(case, component)` says whom they
can accuse.

It holds its claim alone: what was observed is told by `facts`, what is wrong by `harms`. Where no experiment
of loadrig decides about it, `no_proof` of its sentences says what a person does instead.

Its sentences stand in `language.en.causes` and `language.ko.causes`, in files of the same name. What an
experiment or a law looks up (the beginning of a hypothesis' `detail`) is a code, and stays English.

Its docstring says in a sentence what is wrong. The rest of its page stands with its sentences, under five
headings: Signature, Data, Deciding test, Guard, Fix.
"""

PAGES = "loadrig.language.en.causes"
"""Package in which the sections of a cause's page stand."""
