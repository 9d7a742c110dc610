"""Experiments: files that say what to compare. All settings of an experiment are played on the same deals.

- `chapters`: the chapters that a report can have, and what each needs
- `file`: what an experiment file may say, and its mistakes
- `template`: a file to start an experiment from
- `setting`: one combination of factors, that is the rules and who plays
- `study`: what was played, ready for a report, and what the manifest of an experiment's folder says
- `run_experiment`: playing the settings, and resuming them; players who have adapted, printed rules beside one's own
"""
