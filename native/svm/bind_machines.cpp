#include "common/gate.hpp"
#include "common/kernel_matrix.hpp"
#include "svm/kernel_rows.hpp"
#include "svm/machines.hpp"

namespace statlearn {
namespace {

using namespace svm;

// Offsets begin at 0, never decrease and end at `size`.
void require_starts(Span<const int> starts, std::size_t size) {
    require(!starts.empty() && starts.front() == 0 && std::size_t(starts.back()) == size,
            "machines_fit: offsets do not fit");
    for (std::size_t k = 1; k < starts.size(); ++k)
        require(starts[k - 1] <= starts[k], "machines_fit: offsets must not decrease");
}

struct Plan {
    In<int> row_start, rows, start, row_of;
    In<double> linear, lower, upper;
    In<std::uint8_t> group;
    Out<double> b, score;
    double tol;
    std::int64_t max_iter;
    double cache_bytes;
    int working_set;
    bool shrinking;
    nb::object report;

    Machines machines(Index n) const {
        const auto m = row_of.shape(0);
        require(start.shape(0) == row_start.shape(0), "machines_fit: numbers of machines differ");
        require_starts(view(row_start), rows.shape(0));
        require_starts(view(start), m);
        for (const int row : view(rows)) require(0 <= row && row < n, "machines_fit: row out of range");
        require(linear.shape(0) == m && lower.shape(0) == m && upper.shape(0) == m && b.shape(0) == m &&
                    (group.shape(0) == 0 || group.shape(0) == m) && score.shape(0) == rows.shape(0),
                "machines_fit: the shapes of the arrays do not match");
        for (const auto g : view(group)) require(g <= 1, "machines_fit: groups must be 0 or 1");
        for (std::size_t k = 0; k + 1 < start.shape(0); ++k) {
            const int order = row_start.data()[k + 1] - row_start.data()[k];
            for (int v = start.data()[k]; v < start.data()[k + 1]; ++v)
                require(0 <= row_of.data()[v] && row_of.data()[v] < order, "machines_fit: variable without a row");
        }
        return {view(row_start), view(rows),  view(start), view(row_of),
                view(linear),    view(lower), view(upper), view(group)};
    }
};

template <class T, class MakeKernel>
nb::list fit(const Plan& plan, Index n, const MakeKernel& make_kernel) {
    const Machines machines = plan.machines(n);
    require(plan.working_set >= 2, "machines_fit: working_set must be at least 2");
    const SmoOptions options{plan.tol, plan.max_iter, std::size_t(plan.cache_bytes), plan.working_set, plan.shrinking};
    std::function<void(Index, const SmoProgress&)> report;
    if (!plan.report.is_none())
        report = [&](Index k, const SmoProgress& p) {
            const WithGil gil;
            if (gil.open) plan.report(k, p.steps, p.violation, p.objective, p.active);
        };
    const auto infos = run_native([&](const Interrupt& stop) {
        return machines_fit<T>(machines, make_kernel, options, stop, report, view(plan.b), view(plan.score));
    });
    nb::list result;
    for (const auto& i : infos)
        result.append(nb::make_tuple(i.steps, i.rounds, i.kernel_rows, i.violation, i.objective, int(i.status)));
    return result;
}

KernelSpec spec_of(int kind, double gamma, double coef0, double degree) {
    require(0 <= kind && kind < kKernelKinds, "kernel: unknown kind");
    return {KernelKind(kind), gamma, coef0, degree};
}

template <class T>
void def_machines(nb::module_& m) {
    using Kernel = std::unique_ptr<KernelRows<T>>;
    m.def(
        "machines_fit_dense",
        [](int kind, double gamma, double coef0, double degree, In<T, 2> X, const Plan& plan) {
            const auto spec = spec_of(kind, gamma, coef0, degree);
            return fit<T>(plan, Index(X.shape(0)),
                          [&](Span<const int> rows) -> Kernel { return dense_rows<T>(spec, view(X), rows); });
        },
        "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, "X"_array, "plan"_a);
    m.def(
        "machines_fit_sparse",
        [](int kind, double gamma, double coef0, double degree, In<T> values, In<int> columns, In<int> starts,
           Index n_columns, const Plan& plan) {
            const auto spec = spec_of(kind, gamma, coef0, degree);
            const auto X = csc_view(values, columns, starts, n_columns);
            return fit<T>(plan, X.cols, [&](Span<const int> rows) -> Kernel { return sparse_rows<T>(spec, X, rows); });
        },
        "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, "values"_array, "columns"_array, "starts"_array, "n_columns"_a,
        "plan"_a);
    m.def(
        "machines_fit_matrix",
        [](In<T, 2> K, const Plan& plan) {
            require(K.shape(0) == K.shape(1), "machines_fit: the kernel matrix is not square");
            return fit<T>(plan, Index(K.shape(0)),
                          [&](Span<const int> rows) -> Kernel { return matrix_rows<T>(view(K), rows); });
        },
        "K"_array, "plan"_a);
    m.def(
        "segment_sums",
        [](In<T, 2> values, In<double, 2> coef, In<int> segment_start, Out<double, 3> out) {
            require(values.shape(1) == coef.shape(1) && segment_start.shape(0) >= 1,
                    "segment_sums: the shapes of the arrays do not match");
            const auto starts = view(segment_start);
            require_starts(starts, coef.shape(1));
            require(
                out.shape(0) == values.shape(0) && out.shape(1) + 1 == starts.size() && out.shape(2) == coef.shape(0),
                "segment_sums: the shapes of the arrays do not match");
            run_native(
                [&](const Interrupt&) { segment_sums<T>(view(values), view(coef), starts, {out.data(), out.size()}); });
        },
        "values"_array, "coef"_array, "segment_start"_array, "out"_array);
}

}  // namespace

void bind_machines(nb::module_& m) {
    nb::class_<Plan>(m, "Plan").def(
        "__init__",
        [](Plan* plan, In<int> row_start, In<int> rows, In<int> start, In<int> row_of, In<double> linear,
           In<double> lower, In<double> upper, In<std::uint8_t> group, Out<double> b, Out<double> score, double tol,
           std::int64_t max_iter, double cache_bytes, int working_set, bool shrinking, nb::object report) {
            require(cache_bytes >= 0.0 && cache_bytes < 1e15, "machines_fit: cache_bytes out of range");
            new (plan) Plan{row_start, rows,  start, row_of,   linear,      lower,       upper,     group,
                            b,         score, tol,   max_iter, cache_bytes, working_set, shrinking, report};
        },
        "row_start"_array, "rows"_array, "start"_array, "row_of"_array, "linear"_array, "lower"_array, "upper"_array,
        "group"_array, "b"_array, "score"_array, "tol"_a, "max_iter"_a, "cache_bytes"_a, "working_set"_a, "shrinking"_a,
        "report"_a.none());
    def_machines<double>(m);
    def_machines<float>(m);
}

}  // namespace statlearn
