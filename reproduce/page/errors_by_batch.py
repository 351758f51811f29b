"""Three panels of mean squared errors against batch size: shared by Figure 2 and Algorithm 2."""

from ink import batch_axis, function_name, log_axis

FUNCTIONS = ["x", "x^2", "cos 2x"]


def panels(space, functions, sizes):
    """The figure and its three axes, scales and titles set."""
    figure, axes = space.panels(3, height=2.9)
    for ax, function in zip(axes, functions):
        log_axis(ax.yaxis)
        batch_axis(ax, sizes)
        ax.set_title(f"mean squared error of E {function_name(function)}")
    return figure, axes
