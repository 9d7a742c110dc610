"""The end of the game: scores, drama, and whether the goods in the box would have sufficed."""

from collections.abc import Callable
from functools import partial

import numpy as np

from jamaica_sim.charts.axis_charts import Profile, histogram
from jamaica_sim.codes import RESOURCES
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import base_rules, left_out_of, thinking, usual
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge, allowing_for
from jamaica_sim.report.sheet import Columns, Sheet, counted, per_player, quantity, ratio
from jamaica_sim.results.measures import DRAMA, FIRST_HOME, LEAD, LEAD_CHANGES, SCORE, Floats
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate, proportion_interval
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.tally.layout import BOX

# Scores

CLOSE = 3  # points ahead that make a close game
HOUSE = "by house rules"
SOURCES: dict[str, tuple[str | Callable[[Results], Floats], str, str, str]] = {
    # of the winner's points, by column: the quantity, the words, the part of a bar and its role
    "by position": ("winner_position_points", "its place in the race", "place", "base"),
    "by gold": ("winner_gold", "doubloons", "gold", "subject"),
    "by treasures": ("winner_treasure_points", "treasures", "treasures", "pale"),
    HOUSE: (lambda results: results.sums.winner_house_points() / results.sums.games, "house rules", "house", "rule"),
}


def _close_games(results: Results) -> Estimate:
    """The share of the games that are won by few points."""
    return proportion_interval(int(results.tally["margins"][: CLOSE + 1].sum()), results.games)


SCORES = {
    "players' score": per_player("score"),
    "winner's score": SCORE,
    **{column: quantity(source[0]) for column, source in SOURCES.items()},
    "winner's lead": LEAD,
    "close games": counted(_close_games),
    "shared victories": quantity("shared_win", True),
}


class Scores(Findings):
    """What the games show about scores: where the winner's points come from."""

    def __init__(self, study: Study):
        by_house, results = [s for s in study.settings if s.rules.scores_house_points], study.reference.played
        columns = {column: measure for column, measure in SCORES.items() if column != HOUSE or by_house}
        sources = [column for column in SOURCES if column != HOUSE or study.reference in by_house]
        self.sheet = figures = Sheet(study, columns, ["winner's score", "winner's lead", *sources])
        # the sources at the reference table, the largest first
        self.order = sorted(sources, key=lambda column: -figures.at(column).value)
        top, second = (SCORES[column].sums(results) for column in self.order[:2])
        self.lead = Comparison(jackknife(top - second, results.games))  # of the largest source over the next
        # by table: games by the winner's lead
        self.margins = {name: s.played.tally["margins"] for name, s in figures.side_by_side().items()}

    def write(self, judge: Judge) -> Chapter:
        """The chapter on scores."""
        figures = self.sheet
        tell, table = figures.teller(judge), figures.table("Scores", note=f"points; close: a lead of {CLOSE} or less")
        chapter = Chapter("scores", "Scores", tables=[table])
        points = [max(figures.at(column).value, 0.0) for column in self.order]
        share = points[0] / (sum(points) or 1.0)
        top, second, *others = (SOURCES[column][1] for column in self.order)
        chapter.effect = abs(cohen_h(share, 1 / 3))
        chapter.heading = f"{top} and {second} bring the winner about as many points"
        if judge.is_above(self.lead):
            part = "more than half" if share > 0.5 else "the largest part"
            chapter.heading = f"{part} of the winner's points comes from {top}"
        first, next_, *few = (f"{{{column}}}" for column in self.order)
        rest = [f"{n} {'bring' if n.endswith('s') else 'brings'} {more}" for n, more in zip(others, few, strict=True)]
        chapter.say(
            tell("the winner has {winner's score} points"),
            tell(f"{first} of them come from {top} and {next_} from {second}; {words.listed(rest)}"),
            *(
                f"{table} house rules bring the winner {figures.said(HOUSE, setting)}."
                for table, setting in figures.beside.items()
                if setting.rules.scores_house_points and HOUSE not in self.order
            ),
        )
        chapter.say(
            tell("it is {winner's lead} points ahead of the second"),
            tell(f"in {{close games}} of the games it leads by {words.number(CLOSE)} points or less"),
        )
        shown = {column: source for column, source in SOURCES.items() if column in figures.columns}
        roles, names = (
            {column: role for column, (*_, role) in shown.items()},
            [name for _, _, name, _ in shown.values()],
        )
        title, unit = "Where the winner's points come from", "Mean points of the winner by source"
        chapter.figures += [
            figures.stack("sources", title, unit, roles, "winner's score", names),
            self._lead_figure(),
        ]
        source = f"points for the winner, {words.amount(points[0])} of them from {top}"
        chapter.keys.append(KeyNumber(words.amount(figures.at("winner's score").value), source, strong=False))
        return chapter

    def _lead_figure(self) -> Figure:
        last = max(int(np.searchsorted(np.cumsum(c) / c.sum(), 0.99)) for c in self.margins.values())
        many, spoken = [], []
        for name, counts in self.margins.items():
            share = counts[: last + 1] / counts.sum()
            close = f"{words.percent(share[: CLOSE + 1].sum(), 0)} by {CLOSE}"
            many.append(Profile(name, list(share), CLOSE + 1, [(CLOSE, f"{close} or less", "start")]))
            spoken.append(f"{name} {close} points or less".strip())
        sub = self.sheet.sub("Share of the games by points ahead of the second", many=True)
        drawing = histogram(f"The winner's lead in points, share of the games: {'; '.join(spoken)}.", many)
        return Figure("margins", "How far ahead the winner is", sub, drawing)


# Drama


SOLE = "sole half-time leader wins"
SOLE_LEADER_WINS = ratio("sole_half_time_leader_wins", "sole_half_time_leader")


def _fair_share(results: Results) -> Floats:
    """The share that all half-time leaders would win together if every ship had the same chance."""
    return results.sums.game("half_time_leaders") / results.sums.games / results.table.rules.ships


LEADERS: Columns = {
    SOLE: SOLE_LEADER_WINS,
    "equal share": lambda results: f"{1 / results.table.rules.ships:.1%}",
    "games with a sole leader": quantity("sole_half_time_leader", True),
    "all half-time leaders win": quantity("half_time_leader_wins", True),
    "their fair share": quantity(_fair_share, True),
    "first home wins": FIRST_HOME,
    "lead changes": LEAD_CHANGES,
    "per round": ratio("lead_changes", "rounds", share=False),
    "winner's lead": LEAD,
}
LEADERS_NOTE = (
    "half-time: after half of the game's rounds; several ships may be level then, and all of them together have a "
    "larger fair share; lead changes: rounds after which a ship leads alone that did not before"
)
TENSION = {  # what is said of each column
    "decided": "the winner is decided after {decided} of the rounds",
    "tension": "a round moves {tension} of all chances from one ship to another",
    "favourites": "the favourite changes {favourites} times",
    "hope of the last": "the ship that ends last still has a chance of 10% in {hope of the last} of the rounds",
    "waiting": "between two choices of one's own the others make {waiting}",
}
TENSION_NOTE = (
    "chances before each round, judged from the situation and fitted to these games; decided: from then on the "
    "winner's chance stays above one half; hope of the last: rounds in which the ship that ends last still has "
    "a chance of 10%"
)


class Drama(Findings):
    """What the games show about half-time leaders, and about tension where that was measured."""

    def __init__(self, study: Study):
        self.sheet = figures = Sheet(study, LEADERS, [SOLE, "lead changes"])
        shown, sole = thinking(usual(study)), figures.at(SOLE)
        self.sole = Comparison(sole, 1 / study.reference.rules.ships)  # how often the sole leader wins
        self.half = Comparison(sole, 0.5)
        self.helps = Claim(
            "a ship that leads alone at half-time wins more than its share",
            {s.label: Comparison(figures.at(SOLE, s), 1 / s.rules.ships) for s in shown},
        )
        self.loses = Claim(
            "more often than not another ship wins than the one that leads alone at half-time",
            {s.label: Comparison(figures.at(SOLE, s), 0.5) for s in shown},
            -1,
        )
        dramas = [s.played.drama for s in study.settings]
        tension = {m.column: m for m in DRAMA if all(drama is not None and m.key in drama.totals for drama in dramas)}
        self.tension = Sheet(study, tension, list(tension)) if tension else None

    def write(self, judge: Judge) -> Chapter:
        """The chapter on drama."""
        figures, even, loses = self.sheet, self.sole.null, judge.verdict(self.loses)
        tell, many, left_out = figures.teller(judge), len(self.loses.cases), left_out_of(usual(figures.study))
        table = figures.table("Drama", note=LEADERS_NOTE)
        chapter = Chapter("drama", "Drama", self._heading(judge), tables=[table], claims=[self.helps, self.loses])
        chapter.effect = abs(cohen_h(self.sole.estimate.value, even)) if judge.is_clear(self.sole) else 0.0
        level, equal = 1 - figures.at("games with a sole leader").value, "an equal share"
        chapter.say(
            tell(
                f"a ship that leads alone at half-time wins {{{SOLE}}} of the games, where {even:.1%} would be {equal}"
            ),
            f"that is less than half {loses.scope() if many <= 6 else loses.count()}{left_out}."
            if many > 1 and loses.holds
            else "",
            f"in {words.percent(level, 0)} of the games several ships are level then; these games are not counted.",
            tell("{lead changes} times in a game a ship takes the lead alone, which it did not have a round before"),
        )
        title = "Does the half-time leader win?"
        sub = "Share of the games with a sole leader; the upright mark is an equal share"
        chapter.figures.append(figures.by_table("leaders", title, sub, SOLE, equal=True, bridge=False))
        if self.tension:
            _write_tension(self.tension, judge, chapter)
        return chapter

    def _heading(self, judge: Judge) -> str:
        """What a lead at half-time is worth at the reference table; the scope is in the text."""
        if not judge.is_clear(self.sole):
            return "A lead at half-time makes no clear difference"
        if judge.is_below(self.sole):
            return "A lead at half-time does harm"
        if judge.is_below(self.half):
            holds = judge.verdict(self.loses).kind == HOLDS or len(self.loses.cases) == 1
            table = "" if holds else f"with {words.number(self.sheet.study.reference.rules.players)} players, "
            return f"{table}a lead at half-time helps, but more often than not another ship wins"
        return "Whoever leads at half-time mostly wins" if judge.is_above(self.half) else "A lead at half-time helps"


def _write_tension(tension: Sheet, judge: Judge, chapter: Chapter) -> None:
    chapter.tables.append(tension.table("Tension", note=TENSION_NOTE))
    chapter.say(*(tension.tell(judge, text) for column, text in TENSION.items() if column in tension.columns))
    sub = "Share of a game's rounds that are over when the winner's chance stays above one half"
    chapter.figures.append(tension.by_table("decided", "When the winner is decided", sub, "decided", bridge=False))


# The box


def _over_the_box(resource: int, results: Results) -> Estimate:
    """The share of the games with more of a resource in play at once than the box holds."""
    counts = results.tally["peaks"][resource]
    return proportion_interval(int(counts[BOX[resource] + 1 :].sum()), results.games)


def _most_seen(resource: int, results: Results) -> int:
    return int(np.flatnonzero(results.tally["peaks"][resource])[-1])


TOO_SMALL = "box too small"
OVER = [f"more than {most} {word}" for most, word in zip(BOX, RESOURCES, strict=True)]
GOODS: Columns = {
    TOO_SMALL: quantity("box_too_small", True),
    **{name: counted(partial(_over_the_box, n)) for n, name in enumerate(OVER)},
    **{
        f"{word}, {kind}": column
        for n, word in enumerate(RESOURCES)
        for kind, column in (("mean peak", quantity(f"peak_{word}")), ("most seen", partial(_most_seen, n)))
    },
}


class Box(Findings):
    """Whether the goods in the box suffice, at the table at which they run out most often."""

    def __init__(self, study: Study):
        self.sheet = figures = Sheet(study, GOODS)
        shown = thinking(usual(study) or study.uniform())
        self.worst = max(shown, key=lambda s: (figures.at(TOO_SMALL, s).value, s.rules.players))
        self.like_it = sum(s.rules.players == self.worst.rules.players for s in shown)  # tables with as many players
        # the share of the games that need more than the box holds, against one in a hundred
        self.runs_out = Comparison(allowing_for(figures.at(TOO_SMALL, self.worst), len(shown)), 0.01)

    def write(self, judge: Judge) -> Chapter:
        """The chapter on the goods in the box."""
        figures, worst, rate = self.sheet, self.worst, self.runs_out.estimate
        study, runs_out = figures.study, judge.is_above(self.runs_out)
        content = f"{BOX[0]} doubloons, {BOX[1]} food and {BOX[2]} gunpowder"
        note = f"goods in play at once; the box has {content}"
        chapter = Chapter("box", "The box", tables=[figures.table("Goods in play", note=note)])
        players = f"with {words.number(worst.rules.players)} players"
        chapter.effect = abs(cohen_h(rate.value, 0.0)) if runs_out else 0.0
        often = words.one_game_in(rate.value) or f"{words.percent(rate.value, 0)} of the games"
        if self.like_it > 1:
            often = f"up to {words.at_most(100 * rate.value)}% of the games"
        chapter.heading = f"{players} the box runs out in {often}" if runs_out else "The box is large enough"
        first = max(OVER, key=lambda column: figures.at(column, worst).value)
        table = f" ({worst.label})" if len(study.varying) > 1 or base_rules(study) else ""
        table += left_out_of(usual(study))
        scarce = f"most often it is {RESOURCES[OVER.index(first)]} that runs out, in {figures.said(first, worst)}."
        unlimited = "The bank is unlimited in these games, so that the need can be seen."
        chapter.say(
            f"the box holds {content}.",
            f"that would not have sufficed in {prose.share(rate)} of the games {players}{table}.",
            scarce if runs_out else "",
            "" if any(s.rules.limited_bank for s in study.uniform()) else unlimited,
        )
        title, sub = "When the box runs out", "Share of the games that needed more than the box holds"
        chapter.figures.append(figures.by_table("box", title, sub, TOO_SMALL, fine=True, bridge=False))
        return chapter


CHAPTERS = {
    "scores": ChapterSource(Scores, Scores.write),
    "drama": ChapterSource(Drama, Drama.write),
    "box": ChapterSource(Box, Box.write),
}
