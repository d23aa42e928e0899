"""The command `scistan`: doctor, the page of a model's priors, the cache, and CmdStan's installer."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from scistan.errors import ScistanError
from scistan.messages import toolchain as messages

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; give its exit code."""
    options = parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        code = command(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # `scistan cache list | head`: nobody reads on, and nothing is wrong
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except ScistanError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def parser() -> argparse.ArgumentParser:
    """Describe the commands."""
    text = "A model's priors in the browser; SciStan's toolchain and cache."
    top = argparse.ArgumentParser(prog="scistan", description=text)
    commands = top.add_subparsers(required=True, metavar="command")
    add(commands, "doctor", doctor, "say what is installed, what is missing and the fix")
    priors = add(commands, "prior", prior, "check a model's priors, and move their constants with sliders in a browser")
    priors.add_argument("file", type=Path, help="the Python file with the model; it is run as far as its first fit")
    priors.add_argument("--model", default="", help="the model's variable, or a function that gives it; all by default")
    priors.add_argument("--draws", type=int, default=1000, help="how many draws; 1000 unless given")
    priors.add_argument("--seed", type=int, help="the seed of the draws; a fresh one unless given")
    priors.add_argument("--port", type=int, default=0, help="the port of the page; a free one unless given")
    priors.add_argument("--no-browser", action="store_true", help="print the page's address, and open nothing")
    install = add(commands, "install-cmdstan", install_cmdstan, "download and build CmdStan")
    install.add_argument("--version", help="such as 2.35.0; the newest unless given")
    install.add_argument("--dir", help="where to; ~/.cmdstan unless given")
    install.add_argument("--cores", type=int, default=1, help="how many cores build it")
    install.add_argument("--overwrite", action="store_true", help="build again what is there")
    cache = commands.add_parser("cache", help="look at and tidy the cache of executables")
    actions = cache.add_subparsers(required=True, metavar="action")
    add(actions, "list", cache_list, "what the cache holds, the most recently used first")
    verify = add(actions, "verify", cache_verify, "check every byte; exit code 1 if anything is wrong")
    verify.add_argument("--remove", action="store_true", help="remove what is not sound")
    prune = add(actions, "prune", cache_prune, "remove the least recently used")
    prune.add_argument("--size", help="until the cache is no bigger, such as 1GB; the cap unless given")
    prune.add_argument("--days", type=days, default=0.0, help="and all that was not used for so many days")
    add(actions, "clear", cache_clear, "remove all that is not in use")
    export = add(actions, "export", cache_export, "write executables to a tar file")
    export.add_argument("file", type=Path)
    export.add_argument("keys", nargs="*", help="beginnings of keys; all unless given")
    export.add_argument("--objects", action="store_true", help="with the runner's and models' objects")
    bring = add(actions, "import", cache_import, "take in an exported tar file")
    bring.add_argument("file", type=Path)
    return top


def days(text: str) -> float:
    """Read a number of days; less than none would be everything."""
    number = float(text)
    if not 0 <= number < float("inf"):
        raise ValueError(text)
    return number


def add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    command: Callable[[argparse.Namespace], int],
    text: str,
) -> argparse.ArgumentParser:
    """Add one command."""
    made = commands.add_parser(name, help=text, description=text)
    made.set_defaults(command=command)
    return made


def doctor(options: argparse.Namespace) -> int:
    """Print the doctor's report; exit code 1 if it has a problem."""
    from scistan.toolchain.doctor import doctor as examine

    report = examine()
    print(report)
    return 0 if report.ok else 1


def prior(options: argparse.Namespace) -> int:
    """Print the prior checks of a script's models, and serve the page with sliders."""
    from scistan.inference.prior_check.serve import check_movable, serve
    from scistan.model.script import models_of

    checks, errors = {}, []
    for name, model in models_of(options.file, options.model).items():
        try:
            check = check_movable(model.prior_check(options.draws, options.seed))
        except ScistanError as wrong:  # one of several models must not hide the others
            errors.append(wrong)
        else:
            checks[name] = check
            print(check, end="\n\n")
    if not checks:
        raise errors[0]
    for error in errors:
        print(error, file=sys.stderr)
    serve(checks, options.port, not options.no_browser)
    return 0


def install_cmdstan(options: argparse.Namespace) -> int:
    """Call cmdstanpy's installer."""
    from scistan.engines.loading import load_cmdstanpy

    try:
        cmdstanpy = load_cmdstanpy()
    except ImportError:
        raise messages.no_cmdstanpy() from None
    done = cmdstanpy.install_cmdstan(
        version=options.version,
        dir=options.dir,
        cores=options.cores,
        overwrite=options.overwrite,
        progress=True,
    )
    if not done:
        raise messages.cmdstan_not_installed()
    return 0


def cache_list(options: argparse.Namespace) -> int:
    """Print what the cache holds."""
    from scistan.toolchain.cache import open_store
    from scistan.toolchain.inventory import ago, list_cache
    from scistan.toolchain.report import table

    store = open_store()
    held = list_cache(store)
    rows = [(it.key[:12], f"{it.bytes / 1e6:.1f} MB", ago(it.used), it.versions, it.what) for it in held]
    if rows:
        print(table([("key", "size", "used", "version", "what"), *rows]))
    print(f"{len(held)} entries, {sum(it.bytes for it in held) / 1e6:.1f} MB in {store.root}")
    return 0


def cache_verify(options: argparse.Namespace) -> int:
    """Check every byte of the cache."""
    from scistan.toolchain.cache import open_store
    from scistan.toolchain.inventory import verify_cache

    findings = verify_cache(open_store(), remove=options.remove)
    for finding in findings:
        fate = " (removed)" if finding.removed else " (in use: not removed)" if options.remove else ""
        print(f"{finding.folder}: {finding.reason}{fate}")
    print(f"{len(findings)} of the entries are not sound" if findings else "every entry is sound")
    return 0 if all(finding.removed for finding in findings) else 1


def cache_prune(options: argparse.Namespace) -> int:
    """Remove the least recently used."""
    from scistan.toolchain.cache import open_store
    from scistan.toolchain.evict import parse_size, prune, size_cap

    size = parse_size(options.size) if options.size else size_cap()
    removed = prune(open_store(), size=size, older_than=options.days * 86_400, grace=0.0)
    print(f"removed {len(removed)} entries, {sum(item.bytes for item in removed) / 1e6:.1f} MB")
    return 0


def cache_clear(options: argparse.Namespace) -> int:
    """Remove all that is not in use."""
    from scistan.toolchain.cache import open_store
    from scistan.toolchain.inventory import clear

    removed = clear(open_store())
    print(f"removed {len(removed)} entries, {sum(item.bytes for item in removed) / 1e6:.1f} MB")
    return 0


def cache_export(options: argparse.Namespace) -> int:
    """Write executables to a tar file."""
    from scistan.toolchain.cache import open_store
    from scistan.toolchain.transfer import export_cache

    names = export_cache(open_store(), options.file, keys=options.keys, objects=options.objects)
    print(f"exported {len(names)} entries to {options.file}")
    return 0


def cache_import(options: argparse.Namespace) -> int:
    """Take in an exported tar file."""
    from scistan.toolchain.cache import open_store
    from scistan.toolchain.transfer import import_cache

    result = import_cache(open_store(), options.file)
    for key, reason in result.skipped:
        print(f"left out {key[:12]}: {reason}")
    print(f"imported {len(result.added)} entries; {len(result.present)} were there already")
    return 0
