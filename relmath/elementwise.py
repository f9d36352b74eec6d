"""How a formula is applied to arrays: in cache-sized blocks to NumPy's, chunk by chunk to Dask's, at once to others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from relmath.domain import Array, is_lazy


def in_blocks(kernel: Callable[..., Array], *arguments: Array) -> Array:
    """Apply a kernel to NumPy arrays block by block, so that its intermediates stay in cache; to others, at once.

    A lazy array comes here twice: first as a whole, then, when it is computed, chunk by chunk.
    """
    if any(map(is_lazy, arguments)):
        return _lazily(partial(in_blocks, kernel), arguments)
    # What overflows or is divided by 0 is infinite, or so far out that its limit is reached; what underflows is 0.
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        if not all(isinstance(argument, np.ndarray | np.generic) for argument in arguments):
            return kernel(*arguments)
        access: list[Any] = [["readonly"]] * len(arguments) + [["writeonly", "allocate"]]
        blocks = np.nditer(
            [*arguments, None],
            flags=["buffered", "external_loop", "zerosize_ok"],
            op_flags=access,
            op_dtypes=[np.float64] * (len(arguments) + 1),
            buffersize=2**13,
        )
        with blocks:
            for *inputs, output in blocks:
                output[...] = kernel(*inputs)
            return blocks.operands[-1][()]


def _lazily(function: Callable[..., Array], arguments: Sequence[Array]) -> Array:
    """Put off an elementwise function until the Dask arrays among its arguments are computed."""
    from dask.array import blockwise

    axes = [tuple(reversed(range(argument.ndim))) for argument in arguments]  # shapes are aligned at their ends
    inputs = chain(*zip(arguments, axes, strict=True))
    return blockwise(function, max(axes, key=len), *inputs, dtype=np.float64)  # type: ignore[no-untyped-call]


def times_mtbf(ratio: Array, mtbf: Array) -> Array:
    """Time from its ratio to the MTBF; infinite with the MTBF, although the ratio is 0 then."""
    finite = np.minimum(mtbf, np.finfo(np.float64).max)
    return ratio * finite + (mtbf - finite)
