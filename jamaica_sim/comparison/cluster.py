"""Plays the deals of a comparison on a Dask cluster (see `run.cluster`). The sums are the same as on threads.

An order carries the line-ups too, because finding them takes long when there are many strategies.
"""

import json
import threading
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from typing import Any

import numpy as np

from jamaica_sim.comparison.deals import CHUNK_GAMES, Dealer, DealPlayer, DealTally, Piece, PlayedPieces, play_pieces
from jamaica_sim.comparison.design import Contest, Design
from jamaica_sim.play.chunks import chunks
from jamaica_sim.play.worker_threads import in_order
from jamaica_sim.run.cluster import FaultElsewhere, Job, Remark, cluster_pace, open_cluster, refuse_players
from jamaica_sim.run.cluster_worker import answer, order_of
from jamaica_sim.store.manifest import seated


@contextmanager
def dealer_elsewhere(contest: Contest, games: int, cluster: str, remark: Remark | None = None) -> Iterator[Dealer]:
    """A dealer that has deals played by a cluster. `remark` is called with a sentence when it waits for workers."""
    refuse_players(contest.strategies)
    design = contest.design

    def fault(what: str, game: int, seating: Sequence[int]) -> FaultElsewhere:
        seated_ = [contest.strategies[s] for s in seating]
        return FaultElsewhere(what, game, contest.rules, seated_, contest.seed, contest.luck)

    job = Job(play_deals, order(contest), fault, _span)
    with open_cluster(cluster, remark) as play_job:

        def play(work: Iterable[list[Piece]], stop: threading.Event) -> Generator[PlayedPieces, None, None]:
            with closing(play_job(job, ((pieces,) for pieces in work), stop)) as played:
                for pieces, sums, seconds in played:
                    yield [Piece(*piece) for piece in pieces], [unpacked(design, one) for one in sums], seconds

        yield Dealer(play, cluster_pace(games, False, design.games_in_deal), across_looks=True)


def order(contest: Contest) -> bytes:
    """Everything that a worker has to know of a contest, packed."""
    design = contest.design
    facts = order_of(contest.rules, contest.strategies, contest.seed)
    lines = {"design": [design.strategies, design.players, design.cycle, design.rotations]}
    own = {"against": contest.against, "luck": dict(contest.luck)}
    return zlib.compress(json.dumps({**facts, **lines, **own}).encode())


def packed(tally: DealTally) -> bytes:
    """The sums, compressed to travel; most of them are 0 where there are many line-ups."""
    return zlib.compress(tally.as_array().tobytes(), 1)


def unpacked(design: Design, content: bytes) -> DealTally:
    """The sums that `packed` compressed."""
    tally = DealTally.from_array(design, np.frombuffer(zlib.decompress(content), np.int64))
    assert tally is not None  # a worker with the same design packed it
    return tally


def _span(pieces: Sequence[Piece]) -> str:
    return f"deals {pieces[0].first} to {pieces[-1].first + pieces[-1].deals - 1}"


# On the workers


@lru_cache(maxsize=4)
def _read_order(content: bytes) -> tuple[dict[str, Any], Design]:
    """The facts of an order, and the design made from them."""
    facts = json.loads(zlib.decompress(content))
    strategies, players, cycle, rotations = facts["design"]
    lines = tuple(tuple(tuple(line) for line in deal) for deal in cycle)
    return facts, Design(strategies, players, lines, rotations)


@lru_cache(maxsize=4)
def _contest_of_order(content: bytes) -> Contest:
    facts, _ = _read_order(content)
    rules, strategies = seated(facts)
    contest = Contest(rules, tuple(strategies), facts["seed"], facts["against"], facts["luck"])
    return contest.awake(trust=True)  # whoever sends the order has been asked


def play_deals(content: bytes, pieces: Sequence[Any]) -> tuple[Any, ...]:
    """Play pieces on a worker; the answer (see `answer`) has the pieces, their sums and how long it took."""
    facts, design = _read_order(content)
    return answer(facts["played_by"], lambda: _play(_contest_of_order(content), design, [Piece(*p) for p in pieces]))


def _play(contest: Contest, design: Design, pieces: Sequence[Piece]) -> tuple[list[Any], list[bytes], float]:
    """Play pieces in chunks, so that the memory for the rows does not grow with the size of a piece."""
    tallies, seconds = [DealTally.empty(design) for _ in pieces], 0.0
    size = max(1, CHUNK_GAMES // design.games_in_deal)
    parts = [
        (number, Piece(part.first, part.games, False))
        for number, piece in enumerate(pieces)
        for part in chunks(piece.first, piece.deals, size)
    ]
    played = in_order(
        lambda: DealPlayer(contest, design), lambda player, part: play_pieces(design, player, [part[1]]), parts, 1
    )
    for (number, _), (_, (tally,), took) in zip(parts, played, strict=True):
        tallies[number].add(tally)
        seconds += took
    return [tuple(piece) for piece in pieces], [packed(tally) for tally in tallies], seconds
