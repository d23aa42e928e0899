"""Every damage to an entry is noticed before it is run, and mended."""

from __future__ import annotations

import os
import random
import shutil
import subprocess

import pytest

from scistan.toolchain.build import compile_stan
from scistan.toolchain.cache import open_store
from scistan.toolchain.inventory import verify_cache
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.place import MODELS
from scistan.toolchain.record import RECORD


@pytest.fixture
def entry(tiny):
    """Build one model and give its folder."""
    return build(tiny).parent


def build(tiny, text="model { }"):
    """Build with the tiny toolchain."""
    options = BuildOptions(precompiled_header=False)
    return compile_stan(text, toolchain=tiny.toolchain(), options=options, progress=False)


def found(entry):
    """Look the entry up as a call would."""
    return open_store().find(MODELS, entry.name)


def positions(name, size):
    """Choose bytes to flip: all of a record, many of anything bigger."""
    return range(size) if name == RECORD else random.Random(size).sample(range(size), min(size, 150))


def test_every_byte_flip_is_noticed(entry):
    assert found(entry)
    names = sorted(path.name for path in entry.iterdir())
    assert names == ["libtbb.so.2", "model", "model.stan", "record.json"]
    for name in names:
        path = entry / name
        good = path.read_bytes()
        for position in positions(name, len(good)):
            for byte in {good[position] ^ 1 << (position % 8), ord(" ")} - {good[position]}:
                path.write_bytes(good[:position] + bytes([byte]) + good[position + 1 :])
                assert not found(entry), (name, position, byte)
        path.write_bytes(good)
        assert found(entry)


def test_a_flip_that_keeps_the_time_stamp_is_noticed(entry):
    path = entry / "model"
    before = path.stat()
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not found(entry)


DAMAGES = {
    "truncated executable": lambda e: os.truncate(e / "model", 100),
    "empty executable": lambda e: os.truncate(e / "model", 0),
    "no executable": lambda e: (e / "model").unlink(),
    "no record": lambda e: (e / RECORD).unlink(),
    "empty record": lambda e: (e / RECORD).write_bytes(b""),
    "no library": lambda e: (e / "libtbb.so.2").unlink(),
    "a foreign file": lambda e: (e / "libc.so.6").write_bytes(b"x"),
    "not executable": lambda e: (e / "model").chmod(0o600),
    "writable by others": lambda e: (e / "model").chmod(0o722),
    "folder writable by others": lambda e: e.chmod(0o777),
    "executable is a link": lambda e: relink(e / "model"),
}


def relink(path):
    """Put a link to a copy in the place of a file."""
    shutil.copy2(path, path.parents[2] / "copy")
    path.unlink()
    path.symlink_to(path.parents[2] / "copy")


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damage_is_noticed_and_mended(tiny, entry, damage):
    damage(entry)
    assert not found(entry)
    assert build(tiny) == entry / "model"
    assert subprocess.run([entry / "model", "info"], capture_output=True).returncode == 0
    assert found(entry)
    assert not verify_cache(open_store())
    assert tiny.compilations() == 1  # the object was sound


def test_an_entry_under_another_name_is_foreign(tiny, entry):
    other = build(tiny, "model { } // other").parent
    shutil.rmtree(other)
    shutil.copytree(entry, other)
    assert not found(other)
    assert b"// other" in (build(tiny, "model { } // other").parent / "model.stan").read_bytes()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
def test_an_entry_of_another_user_is_foreign(entry):
    os.chown(entry, 12345, 12345)
    assert not found(entry)


def test_verify_finds_and_removes(entry):
    store = open_store()
    assert not verify_cache(store)
    (entry / "model").write_bytes(b"bad")
    (finding,) = verify_cache(store)
    assert finding.folder == entry
    assert "another size" in finding.reason
    verify_cache(store, remove=True)
    assert not entry.exists()
    assert not verify_cache(store)
