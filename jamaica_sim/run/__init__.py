"""Runs: many games of one table, kept in a folder, stopped and gone on with.

- `api`: the public functions: simulate, replay, load_results
- `play`: a run from where it is to its end
- `folder`: the run's folder
- `game_rows`: the table of games, written as Parquet
- `merge`: joins runs of different games
- `cluster`: chunks on a Dask cluster
"""
