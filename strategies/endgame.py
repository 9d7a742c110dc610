"""Stays behind and lets others run, filling its holds; when one nears home it sails for the points past the red line.

While the leading ship has more than a third of the race to go it prefers the card that loads the most gold and food;
from then on it plays the heuristic with weights that want to be past the red line, but not home while behind.
"""

from jamaica_sim.strategy.api import CARDS, EMPTY, FOOD, GOLD, ask_heuristic, has, helper, spaces_left

INTENT = "Is it better to let the others end the race?"
WEIGHTS = {"progress": 2.2, "hurry": 3.0, "horizon": 1.5, "gold": 1.3, "finish": 0.0, "patience": 3.0}

PATIENT_UNTIL = 14  # spaces that the leading ship still has to go
FALL_BEHIND = 12  # spaces behind the leader that are too many


@helper
def _leader_left(view, rules):
    """How far the leading ship is from home."""
    fewest = spaces_left(view, rules, 0)
    for ship in range(1, rules.ships):
        fewest = min(fewest, spaces_left(view, rules, ship))
    return fewest


@helper
def _loads(view, rules, card):
    """Doubloons, and half the food, that a card would load with the dice as they are placed."""
    worth = 0.0
    for when in range(2):
        symbol = rules.card_symbol[card, when]
        if symbol == GOLD:
            worth += view.placed[when]
        elif symbol == FOOD:
            worth += 0.5 * view.placed[when]
    return worth


def choose_card(view, rules, weights):
    """The card with the best cargo while there is time, the heuristic's card when there is not."""
    ahead = _leader_left(view, rules)
    too_far = spaces_left(view, rules, view.me) - ahead > FALL_BEHIND
    if ahead <= PATIENT_UNTIL or too_far or view.holds[view.me, EMPTY] == 0:
        return ask_heuristic(view, rules, weights)
    best, most = -1, 3.0
    for card in range(CARDS):
        if has(view.hand, card) and _loads(view, rules, card) > most:
            best, most = card, _loads(view, rules, card)
    return best if best >= 0 else ask_heuristic(view, rules, weights)
