"""The picture of a verification: its cells, its labels, its file. specs/verify.md 6.3 and 6.9."""

import re
from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dmlrand import advance_blocks, make_state, random_generator, uniform, verify
from dmlrand.cli.plots.figures import check_plot
from dmlrand.cli.plots.verification import COLOURS, _figure, plot_report
from dmlrand.verification.report.picture import (
    CONSTANT_CELL,
    EARLY_CELL,
    EMPTY,
    FAR_CELL,
    FOREIGN_CELL,
    MAX_CELLS,
    RIGHT,
    draw_cells,
)
from dmlrand.verification.report.segment_text import sentence_of

pytest.importorskip("matplotlib")

STATE = make_state(counter=5, key=7)
RIGHT_WORDS = random_generator(STATE, 1 << 17).values
OTHER = random_generator(make_state(key=99), 1 << 17).values


def drawn(values, state=STATE):
    """The picture of a tensor and its report."""
    return draw_cells(state, values, verify(state, values, dtype=values.dtype))


def plot(path, values):
    report = verify(STATE, values)
    plot_report(path, STATE, values, report, "tensor", sentence_of(report))


def texts(figure):
    axes = figure.axes[0]
    legend = figure.legends[0]
    return {
        "title": figure.get_suptitle(),
        "axes": (axes.get_xlabel(), axes.get_ylabel()),
        "legend": [text.get_text() for text in legend.texts],
        "cell": legend.get_title().get_text(),
        "carries": [text.get_text() for text in axes.texts],
        "circles": len(axes.lines) // 2,
    }


def labels(values, state=STATE):
    report = verify(state, values, dtype=values.dtype)
    return texts(_figure(draw_cells(state, values, report), state, values, report, "a title"))


@given(
    shape=st.lists(st.integers(1, 9) | st.integers(250, 900), min_size=1, max_size=5).filter(
        lambda shape: prod(shape) <= 1 << 17
    ),
    data=st.data(),
)
@settings(max_examples=20, deadline=None)
def test_each_wrong_word_is_in_the_cell_of_its_index(shape, data):
    """verify 6.3: the first axes are the rows, the last ones the columns, and the picture is as square as possible."""
    n = prod(shape)
    wrong = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=4))
    values = RIGHT_WORDS[:n].reshape(shape).copy()
    values.ravel()[wrong] ^= 1 << 20
    picture = drawn(values)
    long = [axis for axis, size in enumerate(shape) if size > 1]
    if len(long) > 1:
        assert [*picture.row_axes, *picture.column_axes] == long and picture.row_axes and picture.column_axes
        heights = [prod(shape[axis] for axis in axes) for axes in (picture.row_axes, picture.column_axes)]
        assert max(heights) == min(max(prod(shape[:k]), prod(shape[k:])) for k in range(1, len(shape))
                                   if 1 < prod(shape[:k]) < n)  # fmt: skip
    else:
        length = max(4, 1 << (int(n - 1).bit_length() + 1) // 2)
        heights = [-(-n // length), length]
    assert [picture.rows, picture.columns] == heights
    for size, cell in zip(heights, picture.cell):
        assert cell & (cell - 1) == 0 and -(-size // cell) <= MAX_CELLS
        assert cell == 1 or -(-size // (cell // 2)) > MAX_CELLS
    assert picture.cells.shape == tuple(-(-size // cell) for size, cell in zip(heights, picture.cell))
    rows, columns = np.divmod(wrong, heights[1])
    expected = set(zip((rows // picture.cell[0]).tolist(), (columns // picture.cell[1]).tolist()))
    assert set(map(tuple, np.argwhere(picture.cells > RIGHT).tolist())) == expected


def test_a_cell_shows_its_worst_word():
    """verify 6.3"""
    values = RIGHT_WORDS[: 1 << 14].reshape(64, 256).copy()
    values[10] = RIGHT_WORDS[10 * 256 + 4 :][:256]
    values[11, 5:9] = 0
    values[11, 200] ^= 1
    fine = drawn(values)
    assert (fine.cells[10] == FAR_CELL).all()
    assert np.flatnonzero(fine.cells[11] == CONSTANT_CELL).tolist() == [5, 6, 7, 8]
    assert np.flatnonzero(fine.cells[11] == FOREIGN_CELL).tolist() == [200]
    coarse = drawn(values.reshape(16, 1024)).cells  # of 4 words
    assert coarse.shape == (16, 256) and (np.delete(coarse, 2, 0) == RIGHT).all()
    assert (coarse[2, :128] == RIGHT).all() and (coarse[2, 128:192] == FAR_CELL).all()
    assert np.flatnonzero(coarse[2] == CONSTANT_CELL).tolist() == [193, 194]
    assert np.flatnonzero(coarse[2] == FOREIGN_CELL).tolist() == [242]


def test_a_wrong_quarter_looks_like_a_quarter():
    """verify 6.3 and 6.9"""
    values = RIGHT_WORDS[: 4 * 3 * 50 * 70].reshape(4, 3, 50, 70).copy()
    values[2] = OTHER[: 3 * 50 * 70].reshape(3, 50, 70)
    picture = drawn(values)
    assert picture.cell == (4, 1)
    assert (picture.cells[76:112] == FOREIGN_CELL).all() and (picture.cells[:75] == RIGHT).all()
    found = labels(values)
    assert found["axes"] == ("axis 3: index 0 to 69", "axes 0, 1, 2: index 0 to 599") and found["circles"] == 1


def shifted(*offsets):
    values = RIGHT_WORDS[:4000].copy()
    for number, offset in enumerate(offsets):
        start = 400 * (number + 1)
        length = 300 - 10 * number
        later = random_generator(advance_blocks(STATE, (start + offset) // 4), 400).values
        values[start : start + length] = later[(start + offset) % 4 :][:length]
    return values


@pytest.mark.parametrize("far", [0, 2**50, 2**80])
def test_shifted_words_have_a_colour_by_their_direction(far):
    """verify 6.3"""
    cells = drawn(shifted(8 + far, -4 - far, 12 + far, -20)).cells
    found = [cells.ravel()[start] for start in (399, 400, 800, 1200, 1600)]
    assert found == [RIGHT, FAR_CELL, EARLY_CELL, FAR_CELL, EARLY_CELL]


def test_cells_beyond_the_end_are_empty():
    """verify 6.3"""
    for n in (1, 9, 4000, 100_001):
        picture = drawn(RIGHT_WORDS[:n])
        cells, (down, across) = picture.cells, picture.cell
        first = np.arange(cells.shape[0])[:, None] * down * picture.columns + np.arange(cells.shape[1]) * across
        assert ((cells == EMPTY) == (first >= n)).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numbers_are_right_or_wrong(dtype):
    """verify 6.3"""
    values = uniform(STATE, (30, 40), dtype=dtype).values
    assert (drawn(values).cells == RIGHT).all()
    values[3, 7] = 0.5
    assert np.argwhere(drawn(values).cells == FOREIGN_CELL).tolist() == [[3, 7]]
    assert labels(values)["legend"] == ["right", "wrong"]


def test_strided_tensors():
    values = RIGHT_WORDS[:600].reshape(20, 30).copy()
    values[7, 8] ^= 1
    strided = np.asfortranarray(values)
    assert (drawn(strided).cells == drawn(values).cells).all()


def test_right_data_has_one_legend_entry():
    """verify 6.9"""
    found = labels(RIGHT_WORDS[:600].reshape(20, 30))
    assert found == {
        "title": "a title",
        "axes": ("axis 1: index 0 to 29", "axis 0: index 0 to 19"),
        "legend": ["right"],
        "cell": "",
        "carries": [],
        "circles": 0,
    }


def test_labels_of_wrong_data():
    """verify 6.9"""
    values = RIGHT_WORDS[: 1 << 15].reshape(2, 512, 32).copy()
    values[1, 30] = RIGHT_WORDS[16384 + 30 * 32 + 36 :][:32]
    values[1, 40:50] = 0
    values[1, 60] = OTHER[:32]
    assert labels(values) == {
        "title": "a title",
        "axes": ("axis 2: index 0 to 31", "axes 0, 1: index 0 to 1,023"),
        "legend": ["right", "too far in the stream", "constant", "not found in the stream"],
        "cell": "Each cell holds 4 x 1 words, and shows the worst of them: the colour that comes last here.",
        "carries": [],
        "circles": 1,
    }
    found = labels(np.repeat(RIGHT_WORDS[:9], 1))
    assert found["axes"] == ("word in its row: index 0 to 3", "row of the flat tensor, 4 words each: index 0 to 2")


def test_the_title(tmp_path, monkeypatch):
    """verify 6.9: the file, counts, the first wrong word, and the sentence, wrapped."""
    figures = []
    monkeypatch.setattr("dmlrand.cli.plots.verification.save_figure", lambda path, figure, dpi: figures.append(figure))
    values = RIGHT_WORDS[:6000].reshape(3, 50, 40).copy()
    plot(tmp_path / "p.png", values)
    values[1, 2, 3] ^= 1
    plot_report(tmp_path / "p.png", STATE, values, verify(STATE, values), "v.bin", "the sentence " * 30)
    right, wrong = [figure.get_suptitle().splitlines() for figure in figures]
    assert right == ["tensor: 6,000 words, all right", "All words are right."]
    assert wrong[:2] == [
        "v.bin: 6,000 words, 1 wrong (0.01667 %)",
        "First wrong word (circle): 2,083, at index [1, 2, 3]",
    ]
    assert wrong[2].startswith("The sentence the sentence") and len(wrong) == 5
    assert max(map(len, wrong)) <= 130


@pytest.mark.parametrize(
    ("counter", "named"),
    [
        (2**32 - 1, ["carry into\nword 1"]),
        (2**96 - 1, ["carry into\nword 3"]),
        (2**128 - 1, ["wrap at 2^128"]),
        (2**32, []),  # the first block has no carry
        (2**32 - 2, []),  # the carry is just after the last block
    ],
)
def test_carries_are_marked(counter, named):
    """verify 6.3"""
    state = make_state(counter=counter, key=7)
    values = random_generator(state, (2, 4)).values
    assert labels(values, state)["carries"] == named
    assert labels(uniform(state, 4, dtype="float64").values, state)["carries"] == named
    assert labels(random_generator(state, (2, 2, 2)).values, state)["carries"] == named


def seen_with(matrix, colour):
    """A colour as seen by a reader with that deficiency, in linear light."""
    rgb = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.clip(np.array(matrix) @ linear, 0, 1) ** (1 / 2.2)


# Machado et al., "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, severity 1.
DEFICIENCIES = {
    "none": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_colours_differ_for_every_reader(deficiency):
    """verify 6.3"""
    seen = {cell: seen_with(DEFICIENCIES[deficiency], colour) for cell, colour in COLOURS.items() if cell != EMPTY}
    for (one, first), (other, second) in combinations(seen.items(), 2):
        assert np.abs(first - second).max() > 0.15, (one, other)


@pytest.mark.parametrize(("name", "start"), [("p.png", b"\x89PNG"), ("p.svg", b"<?xml"), ("p.pdf", b"%PDF")])
def test_the_file_has_the_format_of_its_name(tmp_path, name, start):
    """verify 6.3"""
    values = RIGHT_WORDS[:3000].copy()
    values[[5, 9, 2999]] ^= 1
    plot(tmp_path / name, values)
    assert (tmp_path / name).read_bytes().startswith(start)
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_one_wrong_word_among_many_is_visible(tmp_path):
    """verify 6.3: the picture is 1,000 pixels wide, and a cell of 16 words with one wrong word is red and circled."""
    from matplotlib.image import imread

    def pixels(values):
        plot(tmp_path / "p.png", values)
        picture = imread(tmp_path / "p.png")[:640, :, :3]  # without the legend
        assert picture.shape[1] == 1000
        red = (picture[..., 0] > 0.6) & (picture[..., 1] < 0.4)
        return int(red.sum())

    values = random_generator(STATE, 1 << 20).values
    assert pixels(values) == 0
    values[300_000] ^= 1
    assert pixels(values) >= 4


def test_other_formats_are_refused():
    with pytest.raises(
        ValueError, match=re.escape("the plot's name must end in .png, .svg or .pdf; got 'p.gif'. Name such a file.")
    ):
        check_plot("p.gif")
