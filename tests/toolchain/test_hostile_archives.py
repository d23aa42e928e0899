"""Archives that were made to harm: refused as archives, in little memory, and nothing of them stays."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from scistan.errors import ToolchainError
from scistan.toolchain.cache import open_store
from scistan.toolchain.transfer import import_cache

KEY = "0" * 64


def header(name: str, size: int = 0, kind: bytes = tarfile.REGTYPE) -> bytes:
    """Give one header."""
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return member.tobuf(tarfile.GNU_FORMAT)


def pax(**fields: str) -> bytes:
    """Give the extended header that sets some fields of the next member."""
    body = b""
    for name, value in fields.items():
        line = f" {name.replace('_', '.')}={value}\n".encode()
        length = len(line) + 1
        while len(str(length)) + len(line) != length:
            length = len(str(length)) + len(line)
        body += str(length).encode() + line
    return header("pax", len(body), tarfile.XHDTYPE) + body.ljust(-(-len(body) // 512) * 512, b"\0")


FILE = f"models/{KEY}/model"
SPARSE = pax(GNU_sparse_major="1", GNU_sparse_minor="0", GNU_sparse_name=FILE, GNU_sparse_realsize="9")
HARM = {
    "headers of headers": pax(mtime="1") * 3000 + header(FILE),
    "a chain of long names": (header("././@LongLink", 5, b"L") + b"name\0".ljust(512, b"\0")) * 3000 + header(FILE),
    "a size beyond all files": pax(size=str(10**30)) + header(FILE),
    "a negative size": pax(size="-1024") + header(FILE) + header(FILE),
    "a size that is none": pax(size="nan") + header(FILE),
    "a time that is none": pax(mtime="inf") + header(FILE),
    "a name of bytes": pax(path=f"models/{KEY}/" + "ä" * 150) + header(FILE),
    "a sparse file": SPARSE + header(FILE, 1024) + b"2\n0\n1\n".ljust(1024, b"\0"),
    "a table of holes that ends": SPARSE + header(FILE, 512) + b"999999999\n".ljust(512, b"1"),
    "an old sparse file": header(FILE, 512, b"S"),
    "a device": header(FILE, 0, tarfile.CHRTYPE),
    "a pipe": header(FILE, 0, tarfile.FIFOTYPE),
    "a link": header(FILE, 0, tarfile.SYMTYPE),
    "a hard link": header(FILE, 0, tarfile.LNKTYPE),
    "an unknown kind": header(FILE, 0, b"Z"),
}


def refused(path: Path) -> None:
    """Import an archive that must not be."""
    try:
        result = import_cache(open_store(), path)
    except ToolchainError:
        return
    assert not result.added, result


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("name", HARM)
def test_members_that_no_export_has(own_cache, tmp_path, name, compressed):
    path = tmp_path / "harm.tar"
    path.write_bytes(gzip.compress(HARM[name]) if compressed else HARM[name])
    refused(path)
    assert not [file for file in own_cache.rglob("*") if file.is_file() and file.suffix != ".lock"]


def test_a_table_of_holes_without_end_takes_little_memory(own_cache, tmp_path):
    """A small archive is a table of many millions of numbers: what reads them all takes many times its bound."""
    path = tmp_path / "harm.tar.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(SPARSE + header(FILE, 400_000_000) + b"999999999\n")
        for _ in range(40):
            file.write(b"1000\n" * 200_000)
    assert path.stat().st_size < 2_000_000
    program = (
        "import sys; from pathlib import Path; from scistan.toolchain.cache import open_store\n"
        "from scistan.toolchain import archive; archive.HEADERS = 4 << 20  # of 32: a table takes seconds to read\n"
        "from scistan.toolchain.transfer import import_cache; from scistan.errors import ToolchainError\n"
        "try: import_cache(open_store(), Path(sys.argv[1]))\n"
        "except ToolchainError as error: print(error.what)\n"
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=900)
    told, kilobytes = done.stdout.splitlines()
    assert "the table of what it holds is bigger than 4 MB" in told
    assert int(kilobytes) < 200_000, "4 MB are 0.8 million numbers of 36 bytes and their places; all would be 8 million"


def test_any_bytes_are_no_archive(own_cache, tmp_path):
    path = tmp_path / "harm.tar"
    good = io.BytesIO()
    with tarfile.open(fileobj=good, mode="w") as archive:
        archive.addfile(tarfile.TarInfo(FILE))
    for data in (b"", b"\0" * 10_240, b"\x1f\x8b", b"\x1f\x8b" + bytes(range(256)), good.getvalue()[:700]):
        path.write_bytes(data)
        refused(path)
