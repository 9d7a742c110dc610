"""What rules are called in a title, for the page: `{}` stands for the value."""

POWERS = {
    "morgans_map": "Morgan's Map",
    "sarans_sabre": "Saran's Sabre",
    "lady_beth": "Lady Beth",
    "sixth_hold": "6th Hold",
}
FLAGS = {
    "limited_bank": "a limited bank",
    "early_reshuffle": "an early reshuffle",
    "steal_known": "stealing known cards",
    "give_any_treasure": "giving any treasure",
    "free_split": "costs split over holds",
    "ghost_takes_cursed_only": "a ghost ship that takes cursed cards only",
}
NUMBERS = {
    "hand_size": "a hand of {}",
    "map_hand_size": "a hand of {} with Morgan's Map",
    "start_food": "{} food at the start",
    "start_gold": "{} gold at the start",
    "start_gunpowder": "{} gunpowder at the start",
    "holds": "{} holds",
    "treasure_pile": "{} treasures in the pile",
    "start_score": "the start worth {}",
    "lady_beth_bonus": "Lady Beth +{}",
    "round_cap": "at most {} rounds",
    "red_line": "the red line before space {}",
    "ghost_gold": "a ghost ship with {} gold",
    "bank": "a bank of {} gold, food and gunpowder",
}
