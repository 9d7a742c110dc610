"""Studies: many games of one table or of several settings, kept in a folder, stopped and resumed. One table is a run.

- `experiment`: files that say what is varied, and playing it
- `lab`: sweeps, which rules matter, rules that meet a target
- `compare`: strategies on the same deals, and who is better
- `causes`: where the luck sits, and what each thing is worth
- `tune`: better weights for a strategy
- `train`: a net for a strategy, taught by the search
- `values`: the values that a rule is given wherever rules vary, from a command, a file or Python
- `saved_folder`: folders that survive an interruption
- `simulate`: a study from where it is to its end; simulate, run_games, resume_run
- `folder`: the folder of a study; load_results
- `parts`: the games of a run, in parts
- `events_parquet`: tables of events and of choices, written as Parquet
- `find_games`: games that are worth watching, by a condition or a preset
- `games_to_watch`: a typical and an extreme game for each quantity, kept in a run's folder
- `merge`: merge_runs joins runs of different games
- `cluster`: chunks on a Dask cluster, and what its workers do
"""
