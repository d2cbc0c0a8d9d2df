#include <vector>

#include "common/gate.hpp"
#include "smooth/smoothing_spline.hpp"

namespace statlearn {
namespace {

smooth::Knots knots_of(const In<double>& x, const In<double>& w) {
    require(x.shape(0) == w.shape(0) && x.shape(0) >= 2,
            "smoothing spline: the shapes of the arrays do not match, or there are fewer than two knots");
    const auto places = view(x);
    for (std::size_t i = 1; i < places.size(); ++i)
        require(places[i - 1] < places[i], "smoothing spline: the knots must increase");
    return {places, view(w)};
}

}  // namespace

void bind_smoothing_spline(nb::module_& m) {
    m.def(
        "smoothing_spline_scores",
        [](In<double> x, In<double> y, In<double> w, In<double> within, In<double> held_y, In<double> held_w,
           In<double> lambda, bool likelihood, Out<double, 2> scores) {
            const auto knots = knots_of(x, w);
            const auto n = x.shape(0);
            require(y.shape(0) == n && within.shape(0) == n,
                    "smoothing_spline_scores: the shapes of the arrays do not match");
            require(held_y.shape(0) == held_w.shape(0) && (held_y.shape(0) == 0 || held_y.shape(0) == n),
                    "smoothing_spline_scores: `held_y` and `held_w` must be empty or as long as `x`");
            const smooth::SplineTargets targets{view(y), view(within), view(held_y), view(held_w)};
            require(lambda.shape(0) >= 1 && scores.shape(0) == lambda.shape(0) && scores.shape(1) == 6,
                    "smoothing_spline_scores: `scores` must have six columns");
            std::vector<smooth::SplineScore> found(lambda.shape(0));
            run_native([&](const Interrupt& interrupt) {
                return smooth::smoothing_spline_scores(knots, targets, view(lambda), likelihood, interrupt, found);
            });
            const auto out = view(scores);
            for (std::size_t k = 0; k < found.size(); ++k) {
                const auto& s = found[k];
                const double row[] = {s.rss, s.df, s.loo, s.penalised, s.log_det, s.held};
                for (Index j = 0; j < 6; ++j) out(Index(k), j) = row[j];
            }
        },
        "x"_array, "y"_array, "w"_array, "within"_array, "held_y"_array, "held_w"_array, "lambda_"_array,
        "likelihood"_a, "scores"_array);

    m.def(
        "smoothing_spline_fit",
        [](In<double> x, In<double> y, In<double> w, double lambda, Out<double> value, Out<double> slope,
           Out<double> second, Out<double> variance) {
            const auto knots = knots_of(x, w);
            const auto n = x.shape(0);
            require(y.shape(0) == n && value.shape(0) == n && slope.shape(0) == n && second.shape(0) == n &&
                        variance.shape(0) == n,
                    "smoothing_spline_fit: the shapes of the arrays do not match");
            run_native([&](const Interrupt& interrupt) {
                return smooth::smoothing_spline_fit(knots, view(y), lambda, interrupt,
                                                    {view(value), view(slope), view(second), view(variance)});
            });
        },
        "x"_array, "y"_array, "w"_array, "lambda_"_a, "value"_array, "slope"_array, "second"_array, "variance"_array);

    m.def(
        "smoothing_spline_columns",
        [](In<double> x, In<double, 2> pulls, In<double> w, double lambda, Out<double, 2> fitted) {
            const auto knots = knots_of(x, w);
            require(
                pulls.shape(0) == x.shape(0) && fitted.shape(0) == pulls.shape(0) && fitted.shape(1) == pulls.shape(1),
                "smoothing_spline_columns: the shapes of the arrays do not match");
            run_native([&](const Interrupt& interrupt) {
                return smooth::smoothing_spline_columns(knots, view(pulls), lambda, interrupt, view(fitted));
            });
        },
        "x"_array, "pulls"_array, "w"_array, "lambda_"_a, "fitted"_array);
}

}  // namespace statlearn
