"""All runs below a folder: found, listed, searched, labelled.

`entries` reads what a list shows of a run from the run's own files, `labels` keeps what a person has written
to a run, and `index` remembers all of it in a database that may be deleted at any time: it is made again from
the folders. Nothing here changes what a run has recorded.
"""
