#include "common/gate.hpp"
#include "probes/vocabulary.hpp"

namespace statlearn {
namespace {

template <class T>
void def_vocabulary(nb::module_& m) {
    m.def(
        "elementary",
        [](int f, In<T> x, Out<T> out) {
            require(x.shape(0) == out.shape(0), "elementary: x and out must have the same length");
            require(0 <= f && f < (sizeof(T) == 8 ? 4 : 1), "elementary: unknown function");
            probes::apply(probes::Function(f), view(x), view(out));
        },
        "f"_a, "x"_array, "out"_array);
    m.def(
        "inner",
        [](In<T> x, In<double> y) {
            require(x.shape(0) == y.shape(0), "inner: x and y must have the same length");
            return probes::inner<T>(view(x), view(y));
        },
        "x"_array, "y"_array);
    m.def(
        "tiled_product",
        [](In<T, 2> A, In<T, 2> B, In<T> start, Out<T, 2> C) {
            require(A.shape(1) == B.shape(1) && C.shape(0) == A.shape(0) && C.shape(1) == B.shape(0) &&
                        start.shape(0) == B.shape(0),
                    "tiled_product: the shapes of A, B, start and C differ");
            probes::tiled_product<T>(view(A), view(B), view(start), view(C));
        },
        "A"_array, "B"_array, "start"_array, "C"_array);
}

}  // namespace

void bind_vocabulary(nb::module_& m) {
    def_vocabulary<double>(m);
    def_vocabulary<float>(m);
    // An index beyond the ends stops the process in builds that check (cmake -DSTATLEARN_CHECKED=ON).
#ifdef NDEBUG
    m.attr("checked") = false;
#else
    m.attr("checked") = true;
#endif
    m.def("element", [](In<double> x, Index i) { return view(x)[i]; });
    m.def("part_size", [](In<double> x, Index begin, Index count) { return view(x).subspan(begin, count).size(); });
    m.def("cell", [](In<double, 2> X, Index i, Index j) { return view(X)(i, j); });
    m.def(
        "joined_solve",
        [](In<double, 2> G, In<int> steps, double singular, In<double> b, Out<double> x) {
            const auto n = G.shape(0);
            require(G.shape(1) == n && b.shape(0) == n && x.shape(0) == n, "joined_solve: G, b and x must agree");
            for (const int step : view(steps)) require(step < int(n), "joined_solve: steps must name columns of G");
            auto order = probes::joined_solve(view(G), view(steps), singular, view(b), view(x));
            const auto size = order.size();
            return to_numpy(std::move(order), {size});
        },
        "G"_array, "steps"_array, "singular"_a, "b"_array, "x"_array);
}

}  // namespace statlearn
