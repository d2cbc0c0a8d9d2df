#include <cmath>

#include "common/bind_rows.hpp"
#include "manifold/tsne.hpp"

namespace statlearn {

namespace {

// Whether all points have their sixteen nodes on the grid.
void require_inside(const In<double, 2>& Y, const manifold::Grid& grid, Index rows, Index cols) {
    require(Y.shape(1) == 2 && grid.step > 0.0, "Y: two columns and a positive step are needed");
    const auto points = view(Y);
    for (Index i = 0; i < points.rows; ++i) {
        const double a = std::floor((points(i, 0) - grid.low_x) / grid.step);
        const double b = std::floor((points(i, 1) - grid.low_y) / grid.step);
        require(a >= 1.0 && b >= 1.0 && a + 2.0 < double(rows) && b + 2.0 < double(cols), "Y: a point is off the grid");
    }
}

}  // namespace

void bind_tsne(nb::module_& m) {
    m.def(
        "perplexity_weights",
        [](In<double, 2> square, double perplexity, Out<double, 2> P) {
            require(square.shape(1) > 0 && P.shape(0) == square.shape(0) && P.shape(1) == square.shape(1),
                    "perplexity_weights: the shapes of the arrays do not match");
            run_native(
                [&](const Interrupt& stop) { manifold::perplexity_weights(view(square), perplexity, stop, view(P)); });
        },
        "square"_array, "perplexity"_a, "P"_array);
    m.def(
        "tsne_attraction",
        [](In<double> values, In<int> columns, In<int> indptr, In<double, 2> Y, bool divergence, Out<double, 2> A) {
            const auto P = csr_starts(values, columns, indptr, Index(Y.shape(0)));
            require(P.rows == P.cols && A.shape(0) == Y.shape(0) && A.shape(1) == Y.shape(1),
                    "tsne_attraction: the shapes of the arrays do not match");
            return run_native([&](const Interrupt& stop) {
                require_columns(P);
                return manifold::tsne_attraction(P, view(Y), divergence, stop, view(A));
            });
        },
        "values"_array, "columns"_array, "indptr"_array, "Y"_array, "divergence"_a, "A"_array);
    m.def(
        "tsne_repulsion",
        [](In<double, 2> Y, Out<double, 2> R) {
            require(R.shape(0) == Y.shape(0) && R.shape(1) == Y.shape(1),
                    "tsne_repulsion: the shapes of the arrays do not match");
            return run_native([&](const Interrupt& stop) { return manifold::tsne_repulsion(view(Y), stop, view(R)); });
        },
        "Y"_array, "R"_array);
    m.def(
        "spread_on_grid",
        [](In<double, 2> Y, double low_x, double low_y, double step, Out<double, 2> mass) {
            const manifold::Grid grid{low_x, low_y, step};
            run_native([&](const Interrupt&) {
                require_inside(Y, grid, Index(mass.shape(0)), Index(mass.shape(1)));
                manifold::spread_on_grid(view(Y), grid, view(mass));
            });
        },
        "Y"_array, "low_x"_a, "low_y"_a, "step"_a, "mass"_array);
    m.def(
        "gather_from_grid",
        [](In<double, 2> Y, double low_x, double low_y, double step, In<double, 2> first, In<double, 2> second,
           In<double, 2> third, Out<double, 2> potential) {
            const manifold::Grid grid{low_x, low_y, step};
            require(second.shape(0) == first.shape(0) && second.shape(1) == first.shape(1) &&
                        third.shape(0) == first.shape(0) && third.shape(1) == first.shape(1) &&
                        potential.shape(0) == Y.shape(0) && potential.shape(1) == 3,
                    "gather_from_grid: the shapes of the arrays do not match");
            const Matrix<const double> fields[] = {view(first), view(second), view(third)};
            run_native([&](const Interrupt&) {
                require_inside(Y, grid, Index(first.shape(0)), Index(first.shape(1)));
                manifold::gather_from_grid(view(Y), grid, fields, view(potential));
            });
        },
        "Y"_array, "low_x"_a, "low_y"_a, "step"_a, "first"_array, "second"_array, "third"_array, "potential"_array);
    m.def(
        "own_weights",
        [](In<double, 2> Y, double low_x, double low_y, double step) {
            require(Y.shape(1) == 2 && step > 0.0, "own_weights: two columns and a positive step are needed");
            return run_native([&](const Interrupt&) { return manifold::own_weights(view(Y), {low_x, low_y, step}); });
        },
        "Y"_array, "low_x"_a, "low_y"_a, "step"_a);
}

}  // namespace statlearn
