#include "common/gate.hpp"
#include "common/parallel.hpp"
#include "svm/sgd.hpp"

namespace statlearn {
namespace {

using namespace svm;

SgdOptions options_of(int loss, double bend, int schedule, double eta0, double power, double alpha, double l1,
                      double l2, double level, bool fit_intercept, double intercept_rate, bool shuffle, double t,
                      double average, double tol, int patience, int max_iter, int score) {
    require(loss >= 0 && loss <= 7 && schedule >= 0 && schedule <= 5 && score >= 0 && score <= 2,
            "sgd_fit: `loss`, `schedule` or `score` is out of range");
    return {SgdLoss(loss), bend,          SgdSchedule(schedule), eta0,    power, alpha, l1,      l2,
            level,         fit_intercept, intercept_rate,        shuffle, 0,     t,     average, tol,
            patience,      max_iter,      SgdScore(score)};
}

// One linear model per row of W, in parallel; Y holds the targets and S the weights, one row per model.
template <class T>
nb::list fit(const RowsView<T>& X, In<double, 2> Y, In<double, 2> S, In<std::uint8_t> held_out, In<std::uint32_t> seeds,
             const SgdOptions& options, Out<double, 2> W, Out<double> b, Out<double, 2> mean_W, Out<double> mean_b) {
    const auto n = std::size_t(X.rows), m = W.shape(0), p = W.shape(1);
    require(Y.shape(0) == m && S.shape(0) == m && seeds.shape(0) == m && b.shape(0) == m && mean_b.shape(0) == m &&
                mean_W.shape(0) == m,
            "sgd_fit: the numbers of models differ");
    require(Y.shape(1) == n && S.shape(1) == n && (held_out.shape(0) == 0 || held_out.shape(0) == n),
            "sgd_fit: the arrays have different numbers of rows");
    require(Index(p) == X.cols && mean_W.shape(1) == p, "sgd_fit: the arrays have different numbers of columns");
    std::vector<SgdInfo> infos(m);
    run_native([&](const Interrupt& stop) {
        parallel_for(Index(m), [&](Index c) {
            SgdOptions own = options;
            own.seed = seeds.data()[c];
            infos[c] = sgd_fit<T>(X, {Y.data() + c * n, n}, {S.data() + c * n, n}, view(held_out), own, stop,
                                  {W.data() + c * p, p}, b.data()[c], {mean_W.data() + c * p, p}, mean_b.data()[c]);
        });
    });
    nb::list result;
    for (auto& info : infos) {
        const auto passes = info.objective.size();
        result.append(nb::make_tuple(info.n_iter, int(info.status), to_numpy(std::move(info.objective), {passes})));
    }
    return result;
}

template <class T>
void def_sgd(nb::module_& m) {
    m.def(
        "sgd_fit",
        [](In<T> values, In<int> cols_of, In<int> indptr, In<double, 2> Y, In<double, 2> S, In<std::uint8_t> held_out,
           In<std::uint32_t> seeds, Out<double, 2> W, Out<double> b, Out<double, 2> mean_W, Out<double> mean_b,
           int loss, double bend, int schedule, double eta0, double power, double alpha, double l1, double l2,
           double level, bool fit_intercept, double intercept_rate, bool shuffle, double t, double average, double tol,
           int patience, int max_iter, int score) {
            return fit<T>(rows_view<T>(values, cols_of, indptr, int(W.shape(1))), Y, S, held_out, seeds,
                          options_of(loss, bend, schedule, eta0, power, alpha, l1, l2, level, fit_intercept,
                                     intercept_rate, shuffle, t, average, tol, patience, max_iter, score),
                          W, b, mean_W, mean_b);
        },
        "values"_array, "cols_of"_array, "indptr"_array, "Y"_array, "S"_array, "held_out"_array, "seeds"_array,
        "W"_array, "b"_array, "mean_W"_array, "mean_b"_array, "loss"_a, "bend"_a, "schedule"_a, "eta0"_a, "power"_a,
        "alpha"_a, "l1"_a, "l2"_a, "level"_a, "fit_intercept"_a, "intercept_rate"_a, "shuffle"_a, "t"_a, "average"_a,
        "tol"_a, "patience"_a, "max_iter"_a, "score"_a);
}

}  // namespace

void bind_sgd(nb::module_& m) {
    def_sgd<double>(m);
    def_sgd<float>(m);
}

}  // namespace statlearn
