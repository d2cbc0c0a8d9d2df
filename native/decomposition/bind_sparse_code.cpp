#include "common/gate.hpp"
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
        "omp_codes",
        [](In<double, 2> G, In<double, 2> products, In<double> squares, int max_atoms, double tol,
           Out<double, 2> codes) {
            require_codes(G, products, squares, codes);
            require(max_atoms >= 0, "omp_codes: max_atoms must not be negative");
            return run_native([&](const Interrupt& stop) {
                return decomposition::omp_codes(view(G), view(products), view(squares), max_atoms, tol, stop,
                                                view(codes));
            });
        },
        "G"_a.noconvert(), "products"_a.noconvert(), "squares"_a.noconvert(), "max_atoms"_a, "tol"_a,
        "codes"_a.noconvert());
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
        "G"_a.noconvert(), "products"_a.noconvert(), "squares"_a.noconvert(), "alpha"_a, "positive"_a, "exact"_a,
        "tol"_a, "max_iter"_a, "codes"_a.noconvert());
}

}  // namespace statlearn
