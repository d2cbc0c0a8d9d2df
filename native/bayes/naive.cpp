#include "bayes/naive.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "common/chunks.hpp"
#include "common/parallel.hpp"

namespace statlearn::bayes {
namespace {

using Size = std::size_t;

// At most this many blocks hold their own sums: memory for sums stays small beside the data.
Blocks row_blocks(Index n, Index sums) { return chunk_grid(n, std::max<Index>(8192, sums), 32); }

constexpr Index kSampled = 32;  // rows of a class whose mean becomes its origin

// Rows in groups that are copied to contiguous memory if they are not already.
template <class T>
class RowReader {
public:
    explicit RowReader(Matrix<const T> X) : X_(X) {
        if (!X.row_major()) buffer_.resize(kGroup * X.cols);
    }
    // Pointer to row i; rows must be asked for in increasing order, up to `end`.
    const T* row(Index i, Index end) {
        if (X_.row_major()) return X_.row(i);
        if (i >= filled_ || i < first_) {
            first_ = i;
            filled_ = std::min(end, i + kGroup);
            for (Index j = 0; j < X_.cols; ++j)
                for (Index r = first_; r < filled_; ++r) buffer_[(r - first_) * X_.cols + j] = X_(r, j);
        }
        return buffer_.data() + (i - first_) * X_.cols;
    }

private:
    static constexpr Index kGroup = 64;
    Matrix<const T> X_;
    std::vector<T> buffer_;
    Index first_ = 0, filled_ = 0;
};

// Not finite if x contains NaN. Four chains, so that the loop is not bound by the latency of one sum.
template <class T>
bool has_nan(const T* x, Index p) {
    T a = 0, b = 0, c = 0, d = 0;
    Index j = 0;
    for (; j + 4 <= p; j += 4) {
        a += x[j] * T(0);
        b += x[j + 1] * T(0);
        c += x[j + 2] * T(0);
        d += x[j + 3] * T(0);
    }
    for (; j < p; ++j) a += x[j] * T(0);
    return std::isnan(a + b + c + d);
}

// The origin of each class: first value plus mean difference from it, over the first rows. Constant columns give the
// constant exactly.
template <class T>
std::vector<double> class_origins(Matrix<const T> X, Span<const int> labels, Span<const double> weights, Index k) {
    const Index p = X.cols;
    std::vector<double> origin(k * p, 0.0), sum(k * p, 0.0);
    std::vector<Index> seen(k * p, 0), rows(k, 0);
    Index open = k;
    for (Index i = 0; i < X.rows && open > 0; ++i) {
        const Index c = labels[i];
        if (rows[c] >= kSampled || (!weights.empty() && weights[i] == 0.0)) continue;
        if (++rows[c] == kSampled) --open;
        for (Index j = 0; j < p; ++j) {
            const double x = double(X(i, j));
            if (std::isnan(x)) continue;
            const Size at = Size(c * p + j);
            if (seen[at]++ == 0) origin[at] = x;
            sum[at] += x - origin[at];
        }
    }
    for (Size at = 0; at < origin.size(); ++at)
        if (seen[at] > 0) origin[at] += sum[at] / double(seen[at]);
    return origin;
}

}  // namespace

template <class T>
void class_moments(Matrix<const T> X, Span<const int> labels, Span<const double> weights, Index classes,
                   const Interrupt& interrupt, Matrix<double> count, Matrix<double> mean, Matrix<double> scatter) {
    const Index p = X.cols, cells = classes * p;
    const auto origin = class_origins(X, labels, weights, classes);
    const Blocks blocks = row_blocks(X.rows, 3 * cells);
    std::vector<std::vector<double>> parts(blocks.count());
    parallel_for(blocks.count(), Work(double(X.rows) * double(p)), [&](Index b) {
        // Sums of the differences, their squares, and weights that are missing; the weight of a class is one number.
        std::vector<double> part(3 * cells + classes, 0.0);
        RowReader<T> reader(X);
        const Index end = blocks.end(b);
        for (Index i = blocks.begin(b); i < end; ++i) {
            if ((i & 4095) == 0 && interrupt.requested()) return;
            const Index c = labels[i];
            const double w = weights.empty() ? 1.0 : weights[i];
            if (w == 0.0) continue;
            const T* x = reader.row(i, end);
            const double* o = origin.data() + c * p;
            double* s1 = part.data() + c * p;
            double* s2 = s1 + cells;
            part[3 * cells + c] += w;
            if (has_nan(x, p)) {
                double* lost = s2 + cells;
                for (Index j = 0; j < p; ++j) {
                    const double d = double(x[j]) - o[j];
                    if (std::isnan(d)) {
                        lost[j] += w;
                    } else {
                        s1[j] += w * d;
                        s2[j] += w * d * d;
                    }
                }
            } else {
                for (Index j = 0; j < p; ++j) {
                    const double d = double(x[j]) - o[j];
                    const double wd = w * d;
                    s1[j] += wd;
                    s2[j] += wd * d;
                }
            }
        }
        parts[b] = std::move(part);
    });
    std::vector<double> all(3 * cells + classes, 0.0);
    for (const auto& part : parts)
        for (Size at = 0; at < part.size(); ++at) all[at] += part[at];
    for (Index c = 0; c < classes; ++c)
        for (Index j = 0; j < p; ++j) {
            const Size at = Size(c * p + j);
            const double n = all[3 * cells + c] - all[at + Size(2 * cells)];
            const double m = n > 0 ? all[at] / n : 0.0;
            count(c, j) = std::max(n, 0.0);
            mean(c, j) = origin[at] + m;
            scatter(c, j) = n > 0 ? std::max(0.0, all[at + Size(cells)] - n * m * m) : 0.0;
        }
}

template <class T>
void gaussian_scores(Matrix<const T> X, Matrix<const double> mean, Matrix<const double> precision,
                     Matrix<const double> constant, Span<const double> offset, const Interrupt& interrupt,
                     Matrix<double> out) {
    const Index p = X.cols, k = mean.rows;
    std::vector<double> whole(offset.begin(), offset.end());  // with the constants of all columns
    for (Index c = 0; c < k; ++c)
        for (Index j = 0; j < p; ++j) whole[c] += constant(c, j);
    const Blocks blocks(X.rows, 2048);
    parallel_for(blocks.count(), Work(double(X.rows) * double(p) * double(k)), [&](Index b) {
        if (interrupt.requested()) return;
        RowReader<T> reader(X);
        std::vector<double> wide(p, 0.0);
        const Index end = blocks.end(b);
        for (Index i = blocks.begin(b); i < end; ++i) {
            const T* x = reader.row(i, end);
            if (has_nan(x, p)) {
                for (Index c = 0; c < k; ++c) {
                    double sum = offset[c];
                    for (Index j = 0; j < p; ++j) {
                        const double d = double(x[j]) - mean(c, j);
                        if (!std::isnan(d)) sum += constant(c, j) - d * d * precision(c, j);
                    }
                    out(i, c) = sum;
                }
                continue;
            }
            for (Index j = 0; j < p; ++j) wide[j] = double(x[j]);
            for (Index c = 0; c < k; ++c) {
                const double* m = mean.row(c);
                const double* a = precision.row(c);
                constexpr Index kLanes = 8;
                double lane[kLanes] = {};
                Index j = 0;
                for (; j + kLanes <= p; j += kLanes)
                    for (Index l = 0; l < kLanes; ++l) {
                        const double d = wide[j + l] - m[j + l];
                        lane[l] += d * d * a[j + l];
                    }
                double rest = 0.0;
                for (; j < p; ++j) {
                    const double d = wide[j] - m[j];
                    rest += d * d * a[j];
                }
                for (Index l = 0; l < kLanes; ++l) rest += lane[l];
                out(i, c) = whole[c] - rest;
            }
        }
    });
}

bool category_counts(Matrix<const std::int64_t> codes, Span<const int> labels, Span<const double> weights,
                     Span<const std::int64_t> starts, const Interrupt& interrupt, Matrix<double> counts) {
    const Index p = codes.cols, k = counts.cols, cells = counts.rows * k;
    const Blocks blocks = row_blocks(codes.rows, cells);
    std::vector<std::vector<double>> parts(blocks.count());
    std::atomic<bool> fits{true};
    parallel_for(blocks.count(), Work(double(codes.rows) * double(p)), [&](Index b) {
        std::vector<double> part(cells, 0.0);
        RowReader<std::int64_t> reader(codes);
        const Index end = blocks.end(b);
        for (Index i = blocks.begin(b); i < end; ++i) {
            if ((i & 4095) == 0 && interrupt.requested()) return;
            const std::int64_t* x = reader.row(i, end);
            const double w = weights.empty() ? 1.0 : weights[i];
            double* of_class = part.data() + labels[i];
            for (Index j = 0; j < p; ++j) {
                const std::int64_t size = starts[j + 1] - starts[j];
                if (std::uint64_t(x[j]) < std::uint64_t(size)) {
                    of_class[(starts[j] + x[j]) * k] += w;
                } else if (x[j] >= 0) {
                    fits.store(false, std::memory_order_relaxed);
                }
            }
        }
        parts[b] = std::move(part);
    });
    for (Index at = 0; at < cells; ++at) counts.data[at] = 0.0;
    for (const auto& part : parts)
        for (Size at = 0; at < part.size(); ++at) counts.data[at] += part[at];
    return fits.load();
}

void code_ranges(Matrix<const std::int64_t> codes, const Interrupt& interrupt, Span<std::int64_t> low,
                 Span<std::int64_t> high) {
    const Index p = codes.cols;
    const Blocks blocks = row_blocks(codes.rows, p);
    std::vector<std::vector<std::int64_t>> parts(blocks.count());
    parallel_for(blocks.count(), Work(double(codes.rows) * double(p)), [&](Index b) {
        std::vector<std::int64_t> part(2 * p);
        RowReader<std::int64_t> reader(codes);
        const Index end = blocks.end(b);
        for (Index i = blocks.begin(b); i < end; ++i) {
            if ((i & 4095) == 0 && interrupt.requested()) return;
            const std::int64_t* x = reader.row(i, end);
            if (i == blocks.begin(b)) {
                std::copy(x, x + p, part.begin());
                std::copy(x, x + p, part.begin() + p);
            }
            for (Index j = 0; j < p; ++j) {
                part[j] = std::min(part[j], x[j]);
                part[p + j] = std::max(part[p + j], x[j]);
            }
        }
        parts[b] = std::move(part);
    });
    std::fill(low.begin(), low.end(), 0);
    std::fill(high.begin(), high.end(), -1);
    bool first = true;
    for (const auto& part : parts) {
        if (part.empty()) continue;
        for (Index j = 0; j < p; ++j) {
            low[j] = first ? part[j] : std::min(low[j], part[j]);
            high[j] = first ? part[p + j] : std::max(high[j], part[p + j]);
        }
        first = false;
    }
}

namespace {

// The scores of one row; K classes in registers, or any number of them with K = 0.
template <int K>
void score_codes(const std::int64_t* x, Index p, Span<const std::int64_t> starts, Matrix<const double> table,
                 Span<const double> offset, double* score) {
    const Index k = K > 0 ? K : table.cols;
    double local[K > 0 ? K : 1];
    double* sum = K > 0 ? local : score;
    for (Index c = 0; c < k; ++c) sum[c] = offset[c];
    for (Index j = 0; j < p; ++j) {
        if (x[j] < 0) continue;
        const double* logs = table.row(std::min(starts[j] + x[j], starts[j + 1] - 1));
        for (Index c = 0; c < k; ++c) sum[c] += logs[c];
    }
    if (K > 0)
        for (Index c = 0; c < k; ++c) score[c] = sum[c];
}

}  // namespace

void category_scores(Matrix<const std::int64_t> codes, Span<const std::int64_t> starts, Matrix<const double> table,
                     Span<const double> offset, const Interrupt& interrupt, Matrix<double> out) {
    const Index p = codes.cols, k = table.cols;
    const Blocks blocks(codes.rows, 2048);
    parallel_for(blocks.count(), Work(double(codes.rows) * double(p) * double(k)), [&](Index b) {
        if (interrupt.requested()) return;
        RowReader<std::int64_t> reader(codes);
        const Index end = blocks.end(b);
        for (Index i = blocks.begin(b); i < end; ++i) {
            const std::int64_t* x = reader.row(i, end);
            const auto score = k == 2   ? &score_codes<2>
                               : k == 3 ? &score_codes<3>
                               : k == 4 ? &score_codes<4>
                                        : &score_codes<0>;
            score(x, p, starts, table, offset, out.row(i));
        }
    });
}

template <class T>
void sparse_class_sums(const CscView<T>& of_rows, Span<const int> labels, Span<const double> weights,
                       const Interrupt& interrupt, Matrix<double> sums) {
    const Index n = of_rows.cols, p = of_rows.rows, cells = sums.rows * sums.cols;
    // Each block costs a copy of the sums, which are as wide as the vocabulary.
    const Blocks blocks(n, std::max<Index>(n / 8 + 1, 4096));
    std::vector<std::vector<double>> parts(blocks.count());
    parallel_for(blocks.count(), Work(double(of_rows.values.size())), [&](Index b) {
        std::vector<double> part(cells, 0.0);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            if ((i & 1023) == 0 && interrupt.requested()) return;
            const double w = weights.empty() ? 1.0 : weights[i];
            double* sum = part.data() + labels[i] * p;
            for (int at = of_rows.indptr[i]; at < of_rows.indptr[i + 1]; ++at)
                sum[of_rows.rows_of[at]] += w * double(of_rows.values[at]);
        }
        parts[b] = std::move(part);
    });
    for (Index at = 0; at < cells; ++at) sums.data[at] = 0.0;
    for (const auto& part : parts)
        for (Size at = 0; at < part.size(); ++at) sums.data[at] += part[at];
}

template <class T>
void sparse_scores(const CscView<T>& of_rows, Matrix<const double> table, Span<const double> offset,
                   const Interrupt& interrupt, Matrix<double> out) {
    const Index n = of_rows.cols, k = table.cols;
    const Blocks blocks(n, 512);
    parallel_for(blocks.count(), Work(double(of_rows.values.size()) * double(k)), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            double* score = out.row(i);
            for (Index c = 0; c < k; ++c) score[c] = offset[c];
            for (int at = of_rows.indptr[i]; at < of_rows.indptr[i + 1]; ++at) {
                const double x = double(of_rows.values[at]);
                if (x == 0.0) continue;  // an explicit zero must not meet a logarithm of zero
                const double* logs = table.row(of_rows.rows_of[at]);
                for (Index c = 0; c < k; ++c) score[c] += x * logs[c];
            }
        }
    });
}

#define STATLEARN_INSTANTIATE(T)                                                                                  \
    template void class_moments<T>(Matrix<const T>, Span<const int>, Span<const double>, Index, const Interrupt&, \
                                   Matrix<double>, Matrix<double>, Matrix<double>);                               \
    template void gaussian_scores<T>(Matrix<const T>, Matrix<const double>, Matrix<const double>,                 \
                                     Matrix<const double>, Span<const double>, const Interrupt&, Matrix<double>); \
    template void sparse_class_sums<T>(const CscView<T>&, Span<const int>, Span<const double>, const Interrupt&,  \
                                       Matrix<double>);                                                           \
    template void sparse_scores<T>(const CscView<T>&, Matrix<const double>, Span<const double>, const Interrupt&, \
                                   Matrix<double>);
STATLEARN_INSTANTIATE(float)
STATLEARN_INSTANTIATE(double)
#undef STATLEARN_INSTANTIATE

}  // namespace statlearn::bayes
