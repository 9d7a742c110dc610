"""When the chances move, and what players lose by their decisions.

The figures come from games that are played on from every draw and from some decisions (`causes/swings.py`).
"""

from jamaica_sim.causes.findings import estimate
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Chapter, ChapterSource, difference, points
from jamaica_sim.report.chapters import sources as of
from jamaica_sim.report.chapters.sources import SOURCES, estimates
from jamaica_sim.report.figures import panels_chart
from jamaica_sim.report.judge import Comparison, Findings, Judge
from jamaica_sim.results.result_table import ResultTable

MOMENTS = {
    "dice": "the dice are thrown",
    "decks": "cards are drawn",
    "combat": "the combat die is rolled",
    "treasures": "treasures are drawn",
    "captain": "the first Captain is drawn",
    "shortage": "the shortage die is rolled",
    "hidden": "a face-down card is stolen",
    "house": "house rules draw luck",
    "own": "players choose by chance",
}
EACH = {
    "dice": "a throw of the dice",
    "decks": "the cards that are drawn after a round",
    "combat": "a battle's dice",
    "treasures": "a treasure",
}
MUCH = 0.1  # a decision is mentioned from this share of all losses on
DECIDED = {
    "place_dice": "the order of the dice",
    "choose_card": "the card to play",
    "choose_space": "the lane to sail",
    "choose_retreat": "where to go back to",
    "hold_to_empty": "the hold to empty",
    "hold_to_pay": "the hold to pay from",
    "choose_target": "whom to attack",
    "attack_powder": "gunpowder to attack",
    "defence_powder": "gunpowder to defend",
    "use_sabre": "a reroll by the sabre",
    "choose_loot": "what to loot",
    "ghost_direction": "the ghost's direction",
    "ghost_space": "the ghost's lane",
    "ghost_target": "the ghost's target",
    "ghost_loot": "the ghost's loot",
    "house_choice": "a choice of a house rule",
}


class Swings(Findings):
    """The squared swings of every table, by source."""

    def __init__(self, study: Study):
        tables = of.by_table(study, "swings")
        self.tables = {label: estimates(one["shares"]) for label, one in tables.items()}
        self.first = next(iter(tables.values()))  # all findings at the first table
        top, second, *_ = next(iter(self.tables.values())).values()
        self.lead = Comparison(difference(second, top))  # the largest share at the first table minus the next

    def write(self, judge: Judge) -> Chapter:
        """When the chances move."""
        first, shares = self.first, next(iter(self.tables.values()))
        top, second, *_ = shares
        steps, largest, groups = (estimates(first[part]) for part in ("steps", "largest", "groups"))
        chapter = Chapter("swings", "Swings", effect=shares[top].value)
        chapter.heading = "too few games to tell when the chances move most"
        if judge.is_above(self.lead):
            chapter.heading = f"the chances move most when {MOMENTS[top]}"
        chapter.say(
            f"{prose.share(shares[top], 0)} of who wins is decided when {MOMENTS[top]}, "
            f"{prose.share(shares[second], 0)} when {MOMENTS[second]}.",
            "luck counts here when it takes effect: a card drawn early, or who is first Captain, moves the chances "
            "only when the dice make it matter.",
        )
        sizes = [f"{what} by {prose.mean(points(largest[name]))}" for name, what in EACH.items() if name in largest]
        chapter.say(
            f"how far one step usually moves the chance of a ship, in points: {words.listed(sizes)}.",
            of.groups_told(groups, "of the swings"),
        )
        games, unit = f"{first['games']:,} games", "Share of who wins that is decided then"
        sub = f"{unit}; {games}, each played on {first['played_on']} times from every draw"
        chapter.figures = [panels_chart("swings", "When the chances move", sub, [of.bars("", shares)])]
        columns = ("source", "share", "steps in a game", "size of a step")
        content = [(SOURCES[n], share, steps[n], points(largest[n])) for n, share in shares.items()]
        note = (
            "share: of the sum of squared changes of the win chances; size: root mean square, in points of one chance"
        )
        chapter.tables = [
            ResultTable("Swings", columns, content, frozenset({"share"}), note),
            ResultTable("Swings by group", ("sources", "share"), [*groups.items()], frozenset({"share"})),
        ]
        if len(self.tables) > 1:
            chapter.tables.append(of.source_table("Swings by table", "table", self.tables, "game"))
            titles = "When the chances move, by table", "The other sources, by table"
            chapter.figures += of.by_source("swings", titles, f"{unit}; {games} at each table", self.tables)
        return chapter


class Decisions(Findings):
    """What a player loses by decisions in a game, in points of win chance, each decision taken alone."""

    def __init__(self, study: Study):
        losses = of.causes_of(study)["losses"]
        self.lost = {DECIDED[name]: Comparison(points(e)) for name, e in estimates(losses["by_decision"]).items()}
        self.together = Comparison(points(estimate(losses["together"])))  # the sum
        # how often a player has a choice in a game
        self.asked = {DECIDED[name]: e for name, e in estimates(losses["asked"]).items()}
        self.games, self.decisions = losses["games"], losses["decisions"]

    def write(self, judge: Judge) -> Chapter:
        """What players lose by their decisions."""
        together, is_clear = self.together.estimate, judge.is_clear(self.together)
        lost = {name: one.estimate for name, one in self.lost.items()}
        chapter = Chapter("decisions", "Decisions", effect=max(0.0, together.value) / 100)
        chapter.heading = "what decisions cost is too close to call"
        costs = f"what a player loses by decisions in a game, each taken alone: {prose.change(together)} points."
        if is_clear:
            chapter.heading = (
                f"decisions cost a player about {words.amount(together.value, 0)} points, each taken alone"
            )
            costs = (
                f"by decisions, each taken alone, a player loses {prose.mean(together)} points of win chance in a "
                "game, against one who sees all hands and knows the chances of every answer."
            )
        much = [f"{name} {prose.mean(one.estimate)}" for name, one in self.lost.items()
                if judge.is_above(one) and lost[name].value >= MUCH * together.value]  # fmt: skip
        chapter.say(costs, f"most of it is lost by: {words.listed(much)}." if much else "")
        chapter.say(
            "a loss is counted where games played on call another answer clearly better; other games say by how much. "
            "So small losses are missed, and where nothing is lost the figure can be a little below zero.",
            "the sum says nothing about better play throughout: one better decision changes what the next are worth.",
        )
        sub = (
            f"Points of win chance that one player loses in a game; {self.decisions:,} decisions of {self.games:,} "
            "games, every answer played on"
        )
        panel = of.about_zero({"all decisions": together, **lost})
        chapter.figures = [panels_chart("decisions", "What decisions cost", sub, [panel])]
        content = [("all decisions", together, ""), *((name, e, self.asked[name]) for name, e in lost.items())]
        note = (
            "lost: points of win chance that one player loses in a game, each decision taken alone; asked: how often a "
            "player has a choice in a game"
        )
        chapter.tables = [ResultTable("What decisions cost", ("decision", "lost", "asked"), content, note=note)]
        return chapter


CHAPTERS = {
    "swings": ChapterSource(Swings, Swings.write, of.has_causes("swings")),
    "decisions": ChapterSource(Decisions, Decisions.write, of.has_causes("losses")),
}
