"""Sentences that users read, in every language.

`en` is the catalogue: a file for each room or cause, in it a class whose attributes are plain sentences and
whose methods are sentences with holes, the method's arguments. A name says what the sentence tells.
`ko` has the same files and classes. In them a sentence with holes is a template that names the arguments of
the English method; it is a method only where it takes more than filling.
`choice` knows the language of this process and makes the catalogue of it, `templates` fills the templates,
and `particles` bends Korean.
`descriptions` finds what plan keys, knobs and metrics are, which in English stands where they are declared.
Numbers come as text with their units, made by `base.units`, so that all languages show the same figures.
"""
