"""The runner's command line: information, help, settings, and what it says when something is wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import cmdstanpy
import pytest

from scistan.toolchain.wheel import find_wheel

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def program(executable) -> Path:
    return executable("conjugate", full=False)


def test_info_tells_the_build_without_data(program):
    info = cmdstanpy.CmdStanModel(exe_file=program).exe_info()
    version = ".".join(info[f"stan_version_{part}"] for part in ("major", "minor", "patch"))
    assert version == find_wheel().stan_version
    assert info["STAN_THREADS"] == "true"
    assert "sample hmc nuts diag_e" in info["methods"].split(", ")


def test_a_method_of_the_full_units_is_absent_from_the_core(program, run, conjugate_file):
    answer = run(program, "optimize", "data", f"file={conjugate_file}")
    assert answer.returncode == 3
    assert answer.stderr.startswith("Error: method 'optimize lbfgs' is not in this executable; build one that has every")
    assert 'm.compile(methods="full")' in answer.stderr


def test_the_full_executable_has_every_method(executable):
    methods = cmdstanpy.CmdStanModel(exe_file=executable("conjugate")).exe_info()["methods"].split(", ")
    assert len(methods) == 17
    assert {"pathfinder", "laplace", "optimize newton", "variational fullrank", "diagnose gradient"} <= set(methods)


def test_help_lists_the_arguments(program, run):
    assert "num_psis_draws" in run(program, "help").stdout
    answer = run(program, "sample", "adapt", "help")
    assert answer.returncode == 0
    assert "delta=<a number > 0 and < 1>" in answer.stdout
    assert "num_psis_draws" not in answer.stdout
    assert run(program).returncode == 1


def test_settings_are_saved_as_json(program, run, tmp_path, conjugate_file):
    words = ["sample", "num_samples=5", "adapt", "delta=0.9", "data", f"file={conjugate_file}"]
    answer = run(program, *words, "random", "seed=3", "output", "file=fit.csv", "save_cmdstan_config=true")
    assert answer.returncode == 0, answer.stderr
    settings = json.loads((tmp_path / "fit_config.json").read_text())
    sample = settings["method"]["sample"]
    assert settings["method"]["value"] == "sample"
    assert (sample["num_samples"], sample["adapt"]["delta"], sample["save_warmup"]) == (5, 0.9, False)
    assert sample["algorithm"]["hmc"]["metric"]["value"] == "diag_e"
    assert settings["random"]["seed"] == 3
    assert settings["data"]["file"] == conjugate_file


def test_values_equal_to_the_default_are_marked(program, run, tmp_path, conjugate_file):
    words = ["sample", "num_samples=1000", "num_warmup=10", "data", f"file={conjugate_file}"]
    assert run(program, *words).returncode == 0
    lines = (tmp_path / "output.csv").read_text().splitlines()
    assert "#     num_samples = 1000 (Default)" in lines
    assert "#     num_warmup = 10" in lines
    assert "#         metric = diag_e (Default)" in lines


def test_refresh_decides_the_progress_lines(program, run, conjugate_file):
    data = ["data", f"file={conjugate_file}"]
    shown = run(program, "sample", *data, "output", "refresh=500").stdout
    assert shown.count("Iteration:") == 6
    assert "Iteration: 1001 / 2000 [ 50%]  (Sampling)" in shown
    assert "Iteration:" not in run(program, "sample", *data, "output", "refresh=0").stdout


USAGE = {
    "an unknown argument": (["sample", "nonsense=1"], "'nonsense=1' is either mistyped or misplaced"),
    "an unknown word": (["simple"], "'simple' is either mistyped or misplaced"),
    "a misplaced argument": (["sample", "delta=0.9"], "it belongs to 'method=sample adapt'"),
    "a negative count": (["sample", "num_samples=-1"], "num_samples=-1 is not valid, expected an integer >= 0"),
    "text for a number": (["sample", "num_samples=ten"], "num_samples=ten is not valid"),
    "a fraction for a count": (["sample", "thin=1.5"], "thin=1.5 is not valid"),
    "a probability above one": (["sample", "adapt", "delta=1.2"], "expected a number > 0 and < 1"),
    "not a number": (["sample", "algorithm=hmc", "stepsize=nan"], "stepsize=nan is not valid"),
    "an unknown alternative": (["sample", "algorithm=magic"], "expected one of hmc, fixed_param"),
    "a missing value": (["sample", "num_samples"], "num_samples needs a value"),
    "a bad flag": (["sample", "save_warmup=maybe"], "expected true, false, 1 or 0"),
    "a seed out of range": (["sample", "random", "seed=4294967296"], "seed=4294967296 is not valid"),
    "no threads": (["sample", "num_threads=0"], "num_threads=0 is not valid"),
}


@pytest.mark.parametrize("case", USAGE)
def test_usage_faults_are_named(program, run, case):
    words, message = USAGE[case]
    answer = run(program, *words)
    assert answer.returncode == 1
    assert answer.stderr.startswith("Error: ")
    assert message in answer.stderr.splitlines()[0]


INPUTS = {
    "bad JSON": ('{"N": 1, "y": [1,', "Error: reading"),
    "not an object": ("[1, 2]", "Error: reading"),
    "missing data": ('{"y": [1]}', "Exception: variable does not exist"),
    "wrong dimensions": ('{"N": 2, "y": [1], "K": 0, "count": []}', "Exception: mismatch in dimension"),
    "wrong type": ('{"N": 1.5, "y": [1], "K": 0, "count": []}', "Exception: int variable contained non-int values"),
    "out of bounds": ('{"N": 1, "y": [7], "K": 0, "count": []}', "Exception: model"),
}


@pytest.mark.parametrize("case", INPUTS)
def test_cmdstanpy_reports_faults_of_the_data(program, tmp_path, case):
    content, message = INPUTS[case]
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(RuntimeError, match=message):
        cmdstanpy.CmdStanModel(exe_file=program).sample(str(path), show_progress=False)


def test_cmdstanpy_reports_faults_of_the_start_values(program, conjugate_data):
    model = cmdstanpy.CmdStanModel(exe_file=program)
    with pytest.raises(RuntimeError, match=r"Exception: .*must be in the interval"):
        model.sample(conjugate_data, inits={"theta": 2.0, "rate": 1.0}, show_progress=False)
    with pytest.raises(RuntimeError, match="Error during sampling"):
        model.sample(conjugate_data, inv_metric={"inv_metric": [1.0, 1.0, 1.0]}, metric="diag_e", show_progress=False)


FILES = {
    "no data file": (["sample", "data", "file=absent.json"], "cannot read 'absent.json'"),
    "a folder as data": (["sample", "data", "file=."], "Error"),
    "an R dump": (["sample", "data", "file=data.R"], "R dump format"),
    "no start values": (["sample", "init=absent.json", "data", "file=data.json"], "cannot read 'absent.json'"),
    "a negative radius": (["sample", "init=-1", "data", "file=data.json"], "init=-1 is not valid"),
    "no folder": (["sample", "data", "file=data.json", "output", "file=absent/x.csv"], "cannot write 'absent/x.csv'"),
    "no warmup": (["sample", "num_warmup=0", "data", "file=data.json"], "num_warmup must be greater than zero"),
    "no metric": (
        ["sample", "algorithm=hmc", "metric_file=data.json", "data", "file=data.json"],
        "is not a JSON file with inv_metric",
    ),
    "no draws": (["generate_quantities", "data", "file=data.json"], "generate_quantities needs fitted_params"),
    "draws of another model": (
        ["generate_quantities", "fitted_params=other.csv", "data", "file=data.json"],
        "has no column 'theta'",
    ),
    "a cut row": (["generate_quantities", "fitted_params=cut.csv", "data", "file=data.json"], "row 2 of 'cut.csv'"),
    "output over input": (
        ["generate_quantities", "fitted_params=cut.csv", "data", "file=data.json", "output", "file=cut.csv"],
        "both fitted_params and output",
    ),
    "no point": (["log_prob", "data", "file=data.json"], "log_prob needs constrained_params"),
    "too few parameters": (
        ["log_prob", "unconstrained_params=short.json", "data", "file=data.json"],
        "the model has 2 unconstrained parameters, 'short.json' holds 1",
    ),
    "a point out of range": (
        ["log_prob", "constrained_params=outside.json", "data", "file=data.json"],
        "missing or out of range",
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_faults_of_files_are_named(program, run, tmp_path, conjugate_data, case):
    contents = {
        "data.json": json.dumps(conjugate_data),
        "data.R": "N <- 1",
        "other.csv": "lp__,alpha\n1,2\n",
        "cut.csv": "lp__,theta,rate\n-1,0.5,1\n-1,0.5\n",
        "short.json": '{"params_r": [1]}',
        "outside.json": '{"theta": 3, "rate": 1}',
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    words, message = FILES[case]
    answer = run(program, *words)
    assert answer.returncode == 1
    assert answer.stderr.startswith(("Error", "Exception"))
    assert message in answer.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_noticed(program, run, conjugate_file):
    answer = run(program, "sample", "data", f"file={conjugate_file}", "output", "file=/dev/full")
    assert answer.returncode == 1
    assert "writing '/dev/full' failed: No space left on device" in answer.stderr


def test_methods_that_need_parameters_say_so(executable, run, tmp_path):
    (tmp_path / "data.json").write_text('{"mu": 1}')
    answer = run(executable("no_parameters"), "optimize", "data", "file=data.json")
    assert answer.returncode == 1
    assert "has no parameters, nothing to estimate" in answer.stderr
