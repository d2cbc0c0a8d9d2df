#include "common/gate.hpp"
#include "linear/factorization.hpp"

namespace statlearn {
namespace {

using namespace linear;

Machine machine_of(const In<double>& parameters, Index p, Index k) {
    require(k >= 0 && Index(parameters.shape(0)) == 1 + p + p * k,
            "factorization machine: the number of parameters does not match the columns");
    const auto all = view(parameters);
    return {all[0], all.subspan(1, p), all.subspan(1 + p), k};
}

template <class T>
void scores(RowsView<T> X, const In<double>& parameters, int k, const Out<double>& out) {
    require(Index(out.shape(0)) == X.rows, "fm_scores: the arrays have different numbers of rows");
    const Machine machine = machine_of(parameters, X.cols, k);
    run_native([&](const Interrupt& stop) { fm_scores<T>(X, machine, stop, view(out)); });
}

template <class T>
double loss(RowsView<T> X, const In<double>& y, const In<double>& weights, bool logistic, const In<double>& parameters,
            int k, const Out<double>& gradient) {
    require(Index(y.shape(0)) == X.rows && Index(weights.shape(0)) == X.rows,
            "fm_loss: the arrays have different numbers of rows");
    require(gradient.shape(0) == parameters.shape(0), "fm_loss: the gradient has the wrong length");
    const Machine machine = machine_of(parameters, X.cols, k);
    return run_native([&](const Interrupt& stop) {
        return fm_loss<T>(X, view(y), view(weights), logistic ? FmLoss::logistic : FmLoss::squared, machine, stop,
                          view(gradient));
    });
}

template <class T>
void def_machine(nb::module_& m) {
    m.def(
        "fm_scores",
        [](In<T, 2> X, In<double> parameters, int k, Out<double> out) { scores(rows_view<T>(X), parameters, k, out); },
        "X"_array, "parameters"_array, "k"_a, "out"_array);
    m.def(
        "fm_scores_csr",
        [](In<T> values, In<int> cols_of, In<int> indptr, int cols, In<double> parameters, int k, Out<double> out) {
            scores(csr_view<T>(values, cols_of, indptr, cols), parameters, k, out);
        },
        "values"_array, "cols_of"_array, "indptr"_array, "cols"_a, "parameters"_array, "k"_a, "out"_array);
    m.def(
        "fm_loss",
        [](In<T, 2> X, In<double> y, In<double> weights, bool logistic, In<double> parameters, int k,
           Out<double> gradient) { return loss(rows_view<T>(X), y, weights, logistic, parameters, k, gradient); },
        "X"_array, "y"_array, "weights"_array, "logistic"_a, "parameters"_array, "k"_a, "gradient"_array);
    m.def(
        "fm_loss_csr",
        [](In<T> values, In<int> cols_of, In<int> indptr, int cols, In<double> y, In<double> weights, bool logistic,
           In<double> parameters, int k, Out<double> gradient) {
            return loss(csr_view<T>(values, cols_of, indptr, cols), y, weights, logistic, parameters, k, gradient);
        },
        "values"_array, "cols_of"_array, "indptr"_array, "cols"_a, "y"_array, "weights"_array, "logistic"_a,
        "parameters"_array, "k"_a, "gradient"_array);
}

}  // namespace

void bind_factorization(nb::module_& m) {
    def_machine<double>(m);
    def_machine<float>(m);
}

}  // namespace statlearn
