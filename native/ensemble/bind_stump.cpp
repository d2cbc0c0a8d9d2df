#include "common/gate.hpp"
#include "common/index_checks.hpp"
#include "ensemble/stump.hpp"

namespace statlearn {

namespace {

constexpr std::size_t kMostRows = std::size_t{1} << 31;
using Order = In<std::uint32_t, 2>;

void require_rows(const Order& order, std::size_t n) {
    require(order.shape(0) > 0 && order.shape(1) == n && 0 < n && n < kMostRows,
            "stumps: the sorted columns belong to other rows");
}

// As long as the table itself, so it is left to the threads of the call.
void require_row_numbers(const Order& order, std::size_t n) {
    const auto row = [](std::uint32_t value) { return value & (ensemble::kCut - 1); };
    require(all_below(order.data(), Index(order.size()), n, row), "stumps: a row index is out of range");
}

void require_pieces(const Order& ends, std::size_t p, std::size_t n) {
    require(ends.shape(0) == p && ends.shape(1) == std::size_t(ensemble::kStumpBins), "stumps: pass 256 pieces");
    for (std::size_t j = 0; j < p; ++j)
        for (std::size_t b = 0; b < ends.shape(1); ++b)
            require((b == 0 || ends(j, b) >= ends(j, b - 1)) && ends(j, b) <= n, "stumps: the pieces must be in order");
}

std::size_t groups_of(std::size_t p) {
    return (p + std::size_t(ensemble::kStumpGroup) - 1) / std::size_t(ensemble::kStumpGroup);
}

template <class T>
void def_sort(nb::module_& m) {
    m.def(
        "stump_sort",
        [](InAny<T> X, Out<std::uint32_t, 2> order, Out<std::uint32_t, 2> ends, Out<std::uint8_t, 2> bins) {
            const auto n = X.shape(0), p = X.shape(1);
            require(order.shape(0) == p && order.shape(1) == n && ends.shape(0) == p &&
                        ends.shape(1) == std::size_t(ensemble::kStumpBins) && bins.shape(0) == groups_of(p) &&
                        bins.shape(1) == n * std::size_t(ensemble::kStumpGroup),
                    "stump_sort: the shapes of the arrays do not match");
            require(n < kMostRows, "stump_sort: too many rows; use at most 2^31 - 1");
            run_native([&](const Interrupt& stop) {
                ensemble::stump_sort<T>(view(X), stop, view(order), view(ends), view(bins));
            });
        },
        "X"_array, "order"_array, "ends"_array, "bins"_array);
}

nb::tuple facts(const ensemble::StumpCut& cut) {
    return nb::make_tuple(cut.feature, cut.position, cut.gain, cut.left_weight, cut.left_sum);
}

}  // namespace

void bind_stump(nb::module_& m) {
    def_sort<float>(m);
    def_sort<double>(m);
    m.def(
        "stump_search",
        [](Order order, Order ends, In<std::uint8_t, 2> bins, In<double, 2> sums, double tie) {
            const auto n = sums.shape(0), p = order.shape(0);
            require(sums.shape(1) == 2 || sums.shape(1) == 4, "stump_search: pass two or four columns of sums");
            require_rows(order, n);
            require_pieces(ends, p, n);
            require(bins.shape(0) == groups_of(p) && bins.shape(1) == n * std::size_t(ensemble::kStumpGroup),
                    "stump_search: the pieces belong to other rows");
            return facts(run_native([&](const Interrupt& stop) {
                require_row_numbers(order, n);
                return ensemble::stump_search({view(order), view(ends), view(bins)}, view(sums), tie, stop);
            }));
        },
        "order"_array, "ends"_array, "bins"_array, "sums"_array, "tie"_a);
    m.def(
        "stump_search_classes",
        [](Order order, In<double> weights, In<int> codes, Index n_classes, double tie) {
            require(codes.shape(0) == weights.shape(0), "stump_search_classes: the arrays have different lengths");
            require_rows(order, weights.shape(0));
            for (const int c : view(codes))
                require(0 <= c && c < n_classes, "stump_search_classes: a class code is out of range");
            return facts(run_native([&](const Interrupt& stop) {
                require_row_numbers(order, weights.shape(0));
                return ensemble::stump_search_classes(view(order), view(weights), view(codes), n_classes, tie, stop);
            }));
        },
        "order"_array, "weights"_array, "codes"_array, "n_classes"_a, "tie"_a);
}

}  // namespace statlearn
