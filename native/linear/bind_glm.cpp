#include "common/gate.hpp"
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
        require(0 <= family && family <= 5, "glm_path: no such family");
        require(X.shift.size() == std::size_t(X.cols()), "glm_path: one shift per column");
        require(y.shape(0) == n && share.shape(0) == n && (offset.shape(0) == 0 || offset.shape(0) == n),
                "glm_path: row counts differ");
        require(start.shape(0) == q && theta.shape(0) == T && theta.shape(1) == q, "glm_path: parameter counts differ");
        require(
            l2.shape(0) == T && gap.shape(0) == T && loss.shape(0) == T && n_iter.shape(0) == T && status.shape(0) == T,
            "glm_path: one entry per penalty");
        run_native([&](const Interrupt& stop) {
            const linear::GlmData data{
                linear::GlmFamily(family), parameter, view(y), {view(share), view(offset), intercept}};
            linear::glm_path(X, data, view(l1), view(l2), view(start), {tol, max_iter}, stop,
                             {{theta.data(), theta.size()}, view(gap), view(loss), view(n_iter), view(status)});
            return 0;
        });
    }
};

}  // namespace

void bind_glm(nb::module_& m) {
    m.def(
        "glm_path",
        [](InF<double> X, In<double> shift, int family, double parameter, In<double> y, In<double> share, Maybe offset,
           bool intercept, In<double> l1, In<double> l2, In<double> start, double tol, int max_iter,
           Out<double, 2> theta, Out<double> gap, Out<double> loss, Out<int> n_iter, Out<int> status) {
            GlmPathArguments{family, parameter, y,        share, offset, intercept, l1,     l2,
                             start,  tol,       max_iter, theta, gap,    loss,      n_iter, status}
                .run(linear::DenseByColumn<double>{view(X), view(shift)});
        },
        "X"_a.noconvert(), "shift"_a.noconvert(), "family"_a, "parameter"_a, "y"_a.noconvert(), "share"_a.noconvert(),
        "offset"_a.noconvert(), "intercept"_a, "l1"_a.noconvert(), "l2"_a.noconvert(), "start"_a.noconvert(), "tol"_a,
        "max_iter"_a, "theta"_a.noconvert(), "gap"_a.noconvert(), "loss"_a.noconvert(), "n_iter"_a.noconvert(),
        "status"_a.noconvert());
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
        "values"_a.noconvert(), "rows_of"_a.noconvert(), "indptr"_a.noconvert(), "shift"_a.noconvert(), "family"_a,
        "parameter"_a, "y"_a.noconvert(), "share"_a.noconvert(), "offset"_a.noconvert(), "intercept"_a,
        "l1"_a.noconvert(), "l2"_a.noconvert(), "start"_a.noconvert(), "tol"_a, "max_iter"_a, "theta"_a.noconvert(),
        "gap"_a.noconvert(), "loss"_a.noconvert(), "n_iter"_a.noconvert(), "status"_a.noconvert());
}

}  // namespace statlearn
