"""Runs: many games of one table, kept in a folder, stopped and resumed.

- `simulate`: a run from where it is to its end; simulate, run_games, resume_run
- `folder`: the run's folder; load_results
- `events_parquet`: tables of events and of choices, written as Parquet
- `games_parquet`: the table of games, written as Parquet
- `find_games`: games that are worth watching, by a condition or a preset
- `games_to_watch`: a typical and an extreme game for each quantity, kept in a run's folder
- `condition`: conditions on games, as a small language
- `merge`: merge_runs joins runs of different games
- `cluster`: chunks on a Dask cluster
- `cluster_worker`: what its workers do
"""
