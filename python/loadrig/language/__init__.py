"""Sentences that users read, in every language.

`en` is the catalogue: a file for each room or cause, in it a class whose attributes are plain sentences and
whose methods are sentences with holes, the method's arguments. A name says what the sentence tells.
`ko` has the same files; its classes derive from the English ones and replace every sentence.
`choice` knows the language of this process and makes the catalogue of it; `particles` bends Korean.
`descriptions` finds what plan keys, knobs and metrics are, which in English stands where they are declared.
Numbers come as text with their units, made by `base.units`, so that all languages show the same figures.
"""
