"""The rules, compiled: numbers and arrays in, numbers and arrays out. It does not parse, print or know files.

- `state`: every array of a game, field by field
- `view`: what a player may see, the head of the state
- `rulebook`: the rules and components as one record of numbers
- `board`: where a move can end, and what lies behind
- `game`: the loop that plays games and stores a result row for each
- `setup`: S1 to S3, G1
- `luck`: the dice, new luck to come, a mark before every draw
- `turn`: a round, T1 to T5
- `play_on`: the rest of a round from any decision, and the rounds after it
- `position`: a position on the stack
- `deal_anew`: what a player cannot know, dealt anew (K2)
- `loading`: L1 to L4
- `moving`: M1 to M4
- `arriving`: M2: battle, then cost or treasure
- `paying`: P1, P4
- `shortage`: H1 to H4
- `battle`: B1 to B6, G5
- `sabre`: Saran's Sabre, B7
- `looting`: B8, B9, G6, G7
- `treasures`: P2, B9, R1 to R5, G4
- `fortune`: what luck gave each ship beyond its mean
- `ghost`: the ghost ship's moves, G2 to G4, G8
- `scoring`: E2, E3
- `decide`: asks a strategy and checks its answer
- `events`: the trace: what happened, event by event
- `machine`: numba and bits
"""
