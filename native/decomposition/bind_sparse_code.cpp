#include "common/gate.hpp"
#include "decomposition/atoms.hpp"
#include "decomposition/sparse_code.hpp"

namespace statlearn {

namespace {

void require_codes(const In<double, 2>& G, const In<double, 2>& products, const In<double>& squares,
                   const Out<double, 2>& codes) {
    const auto n = products.shape(0), k = products.shape(1);
    require(G.shape(0) == k && G.shape(1) == k && squares.shape(0) == n && codes.shape(0) == n && codes.shape(1) == k,
            "sparse codes: the shapes of the arrays do not match");
}

}  // namespace

void bind_sparse_code(nb::module_& m) {
    m.def(
        "lasso_codes",
        [](In<double, 2> G, In<double, 2> products, In<double> squares, double alpha, bool positive, bool exact,
           double tol, int max_iter, Out<double, 2> codes) {
            require_codes(G, products, squares, codes);
            return run_native([&](const Interrupt& stop) {
                return decomposition::lasso_codes(view(G), view(products), view(squares),
                                                  {alpha, positive, exact, tol, max_iter}, stop, view(codes));
            });
        },
        "G"_array, "products"_array, "squares"_array, "alpha"_a, "positive"_a, "exact"_a, "tol"_a, "max_iter"_a,
        "codes"_array);
    m.def(
        "atoms_update",
        [](In<double, 2> A, In<double, 2> B, Index first, double rare, bool positive, Out<double, 2> D) {
            const auto k = D.shape(0);
            require(A.shape(0) == k && A.shape(1) == k && B.shape(0) == k && B.shape(1) == D.shape(1),
                    "atoms_update: the shapes of the arrays do not match");
            require(first >= 0, "atoms_update: `first` must not be negative");
            return run_native([&](const Interrupt&) {
                return decomposition::atoms_update(view(A), view(B), first, rare, positive, view(D));
            });
        },
        "A"_array, "B"_array, "first"_a, "rare"_a, "positive"_a, "D"_array);
}

}  // namespace statlearn
