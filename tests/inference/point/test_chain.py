"""Blocks along a line: whatever is asked of a chain is what the whole matrix gives, on any device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scistan.inference.point.chain import Chain
from scistan.inference.point.elimination import (
    Elimination,
    Layout,
    multiply_blocks,
    probes_of,
    read_blocks,
    trace_rows,
)

torch = pytest.importorskip("torch")
COUNTS = [1, 2, 3, 4, 5, 8, 11]


def blocks(groups: int, width: int, lead: tuple[int, ...] = (), seed: int = 0) -> tuple[Any, Any, Any]:
    """Give hubs, links and the matrix of a definite chain."""
    rng = np.random.default_rng(seed)
    n = groups * width
    root = np.zeros((*lead, n, n))
    for j in range(groups):
        for k in (j - 1, j):
            if k >= 0:
                rows, columns = slice(j * width, (j + 1) * width), slice(k * width, (k + 1) * width)
                root[..., rows, columns] = rng.normal(size=(*lead, width, width))
    whole = torch.tensor(root @ np.swapaxes(root, -1, -2) + np.eye(n))
    cut = whole.unflatten(-1, (groups, width)).unflatten(-3, (groups, width)).transpose(-2, -3)  # (…, J, J, K, K)
    hubs = torch.stack([cut[..., j, j, :, :] for j in range(groups)], -3)
    links = [cut[..., j + 1, j, :, :] for j in range(groups - 1)]
    return hubs, torch.stack(links, -3) if links else hubs[..., :0, :, :], whole


@pytest.mark.parametrize("groups", COUNTS)
@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("lead", [(), (2,)])
def test_a_chain_is_its_matrix(groups: int, width: int, lead: tuple[int, ...]) -> None:
    hubs, links, whole = blocks(groups, width, lead)
    chain = Chain(torch, hubs, links)
    inverse = torch.linalg.inv(whole)
    assert bool(chain.each_definite.all())
    torch.testing.assert_close(chain.log_determinant(), torch.logdet(whole))
    units = torch.eye(groups * width, dtype=torch.float64).unflatten(0, (groups, width)).expand(*lead, -1, -1, -1)
    torch.testing.assert_close(chain.solve(units).flatten(-3, -2), inverse)
    root = chain.draw(units).flatten(-3, -2)
    torch.testing.assert_close(root @ root.mT, inverse)
    cut = inverse.unflatten(-1, (groups, width)).unflatten(-3, (groups, width)).transpose(-2, -3)
    own, beside = chain.inverse_blocks()
    for j in range(groups):
        torch.testing.assert_close(own[..., j, :, :], cut[..., j, j, :, :])
        if j:
            torch.testing.assert_close(beside[..., j - 1, :, :], cut[..., j, j - 1, :, :])


@pytest.mark.parametrize("groups", COUNTS)
@pytest.mark.parametrize("width", [1, 2])
def test_one_negative_direction_is_noticed(groups: int, width: int) -> None:
    hubs, links, whole = blocks(groups, width, (3,))
    shift = float(torch.linalg.eigvalsh(whole[1])[0]) + 1e-6  # a little less, and it would still be definite
    lowered = hubs.clone()
    lowered[1] -= shift * torch.eye(width)
    assert Chain(torch, lowered, links).each_definite.tolist() == [True, False, True]


@pytest.mark.parametrize("groups", COUNTS)
@pytest.mark.parametrize("few", [0, 2])
def test_a_chain_with_a_corner_is_measured_multiplied_and_solved(groups: int, few: int) -> None:
    whole = blocks(groups, 2)[2]
    n = groups * 2
    rng = np.random.default_rng(3)
    matrix = torch.eye(n + few, dtype=torch.float64) * 40
    matrix[:n, :n] = whole
    matrix[n:, :n] = torch.tensor(rng.normal(size=(few, n)))
    matrix[:n, n:] = matrix[n:, :n].mT
    order = torch.tensor(rng.permutation(n + few))
    matrix = matrix[order][:, order]  # coordinates may lie anywhere
    place = torch.argsort(order)
    layout = Layout(place[n:], place[:n].reshape(groups, 2), 1)
    probes = probes_of(torch, layout, matrix[0])
    assert len(probes) == few + 2 * min(3, groups)
    read = read_blocks(torch, layout, probes @ matrix)
    rows = torch.tensor(rng.normal(size=(3, n + few)))
    torch.testing.assert_close(multiply_blocks(torch, layout, read, rows), rows @ matrix)
    made = Elimination(torch, layout, *read)
    assert made.definite
    torch.testing.assert_close(made.solve(rows), torch.linalg.solve(matrix, rows.mT).mT)
    torch.testing.assert_close(made.log_determinant(), torch.logdet(matrix))
    root = made.draw(torch.eye(n + few, dtype=torch.float64))
    torch.testing.assert_close(root.mT @ root, torch.linalg.inv(matrix))
    weights = trace_rows(torch, layout, made.inverse_blocks(), probes)
    other = multiply_blocks(torch, layout, tuple(2 * block.sin() for block in read), probes)
    whole_other = multiply_blocks(torch, layout, tuple(2 * b.sin() for b in read), torch.eye(n + few).to(rows))
    torch.testing.assert_close((weights * other).sum(), torch.trace(torch.linalg.solve(matrix, whole_other)))
    raised = made.raised(torch.tensor(0.5, dtype=torch.float64))
    torch.testing.assert_close(raised.log_determinant(), torch.logdet(matrix + 0.5 * torch.eye(n + few)))


def test_everything_stays_on_its_device() -> None:
    """On `meta` there are no numbers to look at, and what meets a tensor of another device ends in an error."""
    hubs, links, _ = (made.to("meta") for made in blocks(7, 2, (2,)))
    chain = Chain(torch, hubs, links)
    right = torch.zeros((2, 7, 2, 3), device="meta", dtype=torch.float64)
    layout = Layout(torch.arange(2, device="meta"), torch.arange(2, 16, device="meta").reshape(7, 2), 1)
    probes = probes_of(torch, layout, torch.zeros(16, device="meta", dtype=torch.float64))
    read = read_blocks(torch, layout, probes)
    found = [chain.solve(right), chain.draw(right), chain.log_determinant(), *chain.inverse_blocks(), *read]
    inverse = read[0], read[1].movedim(0, -1), *read[2:]
    found += [multiply_blocks(torch, layout, read, probes), trace_rows(torch, layout, inverse, probes)]
    assert {one.device.type for one in found} == {"meta"}
