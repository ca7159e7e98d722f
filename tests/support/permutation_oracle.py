"""Random orders in plain Python, written from specs/permutations.md: slow, short, and independent of dmlrand."""

from math import isqrt

import oracle

SORT_MAX_ITEMS = 65_536
ROUNDS = 10


def order(counter, key, n, positions=None, lane=0, inverse=False):
    """The items at some positions, or at all, of the order of n items, or the positions of these items."""
    positions = range(n) if positions is None else positions
    if n <= SORT_MAX_ITEMS:
        whole = sorted_order(oracle.words(counter, key, lane, 2 * n))
        return [whole.index(each) if inverse else whole[each] for each in positions]
    words = oracle.words(counter, key, lane, 4)
    return [(position_of if inverse else item_at)(each, words, n, *sides(n)) for each in positions]


def words_read(n):
    return 2 * n if n <= SORT_MAX_ITEMS else 4


def sorted_order(words):
    draws = [low + 2**32 * high for low, high in zip(words[0::2], words[1::2])]
    return sorted(range(len(draws)), key=lambda item: (draws[item], item))


def sides(n):
    root = isqrt(n)
    rows = root if root * root == n else root + 1
    rows = rows if rows % 2 == 0 else rows + 1
    return rows, (n + rows - 1) // rows


def item_at(position, words, n, rows, columns):
    """The item at a position: the network is applied until its result is below n."""
    result = network(position, words, rows, columns)
    return result if result < n else item_at(result, words, n, rows, columns)


def position_of(item, words, n, rows, columns):
    """The reverse of item_at."""
    row, column = divmod(item, columns)
    for number in reversed(range(ROUNDS)):
        if number % 2:
            column = (column - added(number, row, columns, words)) % columns
        else:
            row = (row - added(number, column, rows, words)) % rows
    position = row * columns + column
    return position if position < n else position_of(position, words, n, rows, columns)


def network(position, words, rows, columns):
    row, column = divmod(position, columns)
    for number in range(ROUNDS):
        if number % 2:
            column = (column + added(number, row, columns, words)) % columns
        else:
            row = (row + added(number, column, rows, words)) % rows
    return row * columns + column


def added(number, half, size, words):
    """What a round adds to one half: a number below `size` that depends on the other half."""
    w0, w1, w2, w3 = words
    g = oracle.block(half + 2**32 * number + 2**64 * w0 + 2**96 * w1, w2 + 2**32 * w3)
    return (g[0] + 2**32 * g[1]) * size // 2**64
