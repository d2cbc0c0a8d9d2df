#include "common/gate.hpp"
#include "linear/glm_pass.hpp"
#include "linear/glm_path.hpp"

namespace statlearn {
namespace {

using Maybe = In<double>;  // an array of length 0 stands for "none"

struct GlmPathArguments {
    int family;
    double parameter;
    In<double> y, share;
    Maybe offset;
    bool intercept;
    In<double> l1, l2, start;
    double tol;
    int max_iter;
    Out<double, 2> theta;
    Out<double> gap, loss;
    Out<int> n_iter, status;

    template <class Columns>
    void run(const Columns& X) const {
        const auto n = std::size_t(X.rows()), q = std::size_t(X.cols()) + intercept, T = l1.shape(0);
        require(0 <= family && family <= 5, "glm_path: unknown family");
        require(X.shift.size() == std::size_t(X.cols()), "glm_path: pass one shift per column");
        require(y.shape(0) == n && share.shape(0) == n && (offset.shape(0) == 0 || offset.shape(0) == n),
                "glm_path: the arrays have different numbers of rows");
        require(start.shape(0) == q && theta.shape(0) == T && theta.shape(1) == q,
                "glm_path: the numbers of parameters differ");
        require(
            l2.shape(0) == T && gap.shape(0) == T && loss.shape(0) == T && n_iter.shape(0) == T && status.shape(0) == T,
            "glm_path: pass one entry per penalty");
        run_native([&](const Interrupt& stop) {
            const linear::GlmData data{
                linear::GlmFamily(family), parameter, view(y), {view(share), view(offset), intercept}};
            linear::glm_path(X, data, view(l1), view(l2), view(start), {tol, max_iter}, stop,
                             {{theta.data(), theta.size()}, view(gap), view(loss), view(n_iter), view(status)});
        });
    }
};

template <class Rows>
double glm_pass(const Rows& X, int family, double parameter, const In<double>& y, const Maybe& weights,
                const Maybe& offset, const In<double>& theta, const Out<double>& grad, const Out<double, 2>& hess) {
    const auto n = std::size_t(X.rows()), q = std::size_t(X.cols() + X.intercept);
    const auto fits = [&](const Maybe& values) { return values.shape(0) == 0 || values.shape(0) == n; };
    require(0 <= family && family <= 5, "glm_pass: unknown family");
    require(X.shift.size() == std::size_t(X.cols()), "glm_pass: pass one shift per column");
    require(y.shape(0) == n && fits(weights) && fits(offset), "glm_pass: the arrays have different numbers of rows");
    require(theta.shape(0) == q && grad.shape(0) == q, "glm_pass: the number of parameters does not match the columns");
    require(hess.size() == 0 || (hess.shape(0) == q && hess.shape(1) == q),
            "glm_pass: the Hessian has the wrong shape");
    return run_native([&](const Interrupt& stop) {
        return linear::glm_pass(X, linear::GlmFamily(family), parameter, view(y), view(weights), view(offset),
                                view(theta), stop, view(grad), {hess.data(), hess.size()});
    });
}

}  // namespace

void bind_glm(nb::module_& m) {
    m.def(
        "glm_constant",
        [](int family, double parameter, In<double> y, Maybe weights) {
            require(0 <= family && family <= 5, "glm_constant: unknown family");
            require(weights.shape(0) == 0 || weights.shape(0) == y.shape(0),
                    "glm_constant: the arrays have different numbers of rows");
            return run_native([&](const Interrupt&) {
                return linear::glm_constant(linear::GlmFamily(family), parameter, view(y), view(weights));
            });
        },
        "family"_a, "parameter"_a, "y"_array, "weights"_array);
    m.def(
        "glm_pass",
        [](InAny<double> X, In<double> shift, bool intercept, int family, double parameter, In<double> y, Maybe weights,
           Maybe offset, In<double> theta, Out<double> grad, Out<double, 2> hess) {
            const linear::DenseRows<double> rows{view(X), view(shift), intercept};
            return glm_pass(rows, family, parameter, y, weights, offset, theta, grad, hess);
        },
        "X"_array, "shift"_array, "intercept"_a, "family"_a, "parameter"_a, "y"_array, "weights"_array, "offset"_array,
        "theta"_array, "grad"_array, "hess"_array);
    m.def(
        "glm_pass_csr",
        [](In<double> values, In<int> cols_of, In<int> indptr, int n_features, In<double> shift, bool intercept,
           int family, double parameter, In<double> y, Maybe weights, Maybe offset, In<double> theta, Out<double> grad,
           Out<double, 2> hess) {
            require(n_features >= 0, "glm_pass: the table has no columns");
            const linear::SparseRows<double> rows{csc_view(values, cols_of, indptr, n_features), view(shift),
                                                  intercept};
            return glm_pass(rows, family, parameter, y, weights, offset, theta, grad, hess);
        },
        "values"_array, "cols_of"_array, "indptr"_array, "n_features"_a, "shift"_array, "intercept"_a, "family"_a,
        "parameter"_a, "y"_array, "weights"_array, "offset"_array, "theta"_array, "grad"_array, "hess"_array);
    m.def(
        "glm_path",
        [](InF<double> X, In<double> shift, int family, double parameter, In<double> y, In<double> share, Maybe offset,
           bool intercept, In<double> l1, In<double> l2, In<double> start, double tol, int max_iter,
           Out<double, 2> theta, Out<double> gap, Out<double> loss, Out<int> n_iter, Out<int> status) {
            GlmPathArguments{family, parameter, y,        share, offset, intercept, l1,     l2,
                             start,  tol,       max_iter, theta, gap,    loss,      n_iter, status}
                .run(linear::DenseByColumn<double>{view(X), view(shift)});
        },
        "X"_array, "shift"_array, "family"_a, "parameter"_a, "y"_array, "share"_array, "offset"_array, "intercept"_a,
        "l1"_array, "l2"_array, "start"_array, "tol"_a, "max_iter"_a, "theta"_array, "gap"_array, "loss"_array,
        "n_iter"_array, "status"_array);
    m.def(
        "glm_path_csc",
        [](In<double> values, In<int> rows_of, In<int> indptr, In<double> shift, int family, double parameter,
           In<double> y, In<double> share, Maybe offset, bool intercept, In<double> l1, In<double> l2, In<double> start,
           double tol, int max_iter, Out<double, 2> theta, Out<double> gap, Out<double> loss, Out<int> n_iter,
           Out<int> status) {
            const auto X = csc_view(values, rows_of, indptr, Index(y.shape(0)));
            GlmPathArguments{family, parameter, y,        share, offset, intercept, l1,     l2,
                             start,  tol,       max_iter, theta, gap,    loss,      n_iter, status}
                .run(linear::SparseByColumn<double>{X, view(shift)});
        },
        "values"_array, "rows_of"_array, "indptr"_array, "shift"_array, "family"_a, "parameter"_a, "y"_array,
        "share"_array, "offset"_array, "intercept"_a, "l1"_array, "l2"_array, "start"_array, "tol"_a, "max_iter"_a,
        "theta"_array, "gap"_array, "loss"_array, "n_iter"_array, "status"_array);
}

}  // namespace statlearn
