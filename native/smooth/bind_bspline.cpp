#include "common/gate.hpp"
#include "smooth/bspline.hpp"

namespace statlearn {
namespace {

void require_basis(const In<double>& knots, int degree, int derivative) {
    require(0 <= degree && degree <= smooth::kMaxDegree && 0 <= derivative && derivative <= degree,
            "B-splines: the degree must be at most 24, and the derivative at most the degree");
    require(Index(knots.shape(0)) >= 2 * degree + 2, "B-splines: there are too few knots");
}

template <class T>
void def_design(nb::module_& m) {
    using OutAny = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;
    m.def(
        "bspline_design",
        [](In<double> x, In<double> knots, int degree, int derivative, Index functions, OutAny out) {
            require_basis(knots, degree, derivative);
            require(out.shape(0) == x.shape(0) && functions >= 1,
                    "bspline_design: the shapes of the arrays do not match");
            run_native([&](const Interrupt& interrupt) {
                return smooth::bspline_design<T>(view(x), view(knots), degree, derivative, functions, interrupt,
                                                 view(out));
            });
        },
        "x"_array, "knots"_array, "degree"_a, "derivative"_a, "functions"_a, "out"_array);
}

}  // namespace

void bind_bspline(nb::module_& m) {
    def_design<double>(m);
    def_design<float>(m);

    m.def(
        "bspline_values",
        [](In<double> x, In<double> knots, int degree, int derivative, Out<double, 2> values, Out<int> start) {
            require_basis(knots, degree, derivative);
            require(
                values.shape(0) == x.shape(0) && Index(values.shape(1)) == degree + 1 && start.shape(0) == x.shape(0),
                "bspline_values: the shapes of the arrays do not match");
            run_native([&](const Interrupt& interrupt) {
                return smooth::bspline_values(view(x), view(knots), degree, derivative, interrupt, view(values),
                                              view(start));
            });
        },
        "x"_array, "knots"_array, "degree"_a, "derivative"_a, "values"_array, "start"_array);

    m.def(
        "bspline_normal_equations",
        [](In<double, 2> values, In<int> start, In<double> w, In<double, 2> Y, Out<double, 2> band,
           Out<double, 2> products) {
            const auto n = values.shape(0), width = values.shape(1), functions = band.shape(1);
            require(start.shape(0) == n && Y.shape(0) == n && (w.shape(0) == 0 || w.shape(0) == n),
                    "bspline_normal_equations: the arrays have different numbers of rows");
            require(band.shape(0) == width && products.shape(0) == functions && products.shape(1) == Y.shape(1),
                    "bspline_normal_equations: the sums have the wrong shape");
            for (const int s : view(start))
                require(s >= 0 && std::size_t(s) + width <= functions,
                        "bspline_normal_equations: a start is out of range");
            run_native([&](const Interrupt& interrupt) {
                return smooth::bspline_normal_equations(view(values), view(start), view(w), view(Y), interrupt,
                                                        view(band), view(products));
            });
        },
        "values"_array, "start"_array, "w"_array, "Y"_array, "band"_array, "products"_array);

    m.def(
        "piecewise_add",
        [](InAny<double> X, int column, In<double> breaks, In<double, 2> pieces, Out<double> out) {
            require(0 <= column && std::size_t(column) < X.shape(1) && out.shape(0) == X.shape(0) &&
                        breaks.shape(0) > 0 && pieces.shape(0) == breaks.shape(0) + 1,
                    "piecewise_add: the shapes of the arrays do not match");
            const auto x = view(X);
            run_native([&](const Interrupt& interrupt) {
                return smooth::piecewise_add(x.col(column), x.row_stride, view(breaks), view(pieces), interrupt,
                                             view(out));
            });
        },
        "X"_array, "column"_a, "breaks"_array, "pieces"_array, "out"_array);
}

}  // namespace statlearn
