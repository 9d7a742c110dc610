"""The rule laboratory: what a rule does, which rules matter, and rules that meet a target.

- `common_deals`: several tables on the same deals
- `sweep`: one to three rules over a range
- `sweep_folder`: a sweep as an experiment: its file, playing it, reading it; what players who adapt make of it
- `rule_space`: the rules that may vary, over their values in order; what all files of the laboratory have in common
- `screening`: what a sensitivity analysis is asked, also by a file; Morris and Sobol for whole numbers, by SALib
- `asking`: what a search is asked, carrying it out, and its folder
- `sensitivity`: which rules matter, and for which quantity: what is played, and what it shows
- `targets`: ranges that quantities should be in, and files of them
- `search`: candidates in batches, few games for poor ones
- `balance_task`: what a search for rules is asked, and its finalists
- `balance_result`: what such a search found, in tables and sentences
- `balance`: the search carried out: rules that meet targets, judged on fresh deals and with players who adapt
"""
