#include "common/gate.hpp"
#include "linear/logistic.hpp"
#include "linear/logistic_path.hpp"

namespace statlearn {
namespace {

// Weights, offsets and Hessians may be left out: an array of length 0 stands for "none".
using Maybe = In<double>;

bool fits(const Maybe& values, std::size_t n) { return values.shape(0) == 0 || values.shape(0) == n; }

template <class Array>
Span<double> flat(const Array& out) {
    return {out.data(), out.size()};
}

template <class T>
linear::DenseRows<T> dense_rows(const InAny<T>& X, const In<double>& shift, bool intercept) {
    require(shift.shape(0) == X.shape(1), "logistic: pass one shift per column");
    return {view(X), view(shift), intercept};
}
template <class T>
linear::SparseRows<T> sparse_rows(const In<T>& values, const In<int>& cols_of, const In<int>& indptr, int n_features,
                                  const In<double>& shift, bool intercept) {
    require(n_features >= 0 && shift.shape(0) == std::size_t(n_features), "logistic: pass one shift per column");
    return {csc_view(values, cols_of, indptr, n_features), view(shift), intercept};
}

template <class Rows>
double logistic_pass(const Rows& rows, const In<double>& sign, const Maybe& weights, const Maybe& offset,
                     const In<double>& theta, const Out<double>& grad, const Out<double, 2>& hess) {
    const auto n = std::size_t(rows.rows()), q = std::size_t(rows.cols() + rows.intercept);
    require(sign.shape(0) == n && fits(weights, n) && fits(offset, n),
            "logistic_pass: the arrays have different numbers of rows");
    require(theta.shape(0) == q && grad.shape(0) == q,
            "logistic_pass: the number of parameters does not match the columns");
    require(hess.size() == 0 || (hess.shape(0) == q && hess.shape(1) == q),
            "logistic_pass: the Hessian has the wrong shape");
    return run_native([&](const Interrupt& stop) {
        return linear::logistic_pass(rows, view(sign), view(weights), view(offset), view(theta), stop, view(grad),
                                     flat(hess));
    });
}

template <class Rows>
void check_multinomial(const Rows& rows, const In<double, 2>& theta, const Maybe& weights, const Maybe& offset) {
    const auto n = std::size_t(rows.rows()), q = std::size_t(rows.cols() + rows.intercept), K = theta.shape(0);
    require(K > 0 && theta.shape(1) == q, "multinomial: the number of parameters does not match the columns");
    require(fits(weights, n) && fits(offset, n * K), "multinomial: the arrays have different numbers of rows");
}

template <class Rows>
double multinomial_pass(const Rows& rows, const In<int>& codes, const Maybe& weights, const Maybe& offset,
                        const In<double, 2>& theta, const Out<double, 2>& grad) {
    check_multinomial(rows, theta, weights, offset);
    const Index K = Index(theta.shape(0));
    require(codes.shape(0) == std::size_t(rows.rows()), "multinomial_pass: the arrays have different numbers of rows");
    require(grad.shape(0) == theta.shape(0) && grad.shape(1) == theta.shape(1),
            "multinomial_pass: `grad` has the wrong shape");
    for (const int code : view(codes)) require(0 <= code && code < K, "multinomial_pass: a class code is out of range");
    return run_native([&](const Interrupt& stop) {
        return linear::multinomial_pass(rows, K, view(codes), view(weights), view(offset), {theta.data(), theta.size()},
                                        stop, flat(grad));
    });
}

template <class Rows>
void multinomial_hessian(const Rows& rows, const Maybe& weights, const Maybe& offset, const In<double, 2>& theta,
                         bool diagonal, const Out<double, 3>& hess) {
    check_multinomial(rows, theta, weights, offset);
    const Index K = Index(theta.shape(0)), q = Index(theta.shape(1)), pairs = Index(hess.shape(0));
    Index used = diagonal ? pairs : 0;
    while (!diagonal && used * (used + 1) / 2 < pairs) ++used;
    require(used <= K && (diagonal || used * (used + 1) / 2 == pairs),
            "multinomial_hessian: the number of pairs is wrong");
    require(Index(hess.shape(1)) == q && Index(hess.shape(2)) == q, "multinomial_hessian: `hess` has the wrong shape");
    run_native([&](const Interrupt& stop) {
        linear::multinomial_hessian(rows, K, used, diagonal, view(weights), view(offset), {theta.data(), theta.size()},
                                    stop, flat(hess));
    });
}

template <class T>
void def_passes(nb::module_& m) {
    m.def(
        "logistic_pass",
        [](InAny<T> X, In<double> shift, bool intercept, In<double> sign, Maybe weights, Maybe offset, In<double> theta,
           Out<double> grad, Out<double, 2> hess) {
            return logistic_pass(dense_rows(X, shift, intercept), sign, weights, offset, theta, grad, hess);
        },
        "X"_array, "shift"_array, "intercept"_a, "sign"_array, "weights"_array, "offset"_array, "theta"_array,
        "grad"_array, "hess"_array);
    m.def(
        "logistic_pass_csr",
        [](In<T> values, In<int> cols_of, In<int> indptr, int n_features, In<double> shift, bool intercept,
           In<double> sign, Maybe weights, Maybe offset, In<double> theta, Out<double> grad, Out<double, 2> hess) {
            return logistic_pass(sparse_rows(values, cols_of, indptr, n_features, shift, intercept), sign, weights,
                                 offset, theta, grad, hess);
        },
        "values"_array, "cols_of"_array, "indptr"_array, "n_features"_a, "shift"_array, "intercept"_a, "sign"_array,
        "weights"_array, "offset"_array, "theta"_array, "grad"_array, "hess"_array);
    m.def(
        "multinomial_pass",
        [](InAny<T> X, In<double> shift, bool intercept, In<int> codes, Maybe weights, Maybe offset,
           In<double, 2> theta, Out<double, 2> grad) {
            return multinomial_pass(dense_rows(X, shift, intercept), codes, weights, offset, theta, grad);
        },
        "X"_array, "shift"_array, "intercept"_a, "codes"_array, "weights"_array, "offset"_array, "theta"_array,
        "grad"_array);
    m.def(
        "multinomial_pass_csr",
        [](In<T> values, In<int> cols_of, In<int> indptr, int n_features, In<double> shift, bool intercept,
           In<int> codes, Maybe weights, Maybe offset, In<double, 2> theta, Out<double, 2> grad) {
            return multinomial_pass(sparse_rows(values, cols_of, indptr, n_features, shift, intercept), codes, weights,
                                    offset, theta, grad);
        },
        "values"_array, "cols_of"_array, "indptr"_array, "n_features"_a, "shift"_array, "intercept"_a, "codes"_array,
        "weights"_array, "offset"_array, "theta"_array, "grad"_array);
    m.def(
        "multinomial_hessian",
        [](InAny<T> X, In<double> shift, bool intercept, Maybe weights, Maybe offset, In<double, 2> theta,
           bool diagonal, Out<double, 3> hess) {
            multinomial_hessian(dense_rows(X, shift, intercept), weights, offset, theta, diagonal, hess);
        },
        "X"_array, "shift"_array, "intercept"_a, "weights"_array, "offset"_array, "theta"_array, "diagonal"_a,
        "hess"_array);
    m.def(
        "multinomial_hessian_csr",
        [](In<T> values, In<int> cols_of, In<int> indptr, int n_features, In<double> shift, bool intercept,
           Maybe weights, Maybe offset, In<double, 2> theta, bool diagonal, Out<double, 3> hess) {
            multinomial_hessian(sparse_rows(values, cols_of, indptr, n_features, shift, intercept), weights, offset,
                                theta, diagonal, hess);
        },
        "values"_array, "cols_of"_array, "indptr"_array, "n_features"_a, "shift"_array, "intercept"_a, "weights"_array,
        "offset"_array, "theta"_array, "diagonal"_a, "hess"_array);
}

template <class Columns>
void logistic_path(const Columns& X, const In<int>& codes, const In<double>& share, const Maybe& offset, bool intercept,
                   const In<double>& l1, const In<double>& l2, const In<double, 2>& start, double tol, int max_iter,
                   const Out<double, 3>& theta, const Out<double>& gap, const Out<double>& loss, const Out<int>& n_iter,
                   const Out<int>& status) {
    const auto n = std::size_t(X.rows()), q = std::size_t(X.cols()) + intercept, R = start.shape(0), T = l1.shape(0);
    require(R > 0 && start.shape(1) == q, "logistic_path: `start` has the wrong shape");
    require(codes.shape(0) == n && share.shape(0) == n && fits(offset, n * R),
            "logistic_path: the arrays have different numbers of rows");
    require(l2.shape(0) == T && gap.shape(0) == T && loss.shape(0) == T && n_iter.shape(0) == T && status.shape(0) == T,
            "logistic_path: pass one entry per penalty");
    require(theta.shape(0) == T && theta.shape(1) == R && theta.shape(2) == q,
            "logistic_path: `theta` has the wrong shape");
    const int most = R == 1 ? 2 : int(R);
    for (const int code : view(codes)) require(0 <= code && code < most, "logistic_path: a class code is out of range");
    run_native([&](const Interrupt& stop) {
        const linear::LogisticData data{Index(R), view(codes), {view(share), view(offset), intercept}};
        linear::logistic_path(X, data, view(l1), view(l2), {start.data(), start.size()}, {tol, max_iter}, stop,
                              {flat(theta), view(gap), view(loss), view(n_iter), view(status)});
    });
}

template <class T>
void def_path(nb::module_& m) {
    m.def(
        "logistic_path",
        [](InF<T> X, In<double> shift, In<int> codes, In<double> share, Maybe offset, bool intercept, In<double> l1,
           In<double> l2, In<double, 2> start, double tol, int max_iter, Out<double, 3> theta, Out<double> gap,
           Out<double> loss, Out<int> n_iter, Out<int> status) {
            require(shift.shape(0) == X.shape(1), "logistic_path: pass one shift per column");
            logistic_path(linear::DenseByColumn<T>{view(X), view(shift)}, codes, share, offset, intercept, l1, l2,
                          start, tol, max_iter, theta, gap, loss, n_iter, status);
        },
        "X"_array, "shift"_array, "codes"_array, "share"_array, "offset"_array, "intercept"_a, "l1"_array, "l2"_array,
        "start"_array, "tol"_a, "max_iter"_a, "theta"_array, "gap"_array, "loss"_array, "n_iter"_array, "status"_array);
    m.def(
        "logistic_path_csc",
        [](In<T> values, In<int> rows_of, In<int> indptr, int n_rows, In<double> shift, In<int> codes, In<double> share,
           Maybe offset, bool intercept, In<double> l1, In<double> l2, In<double, 2> start, double tol, int max_iter,
           Out<double, 3> theta, Out<double> gap, Out<double> loss, Out<int> n_iter, Out<int> status) {
            const auto X = csc_view(values, rows_of, indptr, n_rows);
            require(Index(shift.shape(0)) == X.cols, "logistic_path: pass one shift per column");
            logistic_path(linear::SparseByColumn<T>{X, view(shift)}, codes, share, offset, intercept, l1, l2, start,
                          tol, max_iter, theta, gap, loss, n_iter, status);
        },
        "values"_array, "rows_of"_array, "indptr"_array, "n_rows"_a, "shift"_array, "codes"_array, "share"_array,
        "offset"_array, "intercept"_a, "l1"_array, "l2"_array, "start"_array, "tol"_a, "max_iter"_a, "theta"_array,
        "gap"_array, "loss"_array, "n_iter"_array, "status"_array);
}

}  // namespace

void bind_logistic(nb::module_& m) {
    def_passes<double>(m);
    def_passes<float>(m);
    def_path<double>(m);
    def_path<float>(m);
}

}  // namespace statlearn
