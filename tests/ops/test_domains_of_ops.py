"""The law that what an op declares of its argument is where it has a value: `takes`, over the whole registry."""

import numpy as np
import pytest

from scistan.domains import REAL
from scistan.ops import REGISTRY, Expression
from tests.ops.ops_support import free, node_of, value_of

# On either side of every border that an op could have; poles that are single points (gamma at -1, -2, …) lie between.
GRID = np.concatenate([-np.geomspace(17.3, 1.03, 12), np.linspace(-0.987, 0.987, 24), np.geomspace(1.03, 17.3, 12)])
OF_ONE_NUMBER = sorted(name for name, op in REGISTRY.items() if op.elementwise and op.arity == 1)
SQUARE = sorted(name for name, op in REGISTRY.items() if not op.elementwise and op.takes is not None)


def computed(name, values):
    x = free(values.shape, "x")
    made = REGISTRY[name].build((node_of(x),))
    with np.errstate(all="ignore"):
        return np.asarray(value_of(Expression(made), [x], [values]), dtype=float)


@pytest.mark.parametrize("name", OF_ONE_NUMBER)
def test_an_op_has_a_value_where_it_says_and_nowhere_else(name):
    takes = REGISTRY[name].takes or REAL
    borders = np.array([edge for edge in (takes.lower, takes.upper) if edge is not None], dtype=float)
    for x in np.concatenate([GRID, borders]):
        expected = not takes.violations(np.asarray(x)).any()
        assert bool(np.isfinite(computed(name, np.array([x])))[0]) == expected, f"{name}({x}), which takes {takes.words}"


@pytest.mark.parametrize("name", SQUARE)
def test_a_matrix_that_an_op_does_not_take_has_no_value(name):
    takes = REGISTRY[name].takes
    for matrix in (np.eye(3), np.diag([1.0, 2.0, 1e-3]), -np.eye(3), np.diag([1.0, 1.0, -1.0]), np.ones((3, 3))):
        try:
            found = bool(np.isfinite(computed(name, matrix)).all())
        except np.linalg.LinAlgError:
            found = False
        assert found == (not takes.violations(matrix).any())
