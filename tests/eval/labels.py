"""Which passages of a page its gold text holds.

The gold is plain text, so that its words have to be found in the page: by an
exact longest common subsequence of both sequences of words (bit-parallel;
Crochemore, Iliopoulos, Pinzon, Reid 2001), which keeps the order, and then,
for what the gold has in another order than the page, by whole passages that
stand in what is left of the gold. A label is the ratio of a passage's words
that were found, 0 where they look like chance.
"""

import bisect
import collections

import numpy

MIN_RATIO = 0.5     # of the words of a passage, or it is chance
MIN_ADJACENT = 0.4  # of the matches, next to each other in the gold too
MIN_RUN = 12        # matches next to each other that are never chance
SHORT = 4           # words: too few to ask that of
FAR = 40            # passages from what was found; nothing of 1 or 2 words is
                    # looked for there
REPEAT = 8          # words; of such passages the first copies are meant


def align(page, gold):
    """[len(page)]: the gold word that each word of the page is, or -1."""
    found = [-1] * len(page)
    where = collections.defaultdict(int)
    for i, word in enumerate(gold):
        where[word] |= 1 << i
    full = (1 << len(gold)) - 1
    places = [i for i, word in enumerate(page) if word in where]
    row, rows = full, []
    for place in places:
        match = row & where[page[place]]
        row = ((row + match) | (row - match)) & full
        rows.append(row)
    i, k = len(gold), len(places)
    while i > 0 and k > 0:
        if gold[i - 1] == page[places[k - 1]]:
            i, k = i - 1, k - 1
            found[places[k]] = i
        elif rows[k - 1] >> (i - 1) & 1:
            i -= 1
        else:
            k -= 1
    return found


def is_no_chance(found):
    """Whether these matches of a passage say that the gold holds it."""
    matches = sum(place >= 0 for place in found)
    adjacent = sum(a >= 0 and b == a + 1 for a, b in zip(found, found[1:]))
    if adjacent >= MIN_RUN:
        return True
    return matches >= MIN_RATIO * len(found) and \
        (len(found) < SHORT or adjacent + 1 >= MIN_ADJACENT * matches)


def runs(words, is_used):
    """The words that are not used, each run of them between spaces and |."""
    text, last = ["|"], True
    for word, used in zip(words, is_used):
        if not used:
            text.append(f" {word}" if not last else f" | {word}")
        last = used
    return "".join(text) + " |"


def nearest(sorted_places, place):
    """Distance to the nearest of the places; 0 when there is none."""
    if not sorted_places:
        return 0
    i = bisect.bisect(sorted_places, place)
    return min(abs(place - near) for near in sorted_places[max(i - 1, 0):i + 1])


def take_leftovers(label, passages, gold, is_used):
    """Passages that what is left of the gold holds: longest, nearest first."""
    left = collections.Counter(
        word for word, used in zip(gold, is_used) if not used)
    if left.total() < 2:
        return
    text = runs(gold, is_used)
    sure = [i for i, ratio in enumerate(label) if ratio > MIN_RATIO]
    rest = sorted((-min(len(words), REPEAT), nearest(sure, i), i)
                  for i, words in enumerate(passages)
                  if words and label[i] == 0
                  and f" {' '.join(words)} " in text)
    for _, distance, i in rest:
        bag = collections.Counter(passages[i])
        if (len(passages[i]) > 2 or distance <= FAR) and bag <= left:
            left -= bag
            label[i] = 1.0


def move_to_first_copies(label, passages, is_exempt):
    """Of equal passages the first ones get the labels, the best at first."""
    copies = collections.defaultdict(list)
    for i, words in enumerate(passages):
        if len(words) >= REPEAT and not is_exempt[i]:
            copies[" ".join(words)].append(i)
    for same in copies.values():
        label[same] = sorted(label[same], reverse=True)


def labels(passages, gold, is_exempt):
    """[passages] of 0..1; `passages` and `gold` are words, exempt may repeat."""
    label = numpy.zeros(len(passages), numpy.float32)
    if not gold:
        return label
    found = align([word for words in passages for word in words], gold)
    is_used = [False] * len(gold)
    begin = 0
    for i, words in enumerate(passages):
        own = found[begin:begin + len(words)]
        begin += len(words)
        if own and is_no_chance(own):
            label[i] = sum(place >= 0 for place in own) / len(own)
            for place in own:
                if place >= 0:
                    is_used[place] = True
    take_leftovers(label, passages, gold, is_used)
    move_to_first_copies(label, passages, is_exempt)
    return label
