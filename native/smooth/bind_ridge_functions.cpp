#include <limits>

#include "common/gate.hpp"
#include "smooth/ridge_functions.hpp"

namespace statlearn {
namespace {

void require_rows(const In<double>& z, const In<double>& t, const In<double>& w) {
    require(z.shape(0) >= 1 && t.shape(0) == z.shape(0) && w.shape(0) == z.shape(0),
            "ridge: the arrays have different numbers of rows");
    require(z.shape(0) <= std::size_t(std::numeric_limits<std::int32_t>::max()),
            "ridge: too many rows; use at most 2^31 - 1");
}

}  // namespace

void bind_ridge(nb::module_& m) {
    m.def(
        "ridge_places",
        [](In<double> z, In<double> t, In<double> w, int most, Out<std::int32_t> order, Out<double, 2> sums) {
            require_rows(z, t, w);
            require(order.shape(0) == z.shape(0) && sums.shape(0) == 4 && sums.shape(1) == z.shape(0) && most > 0,
                    "ridge_places: the outputs have different lengths");
            const auto out = view(sums);
            const auto row = [&](Index k) { return Span<double>(out.row(k), out.cols); };
            return run_native([&](const Interrupt&) {
                smooth::ridge_order(view(z), view(order));
                return smooth::ridge_places({view(z), view(t), view(w)}, view(order), most,
                                            {row(0), row(1), row(2), row(3)});
            });
        },
        "z"_array, "t"_array, "w"_array, "most"_a, "order"_array, "sums"_array);
    m.def(
        "ridge_evaluate",
        [](In<double> z, In<std::int32_t> order, In<double> knots, In<double> value, In<double> slope,
           In<double> second, Out<double> out_value, Out<double> out_slope) {
            const auto n = z.shape(0), k = knots.shape(0);
            require(order.shape(0) == n && out_value.shape(0) == n && out_slope.shape(0) == n && k >= 2 &&
                        value.shape(0) == k && slope.shape(0) == k && second.shape(0) == k,
                    "ridge_evaluate: the shapes of the arrays do not match");
            // A walk from left to right: an order that is none would lead beyond the knots or the rows.
            const auto rows = view(order);
            for (std::size_t i = 0; i < rows.size(); ++i)
                require(
                    rows[i] >= 0 && std::size_t(rows[i]) < n && (i == 0 || z.data()[rows[i]] >= z.data()[rows[i - 1]]),
                    "ridge_evaluate: the order must be a permutation of the rows");
            run_native([&](const Interrupt&) {
                smooth::ridge_evaluate(view(z), rows, {view(knots), view(value), view(slope), view(second)},
                                       view(out_value), view(out_slope));
                return true;
            });
        },
        "z"_array, "order"_array, "knots"_array, "value"_array, "slope"_array, "second"_array, "out_value"_array,
        "out_slope"_array);
    m.def(
        "ridge_supersmooth",
        [](In<double> z, In<double> t, In<double> w, double span, double bass, Out<double> value, Out<double> slope) {
            require_rows(z, t, w);
            require(value.shape(0) == z.shape(0) && slope.shape(0) == z.shape(0),
                    "ridge_supersmooth: the outputs have different lengths");
            require(0.0 <= span && span <= 1.0 && 0.0 <= bass && bass <= 10.0, "ridge_supersmooth: unknown rule");
            run_native([&](const Interrupt& interrupt) {
                return smooth::ridge_supersmooth({view(z), view(t), view(w)}, {span, bass, false}, interrupt,
                                                 view(value), view(slope));
            });
        },
        "z"_array, "t"_array, "w"_array, "span"_a, "bass"_a, "value"_array, "slope"_array);
}

}  // namespace statlearn
