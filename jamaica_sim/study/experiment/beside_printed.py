"""Rules of one's own beside the printed ones, on the same deals: an experiment with two settings, made from a table."""

from jamaica_sim.errors import UserError
from jamaica_sim.game.rules import Rules
from jamaica_sim.game.words import changes_told
from jamaica_sim.play.commands import in_turn
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.study.experiment.file import LONGEST_NAME, Experiment
from jamaica_sim.study.experiment.setting import LINE_UP, VARIANT, Setting, Variant, labelled, with_named_factors

PRINTED, MINE = "the printed rules", "these rules"


def beside_printed(table: GameTable, games: int, name: str, adapt: int = 0) -> Experiment:
    """The experiment that plays a table's rules and the printed ones; `adapt` as in an experiment's file."""
    mine = table.rules
    printed = Rules(edition=mine.edition, players=mine.players, ghost=mine.ghost)
    if mine == printed:
        raise UserError("these are the printed rules: change one, such as --rule hand_size=4, to see it beside them.")
    told = changes_told(mine)
    names = PRINTED, told if len(told) <= LONGEST_NAME else MINE
    line_up = " v. ".join(in_turn([strategy.label for strategy in table.strategies]))
    settings = [
        Setting(rules, table.strategies, rules.by_name() | {LINE_UP: line_up}, {VARIANT: Variant(number, variant)})
        for number, (rules, variant) in enumerate(zip((printed, mine), names, strict=True))
    ]
    title = f"{names[1][:1].upper()}{names[1][1:]}"
    compared = labelled(with_named_factors(settings), VARIANT)
    return Experiment(
        name, "", title, "", games, table.seed, (), VARIANT, compared, adapt=adapt, measures=table.measures
    )
