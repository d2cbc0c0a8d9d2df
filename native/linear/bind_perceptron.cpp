#include <vector>

#include "common/gate.hpp"
#include "common/parallel.hpp"
#include "linear/perceptron.hpp"

namespace statlearn {
namespace {

using namespace linear;

// One binary perceptron per row of W, in parallel; Y holds +-1 and S the weights, one row per classifier.
template <class T>
nb::list fit(RowsView<T> X, In<double, 2> Y, In<double, 2> S, In<std::uint8_t> held_out, In<std::uint32_t> seeds,
             PerceptronOptions options, Out<double, 2> W, Out<double> b, Out<int, 2> mistakes) {
    const auto n = std::size_t(X.rows), m = W.shape(0);
    require(Y.shape(0) == m && S.shape(0) == m && seeds.shape(0) == m && b.shape(0) == m && mistakes.shape(0) == m,
            "perceptron_fit: the numbers of classifiers differ");
    require(Y.shape(1) == n && S.shape(1) == n && (held_out.shape(0) == 0 || held_out.shape(0) == n),
            "perceptron_fit: the arrays have different numbers of rows");
    require(Index(W.shape(1)) == X.cols && Index(mistakes.shape(1)) >= options.max_iter,
            "perceptron_fit: the shapes of the arrays do not match");
    std::vector<PerceptronInfo> infos(m);
    run_native([&](const Interrupt& stop) {
        parallel_for(Index(m), [&](Index c) {
            PerceptronOptions own = options;
            own.seed = seeds.data()[c];
            infos[c] = perceptron_fit<T>(X, {Y.data() + c * n, n}, {S.data() + c * n, n}, view(held_out), own, stop,
                                         {W.data() + c * W.shape(1), W.shape(1)}, b.data()[c],
                                         {mistakes.data() + c * mistakes.shape(1), mistakes.shape(1)});
        });
    });
    nb::list result;
    for (const auto& info : infos) result.append(nb::make_tuple(info.n_iter, info.converged, int(info.status)));
    return result;
}

PerceptronOptions options_of(int rule, double eta, double l1, double l2, bool fit_intercept, bool shuffle, double tol,
                             int patience, int max_iter, bool stop_at_zero) {
    require(rule >= 0 && rule <= 2 && max_iter >= 1, "perceptron_fit: `rule` or `max_iter` is out of range");
    return {PerceptronRule(rule), eta, l1, l2, fit_intercept, shuffle, 0, tol, patience, max_iter, stop_at_zero};
}

template <class T>
void def_perceptron(nb::module_& m) {
    m.def(
        "perceptron_fit",
        [](In<T, 2> X, In<double, 2> Y, In<double, 2> S, In<std::uint8_t> held_out, In<std::uint32_t> seeds,
           Out<double, 2> W, Out<double> b, Out<int, 2> mistakes, int rule, double eta, double l1, double l2,
           bool fit_intercept, bool shuffle, double tol, int patience, int max_iter, bool stop_at_zero) {
            return fit<T>(rows_view<T>(X), Y, S, held_out, seeds,
                          options_of(rule, eta, l1, l2, fit_intercept, shuffle, tol, patience, max_iter, stop_at_zero),
                          W, b, mistakes);
        },
        "X"_array, "Y"_array, "S"_array, "held_out"_array, "seeds"_array, "W"_array, "b"_array, "mistakes"_array,
        "rule"_a, "eta"_a, "l1"_a, "l2"_a, "fit_intercept"_a, "shuffle"_a, "tol"_a, "patience"_a, "max_iter"_a,
        "stop_at_zero"_a);
    m.def(
        "perceptron_fit_csr",
        [](In<T> values, In<int> cols_of, In<int> indptr, In<double, 2> Y, In<double, 2> S, In<std::uint8_t> held_out,
           In<std::uint32_t> seeds, Out<double, 2> W, Out<double> b, Out<int, 2> mistakes, int rule, double eta,
           double l1, double l2, bool fit_intercept, bool shuffle, double tol, int patience, int max_iter,
           bool stop_at_zero) {
            return fit<T>(csr_view<T>(values, cols_of, indptr, Index(W.shape(1))), Y, S, held_out, seeds,
                          options_of(rule, eta, l1, l2, fit_intercept, shuffle, tol, patience, max_iter, stop_at_zero),
                          W, b, mistakes);
        },
        "values"_array, "cols_of"_array, "indptr"_array, "Y"_array, "S"_array, "held_out"_array, "seeds"_array,
        "W"_array, "b"_array, "mistakes"_array, "rule"_a, "eta"_a, "l1"_a, "l2"_a, "fit_intercept"_a, "shuffle"_a,
        "tol"_a, "patience"_a, "max_iter"_a, "stop_at_zero"_a);
}

}  // namespace

void bind_perceptron(nb::module_& m) {
    def_perceptron<double>(m);
    def_perceptron<float>(m);
}

}  // namespace statlearn
