#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/parallel.hpp"
#include "common/vmath.hpp"
#include "decomposition/nmf.hpp"
#include "decomposition/nmf_cells.hpp"

namespace statlearn::decomposition {

namespace {

template <class T>
constexpr T kSmallest = T(1.1920929e-07);  // the least fitted value in a quotient, as in scikit-learn

// What one cell adds to the two sums, given its fitted value.
enum class Kind { squares, poisson, gamma, other };

Kind kind_of(double beta) {
    return beta == 2.0 ? Kind::squares : beta == 1.0 ? Kind::poisson : beta == 0.0 ? Kind::gamma : Kind::other;
}

template <class T>
T power(T base, double exponent) {
    return T(exp_fast(exponent * log_fast(double(base))));
}

// first = x fit^(beta-2), second = fit^(beta-1); 0 where x is missing.
template <class T>
void quotients(Kind kind, double beta, const T* x, const T* fit, Index n, T* first, T* second) {
    const T least = kSmallest<T>;
    if (kind == Kind::poisson && !second) {
        for (Index j = 0; j < n; ++j) {
            const T seen = x[j] == x[j] ? x[j] : T(0);
            first[j] = seen / (fit[j] > least ? fit[j] : least);
        }
        return;
    }
    switch (kind) {
        case Kind::squares:
            for (Index j = 0; j < n; ++j) {
                const bool seen = x[j] == x[j];
                first[j] = seen ? x[j] : T(0);
                second[j] = seen ? fit[j] : T(0);
            }
            return;
        case Kind::poisson:
            for (Index j = 0; j < n; ++j) {
                const bool seen = x[j] == x[j];
                const T q = (seen ? x[j] : T(0)) / (fit[j] > least ? fit[j] : least);
                first[j] = q;
                second[j] = seen ? T(1) : T(0);
            }
            return;
        case Kind::gamma:
            for (Index j = 0; j < n; ++j) {
                const bool seen = x[j] == x[j];
                const T q = T(1) / (fit[j] > least ? fit[j] : least);
                first[j] = seen ? x[j] * q * q : T(0);
                second[j] = seen ? q : T(0);
            }
            return;
        case Kind::other:
            for (Index j = 0; j < n; ++j) {
                const bool seen = x[j] == x[j];
                const T s = fit[j] > least ? fit[j] : least;
                const T q = power(s, beta - 2.0);
                first[j] = seen ? x[j] * q : T(0);
                second[j] = seen ? q * s : T(0);
            }
            return;
    }
}

}  // namespace

template <class T>
void nmf_beta_sums(Matrix<const T> X, Matrix<const T> W, Matrix<const T> H, double beta, bool columns,
                   const Interrupt& interrupt, Matrix<T> num, Matrix<T> den) {
    constexpr Index lanes = kTileLanes<T>;
    const Index n = X.rows, p = X.cols, k = W.cols;
    const Kind kind = kind_of(beta);
    const bool both = den.data != nullptr;
    const Index width = padded(k, PackFor<T>::size), k4 = padded(k, kTileRows), p_padded = padded(p, kPanelCols);
    const auto packed = pack_columns<T>(H);
    const auto turned = columns ? std::vector<T>() : pack_transposed<T>(H, width);
    const Blocks chunks(n, kChunkRows);
    const Work work(4.0 * double(n) * double(p) * double(k) / 4.0);
    // Sums over the rows of a chunk are added in the order of the chunks, a few chunks at a time.
    std::vector<T> kept(columns ? std::size_t(std::min(kTogether, chunks.count()) * (both ? 2 : 1) * k4 * p_padded)
                                : std::size_t(0));
    if (columns) {
        for (Index l = 0; l < k; ++l)
            for (Index j = 0; j < p; ++j) {
                num(l, j) = T(0);
                if (both) den(l, j) = T(0);
            }
    }
    constexpr T blank = std::numeric_limits<T>::quiet_NaN();
    const auto chunk_sums = [&](Index chunk, T* over_rows) {
        if (interrupt.requested()) return;
        Cells<T> cells(k);
        std::vector<T> left(kBlockRows * (columns ? k4 : 2 * width));
        if (columns) std::fill_n(over_rows, (both ? 2 : 1) * k4 * p_padded, T(0));
        for (Index begin = chunks.begin(chunk); begin < chunks.end(chunk); begin += kBlockRows) {
            const Index used = std::min(kBlockRows, chunks.end(chunk) - begin);
            cells.take_rows(W, begin, used);
            std::fill(left.begin(), left.end(), T(0));
            if (columns)
                for (Index r = 0; r < used; ++r)
                    for (Index l = 0; l < k; ++l) left[r * k4 + l] = W(begin + r, l);
            for (Index col = 0; col < p; col += kPanelCols) {
                const Index across = std::min(kPanelCols, p - col), groups = (across + lanes - 1) / lanes;
                cells.fit_panel(packed.data() + col * k, k, groups);
                const Panel<T> x = cells.take(X, begin, used, col, across, blank);
                for (Index r = 0; r < kBlockRows; ++r) {
                    const Index at = r * kPanelCols;
                    quotients(kind, beta, x.at + r * x.step, cells.fit.data() + at, groups * lanes,
                              cells.first.data() + at,
                              both || kind != Kind::poisson ? cells.second.data() + at : nullptr);
                }
                const Panel<T> first{cells.first.data(), kPanelCols}, second{cells.second.data(), kPanelCols};
                if (columns) {
                    add_over_rows(left.data(), k4, first, groups, over_rows + col, p_padded);
                    if (both) add_over_rows(left.data(), k4, second, groups, over_rows + k4 * p_padded + col, p_padded);
                } else {
                    const T* panel = turned.data() + col * width;
                    add_over_columns(first, across, panel, width, left.data());
                    if (both) add_over_columns(second, across, panel, width, left.data() + kBlockRows * width);
                }
            }
            if (columns) continue;
            for (Index r = 0; r < used; ++r)
                for (Index l = 0; l < k; ++l) {
                    num(begin + r, l) = left[r * width + l];
                    if (both) den(begin + r, l) = left[(kBlockRows + r) * width + l];
                }
        }
    };
    if (!columns) {
        parallel_for(chunks.count(), work, [&](Index chunk) { chunk_sums(chunk, nullptr); });
        return;
    }
    const Index size = (both ? 2 : 1) * k4 * p_padded;
    for (Index first = 0; first < chunks.count(); first += kTogether) {
        const Index many = std::min(kTogether, chunks.count() - first);
        parallel_for(many, work, [&](Index c) { chunk_sums(first + c, kept.data() + c * size); });
        for (Index c = 0; c < many; ++c)
            for (Index l = 0; l < k; ++l) {
                const T* from = kept.data() + c * size + l * p_padded;
                for (Index j = 0; j < p; ++j) num(l, j) += from[j];
                if (!both) continue;
                from += k4 * p_padded;
                for (Index j = 0; j < p; ++j) den(l, j) += from[j];
            }
        if (interrupt.requested()) return;
    }
}

template <class T>
void nmf_beta_sparse(const RowsView<T>& X, Matrix<const T> W, Matrix<const T> Ht, double beta,
                     const Interrupt& interrupt, Matrix<T> num) {
    const Index k = W.cols;
    const Kind kind = kind_of(beta);
    const Blocks blocks(X.rows, 256);
    parallel_for(blocks.count(), Work(4.0 * double(X.values.size()) * double(k)), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<T> sum(k);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            std::fill(sum.begin(), sum.end(), T(0));
            const T* w = W.row(i);
            X.each(i, [&](std::size_t j, double x) {
                const T* h = Ht.row(Index(j));
                T fit = 0;
                for (Index l = 0; l < k; ++l) fit += w[l] * h[l];
                T first{}, second{};
                const T value = T(x);
                quotients(kind, beta, &value, &fit, 1, &first, &second);
                for (Index l = 0; l < k; ++l) sum[l] += first * h[l];
            });
            std::copy(sum.begin(), sum.end(), num.row(i));
        }
    });
}

template <class T>
double nmf_impute(Matrix<const T> X, Matrix<const T> W, Matrix<const T> H, const Interrupt& interrupt,
                  Matrix<T> filled) {
    constexpr Index lanes = kTileLanes<T>;
    const Index p = X.cols, k = W.cols;
    const auto packed = pack_columns<T>(H);
    const Blocks blocks(X.rows, 4 * kBlockRows);
    std::vector<double> part(blocks.count());
    parallel_for(blocks.count(), Work(double(X.rows) * double(p) * double(k)), [&](Index b) {
        if (interrupt.requested()) return;
        Cells<T> cells(k);
        double sum = 0.0;
        for (Index begin = blocks.begin(b); begin < blocks.end(b); begin += kBlockRows) {
            const Index used = std::min(kBlockRows, blocks.end(b) - begin);
            cells.take_rows(W, begin, used);
            for (Index col = 0; col < p; col += kPanelCols) {
                const Index across = std::min(kPanelCols, p - col), groups = (across + lanes - 1) / lanes;
                cells.fit_panel(packed.data() + col * k, k, groups);
                const Panel<T> panel = cells.take(X, begin, used, col, across, T(0));
                for (Index r = 0; r < used; ++r) {
                    const T *x = panel.at + r * panel.step, *fit = cells.fit.data() + r * kPanelCols;
                    T* to = filled.row(begin + r) + col;
                    double squares = 0.0;
                    for (Index j = 0; j < across; ++j) {
                        const T value = x[j] == x[j] ? x[j] : fit[j];
                        const double e = double(value - fit[j]);
                        squares += e * e;
                        to[j] = value;
                    }
                    sum += squares;
                }
            }
        }
        part[b] = sum;
    });
    double total = 0.0;
    for (const double value : part) total += value;
    return total;
}

template <class T>
double nmf_divergence(Matrix<const T> X, Matrix<const T> W, Matrix<const T> H, double beta,
                      const Interrupt& interrupt) {
    constexpr Index lanes = kTileLanes<T>;
    const Index p = X.cols, k = W.cols;
    const Kind kind = kind_of(beta);
    const auto packed = pack_columns<T>(H);
    const Blocks blocks(X.rows, 4 * kBlockRows);
    std::vector<double> part(blocks.count());
    constexpr double kLeast = 1.1920929e-07;
    const auto cell = [&](double x, double s) {
        const double safe = s > kLeast ? s : kLeast;
        switch (kind) {
            case Kind::squares:
                return 0.5 * (x - s) * (x - s);
            case Kind::poisson:
                return (x > 0.0 ? x * log_fast(x / safe) : 0.0) + s - x;
            case Kind::gamma:
                return x > 0.0 ? x / safe - log_fast(x / safe) - 1.0 : -1.0;
            case Kind::other:
                break;
        }
        const double own = x > 0.0 ? exp_fast(beta * log_fast(x)) : 0.0;
        const double rest = s > 0.0 ? (beta - 1.0) * exp_fast(beta * log_fast(beta < 0.0 ? safe : s)) : 0.0;
        const double mixed = x > 0.0 ? beta * x * exp_fast((beta - 1.0) * log_fast(safe)) : 0.0;
        return (own + rest - mixed) / (beta * (beta - 1.0));
    };
    parallel_for(blocks.count(), Work(double(X.rows) * double(p) * double(k)), [&](Index b) {
        if (interrupt.requested()) return;
        Cells<T> cells(k);
        double sum = 0.0;
        for (Index begin = blocks.begin(b); begin < blocks.end(b); begin += kBlockRows) {
            const Index used = std::min(kBlockRows, blocks.end(b) - begin);
            cells.take_rows(W, begin, used);
            for (Index col = 0; col < p; col += kPanelCols) {
                const Index across = std::min(kPanelCols, p - col), groups = (across + lanes - 1) / lanes;
                cells.fit_panel(packed.data() + col * k, k, groups);
                const Panel<T> panel = cells.take(X, begin, used, col, across, T(0));
                for (Index r = 0; r < used; ++r) {
                    const T *x = panel.at + r * panel.step, *fit = cells.fit.data() + r * kPanelCols;
                    double row = 0.0;
                    for (Index j = 0; j < across; ++j)
                        if (x[j] == x[j]) row += cell(double(x[j]), double(fit[j]));
                    sum += row;
                }
            }
        }
        part[b] = sum;
    });
    double total = 0.0;
    for (const double value : part) total += value;
    return total;
}

#define STATLEARN_NMF(T)                                                                                              \
    template void nmf_beta_sums<T>(Matrix<const T>, Matrix<const T>, Matrix<const T>, double, bool, const Interrupt&, \
                                   Matrix<T>, Matrix<T>);                                                             \
    template void nmf_beta_sparse<T>(const RowsView<T>&, Matrix<const T>, Matrix<const T>, double, const Interrupt&,  \
                                     Matrix<T>);                                                                      \
    template double nmf_impute<T>(Matrix<const T>, Matrix<const T>, Matrix<const T>, const Interrupt&, Matrix<T>);    \
    template double nmf_divergence<T>(Matrix<const T>, Matrix<const T>, Matrix<const T>, double, const Interrupt&);
STATLEARN_NMF(float)
STATLEARN_NMF(double)
#undef STATLEARN_NMF

}  // namespace statlearn::decomposition
