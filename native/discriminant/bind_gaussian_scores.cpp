#include "common/gate.hpp"
#include "discriminant/gaussian_scores.hpp"

namespace statlearn {

namespace {

template <class T>
void def_gaussian_scores(nb::module_& m) {
    m.def(
        "gaussian_scores",
        [](In<T, 2> X, In<T, 2> means, In<T, 3> factors, bool upper, In<double> offsets, Out<T, 2> out) {
            const auto n = X.shape(0), p = X.shape(1), classes = means.shape(0);
            require(means.shape(1) == p, "gaussian_scores: X and the means have different numbers of columns");
            require(factors.shape(0) == classes && factors.shape(1) == p && factors.shape(2) == p,
                    "gaussian_scores: pass one square factor per class");
            require(offsets.shape(0) == classes && out.shape(0) == n && out.shape(1) == classes,
                    "gaussian_scores: pass one offset per class, and room for one score per row and class");
            const Span<const T> all(factors.data(), factors.size());
            run_native([&](const Interrupt& stop) {
                discriminant::gaussian_scores<T>(view(X), view(means), all, upper, view(offsets), stop, view(out));
            });
        },
        "X"_array, "means"_array, "factors"_array, "upper"_a, "offsets"_array, "out"_array);
}

}  // namespace

void bind_gaussian_scores(nb::module_& m) {
    def_gaussian_scores<float>(m);
    def_gaussian_scores<double>(m);
}

}  // namespace statlearn
