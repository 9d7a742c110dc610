"""A net that plays: taught by the search, it scores every option of a decision.

- `layout`: the rows of its first layer, and what each stands for
- `facts`: where the facts of a decision are collected; those that all its options share
- `others`: facts about the other ships: how they stand, and what the dice let them do
- `options`: the facts of an option, of the own turn and of the ghost ship
- `forward`: the compiled net, and the record that it reads
- `net_file`: files with a net, checked before they are believed
"""
