#include "cluster/kmedoids.hpp"
#include "common/gate.hpp"

namespace statlearn {
namespace {

using namespace cluster;

template <class T>
void require_square(const In<T, 2>& D, const In<double>& weights) {
    require(D.shape(0) == D.shape(1) && D.shape(0) >= 1, "medoids: the matrix must be square");
    require(weights.shape(0) == 0 || weights.shape(0) == D.shape(0),
            "medoids: the arrays have different numbers of rows");
}

template <class T>
void def_kmedoids(nb::module_& m) {
    m.def(
        "medoids_fit",
        [](In<T, 2> D, In<double> weights, bool by_swaps, int max_iter, Out<Index> medoids, Out<int> labels) {
            require_square<T>(D, weights);
            require(labels.shape(0) == D.shape(0) && medoids.shape(0) >= 1,
                    "medoids_fit: the shapes of the arrays do not match");
            for (const Index row : view(medoids))
                require(0 <= row && row < Index(D.shape(0)), "medoids_fit: a medoid index is out of range");
            std::vector<double> history;
            const auto info = run_native([&](const Interrupt& stop) {
                const StopRule rule{0.0, max_iter};
                return by_swaps ? fasterpam<T>(view(D), view(weights), rule, stop, view(medoids), view(labels), history)
                                : alternate_medoids<T>(view(D), view(weights), rule, stop, view(medoids), view(labels),
                                                       history);
            });
            const std::size_t steps = history.size();
            return nb::make_tuple(info.loss, info.n_iter, info.n_swaps, int(info.status),
                                  to_numpy(std::move(history), {steps}));
        },
        "D"_array, "weights"_array, "by_swaps"_a, "max_iter"_a, "medoids"_array, "labels"_array);

    m.def(
        "medoids_build",
        [](In<T, 2> D, In<double> weights, Out<Index> medoids) {
            require_square<T>(D, weights);
            require(1 <= medoids.shape(0) && medoids.shape(0) <= D.shape(0),
                    "medoids_build: there are more medoids than rows");
            run_native([&](const Interrupt& stop) { build_medoids<T>(view(D), view(weights), stop, view(medoids)); });
        },
        "D"_array, "weights"_array, "medoids"_array);

    m.def(
        "dissimilarity_fault",
        [](In<T, 2> D, double tolerance) {
            require(D.shape(0) == D.shape(1), "dissimilarity_fault: the matrix must be square");
            const auto fault =
                run_native([&](const Interrupt& stop) { return dissimilarity_fault<T>(view(D), tolerance, stop); });
            return nb::make_tuple(int(fault.kind), fault.row, fault.col);
        },
        "D"_array, "tolerance"_a);
}

}  // namespace

void bind_kmedoids(nb::module_& m) {
    def_kmedoids<float>(m);
    def_kmedoids<double>(m);
}

}  // namespace statlearn
