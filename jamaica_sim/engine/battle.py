"""Battle (B1 to B7, G5, R2): target, gunpowder, the combat die, Saran's Sabre; the loot is in `looting.py`."""

import numpy as np

from jamaica_sim.engine.decide import ask, ask_seldom
from jamaica_sim.engine.events import note_battle, note_battle_end, note_powder, note_roll, note_sabre
from jamaica_sim.engine.house_rules import CALLED_OFF, act, changed, is_still_at
from jamaica_sim.engine.looting import LOOTING_ASKS, loot, loot_on
from jamaica_sim.engine.luck import book_battle, mark_luck
from jamaica_sim.engine.machine.bits import ZERO, has, only, pick
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.machine.random import COMBAT_DIE, LUCK_OF_COMBAT, below, draw
from jamaica_sim.engine.paying import spend_powder
from jamaica_sim.engine.state import NO_FACE, NONE, STAR
from jamaica_sim.game.codes import (
    AT_BATTLE_BEGIN,
    AT_BATTLE_END,
    ATTACK_POWDER,
    CHOOSE_TARGET,
    DEFENCE_POWDER,
    GHOST_TARGET,
    GUNPOWDER,
    OF_BATTLE_RESULT,
    USE_SABRE,
)

ATTACKS, DEFENDS = np.int64(0), np.int64(1)  # who rolls
# The stages of a battle, by what comes next.
OPENING, ATTACK_ROLL, ATTACK_STANDS, DEFENCE_ROLL, DEFENCE_STANDS = (np.int64(i) for i in range(5))


@jit
def battle(s, r, attacker, targets):
    """One battle of a ship against one of the set `targets`."""
    space = s.space[attacker]
    decision, player = (GHOST_TARGET, s.captain) if attacker == r.ghost else (CHOOSE_TARGET, attacker)  # G3
    defender = ask_seldom(s, r, decision, player, attacker, targets)
    meet_in_battle(s, r, attacker, defender, space)


@inline
def meet_in_battle(s, r, attacker, defender, space):
    """Let house rules act; then fight."""
    begin_battle(s, r, attacker, defender, space, act(s, r, AT_BATTLE_BEGIN, attacker, defender, ZERO))


@inline
def begin_battle(s, r, attacker, defender, space, called_off):
    """Fight a battle, unless house rules called it off or moved one of the two away."""
    if called_off == CALLED_OFF or not (is_still_at(s, r, attacker, space) and is_still_at(s, r, defender, space)):
        return
    targets = s.occupants[space] & ~only(attacker)
    note_battle(s, attacker=attacker, defender=defender, space=space, targets=targets)
    open_battle(s, attacker, defender, space)
    fight(s, r, attacker, defender, OPENING)


@inline
def open_battle(s, attacker, defender, space):
    """Count a battle and show it in the view, with nothing committed or rolled yet."""
    s.fought[space] += 1
    s.fought_in_round += 1
    s.attacks[attacker] += 1
    s.battles[attacker] += 1
    s.battles[defender] += 1
    s.attacker = attacker
    s.defender = defender
    s.attack_face = NO_FACE
    s.attack_strength = 0
    s.defence_powder = 0
    s.defence_face = NO_FACE
    s.defence_strength = 0
    s.sabre_used = 0


@inline
def fight(s, r, attacker, defender, stage):
    """Fight a battle from a stage to its end, including the loot."""
    winner = _winner(s, r, attacker, defender, stage)
    winner = changed(s, r, OF_BATTLE_RESULT, winner, attacker, defender, s.attack_strength, s.defence_strength)
    attack, defence = (s.attack_face, s.attack_strength), (s.defence_face, s.defence_strength)
    note_battle_end(s, winner=winner, attack=attack, defence=defence)
    if winner == NONE:
        s.attacks_drawn[attacker] += 1
        s.defences_drawn[defender] += 1
        end_battle(s, r, attacker, defender, NONE)
        return
    s.battles_won[winner] += 1
    if winner == attacker:
        s.attacks_won[winner] += 1
    else:
        s.defences_won[winner] += 1
    loser = attacker + defender - winner
    loot(s, r, winner, loser, decider(r, winner, loser))
    end_battle(s, r, attacker, defender, winner)


@inline
def end_battle(s, r, attacker, defender, winner):
    """What house rules do after a battle and its loot; the winner is NONE on a tie."""
    act(s, r, AT_BATTLE_END, attacker, defender, winner)


@inline
def battle_on(s, r, ship, answer):
    """Go on after a question in a battle, including the loot."""
    decision = s.decision
    if has(LOOTING_ASKS, decision):
        loot_on(s, r, answer)
        end_battle(s, r, s.attacker, s.defender, s.winner)
        return
    stage = OPENING
    if decision == ATTACK_POWDER:
        s.attack_powder = commit_powder(s, s.attacker, answer)
        stage = ATTACK_ROLL
    elif decision == DEFENCE_POWDER:
        s.defence_powder = commit_powder(s, s.defender, answer)
        stage = DEFENCE_ROLL
    elif decision == USE_SABRE:
        stage = _after_sabre(s, answer)
    elif decision == CHOOSE_TARGET or decision == GHOST_TARGET:
        meet_in_battle(s, r, ship, answer, s.space[ship])
        return
    fight(s, r, s.attacker, s.defender, stage)


@inline
def _after_sabre(s, answer):
    """B7: the die just rolled is rolled again, or stands. The defender has rolled if its die shows something."""
    if answer == REROLL:
        s.sabre_used = 1
        return pick(s.defence_face == NO_FACE, ATTACK_ROLL, DEFENCE_ROLL)
    return pick(s.defence_face == NO_FACE, ATTACK_STANDS, DEFENCE_STANDS)


@inline
def _winner(s, r, attacker, defender, stage):
    """Attack, then defence unless the attacker rolled a star; returns the winner, or NONE on a tie."""
    if stage == OPENING:
        s.attack_powder = _ask_powder(s, r, ATTACK_POWDER, attacker)
    rolling = stage <= ATTACK_ROLL
    while rolling:
        bonus = s.attack_powder + _bonus(s, r, attacker)
        s.attack_face = _roll(s, r, ATTACKS, attacker, defender, bonus)
        s.attack_strength = s.attack_face + bonus
        rolling = sabre(s, r, attacker, defender)
    if stage <= ATTACK_STANDS:
        if s.attack_face == STAR:  # B3
            s.stars[attacker] += 1
            return attacker
        s.defence_powder = _ask_powder(s, r, DEFENCE_POWDER, defender)
    rolling = stage <= DEFENCE_ROLL
    while rolling:
        bonus = s.defence_powder + _bonus(s, r, defender)
        s.defence_face = _roll(s, r, DEFENDS, defender, attacker, bonus - s.attack_strength)
        s.defence_strength = s.defence_face + bonus
        rolling = sabre(s, r, defender, attacker)
    if s.defence_face == STAR:  # B4
        s.stars[defender] += 1
        return defender
    if s.attack_strength > s.defence_strength:  # B5
        return attacker
    if s.attack_strength < s.defence_strength:
        return defender
    return NONE


@inline
def _ask_powder(s, r, decision, ship):
    """B2, B4: the ship commits any number of its own gunpowder."""
    stock = s.stock[ship, GUNPOWDER]
    return commit_powder(s, ship, ask(s, r, decision, ship, ship, only(stock + 1) - 1))


@inline
def commit_powder(s, ship, amount):
    """Commit gunpowder, which is spent in every case (B6)."""
    note_powder(s, ship=ship, amount=amount)
    if amount > 0:
        spend_powder(s, ship, amount)
    return amount


@inline
def _roll(s, r, roll, ship, foe, advantage):
    """One throw of the combat die by a ship. Which draw it is depends on the round, the ship and its rolls alone."""
    index = ((s.round * 8 + ship) << 12) + s.combat_rolls[ship]
    s.combat_rolls[ship] += 1
    mark_luck(s, r, LUCK_OF_COMBAT)
    number = below(draw(s.key[COMBAT_DIE], index), r.combat_faces)
    book_battle(s, r, roll, ship, foe, advantage, number)
    face = r.die_strength[number]
    note_roll(s, ship=ship, face=face)
    return face


@inline
def _bonus(s, r, ship):
    """R3: what Lady Beth adds."""
    return pick(s.powers[ship] & r.lady_beth != 0, r.lady_beth_bonus, ZERO)


REROLL = 1
SABRE_ANSWERS = np.int64(0b11)  # the set of 0, keep, and 1, reroll


@inline
def decider(r, ship, foe):
    """Who decides for a ship in battle: its player; for the ghost the player on the left of its foe (G5)."""
    if ship != r.ghost:
        return ship
    return r.left[foe]


@inline
def sabre(s, r, roller, foe):
    """Whether the holder of Saran's Sabre has the last roll repeated; once in a battle (B7)."""
    if s.powers[roller] & r.sarans_sabre != 0:
        holder, other = roller, foe
    elif s.powers[foe] & r.sarans_sabre != 0:
        holder, other = foe, roller
    else:
        return False
    if s.sabre_used != 0:
        return False
    if ask(s, r, USE_SABRE, decider(r, holder, other), holder, SABRE_ANSWERS) != REROLL:
        return False
    s.sabre_used = 1
    note_sabre(s, ship=holder, of=roller)
    return True
