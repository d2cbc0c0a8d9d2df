#include "common/gate.hpp"
#include "graphical/boltzmann.hpp"

namespace statlearn {
namespace {

using namespace graphical;

template <class T>
void def_rbm(nb::module_& m) {
    m.def(
        "rbm_epoch",
        [](In<T, 2> X, int batch, int k, bool persistent, double rate, std::uint64_t seed, std::uint64_t first_step,
           Out<T, 2> W, Out<T> visible_bias, Out<T> hidden_bias, Out<T, 2> chains) {
            const std::size_t p = X.shape(1), h = W.shape(1);
            require(W.shape(0) == p && visible_bias.shape(0) == p && hidden_bias.shape(0) == h && batch >= 1 && k >= 1,
                    "rbm_epoch: the shapes of the arrays do not match");
            require(
                !persistent || (chains.shape(1) == h && chains.shape(0) >= std::min(X.shape(0), std::size_t(batch))),
                "rbm_epoch: chains do not fit");
            return run_native([&](const Interrupt& stop) {
                return rbm_epoch<T>(view(X), {batch, k, persistent, rate}, seed, first_step, stop,
                                    {view(W), view(visible_bias), view(hidden_bias), view(chains)});
            });
        },
        "X"_array, "batch"_a, "k"_a, "persistent"_a, "rate"_a, "seed"_a, "first_step"_a, "W"_array,
        "visible_bias"_array, "hidden_bias"_array, "chains"_array);
}

}  // namespace

void bind_boltzmann(nb::module_& m) {
    def_rbm<float>(m);
    def_rbm<double>(m);
    m.def(
        "gibbs_sweeps",
        [](In<double, 2> J, In<double> b, In<std::uint8_t> free, int sweeps, std::uint64_t seed,
           Out<std::uint8_t, 2> states, Out<double, 2> mean) {
            const std::size_t p = J.shape(0);
            require(J.shape(1) == p && b.shape(0) == p && free.shape(0) == p && states.shape(1) == p && sweeps >= 0 &&
                        (mean.shape(0) == 0 || (mean.shape(0) == states.shape(0) && mean.shape(1) == p)),
                    "gibbs_sweeps: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                gibbs_sweeps(view(J), view(b), view(free), sweeps, seed, stop, view(states), view(mean));
            });
        },
        "J"_array, "b"_array, "free"_array, "sweeps"_a, "seed"_a, "states"_array, "mean"_array);
}

}  // namespace statlearn
