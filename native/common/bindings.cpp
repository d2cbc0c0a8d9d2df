#include <vector>

#include "common/blas.hpp"
#include "common/gate.hpp"
#include "common/gram.hpp"
#include "common/gram_sparse.hpp"
#include "common/parallel.hpp"
#include "common/rng.hpp"

namespace statlearn {
namespace {

template <class T>
void def_gram(nb::module_& m) {
    m.def(
        "gram_with_targets",
        [](InAny<T> X, InAny<T> Y, std::optional<In<T>> weights, In<double> shift, Out<double, 2> G) {
            const auto n = X.shape(0), q = X.shape(1) + Y.shape(1) + 1;
            require(Y.shape(0) == n && (!weights || weights->shape(0) == n), "gram_with_targets: row counts differ");
            require(shift.shape(0) == q - 1 && G.shape(0) == q && G.shape(1) == q, "gram_with_targets: shapes differ");
            run_native([&](const Interrupt& stop) {
                gram_with_targets<T>(view(X), view(Y), weights ? view(*weights) : std::span<const T>(), view(shift),
                                     stop, {G.data(), q * q});
                return 0;
            });
        },
        "X"_a.noconvert(), "Y"_a.noconvert(), "weights"_a.noconvert().none(), "shift"_a.noconvert(), "G"_a.noconvert());
}

template <class T>
void def_gram_sparse(nb::module_& m) {
    m.def(
        "gram_sparse_rows",
        [](In<T> values, In<int> columns, In<int> indptr, std::optional<In<double>> weights, Out<double, 2> G) {
            const auto p = G.shape(0);
            const auto rows = csc_view(values, columns, indptr, Index(p));  // compressed rows are columns of X'
            require(G.shape(1) == p, "gram_sparse_rows: G is square");
            require(!weights || Index(weights->shape(0)) == rows.cols, "gram_sparse_rows: row counts differ");
            run_native([&](const Interrupt& stop) {
                gram_sparse_rows<T>(rows.values, rows.rows_of, rows.indptr, rows.rows,
                                    weights ? view(*weights) : std::span<const double>(), stop, {G.data(), p * p});
                return 0;
            });
        },
        "values"_a.noconvert(), "columns"_a.noconvert(), "indptr"_a.noconvert(), "weights"_a.noconvert().none(),
        "G"_a.noconvert());
}

// Every probe of the ground itself: what the tests of the pool, the generator and the interrupts call.
void def_probes(nb::module_& m) {
    m.def("philox", [](std::uint64_t seed, std::uint64_t item, Out<std::uint32_t> out) {
        Rng rng(seed, item);
        for (auto& value : view(out)) value = rng.bits32();
    });
    m.def("random_normal", [](std::uint64_t seed, Out<double> out) {
        // One stream per block of rows: the same numbers for any number of threads.
        const auto values = view(out);
        const Blocks blocks(Index(values.size()), 1024);
        nb::gil_scoped_release release;
        parallel_for(blocks.count(), [&](Index b) {
            Rng rng(seed, std::uint64_t(b));
            for (Index i = blocks.begin(b); i < blocks.end(b); ++i) values[std::size_t(i)] = rng.normal();
        });
    });
    m.def("random_below", [](std::uint64_t seed, std::uint32_t n, Out<std::uint32_t> out) {
        require(n > 0, "random_below: n must be positive");
        Rng rng(seed, 0);
        for (auto& value : view(out)) value = rng.below(n);
    });
    m.def("parallel_probe", [](int units, bool nested) {
        // How many units ran, counted without atomics: each unit owns a slot.
        std::vector<int> slots(std::size_t(units), 0);
        nb::gil_scoped_release release;
        parallel_for(units, [&](Index u) {
            if (nested) {
                std::vector<int> inner(7, 0);
                parallel_for(7, [&](Index v) { inner[std::size_t(v)] = 1; });
                for (const int one : inner) slots[std::size_t(u)] += one;
            } else {
                slots[std::size_t(u)] = 1;
            }
        });
        int sum = 0;
        for (const int slot : slots) sum += slot;
        return sum;
    });
    m.def("throw_in_loop", [](int units, int culprit) {
        parallel_for(units, [&](Index u) {
            if (u == culprit) throw std::runtime_error("unit failed");
        });
    });
    m.def("spin", [](double seconds) {
        // Waits in native code until the time is over or Ctrl-C; the seconds waited.
        const auto start = std::chrono::steady_clock::now();
        const auto waited = [&] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        };
        return run_native([&](const Interrupt& stop) {
            while (waited() < seconds && !stop.requested()) std::this_thread::yield();
            return waited();
        });
    });
}

}  // namespace

void bind_common(nb::module_& m) {
    m.def("threads", &threads);
    m.def("set_threads", &set_threads, "n"_a);
    m.def("default_threads", &default_threads);
    m.def("receive_blas", [](const char* name, nb::handle capsule) {
        void* pointer = PyCapsule_GetPointer(capsule.ptr(), PyCapsule_GetName(capsule.ptr()));
        if (!pointer) throw nb::python_error();
        blas::receive(name, pointer);
    });
    m.def("blas_ready", &blas::ready);
    def_gram<double>(m);
    def_gram<float>(m);
    def_gram_sparse<double>(m);
    def_gram_sparse<float>(m);
    def_probes(m);
}

}  // namespace statlearn
