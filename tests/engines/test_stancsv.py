"""CmdStan's CSV: right numbers, torn lines dropped, never more memory than the draws."""

import tracemalloc

import numpy as np

from scistan.engines.stancsv import header, read_rows


def write(path, rows, columns=6, torn=False):
    table = np.random.default_rng(0).normal(size=(rows, columns))
    with path.open("w") as file:
        file.write("# model = m\n" + ",".join(f"c{k}" for k in range(columns)) + "\n# Adaptation terminated\n")
        for k, row in enumerate(table):
            file.write(",".join(repr(float(x)) for x in row) + "\n")
            if k == rows // 2:
                file.write("# Step size = 0.5\n")
        if torn:
            file.write("1.5,2.5")
    return table


def test_rows_are_read_exactly(tmp_path):
    table = write(tmp_path / "a.csv", 1234)
    out = np.full((1234, 6), np.nan)
    assert read_rows(tmp_path / "a.csv", out, range(6)) == 1234
    np.testing.assert_array_equal(out, table)
    assert header(tmp_path / "a.csv") == [f"c{k}" for k in range(6)]


def test_some_columns_and_the_last_rows(tmp_path):
    table = write(tmp_path / "a.csv", 20)
    out = np.full((15, 2), np.nan)
    assert read_rows(tmp_path / "a.csv", out, [4, 1], skip=5) == 15
    np.testing.assert_array_equal(out, table[5:, [4, 1]])


def test_a_torn_line_is_dropped(tmp_path):
    table = write(tmp_path / "a.csv", 7, torn=True)
    out = np.full((10, 6), np.nan)
    assert read_rows(tmp_path / "a.csv", out, range(6)) == 7
    np.testing.assert_array_equal(out[:7], table)
    assert np.isnan(out[7:]).all()


def test_nothing_written_is_nothing_read(tmp_path):
    (tmp_path / "a.csv").write_text("# only words\n")
    assert header(tmp_path / "a.csv") == []
    assert read_rows(tmp_path / "a.csv", np.empty((3, 1)), [0]) == 0


def test_reading_takes_little_more_memory_than_the_draws(tmp_path):
    table = write(tmp_path / "a.csv", 20000, 30)
    out = np.empty_like(table)
    tracemalloc.start()
    read_rows(tmp_path / "a.csv", out, range(30))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_array_equal(out, table)
    assert peak < 0.5 * out.nbytes
