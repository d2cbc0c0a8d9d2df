"""The functions of a MARS model, drawn."""

from statlearn._draw.style import styled, theme
from statlearn.smooth._function_plots import draw_levels, grid_rows, panels
from statlearn.smooth._term_curves import TermCurve


@styled
def plot_functions(model, coef, axes, grid_size):
    """One panel for each function of one feature (a curve with its knots) or of two (a map of levels).

    Functions of a category are points, those of a number and a category a curve for each level. Indicators
    of missing values alone are left out.
    """
    names, terms, levels = model._column_names(), model.forward_terms_, model._coder.levels
    groups = [(features, at) for features, at in _groups_of_seen_cells(model) if len(features) <= 2]
    if not groups:
        raise ValueError("There is no term of one or two features to plot.")
    axes = panels(axes, len(groups))
    for ax, (features, at) in zip(axes, groups, strict=True):
        features = sorted(features, key=lambda j: j in levels)  # numbers first
        lines, X = grid_rows(features, *model.feature_range_, model.feature_median_, grid_size, levels)
        part = terms.basis(model._design_columns(X), model.terms_[at]) @ coef[at]
        if features[-1] in levels:
            _draw_levels_of_category(ax, model, features, lines, part)
        elif len(features) == 1:
            ax.plot(lines[0], part - part.mean())
            for k in model.terms_[at]:
                if terms.factor[k] in (-1, 1) and model._owners[terms.feature[k]] == features[0]:
                    ax.axvline(terms.knot[k], color=theme().faint, linewidth=0.8, zorder=0)
            ax.set(xlabel=names[features[0]], ylabel=f"f({names[features[0]]})")
        else:
            draw_levels(ax, lines, part)
            ax.set(xlabel=names[features[0]], ylabel=names[features[1]])
    return axes


def _groups_of_seen_cells(model):
    """Groups of terms without those that are 0 wherever no value is missing."""
    first = len(model._owners) - len(model.missing_columns_)  # first of the indicators of missing values
    for features, at in model._groups().items():
        if any(max(model.forward_terms_.features(k)) < first for k in model.terms_[at]):
            yield features, at


def _draw_levels_of_category(ax, model, features, lines, part):
    names = [model._column_names()[j] for j in features]
    words = [[model._level_name(j, k) for k in range(len(line))] if j in model._coder.levels else None
             for j, line in zip(features, lines, strict=True)]  # fmt: skip
    marker = "-" if words[0] is None else "o"
    if len(features) == 1:
        ax.plot(lines[0], part - part.mean(), marker)
    else:
        for word, values in zip(words[1], part.reshape(len(lines[0]), -1).T, strict=True):
            ax.plot(lines[0], values, marker, label=word)
        ax.legend(title=names[1], fontsize="small")
    if words[0] is not None:
        ax.set_xticks(lines[0], words[0], rotation=30, ha="right")
    ax.set(xlabel=names[0], ylabel=f"f({', '.join(names)})")


def curves(model, grid_size):
    """The functions of one feature, centred, as numbers."""
    names, terms = model._column_names(), model.forward_terms_
    all_curves = []
    for prefix, coef in model._functions():
        for features, at in _groups_of_seen_cells(model):
            if len(features) == 1 and features[0] not in model._coder.levels:
                (x,), X = grid_rows(features, *model.feature_range_, model.feature_median_, grid_size)
                part = terms.basis(model._design_columns(X), model.terms_[at]) @ coef[at]
                name = names[features[0]]
                all_curves.append(TermCurve(f"{prefix}{name}", name, x, part - part.mean()))
    return all_curves
