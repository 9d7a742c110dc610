"""The compiled part of training: labels by search, the facts of labelled decisions, and the sums of the trainer.

The trainer's sums may be reordered (`fastmath`): a net trained on another processor differs in the last digits.
"""

import numpy as np

from jamaica_sim.engine.machine.jit import INNER, Entry, inline
from jamaica_sim.strategy.heuristic.situation import new_surroundings
from jamaica_sim.strategy.net.facts import new_facts
from jamaica_sim.strategy.net.forward import ARRAYS, FIRST, SECOND, begin, note_option
from jamaica_sim.strategy.search.searcher import MOST_OPTIONS, new_contest, try_options, write_values

SCALE, PICK, HEAT = 10.0, 3.0, 0.3
DECAY, BATCH = 1e-3, 256
FADE, FADE_SQUARES, TINY = 0.9, 0.999, 1e-8  # Adam's
SIZES = {name: int(np.prod(shape)) for name, shape in ARRAYS.items()}
PARAMETERS = sum(SIZES.values())
AT_SECOND, AT_BIAS = SIZES["rows"], SIZES["rows"] + SIZES["second"]
AT_LAST = AT_BIAS + SIZES["bias"]


def _entry(function, **options):
    """A compiled function that Python calls; its code is kept under a stamp of its file and what that imports."""
    return Entry(function, {**INNER, **options})


def _fast_entry(function):
    return _entry(function, fastmath=True)


@_entry
def label_all(views, labels, rulebooks, searches):
    """Search every view, and write its options and their values."""
    for i in range(labels.size):
        contest = new_contest()
        try_options(views[i], rulebooks[0], searches[0], contest)
        labels[i].options = contest.options
        for option in range(contest.options):
            labels[i].option[option] = contest.option[option]
        if contest.options > 1:
            write_values(contest, labels[i].value)


@_entry
def note_all(views, labels, rulebooks, weights, rows, numbers, lists, firsts, values):
    """Note the facts of every decision; returns how many lists and how many facts there are."""
    r, w = rulebooks[0], weights[0]
    listed = facts_noted = 0
    for d in range(labels.size):
        around, facts = new_surroundings(), new_facts()
        begin(views[d], r, w, around, facts)
        firsts[d] = listed
        for option in range(-1, labels[d].options):
            values[listed] = 0.0
            if option >= 0:
                facts.many = 0
                note_option(views[d], r, w, around, facts, labels[d].option[option])
                values[listed] = labels[d].value[option]
            lists[listed] = facts_noted
            listed += 1
            for n in range(facts.many):
                rows[facts_noted] = facts.row[n]
                numbers[facts_noted] = facts.number[n]
                facts_noted += 1
    firsts[labels.size] = listed
    lists[listed] = facts_noted
    return facts_noted


@inline
def _score_options(p, rows, numbers, lists, first, options, work):
    """Score the options of a decision; `work` keeps the units of both layers, the context's in its last row."""
    context = work[MOST_OPTIONS]
    for i in range(FIRST):
        context[i] = 0.0
    _add(p, rows, numbers, lists[first], lists[first + 1], context)
    for o in range(options):
        units = work[o]
        for i in range(FIRST):
            units[i] = context[i]
        _add(p, rows, numbers, lists[first + 1 + o], lists[first + 2 + o], units)
        for j in range(SECOND):
            units[FIRST + j] = p[AT_BIAS + j]
        for i in range(FIRST):
            if units[i] > 0.0:
                unit, at = units[i], AT_SECOND + i * SECOND
                for j in range(SECOND):
                    units[FIRST + j] += unit * p[at + j]
        score = np.float32(0.0)
        for j in range(SECOND):
            score += max(units[FIRST + j], np.float32(0.0)) * p[AT_LAST + j]
        units[FIRST + SECOND] = score


@inline
def _add(p, rows, numbers, start, end, units):
    for n in range(start, end):
        at, number = np.int64(rows[n]) * FIRST, numbers[n]
        for i in range(FIRST):
            units[i] += number * p[at + i]


@inline
def _slopes(values, first, options, work):
    """Turn each option's score in `work` into the loss's derivative by it; returns the loss."""
    at = FIRST + SECOND
    mean_value = mean_score = 0.0
    most = work[0, at]
    for o in range(options):
        mean_value += values[first + 1 + o] / options
        mean_score += work[o, at] / options
        most = max(most, work[o, at])
    total = expected = 0.0
    for o in range(options):
        share = np.exp((work[o, at] - most) / HEAT)
        total += share
        expected += share * SCALE * (values[first + 1 + o] - mean_value)
    expected /= total
    loss = -PICK * expected
    for o in range(options):
        target = SCALE * (values[first + 1 + o] - mean_value)
        error = work[o, at] - mean_score - target
        share = np.exp((work[o, at] - most) / HEAT) / total
        loss += error * error
        work[o, at] = 2.0 * error - PICK * share / HEAT * (target - expected)
    return loss


@inline
def _spread_back(p, g, rows, numbers, lists, first, options, work):
    """Add the decision's part of the gradient to `g`."""
    context, slopes = work[MOST_OPTIONS], work[MOST_OPTIONS + 1]
    for i in range(FIRST):
        context[i] = 0.0
    for o in range(options):
        units = work[o]
        slope = units[FIRST + SECOND]
        for j in range(SECOND):
            is_on = np.float32(units[FIRST + j] > 0.0)
            g[AT_LAST + j] += slope * is_on * units[FIRST + j]
            units[FIRST + j] = slope * is_on * p[AT_LAST + j]
            g[AT_BIAS + j] += units[FIRST + j]
        for i in range(FIRST):
            slopes[i] = 0.0
            if units[i] > 0.0:
                unit, at, back = units[i], AT_SECOND + i * SECOND, np.float32(0.0)
                for j in range(SECOND):
                    g[at + j] += unit * units[FIRST + j]
                    back += p[at + j] * units[FIRST + j]
                slopes[i] = back
                context[i] += back
        _add_back(g, rows, numbers, lists[first + 1 + o], lists[first + 2 + o], slopes)
    _add_back(g, rows, numbers, lists[first], lists[first + 1], context)


@inline
def _add_back(g, rows, numbers, start, end, slopes):
    for n in range(start, end):
        at, number = np.int64(rows[n]) * FIRST, numbers[n]
        for i in range(FIRST):
            g[at + i] += number * slopes[i]


@_fast_entry
def train_batches(p, g, means, squares, rows, numbers, lists, firsts, values, order, first_step, rates, work):
    """Train on the decisions in `order`, one batch after the other; returns the sum of the losses."""
    loss = 0.0
    for batch in range(rates.size):
        start, end = batch * BATCH, min((batch + 1) * BATCH, order.size)
        for k in range(p.size):
            g[k] = 0.0
        for n in range(start, end):
            first, options = firsts[order[n]], firsts[order[n] + 1] - firsts[order[n]] - 1
            _score_options(p, rows, numbers, lists, first, options, work)
            loss += _slopes(values, first, options, work)
            _spread_back(p, g, rows, numbers, lists, first, options, work)
        step, rate = first_step + batch + 1, rates[batch]
        unbias, unbias_squares = 1.0 - FADE**step, 1.0 - FADE_SQUARES**step
        for k in range(p.size):
            slope = g[k] / (end - start)
            means[k] = FADE * means[k] + (1.0 - FADE) * slope
            squares[k] = FADE_SQUARES * squares[k] + (1.0 - FADE_SQUARES) * slope * slope
            move = (means[k] / unbias) / (np.sqrt(squares[k] / unbias_squares) + TINY)
            p[k] -= rate * (move + DECAY * p[k])
    return loss
