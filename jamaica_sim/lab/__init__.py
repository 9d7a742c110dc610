"""The rule laboratory: what a rule does, which rules matter, and rules that meet a target.

- `ranges`: the values that a rule is given, from a command or a file
- `adapting`: old and adapted players side by side, and sweeps with adapted ones
- `common_deals`: several tables on the same deals
- `spoken`: rules and their values as one says them
- `sweep`: one to three rules over a range
- `sweep_file`: sweeps as files, shipped or the user's own
- `sweep_folder`: the folder of a sweep
- `rule_space`: the rules that may vary, over their values in order
- `screening`: Morris and Sobol for whole numbers, by SALib
- `lab_run`: what a search is asked, carrying it out, and its folder
- `sensitivity_task`: what a sensitivity analysis is asked, also by a file, and the points to play
- `sensitivity_result`: what it found, in tables and sentences
- `sensitivity`: which rules matter, and for which quantity
- `targets`: ranges that quantities should be in, and files of them
- `search`: candidates in batches, few games for poor ones
- `balance_task`: what a search for rules is asked, and its finalists
- `balance_result`: what such a search found, in tables and sentences
- `balance`: the search carried out: rules that meet targets, judged on fresh deals and with players who adapt
- `extra`: packages that only the laboratory needs
"""
