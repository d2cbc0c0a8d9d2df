#include "cluster/cluster_sums.hpp"
#include "common/gate.hpp"

namespace statlearn {

namespace {

// Places and clusters address memory: every one of them is checked.
void require_order(Span<const Index> order, Span<const Index> starts, Index n) {
    require(Index(order.size()) == n && starts.size() > 1, "cluster_sums: the order must list every row");
    require(starts.front() == 0 && starts.back() == n, "cluster_sums: the clusters must cover the rows");
    for (std::size_t c = 1; c < starts.size(); ++c)
        require(starts[c - 1] <= starts[c], "cluster_sums: the clusters must be in order");
    for (const Index i : order) require(0 <= i && i < n, "cluster_sums: a row index is out of range");
}

template <class T>
void def_cluster_sums(nb::module_& m) {
    m.def(
        "cluster_sums",
        [](InAny<T> X, In<Index> order, In<Index> starts, int metric, Index begin, Out<double, 2> sums) {
            const auto n = Index(X.shape(0)), rows = Index(sums.shape(0));
            require_order(view(order), view(starts), n);
            require(0 <= metric && metric <= 3, "cluster_sums: unknown metric");
            require(sums.shape(1) + 1 == starts.shape(0), "cluster_sums: pass one column per cluster");
            require(begin >= 0 && begin % kPairBlock == 0 && rows <= n - begin,
                    "cluster_sums: the strip must start at a block and end within the rows");
            run_native([&](const Interrupt& stop) {
                cluster::cluster_sums<T>(view(X), view(order), view(starts), PairMetric(metric), begin, stop,
                                         view(sums));
            });
        },
        "X"_array, "order"_array, "starts"_array, "metric"_a, "begin"_a, "sums"_array);
}

}  // namespace

void bind_cluster_sums(nb::module_& m) {
    def_cluster_sums<float>(m);
    def_cluster_sums<double>(m);
}

}  // namespace statlearn
