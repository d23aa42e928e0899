"""What memory this process may still take: measured under real limits, and read from control groups."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scistan import control_groups, memory
from scistan.toolchain import host

GB = 1_000_000_000

# Take memory until there is none, and compare with what was said to be free.
TAKE = """
import resource, sys, mmap
from scistan.memory import free_memory
resource.setrlimit(getattr(resource, sys.argv[1]), (int(sys.argv[2]),) * 2)
said, block, held = free_memory(), 1_000_000, []
try:
    while True:
        held.append(mmap.mmap(-1, block, flags=mmap.MAP_PRIVATE))
except OSError:
    pass
print(said, block * len(held))
"""

# The verbs on a model whose numbers would fit the machine, in a process that may take 60 MB more: 750 draws of `y`.
VERBS = """
import importlib.util, resource
import numpy as np
import scistan as ss
def wide(rows):
    m = ss.Model("wide")
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1).observe(np.zeros(rows))
    return m
m = wide(10_000)
fit = m.mcmc(draws=1000, warmup=50, chains=1, engine="stanli", seed=1, progress=False)
small = wide(10).mcmc(draws=10, warmup=50, chains=1, engine="stanli", seed=1, progress=False)
small.idata, small.predict(), m.prior(draws=1)  # what they import is no draw
verbs = {
    "prior": lambda: m.prior(draws=5_000),
    "mcmc": lambda: m.mcmc(draws=5_000_000, chains=1, engine="stanli", progress=False),
    "idata": lambda: fit.idata,
    "predict": lambda: fit.predict(),
    "few": lambda: m.prior(draws=10),
    "few predicted": lambda: fit.predict(draws=10),
}
if importlib.util.find_spec("torch"):
    estimate = m.map(progress=False, starts=1)
    verbs["estimate"] = lambda: estimate.idata(draws=5_000)
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + 60_000_000,) * 2)
for name, verb in verbs.items():
    try:
        verb()
        print(f"{name}: ran")
    except ss.ModelError as error:
        print(f"{name}: refused" if "are free" in str(error) else error)
"""


def said(program: str, *words: object) -> list[str]:
    """Run a program in a process of its own."""
    done = subprocess.run([sys.executable, "-c", program, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


linux_only = pytest.mark.skipif(sys.platform != "linux", reason="Linux counts what a process takes in /proc")


@linux_only
@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_what_is_said_to_be_free_is_what_can_be_taken(limit):
    (line,) = said(TAKE, limit, GB)
    free, taken = map(float, line.split())
    assert 0.3 * GB < taken < GB
    assert abs(free - taken) < 0.02 * GB  # the list of blocks, and what Python takes meanwhile


@linux_only
def test_every_verb_refuses_what_its_process_may_not_take():
    told = dict(line.split(": ", 1) for line in said(VERBS))
    ran = {"few": "ran", "few predicted": "ran"}
    assert told == dict.fromkeys(told, "refused") | ran
    assert len(told) >= 6


def group(folder: Path, names: tuple[str, str], limit: object, used: int, stat: str) -> None:
    """Write the files of a control group."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / names[0]).write_text(f"{limit}\n")
    (folder / names[1]).write_text(f"{used}\n")
    (folder / "memory.stat").write_text(stat)


V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes")
V2 = ("memory.max", "memory.current")


@pytest.mark.parametrize(
    ("own", "base", "names", "stat"),
    [
        ("0::/job/step\n", "", V2, "anon 5\ninactive_file 1000\nactive_file 500\n"),
        ("4:memory:/job/step\n0::/\n", "memory", V1, "inactive_file 7\ntotal_inactive_file 1000\ntotal_active_file 500\n"),
        ("3:cpu,memory:/job/step\n", "memory", V1, "total_inactive_file 1500\n"),
        ("0::/job/step\n", "unified", V2, "inactive_file 1500\n"),
    ],
    ids=["second", "first", "first, with another", "second, beside the first"],
)
def test_a_control_group_leaves_its_limit_less_what_is_used_but_for_files(tmp_path, monkeypatch, own, base, names, stat):
    proc, groups = tmp_path / "proc", tmp_path / "groups"
    (proc / "self").mkdir(parents=True)
    (proc / "self" / "cgroup").write_text(own)
    (proc / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  1000 kB\n")
    monkeypatch.setattr(memory, "_PROC", proc)
    monkeypatch.setattr(control_groups, "PROC", proc)
    monkeypatch.setattr(control_groups, "GROUPS", groups)
    assert memory.free_memory() == 1_024_000, "no group says anything"
    unlimited = "max" if names == V2 else 9223372036854771712
    group(groups / base / "job" / "step", names, unlimited, 4000, stat)
    assert memory.free_memory() == 1_024_000, "a group without a limit"
    group(groups / base / "job" / "step", names, 10_000, 4000, stat)
    assert memory.free_memory() == 10_000 - 4000 + 1500
    group(groups / base / "job", names, 9_000, 8000, stat)
    assert memory.free_memory() == 9_000 - 8000 + 1500, "the group above leaves less"
    group(groups / base, names, 2_000, 9000, stat)
    assert memory.free_memory() == 0, "never less than nothing"


def test_a_container_that_sees_its_group_as_the_root(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_PROC", tmp_path / "nothing")
    monkeypatch.setattr(control_groups, "PROC", tmp_path / "nothing")
    monkeypatch.setattr(control_groups, "GROUPS", tmp_path)
    group(tmp_path, V2, 10_000, 4000, "anon 4000\n")
    assert memory.free_memory() == 6000


CORES = {
    "its own group": ("0::/job/step", {"job/step/cpu.max": "200000 100000", "cpu.max": "max 100000"}, 2),
    "a group above": ("0::/job/step", {"job/step/cpu.max": "max 100000", "job/cpu.max": "150000 100000"}, 1),
    "less than one": ("0::/job", {"job/cpu.max": "50000 100000"}, 1),
    "the root": ("0::/", {"cpu.max": "300000 100000"}, 3),
    "version 1": ("4:cpu,cpuacct:/job", {"cpu/job/cpu.cfs_quota_us": "200000", "cpu/job/cpu.cfs_period_us": "100000"}, 2),
    "version 1, free": ("4:cpu:/job", {"cpu/job/cpu.cfs_quota_us": "-1", "cpu/job/cpu.cfs_period_us": "100000"}, 8),
    "unreadable": ("0::/job", {"job/cpu.max": "words"}, 8),
    "none": ("", {}, 8),
}


@pytest.mark.parametrize(("own", "files", "cores"), CORES.values(), ids=CORES)
def test_cores_are_those_of_the_processs_own_control_group(own, files, cores, tmp_path, monkeypatch):
    (tmp_path / "proc" / "self").mkdir(parents=True)
    (tmp_path / "proc" / "self" / "cgroup").write_text(own + "\n")
    for file, text in files.items():
        (tmp_path / "groups" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "groups" / file).write_text(text + "\n")
    monkeypatch.setattr(control_groups, "PROC", tmp_path / "proc")
    monkeypatch.setattr(control_groups, "GROUPS", tmp_path / "groups")
    monkeypatch.setattr(host.os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert host.usable_cores() == cores
