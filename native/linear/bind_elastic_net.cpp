#include "common/gate.hpp"
#include "common/parallel.hpp"
#include "linear/columns.hpp"
#include "linear/elastic_net.hpp"

namespace statlearn {
namespace {

using linear::PathOptions;

// The arguments that the three entries share: several paths at once, one row of each array per path. `y`, `weights`
// and `init` may have a single row that serves all paths.
struct Paths {
    In<double, 2> l1, l2;
    std::optional<In<double>> factor;
    std::optional<In<double, 2>> init;
    Out<double, 3> coef;
    Out<double, 2> gap;
    Out<int, 2> n_iter;
    Out<int> status;

    void check(std::size_t p) const {
        const auto F = l1.shape(0), K = l1.shape(1);
        require(K >= 1 && l2.shape(0) == F && l2.shape(1) == K, "enet_path: the penalties have different shapes");
        require(!factor || factor->shape(0) == p, "enet_path: pass one factor per feature");
        require(!init || ((init->shape(0) == F || init->shape(0) == 1) && init->shape(1) == p),
                "enet_path: `init` has the wrong shape");
        require(coef.shape(0) == F && coef.shape(1) == K && coef.shape(2) == p,
                "enet_path: `coef` has the wrong shape");
        require(gap.shape(0) == F && gap.shape(1) == K && n_iter.shape(0) == F && n_iter.shape(1) == K &&
                    status.shape(0) == F,
                "enet_path: the outputs have different shapes");
    }

    static Span<const double> row(const In<double, 2>& a, std::size_t f) {
        const std::size_t n = a.shape(1);
        return {a.data() + (a.shape(0) == 1 ? 0 : f) * n, n};
    }

    void solve(std::size_t f, linear::ColumnSource& source, const PathOptions& options, const Interrupt& stop) const {
        const std::size_t K = l1.shape(1), p = coef.shape(2);
        const linear::PathProblem problem{row(l1, f), row(l2, f), factor ? view(*factor) : Span<const double>(),
                                          init ? row(*init, f) : Span<const double>()};
        const linear::PathModels models{{coef.data() + f * K * p, Index(K), Index(p), Index(p), 1},
                                        {gap.data() + f * K, K},
                                        {n_iter.data() + f * K, K}};
        status.data()[f] = int(linear::enet_path(source, problem, options, stop, models));
    }

    // Paths run side by side when there are several, else the loops inside one path are parallel.
    template <class Make>
    void run(Make&& make, const PathOptions& options) const {
        run_native([&](const Interrupt& stop) {
            parallel_for(Index(l1.shape(0)), [&](Index f) {
                auto source = make(std::size_t(f));
                PathOptions own = options;
                own.seed += std::uint64_t(f);
                solve(std::size_t(f), source, own, stop);
            });
        });
    }
};

void check_rows(const In<double, 2>& y, const std::optional<In<double, 2>>& weights, std::size_t n, std::size_t F) {
    require(y.shape(1) == n && (y.shape(0) == F || y.shape(0) == 1), "enet_path: y has the wrong length");
    require(!weights || (weights->shape(1) == n && (weights->shape(0) == F || weights->shape(0) == 1)),
            "enet_path: the weights have the wrong length");
}

template <class T>
void def_dense(nb::module_& m) {
    m.def(
        "enet_path_dense",
        [](InF<T> X, In<double, 2> y, std::optional<In<double, 2>> weights, bool centre, In<double, 2> l1,
           In<double, 2> l2, std::optional<In<double>> factor, std::optional<In<double, 2>> init, double tol,
           int max_iter, bool positive, bool random, std::uint64_t seed, Out<double, 3> coef, Out<double, 2> gap,
           Out<int, 2> n_iter, Out<int> status) {
            const Paths paths{l1, l2, factor, init, coef, gap, n_iter, status};
            paths.check(X.shape(1));
            check_rows(y, weights, X.shape(0), l1.shape(0));
            paths.run(
                [&](std::size_t f) {
                    return linear::DenseColumns<T>(view(X), Paths::row(y, f),
                                                   weights ? Paths::row(*weights, f) : Span<const double>(), centre);
                },
                {tol, max_iter, positive, random, seed});
        },
        "X"_array, "y"_array, "weights"_array.none(), "centre"_a, "l1"_array, "l2"_array, "factor"_array.none(),
        "init"_array.none(), "tol"_a, "max_iter"_a, "positive"_a, "random"_a, "seed"_a, "coef"_array, "gap"_array,
        "n_iter"_array, "status"_array);
}

template <class T>
void def_sparse(nb::module_& m) {
    m.def(
        "enet_path_sparse",
        [](In<T> values, In<int> rows_of, In<int> indptr, In<double, 2> y, std::optional<In<double, 2>> weights,
           bool centre, In<double, 2> l1, In<double, 2> l2, std::optional<In<double>> factor,
           std::optional<In<double, 2>> init, double tol, int max_iter, bool positive, bool random, std::uint64_t seed,
           Out<double, 3> coef, Out<double, 2> gap, Out<int, 2> n_iter, Out<int> status) {
            const auto X = csc_view(values, rows_of, indptr, Index(y.shape(1)));
            const Paths paths{l1, l2, factor, init, coef, gap, n_iter, status};
            paths.check(std::size_t(X.cols));
            check_rows(y, weights, y.shape(1), l1.shape(0));
            paths.run(
                [&](std::size_t f) {
                    return linear::SparseColumns<T>(X, Paths::row(y, f),
                                                    weights ? Paths::row(*weights, f) : Span<const double>(), centre);
                },
                {tol, max_iter, positive, random, seed});
        },
        "values"_array, "rows_of"_array, "indptr"_array, "y"_array, "weights"_array.none(), "centre"_a, "l1"_array,
        "l2"_array, "factor"_array.none(), "init"_array.none(), "tol"_a, "max_iter"_a, "positive"_a, "random"_a,
        "seed"_a, "coef"_array, "gap"_array, "n_iter"_array, "status"_array);
}

}  // namespace

void bind_elastic_net(nb::module_& m) {
    def_dense<double>(m);
    def_dense<float>(m);
    def_sparse<double>(m);
    def_sparse<float>(m);
    m.def(
        "enet_path_gram",
        [](In<double, 3> G, In<double, 2> target_dot, In<double> target_norm2, In<double, 2> l1, In<double, 2> l2,
           std::optional<In<double>> factor, std::optional<In<double, 2>> init, double tol, int max_iter, bool positive,
           bool random, std::uint64_t seed, Out<double, 3> coef, Out<double, 2> gap, Out<int, 2> n_iter,
           Out<int> status) {
            const auto F = l1.shape(0), p = G.shape(2);
            require(G.shape(1) == p && (G.shape(0) == F || G.shape(0) == 1),
                    "enet_path: the Gram matrices have the wrong shape");
            require(target_dot.shape(0) == F && target_dot.shape(1) == p && target_norm2.shape(0) == F,
                    "enet_path: the target products have the wrong shape");
            const Paths paths{l1, l2, factor, init, coef, gap, n_iter, status};
            paths.check(p);
            paths.run(
                [&](std::size_t f) {
                    const auto* data = G.data() + (G.shape(0) == 1 ? 0 : f) * p * p;
                    return linear::GramColumns({data, Index(p), Index(p), 1, Index(p)}, Paths::row(target_dot, f),
                                               target_norm2.data()[f]);
                },
                {tol, max_iter, positive, random, seed});
        },
        "G"_array, "target_dot"_array, "target_norm2"_array, "l1"_array, "l2"_array, "factor"_array.none(),
        "init"_array.none(), "tol"_a, "max_iter"_a, "positive"_a, "random"_a, "seed"_a, "coef"_array, "gap"_array,
        "n_iter"_array, "status"_array);
}

}  // namespace statlearn
