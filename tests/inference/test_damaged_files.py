"""A saved file that was cut, flipped or swapped is told as one; no reader's own error comes through."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

import scistan as ss
from scistan.inference.seal import _BESIDE, _DIGITS, _MAGIC
from tests.zoo import eight_schools

SEAL = len(_MAGIC) + _DIGITS


class Saved(dict[str, Path]):
    """A file of each format; estimates need torch."""

    def __missing__(self, kind: str) -> Path:
        pytest.importorskip("torch")
        self[kind] = eight_schools().map(progress=False).save(self["nc"].with_suffix(f".{kind}"))
        return self[kind]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Save one fit in each format."""
    folder = tmp_path_factory.mktemp("saved")
    fit = eight_schools().mcmc(seed=1, draws=50, warmup=50, chains=2, engine="stanli", progress=False)
    return Saved(nc=fit.save(folder / "fit.nc"), zarr=fit.save(folder / "fit.zarr"))


def damaged(data: bytes, choose: random.Random) -> bytes:
    """Cut a file, flip some of its bytes, or swap two blocks of it."""
    kind = choose.choice(["cut", "flip", "flips", "swap", "zeros", "longer", "empty"])
    at = choose.randrange(len(data)) if data else 0
    if kind == "cut":
        return data[:at]
    if kind == "empty":
        return b""
    if kind == "longer":
        return data + choose.randbytes(choose.randrange(1, 200))
    if kind == "swap":
        size = choose.randrange(1, 1 + len(data) // 4)
        return data[at : at + size] + data[size:at] + data[:size] + data[at + size :]
    changed = bytearray(data)
    places = [at] if kind == "flip" else [choose.randrange(len(data)) for _ in range(20)]
    for place in places:
        changed[place] = 0 if kind == "zeros" else changed[place] ^ (1 << choose.randrange(8))
    return bytes(changed)


def unsealed(path: Path, kind: str) -> None:
    """Make a file as others write it, without a digest: its reader must do without one."""
    if kind == "zarr":
        (path / _BESIDE).unlink()
    else:
        path.write_bytes(path.read_bytes()[:-SEAL])


def copied(path: Path, folder: Path) -> Path:
    """Copy a file or folder."""
    target = folder / path.name
    if path.is_dir():
        shutil.rmtree(target, ignore_errors=True)
        return Path(shutil.copytree(path, target))
    return Path(shutil.copyfile(path, target))


def go(saved, tmp_path, kind: str, times: int, sealed: bool) -> list[str]:
    """Damage a file many times; give what came through that should not."""
    choose = random.Random(f"{kind} {sealed}")
    wrong = []
    for number in range(times):
        path = copied(saved[kind], tmp_path)
        if not sealed:
            unsealed(path, kind)
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        hit = choose.choice(files)
        before = hit.read_bytes()
        after = damaged(before, choose)
        if after == before:
            continue
        hit.write_bytes(after)
        try:
            ss.load(path)
            if sealed:
                wrong.append(f"{number}: {hit.name}: loaded")
        except ss.ScistanError:
            pass
        except BaseException as error:
            wrong.append(f"{number}: {hit.name}: {error!r}")
    return wrong


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "without a seal"])
@pytest.mark.parametrize("kind", ["nc", "zarr", "npz"])
def test_damaged_files_are_told(saved, tmp_path, kind, sealed):
    assert go(saved, tmp_path, kind, 40, sealed) == []


@pytest.mark.long
@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "without a seal"])
@pytest.mark.parametrize("kind", ["nc", "zarr", "npz"])
def test_many_damaged_files_are_told(saved, tmp_path, kind, sealed):
    assert go(saved, tmp_path, kind, 700, sealed) == []


@pytest.mark.parametrize("kind", ["nc", "npz"])
def test_every_byte_of_the_seal_counts(saved, tmp_path, kind):
    good = saved[kind].read_bytes()
    for place in range(1, SEAL + 1):
        path = tmp_path / f"fit.{kind}"
        path.write_bytes(good[:-place] + bytes([good[-place] ^ 4]) + good[len(good) - place + 1 :])
        with pytest.raises(ss.DataError, match="has been changed"):
            ss.load(path)


@pytest.mark.parametrize("length", [1, SEAL - 1, SEAL, SEAL + 200])
@pytest.mark.parametrize("kind", ["nc", "npz"])
def test_a_seal_that_was_overwritten_is_told(saved, tmp_path, kind, length):
    """Found by hand: where neither its beginning nor its digits were left, the file was read as one of others."""
    path = copied(saved[kind], tmp_path)
    path.write_bytes(path.read_bytes()[:-SEAL] + random.Random(length).randbytes(length))
    with pytest.raises(ss.DataError, match="its end has been changed"):
        ss.load(path)


@pytest.mark.parametrize("name", ["attributes", "metadata", "added", "removed"])
def test_a_changed_folder_is_told(saved, tmp_path, name):
    path = copied(saved["zarr"], tmp_path)
    if name == "added":
        (path / "posterior" / "more").touch()
    elif name == "removed":
        (path / "posterior" / ".zattrs").unlink()
    else:
        hit = path / "posterior" / {"attributes": ".zattrs", "metadata": ".zgroup"}[name]
        hit.write_text(hit.read_text().replace("2", "3"))
    with pytest.raises(ss.DataError, match="has been changed"):
        ss.load(path)


@pytest.mark.parametrize("kind", ["nc", "zarr", "npz"])
def test_a_file_under_another_ending_is_told(saved, tmp_path, kind):
    for other in {"nc", "zarr", "npz"} - {kind}:
        path = copied(saved[kind], tmp_path).rename(tmp_path / f"other.{other}")
        with pytest.raises(ss.ScistanError):
            ss.load(path)
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def test_others_read_a_sealed_file_and_we_read_theirs(saved, tmp_path):
    import arviz
    import xarray as xr

    assert xr.open_dataset(saved["nc"], group="posterior", engine="h5netcdf")["mu"].shape == (2, 50)
    theirs = arviz.from_netcdf(str(saved["nc"]))
    theirs.to_netcdf(str(tmp_path / "theirs.nc"))
    assert ss.load(tmp_path / "theirs.nc").shape == (2, 50)


@pytest.mark.parametrize("kind", ["nc", "zarr", "npz"])
def test_what_is_no_file_is_not_read(tmp_path, kind):
    """A device and a pipe never end, and a name may be one that no file has."""
    for name, target in (("device", "/dev/zero"), ("empty", "/dev/null"), ("folder", str(tmp_path))):
        (tmp_path / f"{name}.{kind}").symlink_to(target)
    os.mkfifo(tmp_path / f"pipe.{kind}")
    (tmp_path / f"round.{kind}").symlink_to(tmp_path / f"round.{kind}")
    for name in ("device", "empty", "folder", "pipe", "round", "a" * 300, "nowhere/x", "a\0b", "\udcff"):
        with pytest.raises(ss.DataError, match="is not a saved"):
            ss.load(tmp_path / f"{name}.{kind}")
    with pytest.raises(ss.DataError, match="is not a saved"):
        ss.load(tmp_path / f"folder.{kind}" / f"x.{kind}")


def test_a_pipe_among_the_files_of_a_folder_is_not_read(saved, tmp_path):
    path = copied(saved["zarr"], tmp_path)
    os.mkfifo(path / "posterior" / "pipe")
    with pytest.raises(ss.DataError, match="'pipe', which is no file"):
        ss.load(path)


@pytest.mark.parametrize("kind", ["nc", "zarr", "npz"])
def test_a_file_that_holds_more_than_memory_is_refused_before_it_is_read(saved, tmp_path, monkeypatch, kind):
    path = copied(saved[kind], tmp_path)
    monkeypatch.setattr("scistan.inference.memory.free_memory", lambda: 2000.0)
    with pytest.raises(ss.DataError, match="holds .* GB and .* GB are free; the biggest: `"):
        ss.load(path)


def test_an_array_that_is_claimed_and_never_written(saved, tmp_path):
    """A few bytes of netCDF claim terabytes of draws."""
    h5py = pytest.importorskip("h5py")
    path = copied(saved["nc"], tmp_path)
    unsealed(path, "nc")
    with h5py.File(path, "a") as file:
        length = 10**12
        file["posterior"].create_dataset("huge", shape=(length,), dtype="f8", chunks=(1000,))
    with pytest.raises(ss.DataError, match="8,?000.0 GB|is not a saved fit"):
        ss.load(path)


@pytest.mark.parametrize("place", ["", "/", "."])
def test_an_estimate_is_saved_to_a_file(place):
    pytest.importorskip("torch")
    with pytest.raises(ss.DataError, match="cannot be written"):
        eight_schools().map(progress=False).save(place)
