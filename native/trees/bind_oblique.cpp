#include "common/gate.hpp"
#include "trees/oblique.hpp"

namespace statlearn {

namespace {

template <class T>
void def_best_cuts(nb::module_& m) {
    m.def(
        "best_cuts",
        [](InAny<T> Z, In<double, 2> parts, int mass, Index min_leaf, Out<double> left, Out<double> cut) {
            require(0 <= mass && mass <= 2, "best_cuts: unknown impurity");
            require(Z.shape(0) == parts.shape(0) && parts.shape(1) > 0,
                    "best_cuts: the arrays have different numbers of rows");
            require(mass != int(trees::Mass::squares) || parts.shape(1) == 3,
                    "best_cuts: squared errors need three sums");
            require(left.shape(0) == Z.shape(1) && cut.shape(0) == Z.shape(1),
                    "best_cuts: the arrays have different numbers of columns");
            run_native([&](const Interrupt& stop) {
                trees::best_cuts<T>(view(Z), view(parts), trees::Mass(mass), min_leaf, stop, view(left), view(cut));
            });
        },
        "Z"_array, "parts"_array, "mass"_a, "min_leaf"_a, "left"_array, "cut"_array);
}

}  // namespace

void bind_oblique(nb::module_& m) {
    def_best_cuts<float>(m);
    def_best_cuts<double>(m);
}

}  // namespace statlearn
