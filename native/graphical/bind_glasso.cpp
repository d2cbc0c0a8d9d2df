#include "common/gate.hpp"
#include "graphical/glasso.hpp"

namespace statlearn {
namespace {

using namespace graphical;

template <class A>
bool square(const A& array, std::size_t p) {
    return array.shape(0) == p && array.shape(1) == p;
}

auto steps_to_numpy(const std::vector<GlassoStep>& steps) {
    std::vector<double> flat;
    for (const auto& step : steps) {
        flat.push_back(step.objective);
        flat.push_back(step.gap);
    }
    return to_numpy(std::move(flat), {steps.size(), 2});
}

}  // namespace

void bind_glasso(nb::module_& m) {
    m.def(
        "glasso_newton",
        [](In<double, 2> S, In<double, 2> L, double tol, int max_iter, Out<double, 2> K, Out<double, 2> W) {
            const std::size_t p = S.shape(0);
            require(p >= 1 && square(S, p) && square(L, p) && square(K, p) && square(W, p),
                    "glasso_newton: the shapes of the arrays do not match");
            std::vector<GlassoStep> steps;
            const auto info = run_native([&](const Interrupt& stop) {
                return glasso_newton(view(S), view(L), {tol, max_iter}, stop, view(K), view(W), steps);
            });
            return nb::make_tuple(info.objective, info.gap, info.n_iter, int(info.status), steps_to_numpy(steps));
        },
        "S"_array, "L"_array, "tol"_a, "max_iter"_a, "K"_array, "W"_array);

    m.def(
        "glasso_columns",
        [](In<double, 2> S, In<double, 2> L, double tol, int max_iter, double inner_tol, Out<double, 2> K,
           Out<double, 2> W, Out<double, 2> B) {
            const std::size_t p = S.shape(0);
            require(p >= 1 && square(S, p) && square(L, p) && square(K, p) && square(W, p) && square(B, p),
                    "glasso_columns: the shapes of the arrays do not match");
            std::vector<GlassoStep> steps;
            const auto info = run_native([&](const Interrupt& stop) {
                return glasso_columns(view(S), view(L), {tol, max_iter}, inner_tol, stop, view(K), view(W), view(B),
                                      steps);
            });
            return nb::make_tuple(info.objective, info.gap, info.n_iter, int(info.status), steps_to_numpy(steps));
        },
        "S"_array, "L"_array, "tol"_a, "max_iter"_a, "inner_tol"_a, "K"_array, "W"_array, "B"_array);

    m.def(
        "glasso_column",
        [](In<double, 2> S, In<double, 2> L, Index j, double inner_tol, Out<double, 2> W, Out<double, 2> B) {
            const std::size_t p = S.shape(0);
            require(square(S, p) && square(L, p) && square(W, p) && square(B, p) && 0 <= j && j < Index(p),
                    "glasso_column: the shapes of the arrays do not match");
            run_native([&](const Interrupt&) { glasso_column(view(S), view(L), j, inner_tol, view(W), view(B)); });
        },
        "S"_array, "L"_array, "j"_a, "inner_tol"_a, "W"_array, "B"_array);
}

}  // namespace statlearn
