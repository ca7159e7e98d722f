"""The chart of a verification: its numbers, its labels, its file. specs/verify.md 6.3."""

import re

import numpy as np
import pytest

from dmlrand import make_state, random_generator
from dmlrand.files.figures import check_plot
from dmlrand.verification.chart import MAX_COLUMNS, _figure, mismatch_fractions, plot_mismatches

pytest.importorskip("matplotlib")


def wrong_tensor(n, *places, counter=5):
    state = make_state(counter=counter, key=7)
    values = random_generator(state, n).values
    values[list(places)] ^= 1
    return state, values


def test_with_few_blocks_each_has_its_own_column():
    """verify 6.3"""
    fractions = mismatch_fractions(*wrong_tensor(14, 0, 6))
    assert fractions.shape == (4, 4)
    assert np.argwhere(fractions > 0).tolist() == [[0, 0], [2, 1]]
    assert np.isnan(fractions[2:, 3]).all() and not np.isnan(fractions[:2]).any()


@pytest.mark.parametrize("blocks", [400, 401, 799, 800, 12_345, 100_000])
def test_many_blocks_share_columns(blocks):
    """verify 6.3"""
    n = 4 * blocks - 1
    wrong = [0, n // 2, n - 1]
    fractions = mismatch_fractions(*wrong_tensor(n, *wrong))
    width = -(-blocks // MAX_COLUMNS)
    assert fractions.shape[1] == -(-blocks // width) <= MAX_COLUMNS
    expected = np.zeros(fractions.shape)
    for word in wrong:
        column = word // 4 // width
        in_column = len(range(column * width, min((column + 1) * width, blocks)))
        expected[word % 4, column] += 1 / in_column
    last = len(range((fractions.shape[1] - 1) * width, blocks))
    expected[3, -1] = np.nan if last == 1 else expected[3, -1]
    np.testing.assert_allclose(fractions, expected, equal_nan=True)


def test_strided_tensors():
    state, values = wrong_tensor(60, 8)
    strided = np.asfortranarray(values.reshape(6, 10))
    assert (mismatch_fractions(state, strided) == mismatch_fractions(state, values)).all()


def texts(figure):
    axes = figure.axes[0]
    return axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel(), [text.get_text() for text in axes.texts]


def test_labels_of_the_chart():
    state, values = wrong_tensor(4000, 2, 7, counter=2**64 - 300)
    title, across, down, carries = texts(_figure(mismatch_fractions(state, values), values.size, 2**64 - 300))
    assert title == "4,000 words, wrong words in lanes 2, 3\ncounters 0xfffffffffffffed4 to 0x100000000000002bb"
    assert across == "block, counted from the state's counter" and down == "lane"
    assert carries == ["carry into word 2"]


@pytest.mark.parametrize(
    ("counter", "named"),
    [
        (2**32 - 1, ["carry into word 1"]),
        (2**96 - 1, ["carry into word 3"]),
        (2**128 - 1, ["wrap at 2^128"]),
        (2**32, []),  # the first block has no carry
        (2**32 - 2, []),  # the carry is just after the last block
    ],
)
def test_carries_are_marked(counter, named):
    """verify 6.3"""
    state, values = wrong_tensor(8, counter=counter)
    title, _, _, carries = texts(_figure(mismatch_fractions(state, values), 8, counter))
    assert carries == named
    assert title.startswith("8 words, no wrong word\n")


@pytest.mark.parametrize(("name", "start"), [("p.png", b"\x89PNG"), ("p.svg", b"<?xml"), ("p.pdf", b"%PDF")])
def test_the_file_has_the_format_of_its_name(tmp_path, name, start):
    """verify 6.3"""
    plot_mismatches(tmp_path / name, *wrong_tensor(3000, 5, 9, 2999))
    assert (tmp_path / name).read_bytes().startswith(start)
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_one_wrong_word_among_many_is_visible(tmp_path):
    """verify 6.3: a column of 2500 blocks with one wrong word has the colour of wrong words."""
    from matplotlib.image import imread

    def orange_pixels(*places):
        plot_mismatches(tmp_path / "p.png", *wrong_tensor(4_000_000, *places))
        picture = imread(tmp_path / "p.png")[:, :1250, :3]  # without the colour bar
        return int(((picture[..., 0] > 0.9) & (picture[..., 2] < 0.4)).sum())

    assert orange_pixels() == 0
    assert orange_pixels(3_000_000) > 100


def test_other_formats_are_refused():
    with pytest.raises(
        ValueError, match=re.escape("the plot's name must end in .png, .svg or .pdf; got 'p.gif'. Name such a file.")
    ):
        check_plot("p.gif")
