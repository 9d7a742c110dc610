"""The compiled rules: they take and return numbers and arrays. The engine does not parse, print or read users' files.

- `state`: every array of a game, field by field
- `view`: what a player may see, the head of the state
- `rulebook`: the rules and components as one record of numbers
- `board`: where a move can end, and which spaces lie behind
- `game`: the loop that plays games and stores a result row for each
- `setup`: S1 to S3, G1
- `luck`: throws the dice, renews the luck to come, marks every draw
- `turn`: a round, T1 to T5
- `play_on`: plays the rest of a round from any decision, and the rounds after it
- `step`: games that stop and ask a seat outside the engine
- `position`: makes and copies positions on the stack
- `deal_anew`: deals again everything that a player cannot know (K2)
- `loading`: L1 to L4
- `moving`: M1 to M4
- `arriving`: M2: battle, then cost or treasure
- `paying`: P1, P4
- `shortage`: H1 to H4
- `battle`: B1 to B6, G5
- `sabre`: Saran's Sabre, B7
- `looting`: B8, B9, G6, G7
- `treasures`: P2, B9, R1 to R5, G4
- `fortune`: how much luck gave each ship beyond its mean
- `ghost`: the ghost ship's moves, G2 to G4, G8
- `scoring`: E2, E3
- `decide`: asks a strategy and checks its answer
- `events`: the trace: what happened, event by event
- `machine`: everything about numba and bits
"""
