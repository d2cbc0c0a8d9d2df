// A covariance function as Python passes it: nodes (op, left, right, first, count), extras, values, slots, their
// number. Only bindings include this.
#pragma once

#include "common/gate.hpp"
#include "gp/covariance.hpp"

namespace statlearn {

using FormulaArgs = std::tuple<In<int, 2>, In<double>, In<double>, In<int>, int>;

// Checks the formula against the columns of X; it keeps views of the arrays.
inline gp::Formula formula_of(const FormulaArgs& args, const In<double, 2>& X) {
    const auto& [nodes, extras, values, slots, n_slots] = args;
    require(nodes.shape(1) == 5 && extras.shape(0) == nodes.shape(0), "formula: the shapes of the arrays do not match");
    require(n_slots >= 0, "formula: the number of free parameters is negative");
    gp::Formula formula;
    const auto table = view(nodes);
    for (Index k = 0; k < table.rows; ++k)
        formula.nodes.push_back(
            {gp::Op(table(k, 0)), table(k, 1), table(k, 2), table(k, 3), table(k, 4), view(extras)[k]});
    formula.values = view(values);
    formula.slots = view(slots);
    formula.n_slots = n_slots;
    require(gp::is_valid(formula, Index(X.shape(1))),
            "formula: it is not a valid covariance function of these columns");
    return formula;
}

}  // namespace statlearn
