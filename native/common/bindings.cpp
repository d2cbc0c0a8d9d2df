#include <nanobind/stl/pair.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "common/blas.hpp"
#include "common/gate.hpp"
#include "common/gram.hpp"
#include "common/gram_sparse.hpp"
#include "common/index_checks.hpp"
#include "common/parallel.hpp"
#include "common/quota.hpp"
#include "common/rng.hpp"
#include "common/scratch.hpp"

namespace statlearn {

void bind_affinity(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_probes(nb::module_& m);
void bind_pursuit(nb::module_& m);

namespace {

template <class T>
void def_gram(nb::module_& m) {
    m.def(
        "gram_with_targets",
        [](InAny<T> X, InAny<T> Y, std::optional<In<T>> weights, In<double> shift, Out<double, 2> G) {
            const auto n = X.shape(0), q = X.shape(1) + Y.shape(1) + 1;
            require(Y.shape(0) == n && (!weights || weights->shape(0) == n),
                    "gram_with_targets: the arrays have different numbers of rows");
            require(shift.shape(0) == q - 1 && G.shape(0) == q && G.shape(1) == q,
                    "gram_with_targets: the shapes of the arrays do not match");
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
            require(G.shape(1) == p, "gram_sparse_rows: `G` must be square");
            require(!weights || Index(weights->shape(0)) == rows.cols,
                    "gram_sparse_rows: the arrays have different numbers of rows");
            run_native([&](const Interrupt& stop) {
                gram_sparse_rows<T>(rows.values, rows.rows_of, rows.indptr, rows.rows,
                                    weights ? view(*weights) : std::span<const double>(), stop, {G.data(), p * p});
                return 0;
            });
        },
        "values"_a.noconvert(), "columns"_a.noconvert(), "indptr"_a.noconvert(), "weights"_a.noconvert().none(),
        "G"_a.noconvert());
}

template <class I>
void def_compressed_fault(nb::module_& m) {
    m.def(
        "compressed_fault",
        [](In<I> indices, In<I> indptr, Index size) -> const char* {
            // What is wrong with the arrays of compressed rows that have `size` columns (or columns that have `size`
            // rows), or None.
            require(indptr.shape(0) > 0 && size >= 0, "compressed_fault: `indptr` is empty");
            const auto starts = view(indptr);
            const auto entries = starts.back();
            if (starts.front() != 0) return "`indptr` must begin with 0";
            if (entries < 0 || std::size_t(entries) > indices.shape(0))
                return "`indptr` must end within the stored values";
            return run_native([&](const Interrupt&) -> const char* {
                if (!never_falls(starts.data(), Index(starts.size()))) return "`indptr` must not decrease";
                if (entries > 0 && !all_below(indices.data(), Index(entries), std::uint64_t(size)))
                    return "an index is out of range";
                return nullptr;
            });
        },
        "indices"_a.noconvert(), "indptr"_a.noconvert(), "size"_a);
}

// Every probe of the pool, the generator and the interrupts: what their tests call.
void def_probes(nb::module_& m) {
    m.def("philox", [](std::uint64_t seed, std::uint64_t item, Out<std::uint32_t> out) {
        Rng rng(seed, item);
        for (auto& value : view(out)) value = rng.bits32();
    });
    m.def("random_normal", [](std::uint64_t seed, Out<double> out) {
        // One stream per block of rows: the same numbers for any number of threads.
        const auto values = view(out);
        const Blocks blocks(Index(values.size()), 1024);
        run_native([&](const Interrupt&) {
            parallel_for(blocks.count(), [&](Index b) {
                Rng rng(seed, std::uint64_t(b));
                for (Index i = blocks.begin(b); i < blocks.end(b); ++i) values[std::size_t(i)] = rng.normal();
            });
            return 0;
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
        run_native([&](const Interrupt&) {
            parallel_for(units, [&](Index u) {
                if (nested) {
                    std::vector<int> inner(7, 0);
                    parallel_for(7, [&](Index v) { inner[std::size_t(v)] = 1; });
                    for (const int one : inner) slots[std::size_t(u)] += one;
                } else {
                    slots[std::size_t(u)] = 1;
                }
            });
            return 0;
        });
        int sum = 0;
        for (const int slot : slots) sum += slot;
        return sum;
    });
    m.def("thread_shares", [](Out<int> shares) {
        // The threads that each unit of a loop may use. As many units as there are threads wait for one another, so
        // that no thread has two of them.
        const auto own = view(shares);
        run_native([&](const Interrupt& stop) {
            const auto together = std::min(own.size(), std::size_t(threads()));
            std::atomic<std::size_t> there{0};
            parallel_for(Index(own.size()), [&](Index u) {
                own[std::size_t(u)] = threads();
                ++there;
                while (there < together && !stop.requested()) std::this_thread::yield();
            });
            return 0;
        });
    });
    m.def("scratch_probe", [](int units) {
        // How many blocks of working memory the units took in all, and how many units found another's numbers in
        // theirs. Each takes two, as does a loop inside it.
        std::vector<double*> blocks(std::size_t(4 * units));
        std::vector<int> wrong(std::size_t(units), 0);
        run_native([&](const Interrupt&) {
            parallel_for(units, [&](Index u) {
                constexpr Index size = 100;
                Scratch<double> mine(size);
                std::fill(mine.begin(), mine.end(), double(u));
                double** const place = blocks.data() + 4 * u;
                {
                    Scratch<double> second(size);
                    std::fill(second.begin(), second.end(), -1.0);
                    place[0] = mine.data();
                    place[1] = second.data();
                }
                parallel_for(2, [&](Index v) {
                    Scratch<double> inner(2 * size);
                    std::fill(inner.begin(), inner.end(), -2.0);
                    place[2 + v] = inner.data();
                });
                wrong[std::size_t(u)] = std::count(mine.begin(), mine.end(), double(u)) != size;
            });
            return 0;
        });
        std::sort(blocks.begin(), blocks.end());
        const auto distinct = std::unique(blocks.begin(), blocks.end()) - blocks.begin();
        return std::pair(int(distinct), std::accumulate(wrong.begin(), wrong.end(), 0));
    });
    m.def("thread_counts_seen", [](double seconds) {
        // The least and the largest number of threads that a call sees while it lasts.
        const auto start = std::chrono::steady_clock::now();
        return run_native([&](const Interrupt& stop) {
            std::pair<int, int> seen{threads(), threads()};
            while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds &&
                   !stop.requested()) {
                seen = {std::min(seen.first, threads()), std::max(seen.second, threads())};
                std::this_thread::yield();
            }
            return seen;
        });
    });
    m.def("await_answer", [](Out<std::uint8_t> flags, double seconds) {
        // Raises flags[0] and waits until another thread raises flags[1]; whether it did within the time.
        require(flags.shape(0) == 2, "await_answer: flags must have length 2");
        return run_native([&](const Interrupt& stop) {
            std::atomic_ref(flags.data()[0]) = 1;
            const std::atomic_ref answer(flags.data()[1]);
            const auto start = std::chrono::steady_clock::now();
            while (!answer && !stop.requested() &&
                   std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds)
                std::this_thread::yield();
            return answer != 0;
        });
    });
    m.def("empty_call", [] { run_native([](const Interrupt&) { return 0; }); });
    m.def("empty_loops", [](int loops, int units) {
        run_native([&](const Interrupt&) {
            for (int k = 0; k < loops; ++k) parallel_for(units, [](Index) {});
            return 0;
        });
    });
    m.def("throw_in_loop", [](int units, int culprit) {
        run_native([&](const Interrupt&) {
            parallel_for(units, [&](Index u) {
                if (u == culprit) throw std::runtime_error("unit failed");
            });
            return 0;
        });
    });
    m.def("spin_inside", [](double seconds) {
        // Waits likewise in a loop inside of a unit of the calling thread, in a unit of another one.
        const auto start = std::chrono::steady_clock::now();
        run_native([&](const Interrupt& stop) {
            const auto over = [&] {
                return stop.requested() ||
                       std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds;
            };
            const auto caller = std::this_thread::get_id();
            std::atomic<bool> begun{false};
            const auto wait = [&] {
                while (!begun && !over()) std::this_thread::yield();
            };
            parallel_for(2, 4, [&](Index) {
                if (std::this_thread::get_id() != caller) return wait();
                parallel_for(2, 2, [&](Index) {
                    if (std::this_thread::get_id() == caller) return wait();
                    begun = true;
                    while (!over()) std::this_thread::yield();
                });
            });
            return 0;
        });
    });
    m.def("sleep", [](double seconds) {
        // In native code, deaf to Ctrl-C: a long call of LAPACK.
        run_native([&](const Interrupt&) {
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
            return 0;
        });
    });
    m.def("quota_threads", &quota_threads, "root"_a);
    m.def(
        "spin",
        [](double seconds, bool in_worker) {
            // Waits in native code until the time is over or Ctrl-C, in the calling thread or in another one; the
            // seconds waited.
            const auto start = std::chrono::steady_clock::now();
            const auto waited = [&] {
                return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            };
            return run_native([&](const Interrupt& stop) {
                const auto spin = [&] {
                    while (waited() < seconds && !stop.requested()) std::this_thread::yield();
                };
                if (!in_worker) {
                    spin();
                    return waited();
                }
                const auto caller = std::this_thread::get_id();
                std::atomic<bool> begun{false};
                parallel_for(2, 2, [&](Index) {
                    if (std::this_thread::get_id() != caller) {
                        begun = true;
                        spin();
                    } else {  // leaves once the other thread has its unit
                        while (!begun && waited() < seconds && !stop.requested()) std::this_thread::yield();
                    }
                });
                return waited();
            });
        },
        "seconds"_a, "in_worker"_a = false);
}

// LAPACK as kernels call it, for the tests; matrices are column-major.
template <class T>
void def_blas_probes(nb::module_& m) {
    m.def(
        "cholesky_probe",
        [](OutF<T> A, OutF<T> B) {
            // A becomes its inverse (lower half), B becomes A^-1 B; the order of the minor that is not positive.
            const int n = int(A.shape(0)), r = int(B.shape(1));
            require(A.shape(1) == A.shape(0) && B.shape(0) == A.shape(0) && n > 0,
                    "cholesky_probe: the shapes of the arrays do not match");
            if (const int info = blas::potrf('L', n, A.data(), n)) return info;
            blas::potrs('L', n, r, A.data(), n, B.data(), n);
            return blas::potri('L', n, A.data(), n);
        },
        "A"_a.noconvert(), "B"_a.noconvert());
    m.def(
        "triangle_probe",
        [](InF<T> A, T alpha, OutF<T> B) {
            const int n = int(A.shape(0)), r = int(B.shape(1));
            require(A.shape(1) == A.shape(0) && B.shape(0) == A.shape(0) && n > 0,
                    "triangle_probe: the shapes of the arrays do not match");
            blas::trsm('L', 'L', 'N', false, n, r, alpha, A.data(), n, B.data(), n);
        },
        "A"_a.noconvert(), "alpha"_a, "B"_a.noconvert());
    m.def(
        "eigen_probe",
        [](OutF<T> A, Out<T> w) {
            const int n = int(A.shape(0));
            require(A.shape(1) == A.shape(0) && w.shape(0) == A.shape(0) && n > 0,
                    "eigen_probe: the shapes of the arrays do not match");
            return blas::syevd('L', n, A.data(), n, w.data());
        },
        "A"_a.noconvert(), "w"_a.noconvert());
    m.def(
        "svd_probe",
        [](OutF<T> A, Out<T> s, OutF<T> U, OutF<T> Vt) {
            const auto m_rows = A.shape(0), n = A.shape(1), r = std::min(m_rows, n);
            require(r > 0 && s.shape(0) == r && U.shape(0) == m_rows && U.shape(1) == r && Vt.shape(0) == r &&
                        Vt.shape(1) == n,
                    "svd_probe: the shapes of the arrays do not match");
            return blas::gesdd(int(m_rows), int(n), A.data(), int(m_rows), s.data(), U.data(), int(m_rows), Vt.data(),
                               int(r));
        },
        "A"_a.noconvert(), "s"_a.noconvert(), "U"_a.noconvert(), "Vt"_a.noconvert());
    m.def(
        "qr_probe",
        [](OutF<T> A, OutF<T> R) {
            // A (m x n, m >= n) becomes Q, R its triangle.
            const int rows = int(A.shape(0)), n = int(A.shape(1));
            require(rows >= n && n > 0 && R.shape(0) == A.shape(1) && R.shape(1) == A.shape(1),
                    "qr_probe: the shapes of the arrays do not match");
            std::vector<T> tau(std::size_t(n), T(0));
            blas::geqrf(rows, n, A.data(), rows, tau.data());
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i) R.data()[i + j * n] = i <= j ? A.data()[i + j * rows] : T(0);
            blas::orgqr(rows, n, n, A.data(), rows, tau.data());
        },
        "A"_a.noconvert(), "R"_a.noconvert());
}

}  // namespace

void bind_common(nb::module_& m) {
    def_thread_limit(m);
    def_exit(m);
    m.def("receive_blas", [](const char* name, nb::handle capsule) {
        const char* signature = PyCapsule_GetName(capsule.ptr());
        void* pointer = signature ? PyCapsule_GetPointer(capsule.ptr(), signature) : nullptr;
        if (PyErr_Occurred()) throw nb::python_error();
        require(pointer, "receive_blas: the capsule has no signature");
        blas::receive(name, signature, pointer);
    });
    m.def("blas_ready", &blas::ready);
    def_blas_probes<double>(m);
    def_blas_probes<float>(m);
    def_gram<double>(m);
    def_gram<float>(m);
    def_gram_sparse<double>(m);
    def_gram_sparse<float>(m);
    def_compressed_fault<std::int32_t>(m);
    def_compressed_fault<std::int64_t>(m);
    def_probes(m);
    bind_affinity(m);
    bind_graph(m);
    bind_probes(m);
    bind_pursuit(m);
}

}  // namespace statlearn
