// Arguments of the steps of gradient descent.
#include "common/gate.hpp"
#include "neural/optimizer_steps.hpp"

namespace statlearn {

namespace {

// The rows of parts may be longer than the n elements in use.
template <class T, class Parts>
neural::GradientPieces<T> pieces_of(const Parts& parts, std::size_t n, int penalised, double alpha, double total) {
    require(parts.shape(0) >= 1 && parts.shape(1) >= n, "the rows of the gradient are shorter than the parameters");
    require(penalised >= 0 && std::size_t(penalised) <= n, "more penalised elements than parameters");
    return {view(parts), penalised, alpha, total};
}

template <class T>
void def_steps(nb::module_& m) {
    m.def(
        "gradient_sum",
        [](Out<T, 2> parts, In<T> w, int penalised, double alpha, double total) {
            const In<T, 2> read(parts);
            const auto pieces = pieces_of<T>(read, w.shape(0), penalised, alpha, total);
            return run_native([&](const Interrupt&) {
                return neural::gradient_sum<T>(pieces, view(w), Span<T>(parts.data(), w.shape(0)));
            });
        },
        "parts"_array, "w"_array, "penalised"_a, "alpha"_a, "total"_a);
    m.def(
        "adam_step",
        [](Out<T> w, In<T, 2> parts, Out<T> first, Out<T> second, int penalised, double alpha, double total,
           double rate, double beta_1, double beta_2, double epsilon) {
            require(w.shape(0) == first.shape(0) && w.shape(0) == second.shape(0),
                    "adam_step: the arrays have different lengths");
            const auto pieces = pieces_of<T>(parts, w.shape(0), penalised, alpha, total);
            return run_native([&](const Interrupt&) {
                return neural::adam_step<T>(view(w), pieces, view(first), view(second),
                                            {rate, beta_1, beta_2, epsilon});
            });
        },
        "w"_array, "parts"_array, "first"_array, "second"_array, "penalised"_a, "alpha"_a, "total"_a, "rate"_a,
        "beta_1"_a, "beta_2"_a, "epsilon"_a);
    m.def(
        "momentum_step",
        [](Out<T> w, In<T, 2> parts, Out<T> velocity, int penalised, double alpha, double total, double rate,
           double momentum, bool nesterov) {
            require(w.shape(0) == velocity.shape(0), "momentum_step: the arrays have different lengths");
            const auto pieces = pieces_of<T>(parts, w.shape(0), penalised, alpha, total);
            return run_native([&](const Interrupt&) {
                return neural::momentum_step<T>(view(w), pieces, view(velocity), {rate, momentum, nesterov});
            });
        },
        "w"_array, "parts"_array, "velocity"_array, "penalised"_a, "alpha"_a, "total"_a, "rate"_a, "momentum"_a,
        "nesterov"_a);
}

}  // namespace

void bind_steps(nb::module_& m) {
    def_steps<float>(m);
    def_steps<double>(m);
}

}  // namespace statlearn
