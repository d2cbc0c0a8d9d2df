#include "common/gate.hpp"
#include "discriminant/group_scatter.hpp"

namespace statlearn {

namespace {

// Places and groups address memory: every one of them is checked.
void require_groups(Span<const Index> order, Span<const Index> starts, Index n) {
    require(!starts.empty() && starts.front() == 0 && starts.back() == Index(order.size()),
            "group_scatter: the groups must cover the order");
    for (std::size_t g = 1; g < starts.size(); ++g)
        require(starts[g - 1] <= starts[g], "group_scatter: the groups must be in order");
    for (const Index i : order) require(0 <= i && i < n, "group_scatter: a row index is out of range");
}

template <class T>
void def_group_scatter(nb::module_& m) {
    m.def(
        "group_scatter",
        [](InAny<T> X, In<Index> order, In<Index> starts, std::optional<In<T>> weights, In<double, 2> shift,
           Out<double, 2> sums, Out<double, 3> scatter) {
            const auto n = X.shape(0), p = X.shape(1), groups = shift.shape(0);
            require(starts.shape(0) == groups + 1 && groups > 0, "group_scatter: pass one start per group");
            require_groups(view(order), view(starts), Index(n));
            require(!weights || weights->shape(0) == n, "group_scatter: pass one weight per row");
            require(shift.shape(1) == p && sums.shape(0) == groups && sums.shape(1) == p,
                    "group_scatter: shift and sums need one row per group");
            require(
                scatter.shape(1) == p && scatter.shape(2) == p && (scatter.shape(0) == groups || scatter.shape(0) == 1),
                "group_scatter: pass one matrix, or one per group");
            const Span<const T> w = weights ? view(*weights) : Span<const T>{};
            const Span<double> out(scatter.data(), scatter.size());
            run_native([&](const Interrupt& stop) {
                discriminant::group_scatter<T>(view(X), view(order), view(starts), w, view(shift),
                                               scatter.shape(0) == 1, stop, view(sums), out);
            });
        },
        "X"_array, "order"_array, "starts"_array, "weights"_array.none(), "shift"_array, "sums"_array, "scatter"_array);
}

}  // namespace

void bind_group_scatter(nb::module_& m) {
    def_group_scatter<float>(m);
    def_group_scatter<double>(m);
}

}  // namespace statlearn
