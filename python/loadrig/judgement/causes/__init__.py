"""Causes, one file each; the file's name is the cause's name in results, in `truth.yaml` and in the docs.

A cause has TITLE (a clause that follows "Likely: "), HARMS (what it can bring about, names of
`findings.harms`; empty: it is looked at whatever is wrong), ABOUT (the resource that it is about, from which
follows what is its symptom: `findings.about`), and `examine(case)`, which yields a hypothesis for each
component that it could lie in. It yields nothing for other components. Its page is its
docstring, with five headings: Signature, Data, Deciding test, Guard, Fix.
"""
