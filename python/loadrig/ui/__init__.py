"""`loadrig ui`: one page in the browser on which runs are watched, steered, found again and compared.

`serve` runs the server, `app` puts it together, `guard` decides who may ask, `home` is what the routes share:
the folder of all runs and its index. `routes` has a file for each group of addresses, which declares them as
`ROUTES`. What is shown of a run that goes on comes from `following`, of all runs from `archive`, and a run's
report is the page in its folder. `assets` has the pages' style and scripts.

The server is a process of its own at the lowest priority. It reads the folders, and never talks to a rig: an
order to a run is a file in the run's folder, see recording.steering.
"""
