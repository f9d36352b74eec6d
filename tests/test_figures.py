"""Still figures: what their axes say can be read."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest

from relmath.notebook import figures


@pytest.fixture
def drawn():
    """The axes of the figure that is drawn by then, after the layout."""

    def axes():
        plt.gcf().canvas.draw()
        return plt.gca()

    yield axes
    plt.close("all")


def shown(axis):
    labels = [label for label in axis.get_ticklabels() if label.get_text()]
    low, high = axis.get_view_interval()
    return [label for label, place in zip(labels, axis.get_ticklocs(), strict=True) if low <= place <= high]


@pytest.mark.parametrize("decades", [1, 3, 4, 5, 7, 12])
@pytest.mark.parametrize("least", [1e-5, 1.0, 20.0])
def test_labels_of_a_logarithmic_axis_do_not_overlap(drawn, least, decades):
    x = least * np.geomspace(1, 10**decades, 50)
    figures.curves(x, {"line": x}, "x", "y", log="xy")
    axes = drawn()
    labels = shown(axes.xaxis)
    assert len(labels) >= 3
    boxes = [label.get_window_extent() for label in labels]
    assert all(before.x1 < after.x0 for before, after in pairwise(boxes))
    boxes = [label.get_window_extent() for label in shown(axes.yaxis)]
    assert all(below.y1 < above.y0 for below, above in pairwise(boxes))


def test_labels_are_plain_numbers(drawn):
    x = np.geomspace(1e-5, 50, 50)
    figures.curves(x, {"line": x}, "x", "y", log="x")
    assert [label.get_text() for label in shown(drawn().xaxis)] == [
        "0.00001",
        "0.0001",
        "0.001",
        "0.01",
        "0.1",
        "1",
        "10",
        "100",
    ]
