"""An export runs on another machine of the same kind, offline; everything else is left out."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import tarfile

import pytest

from scistan.cli import main
from scistan.errors import ToolchainError
from scistan.toolchain import build as build_module
from scistan.toolchain import transfer
from scistan.toolchain.build import compile_stan
from scistan.toolchain.cache import open_store
from scistan.toolchain.errors import NoToolchainError
from scistan.toolchain.inventory import list_cache, verify_cache
from scistan.toolchain.keys import canonical, digest
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.pool import compile_many
from scistan.toolchain.transfer import export_cache, import_cache

QUICK = BuildOptions(precompiled_header=False)


def build(tiny, text="model { }"):
    """Build with the tiny toolchain."""
    return compile_stan(text, toolchain=tiny.toolchain(), options=QUICK, progress=False)


@pytest.fixture
def archive(tiny, tmp_path):
    """Export two models."""
    for text in ("model { }", "model { } // two"):
        build(tiny, text)
    path = tmp_path / "models.tar.gz"
    assert len(export_cache(open_store(), path)) == 2
    return path


@pytest.fixture
def elsewhere(archive, own_cache, tmp_path, monkeypatch):
    """Be another machine: no cache of before, another place."""
    shutil.rmtree(own_cache)
    root = tmp_path / "elsewhere" / "cache"
    monkeypatch.setenv("SCISTAN_CACHE", str(root))
    return root


def test_an_export_runs_elsewhere(tiny, archive, elsewhere):
    result = import_cache(open_store(), archive)
    assert (len(result.added), len(result.present), len(result.skipped)) == (2, 0, 0)
    shutil.move(tiny.wheel, tiny.folder / "moved")
    tiny.wheel = tiny.folder / "moved"
    before = tiny.compilations()
    path = build(tiny)
    assert path.is_relative_to(elsewhere)
    assert tiny.compilations() == before
    assert subprocess.run([path, "info"], capture_output=True).returncode == 0
    assert not verify_cache(open_store())
    assert not any(p.stat().st_mode & 0o077 for p in elsewhere.rglob("*"))
    assert import_cache(open_store(), archive).present == result.added


def test_an_import_serves_a_machine_without_a_compiler(archive, elsewhere, monkeypatch):
    def none(**_):
        raise NoToolchainError("no compiler")

    import_cache(open_store(), archive)
    monkeypatch.setattr(build_module, "find_toolchain", none)
    monkeypatch.setattr("scistan.toolchain.pool.find_toolchain", none)
    assert compile_stan("model { }", options=QUICK).is_relative_to(elsewhere)
    with pytest.raises(NoToolchainError):
        compile_stan("model { } // unknown", options=QUICK)
    first, second = compile_many(["model { }", "model { } // unknown"], options=QUICK)
    assert first.exists()
    assert isinstance(second, NoToolchainError)


def test_objects_travel_on_demand(tiny, tmp_path, own_cache):
    build(tiny)
    path = tmp_path / "all.tar.gz"
    assert len(export_cache(open_store(), path, objects=True)) == 4
    shutil.rmtree(own_cache)
    import_cache(open_store(), path)
    build(tiny, "model { } // new")
    assert tiny.compilations() == 2


def test_chosen_keys(tiny, tmp_path, own_cache):
    first = build(tiny)
    build(tiny, "model { } // two")
    key = first.parent.name
    assert export_cache(open_store(), tmp_path / "one.tar", keys=[key[:10]]) == [key]


def test_another_kind_of_machine_is_left_out(archive, elsewhere, monkeypatch):
    monkeypatch.setattr(transfer, "platform_part", lambda: {"system": "other"})
    result = import_cache(open_store(), archive)
    assert not result.added
    assert all("another kind of machine" in reason for _, reason in result.skipped)
    assert not list(elsewhere.glob("models/*"))


def rewrite(archive, change):
    """Write an archive again with some files changed."""
    changed = archive.with_name("changed.tar.gz")
    with tarfile.open(archive) as old, tarfile.open(changed, "w:gz") as new:
        for member in old.getmembers():
            data = old.extractfile(member).read() if member.isfile() else b""
            member, data = change(member, data)
            member.size = len(data)
            new.addfile(member, io.BytesIO(data) if member.isfile() else None)
    return changed


def test_an_altered_executable_is_left_out(archive, elsewhere):
    def flip(member, data):
        if member.name.endswith("/model"):
            data = data[:50] + bytes([data[50] ^ 1]) + data[51:]
        return member, data

    result = import_cache(open_store(), rewrite(archive, flip))
    assert not result.added
    assert all("model was altered" in reason for _, reason in result.skipped)


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "models/../../evil", "other/x/y", "models"])
def test_names_that_lead_elsewhere_are_refused(archive, elsewhere, name):
    def rename(member, data):
        if member.name.endswith("/model"):
            member.name = name
        return member, data

    with pytest.raises(ToolchainError, match="not a sound cache export"):
        import_cache(open_store(), rewrite(archive, rename))
    assert not list(elsewhere.glob("models/*"))


def test_links_are_refused(archive, elsewhere):
    def link(member, data):
        if member.name.endswith("/model"):
            member.type, member.linkname = tarfile.SYMTYPE, "/bin/sh"
            data = b""
        return member, data

    with pytest.raises(ToolchainError, match="not a sound cache export"):
        import_cache(open_store(), rewrite(archive, link))


def test_no_archive_at_all(own_cache, tmp_path):
    for path in (tmp_path / "none.tar", tmp_path / "text.tar"):
        if path.name == "text.tar":
            path.write_text("hello")
        with pytest.raises(ToolchainError, match="not a sound cache export"):
            import_cache(open_store(), path)


def test_a_damaged_archive_is_told(archive, elsewhere):
    good = archive.read_bytes()
    for damaged in (good[: len(good) // 2], good[:200] + bytes(200) + good[400:]):
        archive.write_bytes(damaged)
        with pytest.raises(ToolchainError, match="not a sound cache export"):
            import_cache(open_store(), archive)


def test_an_export_that_cannot_be_written_is_told(tiny, own_cache, tmp_path):
    with pytest.raises(ToolchainError, match="no sound executable"):
        export_cache(open_store(), tmp_path / "empty.tar")
    compile_stan("model { }", toolchain=tiny.toolchain(), progress=False)
    with pytest.raises(ToolchainError, match="cannot be written: No such file or directory"):
        export_cache(open_store(), tmp_path / "nowhere" / "a.tar")


def test_an_import_into_a_full_disk_is_told(archive, mounted, monkeypatch):
    root = mounted("size=16k,mode=700")
    monkeypatch.setenv("SCISTAN_CACHE", str(root))
    with pytest.raises(ToolchainError, match="is full"):
        import_cache(open_store(), archive)
    assert not list((root / "models").iterdir())


def resealed(change):
    """Give a change of an archive that rewrites the records and seals them again: anybody can."""

    def rewritten(member, data):
        if member.name.endswith("/record.json"):
            body = json.loads(data)["record"]
            change(body)
            data = canonical({"record": body, "seal": digest({"record": body})}) + b"\n"
        return member, data

    return rewritten


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("parts", ["a", "list"]),
        ("versions", {"stan": ["2.35"]}),
        ("versions", "none"),
        ("outside", [3]),
        ("label", None),
        ("seconds", "long"),
        ("files", {"model": {"sha256": 1, "bytes": "x", "executable": 2}}),
        ("created", 1e400),
    ],
)
def test_records_with_values_of_other_types_are_left_out(archive, elsewhere, field, value):
    result = import_cache(open_store(), rewrite(archive, resealed(lambda body: body.update({field: value}))))
    assert not result.added
    assert list_cache(open_store()) == []


def test_a_record_of_two_hundred_thousand_brackets_is_left_out(archive, elsewhere):
    def nest(member, data):
        return member, b"[" * 200_000 if member.name.endswith("/record.json") else data

    assert not import_cache(open_store(), rewrite(archive, nest)).added


def test_a_record_without_end_is_left_out(archive, elsewhere):
    def long(member, data):
        return member, b" " * 5_000_000 + data if member.name.endswith("/record.json") else data

    assert not import_cache(open_store(), rewrite(archive, long)).added


def test_an_archive_of_zeros_takes_neither_memory_nor_disk(archive, elsewhere, tmp_path):
    """Three gigabytes of zeros are a small archive; they are refused by the header, before they are unpacked."""
    bomb = tmp_path / "bomb.tar"
    member = tarfile.TarInfo(f"models/{'a' * 64}/model")
    member.size = 3_000_000_000
    with bomb.open("wb") as file:
        file.write(member.tobuf())
        file.truncate(member.size + 10_240)  # a hole: no byte of it is on the disk
    with pytest.raises(ToolchainError, match="one of its entries is bigger than 500 MB"):
        import_cache(open_store(), bomb)
    assert not list(elsewhere.glob("tmp/*"))


def test_a_header_that_claims_a_name_of_gigabytes_is_refused(archive, elsewhere, tmp_path):
    bomb = tmp_path / "bomb.tar"
    member = tarfile.TarInfo("././@LongLink")
    member.type, member.size = tarfile.GNUTYPE_LONGNAME, 3_000_000_000
    with bomb.open("wb") as file:
        file.write(member.tobuf())
        file.truncate(member.size + 10_240)
    with pytest.raises(ToolchainError, match="one of its headers is bigger"):
        import_cache(open_store(), bomb)


def test_the_cap_of_the_cache_is_the_cap_of_an_import(archive, elsewhere, monkeypatch):
    monkeypatch.setenv("SCISTAN_CACHE_SIZE", "10KB")
    with pytest.raises(ToolchainError, match="what it holds is bigger than"):
        import_cache(open_store(), archive)


@pytest.mark.parametrize("name", ["models/short/model", f"models/{'a' * 64}/x\x1b[2J", f"models/{'a' * 64}" + "/x" * 30])
def test_names_that_no_export_has_are_refused(archive, elsewhere, name):
    def rename(member, data):
        if member.name.endswith("/model"):
            member.name = name
        return member, data

    with pytest.raises(ToolchainError, match="not a sound cache export"):
        import_cache(open_store(), rewrite(archive, rename))


def test_a_file_that_is_a_folder_too_is_left_out(archive, elsewhere):
    with tarfile.open(archive) as old:
        key = next(member.name.split("/")[1] for member in old)
    double = archive.with_name("double.tar")
    with tarfile.open(double, "w") as new:
        for name in ("model", "model/inner"):
            member = tarfile.TarInfo(f"models/{key}/{name}")
            member.size = 1
            new.addfile(member, io.BytesIO(b"x"))
    assert not import_cache(open_store(), double).added


def test_escapes_and_foreign_bytes_do_not_reach_the_terminal(archive, elsewhere, capsys):
    """The program's text, the label and the version of an entry are whatever its writer wrote."""
    program = b"model { } // \x1b]0;owned\x07 \xff\xfe \x1b[2J"

    def change(body):
        body["versions"] = {"stan": "9\x1b[31m\ud800"}
        for name in body["files"]:
            if name.endswith(".stan"):
                body["files"][name] |= {"sha256": hashlib.sha256(program).hexdigest(), "bytes": len(program)}

    sealed = resealed(change)

    def both(member, data):
        return sealed(member, program if member.name.endswith(".stan") else data)

    assert import_cache(open_store(), rewrite(archive, both)).added
    assert main(["cache", "list"]) == 0
    printed = capsys.readouterr().out
    assert "model (" in printed
    assert all(sign.isprintable() or sign == "\n" for sign in printed)
