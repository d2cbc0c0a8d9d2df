#include "svm/machines.hpp"

#include <algorithm>

#include "common/parallel.hpp"

namespace statlearn::svm {
namespace {

constexpr Index kAtOnce = 16;  // machines under way at once, at most: the cache is divided among them

}  // namespace

template <class T>
std::vector<SmoInfo> machines_fit(const Machines& machines,
                                  const std::function<std::unique_ptr<KernelRows<T>>(Span<const int>)>& make_kernel,
                                  SmoOptions options, const Interrupt& interrupt,
                                  const std::function<void(Index, const SmoProgress&)>& report, Span<double> b,
                                  Span<double> score) {
    const Index count = Index(machines.start.size()) - 1;
    // Fewer machines than threads have several each.
    const int n_threads = count > kAtOnce ? std::min(threads(), int(kAtOnce)) : threads();
    const std::size_t least_cache = options.cache_bytes / std::size_t(std::clamp<Index>(count, 1, kAtOnce));
    options.cache_bytes /= std::size_t(std::clamp<Index>(count, 1, n_threads));
    std::vector<SmoInfo> infos(count);
    parallel_for(count, n_threads, [&](Index k) {
        const auto first = std::size_t(machines.start[k]), m = std::size_t(machines.start[k + 1]) - first;
        const auto row = std::size_t(machines.row_start[k]), n = std::size_t(machines.row_start[k + 1]) - row;
        const DualProblem problem{machines.row_of.subspan(first, m), machines.linear.subspan(first, m),
                                  machines.lower.subspan(first, m), machines.upper.subspan(first, m),
                                  machines.group.empty() ? machines.group : machines.group.subspan(first, m)};
        const auto kernel = make_kernel(machines.rows.subspan(row, n));
        SmoOptions own = options;
        // The working set fits into the smallest cache that any number of threads would leave.
        own.working_set =
            std::min<Index>(own.working_set, Index(least_cache / (sizeof(T) * std::max<std::size_t>(n, 1))));
        SmoReport own_report;
        if (report) own_report = [&, k](const SmoProgress& progress) { report(k, progress); };
        infos[k] =
            smo_solve<T>(problem, *kernel, own, interrupt, own_report, b.subspan(first, m), score.subspan(row, n));
    });
    return infos;
}

template <class T>
void segment_sums(Matrix<const T> values, Matrix<const double> coef, Span<const int> segment_start, Span<double> out) {
    constexpr Index kLanes = 8;
    const Index segments = Index(segment_start.size()) - 1, width = coef.rows;
    parallel_for(values.rows, Work(double(values.rows) * double(values.cols) * double(width)), [&](Index i) {
        const T* row = values.row(i);
        for (Index s = 0; s < segments; ++s) {
            const Index begin = segment_start[s], end = segment_start[s + 1];
            const Index whole = begin + (end - begin) / kLanes * kLanes;
            for (Index r = 0; r < width; ++r) {
                const double* c = coef.row(r);
                double lanes[kLanes] = {}, sum = 0.0;
                for (Index v = begin; v < whole; v += kLanes)
                    for (Index l = 0; l < kLanes; ++l) lanes[l] += c[v + l] * double(row[v + l]);
                for (Index v = whole; v < end; ++v) sum += c[v] * double(row[v]);
                for (const double lane : lanes) sum += lane;
                out[(i * segments + s) * width + r] = sum;
            }
        }
    });
}

template std::vector<SmoInfo> machines_fit<float>(
    const Machines&, const std::function<std::unique_ptr<KernelRows<float>>(Span<const int>)>&, SmoOptions,
    const Interrupt&, const std::function<void(Index, const SmoProgress&)>&, Span<double>, Span<double>);
template std::vector<SmoInfo> machines_fit<double>(
    const Machines&, const std::function<std::unique_ptr<KernelRows<double>>(Span<const int>)>&, SmoOptions,
    const Interrupt&, const std::function<void(Index, const SmoProgress&)>&, Span<double>, Span<double>);
template void segment_sums<float>(Matrix<const float>, Matrix<const double>, Span<const int>, Span<double>);
template void segment_sums<double>(Matrix<const double>, Matrix<const double>, Span<const int>, Span<double>);

}  // namespace statlearn::svm
