#include "common/gate.hpp"
#include "neighbors/dtw.hpp"

namespace statlearn {
namespace {

using Moves = std::optional<Out<std::uint8_t, 2>>;

void check_window(std::size_t n, std::size_t m, Index window, const Moves& moves) {
    require(n >= 1 && m >= 1, "dtw: a sequence is empty");
    require(window >= Index(n > m ? n - m : m - n) && window <= Index(std::max(n, m)), "dtw: `window` is out of range");
    require(!moves || (moves->shape(0) == n && moves->shape(1) == 2 * std::size_t(window) + 1),
            "dtw: `moves` must have shape (n, 2 window + 1)");
}

Span<std::uint8_t> given(const Moves& moves) {
    return moves ? Span<std::uint8_t>(moves->data(), moves->size()) : Span<std::uint8_t>();
}

}  // namespace

void bind_dtw(nb::module_& m) {
    m.def(
        "dtw_distance",
        [](In<double, 2> a, In<double, 2> b, int cost, Index window, Moves moves) {
            require(a.shape(1) == b.shape(1), "dtw_distance: the rows have different lengths");
            require(0 <= cost && cost <= 2, "dtw_distance: unknown cost");
            check_window(a.shape(0), b.shape(0), window, moves);
            return run_native([&](const Interrupt& stop) {
                return neighbors::dtw_distance(view(a), view(b), neighbors::StepCost(cost), window, stop, given(moves));
            });
        },
        "a"_array, "b"_array, "cost"_a, "window"_a, "moves"_array.none());
    m.def(
        "dtw_costs",
        [](In<double, 2> costs, Index window, Moves moves) {
            check_window(costs.shape(0), costs.shape(1), window, moves);
            return run_native(
                [&](const Interrupt& stop) { return neighbors::dtw_costs(view(costs), window, stop, given(moves)); });
        },
        "costs"_array, "window"_a, "moves"_array.none());
}

}  // namespace statlearn
