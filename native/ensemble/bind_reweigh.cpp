#include "common/gate.hpp"
#include "ensemble/reweigh.hpp"

namespace statlearn {

void bind_reweigh(nb::module_& m) {
    m.def(
        "marked_weight",
        [](In<double> weights, In<std::uint8_t> marks) {
            require(weights.shape(0) == marks.shape(0), "marked_weight: the arrays have different lengths");
            return run_native([&](const Interrupt&) { return ensemble::marked_weight(view(weights), view(marks)); });
        },
        "weights"_array, "marks"_array);
    m.def(
        "reweigh",
        [](In<std::uint8_t> wrong, double right, double wrong_move, In<double> start, In<std::uint8_t> second,
           double floor, Out<double> margins, Out<double> weights) {
            const auto n = wrong.shape(0);
            require(start.shape(0) == n && second.shape(0) == n && margins.shape(0) == n && weights.shape(0) == n,
                    "reweigh: the arrays have different lengths");
            const auto found = run_native([&](const Interrupt&) {
                return ensemble::reweigh(view(wrong), right, wrong_move, view(start), view(second), floor,
                                         view(margins), view(weights));
            });
            return nb::make_tuple(found.total, found.loss, found.error);
        },
        "wrong"_array, "right"_a, "wrong_move"_a, "start"_array, "second"_array, "floor"_a, "margins"_array,
        "weights"_array);
}

}  // namespace statlearn
