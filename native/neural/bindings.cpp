// Arguments of the neural family's kernels.
#include "common/gate.hpp"
#include "neural/steps.hpp"

namespace statlearn {

namespace {

template <class T>
void def_steps(nb::module_& m) {
    m.def(
        "gradient_sum",
        [](Out<T, 2> parts, int size, In<T> weights, double alpha, double total) {
            require(parts.shape(0) >= 1 && size >= 0 && std::size_t(size) <= parts.shape(1),
                    "gradient_sum: the rows are shorter than the gradient");
            require(weights.shape(0) <= std::size_t(size), "gradient_sum: more weights than parameters");
            return run_native([&](const Interrupt&) {
                return neural::gradient_sum<T>(view(parts), size, view(weights), alpha, total);
            });
        },
        "parts"_a.noconvert(), "size"_a, "weights"_a.noconvert(), "alpha"_a, "total"_a);
    m.def(
        "adam_step",
        [](Out<T> w, In<T> gradient, Out<T> first, Out<T> second, double rate, double beta_1, double beta_2,
           double epsilon) {
            require(w.shape(0) == gradient.shape(0) && w.shape(0) == first.shape(0) && w.shape(0) == second.shape(0),
                    "adam_step: the arrays have different lengths");
            run_native([&](const Interrupt&) {
                neural::adam_step<T>(view(w), view(gradient), view(first), view(second),
                                     {rate, beta_1, beta_2, epsilon});
                return 0;
            });
        },
        "w"_a.noconvert(), "gradient"_a.noconvert(), "first"_a.noconvert(), "second"_a.noconvert(), "rate"_a,
        "beta_1"_a, "beta_2"_a, "epsilon"_a);
    m.def(
        "momentum_step",
        [](Out<T> w, In<T> gradient, Out<T> velocity, double rate, double momentum, bool nesterov) {
            require(w.shape(0) == gradient.shape(0) && w.shape(0) == velocity.shape(0),
                    "momentum_step: the arrays have different lengths");
            run_native([&](const Interrupt&) {
                neural::momentum_step<T>(view(w), view(gradient), view(velocity), {rate, momentum, nesterov});
                return 0;
            });
        },
        "w"_a.noconvert(), "gradient"_a.noconvert(), "velocity"_a.noconvert(), "rate"_a, "momentum"_a, "nesterov"_a);
}

}  // namespace

void bind_neural(nb::module_& m) {
    def_steps<float>(m);
    def_steps<double>(m);
}

}  // namespace statlearn
