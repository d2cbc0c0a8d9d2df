#include "common/gate.hpp"
#include "common/matching_pursuit.hpp"

namespace statlearn {

namespace {

// The Gram matrix in rows, or the atoms in columns: the binding of each says which.
void def_pursuit(nb::module_& m, auto kind, bool gram) {
    using Atoms = decltype(kind);
    m.def(
        gram ? "omp_codes" : "omp_codes_of_columns",
        [gram](Atoms atoms, In<double, 2> products, In<double> squares, int max_atoms, double tol, Out<double, 2> codes,
               Out<int> steps) {
            const auto n = products.shape(0), k = atoms.shape(1);
            require(!gram || atoms.shape(0) == k, "omp_codes: the Gram matrix must be square");
            require(k > 0 && products.shape(1) == k && squares.shape(0) == n && codes.shape(0) == n &&
                        codes.shape(1) == k && steps.shape(0) == n,
                    "omp_codes: the shapes of the arrays do not match");
            require(max_atoms >= 0, "omp_codes: max_atoms must not be negative");
            return run_native([&](const Interrupt& stop) {
                return omp_codes({view(atoms), gram}, view(products), view(squares), {max_atoms, tol}, stop,
                                 view(codes), view(steps));
            });
        },
        "atoms"_array, "products"_array, "squares"_array, "max_atoms"_a, "tol"_a, "codes"_array, "steps"_array);
    m.def(
        gram ? "omp_path" : "omp_path_of_columns",
        [gram](Atoms atoms, In<double> products, double square, int max_atoms, double tol, Out<int> chosen,
               Out<double, 2> path) {
            const auto k = atoms.shape(1);
            require(!gram || atoms.shape(0) == k, "omp_path: the Gram matrix must be square");
            require(max_atoms >= 0 && k > 0 && products.shape(0) == k && chosen.shape(0) == std::size_t(max_atoms) &&
                        path.shape(0) == chosen.shape(0) && path.shape(1) == chosen.shape(0),
                    "omp_path: the shapes of the arrays do not match");
            return run_native([&](const Interrupt&) {
                return omp_path({view(atoms), gram}, view(products), square, {max_atoms, tol}, view(chosen),
                                view(path));
            });
        },
        "atoms"_array, "products"_array, "square"_a, "max_atoms"_a, "tol"_a, "chosen"_array, "path"_array);
}

}  // namespace

void bind_pursuit(nb::module_& m) {
    def_pursuit(m, In<double, 2>(), true);
    def_pursuit(m, InF<double>(), false);
}

}  // namespace statlearn
