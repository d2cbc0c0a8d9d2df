#include "common/gate.hpp"
#include "mixture/hmm.hpp"

namespace statlearn {
namespace {

// The tables of a model; symbols outside -1..V-1 would read foreign memory.
mixture::HmmModel model_of(const In<double>& start, const In<double, 2>& transition, const In<double, 2>& emission,
                           const In<int, 2>& symbols) {
    const auto S = start.shape(0), V = emission.shape(1);
    require(transition.shape(0) == S && transition.shape(1) == S && emission.shape(0) == S,
            "hmm: the shapes of the arrays do not match");
    for (std::size_t i = 0; i < symbols.size(); ++i)
        require(-1 <= symbols.data()[i] && symbols.data()[i] < int(V), "hmm: a symbol is out of range");
    return {
        Index(S), Index(V), view(start), {transition.data(), transition.size()}, {emission.data(), emission.size()}};
}

}  // namespace

void bind_hmm(nb::module_& m) {
    m.def(
        "hmm_expect",
        [](In<int, 2> symbols, In<double> weights, In<double> start, In<double, 2> transition, In<double, 2> emission,
           Out<double> log_likelihood, Out<double> starts, Out<double, 2> transitions, Out<double, 2> emissions) {
            const auto model = model_of(start, transition, emission, symbols);
            const auto n = symbols.shape(0), S = start.shape(0);
            require((weights.shape(0) == 0 || weights.shape(0) == n) && log_likelihood.shape(0) == n,
                    "hmm_expect: the arrays have different numbers of rows");
            require(starts.shape(0) == S && transitions.size() == S * S && emissions.size() == emission.size(),
                    "hmm_expect: the counts have the wrong shape");
            run_native([&](const Interrupt& stop) {
                mixture::hmm_expect(
                    view(symbols), view(weights), model, stop, view(log_likelihood),
                    {view(starts), {transitions.data(), transitions.size()}, {emissions.data(), emissions.size()}});
            });
        },
        "symbols"_array, "weights"_array, "start"_array, "transition"_array, "emission"_array, "log_likelihood"_array,
        "starts"_array, "transitions"_array, "emissions"_array);
    m.def(
        "hmm_forward_backward",
        [](In<int, 2> symbols, In<double> start, In<double, 2> transition, In<double, 2> emission,
           Out<double, 3> forward, Out<double, 3> backward, Out<double> by_forward, Out<double> by_backward) {
            const auto model = model_of(start, transition, emission, symbols);
            const auto n = symbols.shape(0), size = symbols.size() * start.shape(0);
            require(forward.size() == size && backward.size() == size && by_forward.shape(0) == n &&
                        by_backward.shape(0) == n,
                    "hmm_forward_backward: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                mixture::hmm_forward_backward(view(symbols), model, stop, {forward.data(), size},
                                              {backward.data(), size}, view(by_forward), view(by_backward));
            });
        },
        "symbols"_array, "start"_array, "transition"_array, "emission"_array, "forward"_array, "backward"_array,
        "by_forward"_array, "by_backward"_array);
    m.def(
        "hmm_viterbi",
        [](In<int, 2> symbols, In<double> start, In<double, 2> transition, In<double, 2> emission, Out<int, 2> paths,
           Out<double> log_probability) {
            const auto model = model_of(start, transition, emission, symbols);
            require(paths.shape(0) == symbols.shape(0) && paths.shape(1) == symbols.shape(1) &&
                        log_probability.shape(0) == symbols.shape(0),
                    "hmm_viterbi: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                mixture::hmm_viterbi(view(symbols), model, stop, view(paths), view(log_probability));
            });
        },
        "symbols"_array, "start"_array, "transition"_array, "emission"_array, "paths"_array, "log_probability"_array);
}

}  // namespace statlearn
