"""Watching of a run that goes on, from another process, by what it writes into its folder.

The rig writes its recording as the load runs, and knows nothing of who watches. A watcher follows the growing
files: `tails` reads what is new in them, `seconds` adds the frames of the generator up to whole seconds,
`tiers` tells what each component uses, `links` who waits for whom, `lights` whether the rig itself is fit,
`trial` follows one trial, and `run` the whole run with its `tables`. What they return
are the documents of `document`, which are also what a page is sent.
"""
