#include "common/gate.hpp"
#include "ensemble/boosting.hpp"

namespace statlearn {

namespace {

template <class T>
Span<const T> optional_view(const std::optional<In<T>>& a) {
    return a ? view(*a) : Span<const T>();
}

template <class T>
void def_boosting(nb::module_& m) {
    m.def(
        "boosting_derivatives",
        [](std::string loss, double power, In<T> y, In<T> f, std::optional<In<T>> weights, Out<T> g, Out<T> h) {
            const auto n = y.shape(0);
            require(f.shape(0) == n && g.shape(0) == n && h.shape(0) == n && (!weights || weights->shape(0) == n),
                    "boosting_derivatives: the arrays have different lengths");
            return run_native([&](const Interrupt&) {
                return ensemble::boosting_derivatives<T>(loss, power, view(y), view(f), optional_view(weights), view(g),
                                                         view(h));
            });
        },
        "loss"_a, "power"_a, "y"_array, "f"_array, "weights"_array.none(), "g"_array, "h"_array);
    m.def(
        "multinomial_derivatives",
        [](In<int> y, In<T, 2> f, std::optional<In<T>> weights, Out<T, 2> g, Out<T, 2> h) {
            const auto n = f.shape(0), K = f.shape(1);
            require(K >= 2 && y.shape(0) == n && (!weights || weights->shape(0) == n),
                    "multinomial_derivatives: the arrays have different lengths");
            require(g.shape(0) == K && g.shape(1) == n && h.shape(0) == K && h.shape(1) == n,
                    "multinomial_derivatives: the results have the wrong shapes");
            for (const int label : view(y))
                require(0 <= label && std::size_t(label) < K, "multinomial_derivatives: a class code is out of range");
            return run_native([&](const Interrupt&) {
                return ensemble::multinomial_derivatives<T>(view(y), view(f), optional_view(weights), view(g), view(h));
            });
        },
        "y"_array, "f"_array, "weights"_array.none(), "g"_array, "h"_array);
    m.def(
        "add_leaf_values",
        [](In<std::uint32_t> order, In<Index> first, In<Index> rows, In<double> value, Index column, Out<T, 2> f) {
            const auto leaves = first.shape(0);
            require(rows.shape(0) == leaves && value.shape(0) == leaves,
                    "add_leaf_values: the arrays have different lengths");
            require(0 <= column && std::size_t(column) < f.shape(1), "add_leaf_values: a column index is out of range");
            for (std::size_t k = 0; k < leaves; ++k)
                require(first(k) >= 0 && rows(k) >= 0 && std::size_t(first(k) + rows(k)) <= order.shape(0),
                        "add_leaf_values: a leaf is out of range");
            for (const auto i : view(order)) require(i < f.shape(0), "add_leaf_values: a row index is out of range");
            const auto stride = Index(f.shape(1));
            run_native([&](const Interrupt&) {
                ensemble::add_leaf_values<T>(view(order), view(first), view(rows), view(value), stride,
                                             Span<T>(f.data() + column, f.size() - std::size_t(column)));
            });
        },
        "order"_array, "first"_array, "rows"_array, "value"_array, "column"_a, "f"_array);
}

}  // namespace

void bind_boosting(nb::module_& m) {
    def_boosting<float>(m);
    def_boosting<double>(m);
}

}  // namespace statlearn
