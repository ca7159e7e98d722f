"""The picture of a verification: its cells, its labels, its file. specs/verify.md 6.3."""

import numpy as np
import pytest

from dmlrand import Verification, make_state, random_generator, uniform, verify
from dmlrand.cli.plots.verification import _figure, plot_report
from dmlrand.verification.report.picture import (
    CONSTANT,
    ELSEWHERE,
    EMPTY,
    FOREIGN_CELL,
    MAX_COLUMNS,
    MAX_ROWS,
    RIGHT,
    SHIFTED,
    draw_cells,
)
from dmlrand.verification.report.segment_text import sentence_of

pytest.importorskip("matplotlib")

STATE = make_state(counter=2**32 - 500, key=7)
RIGHT_WORDS = random_generator(STATE, 1 << 14).values


def drawn(values, state=STATE):
    """The picture of a tensor, without a search for its fault."""
    return draw_cells(state, values, Verification(False, values.size, 1, None, (), ()))


def kinds(values):
    return set(np.unique(drawn(np.ascontiguousarray(values)).cells).tolist()) - {EMPTY}


def labels(values, state=STATE):
    report = verify(state, values, dtype=values.dtype)
    figure = _figure(draw_cells(state, values, report), state, report, "a title")
    panels, (legend,) = figure.axes, figure.legends
    return {
        "lanes": [axes.get_title() for axes in panels],
        "blocks": [tick.get_text() for tick in panels[0].get_yticklabels()],
        "row": panels[0].get_xticklabels()[1].get_text(),
        "legend": [text.get_text().partition(":")[0] for text in legend.texts],
        "cell": legend.get_title().get_text(),
        "wraps": "wraps" in panels[0].get_ylabel(),
    }


@pytest.mark.parametrize("n", [1, 4001])
def test_each_wrong_word_is_in_the_cell_of_its_block_and_lane(n):
    """verify 6.3"""
    for place in {0, n // 3, n - 1}:
        values = RIGHT_WORDS[:n].copy()
        values[place] ^= 1 << 20
        picture = drawn(values)
        (down, across), (lanes, height, width) = picture.cell, picture.cells.shape
        assert lanes == 4 and height <= MAX_ROWS and width <= MAX_COLUMNS and width * across == picture.row_blocks
        row, column = divmod(place // 4, picture.row_blocks)
        assert np.argwhere(picture.cells == FOREIGN_CELL).tolist() == [[place % 4, row // down, column // across]]
        assert np.count_nonzero(picture.cells == RIGHT) >= min(n - 1, 1)


def test_a_lost_carry_and_lane_major_words_differ():
    """verify 6.3"""
    low = random_generator(make_state(counter=0, key=7), 1 << 14).values
    lost_carry = np.append(RIGHT_WORDS[:2000], low[: len(low) - 2000])
    assert kinds(lost_carry) == {RIGHT, SHIFTED}
    assert kinds(RIGHT_WORDS.reshape(-1, 4).T.ravel()) == {RIGHT, ELSEWHERE}
    assert kinds(RIGHT_WORDS.reshape(-1, 4)[:, ::-1]) == {ELSEWHERE}
    assert kinds(random_generator(make_state(key=99), 999).values) == {FOREIGN_CELL}
    assert kinds(np.append(RIGHT_WORDS[:900], np.zeros(90, np.uint32))) == {RIGHT, CONSTANT}


def test_one_wrong_lane_is_one_panel():
    """verify 6.3"""
    values = RIGHT_WORDS.copy()
    values[2::4] ^= 1
    cells = drawn(values).cells
    assert (cells[2] == FOREIGN_CELL).all() and (np.delete(cells, 2, 0) == RIGHT).all()


@pytest.mark.parametrize("dtype, lanes", [("float32", 4), ("float64", 2)])
def test_numbers_are_in_the_lane_of_their_first_word(dtype, lanes):
    """verify 6.3"""
    values = uniform(STATE, (30, 40), dtype=dtype).values
    assert set(np.unique(drawn(values).cells).tolist()) <= {RIGHT, EMPTY}
    values[3, 7] = 0.123
    picture = drawn(values)
    assert np.argwhere(picture.cells == FOREIGN_CELL).shape == (1, 3) and len(picture.lanes) == lanes


def test_labels():
    """verify 6.3: powers of two."""
    values = RIGHT_WORDS.copy()
    values[5] ^= 1
    assert labels(values) == {
        "lanes": ["lane 0", "lane 1", "lane 2", "lane 3"],
        "blocks": ["0", "2^9", "2^10", "3 x 2^9", "2^11", "5 x 2^9", "3 x 2^10", "7 x 2^9", "2^12"],
        "row": "2^4",
        "legend": ["right", "foreign"],
        "cell": "",
        "wraps": True,
    }
    found = labels(random_generator(make_state(key=7), 1 << 19).values, make_state(key=7))
    assert found["legend"] == ["right"] and not found["wraps"]
    assert found["cell"].startswith("A cell holds 8 blocks, and shows the worst of their words: ")


def test_the_title(tmp_path, monkeypatch):
    """verify 6.3: the file, counts, the first wrong word, and the sentence, wrapped."""
    figures = []
    monkeypatch.setattr("dmlrand.cli.plots.verification.save_figure", lambda path, figure, dpi: figures.append(figure))
    values = RIGHT_WORDS[:6000].reshape(3, 50, 40).copy()
    plot_report(tmp_path / "p.png", STATE, values, verify(STATE, values), "tensor", "All words are right.")
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


@pytest.mark.costly
@pytest.mark.parametrize(("name", "start"), [("p.png", b"\x89PNG"), ("p.svg", b"<?xml"), ("p.pdf", b"%PDF")])
def test_the_file_has_the_format_of_its_name(tmp_path, name, start):
    """verify 6.3"""
    values = RIGHT_WORDS[:3000].copy()
    values[[5, 9, 2999]] ^= 1
    report = verify(STATE, values)
    plot_report(tmp_path / name, STATE, values, report, "tensor", sentence_of(report))
    assert (tmp_path / name).read_bytes().startswith(start)
    assert [file.name for file in tmp_path.iterdir()] == [name]
