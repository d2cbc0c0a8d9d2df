#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/parallel.hpp"
#include "common/tile.hpp"
#include "common/vmath.hpp"
#include "decomposition/nmf.hpp"

namespace statlearn::decomposition {

namespace {

constexpr Index kBlockRows = 32;   // of X, a multiple of kTileRows
constexpr Index kPanelCols = 96;   // a multiple of the lanes of a tile, in both precisions
constexpr Index kChunkRows = 512;  // rows whose sums over columns are kept apart: the grid of the reduction

template <class T>
constexpr T kSmallest = T(1.1920929e-07);  // the least fitted value in a quotient, as in scikit-learn

Index padded(Index n, Index step) { return (n + step - 1) / step * step; }

// What one cell adds to the two sums, given its fitted value.
enum class Kind { squares, poisson, gamma, other };

Kind kind_of(double beta) {
    return beta == 2.0 ? Kind::squares : beta == 1.0 ? Kind::poisson : beta == 0.0 ? Kind::gamma : Kind::other;
}

template <class T>
T power(T base, double exponent) {
    return T(exp_fast(exponent * log_fast(double(base))));
}

// H packed for products over the components: for each group of `lanes` columns, k x lanes.
template <class T>
std::vector<T> pack_columns(MatrixView<const T> H) {
    constexpr Index lanes = kTileLanes<T>;
    const Index k = H.rows, p = H.cols, groups = (p + lanes - 1) / lanes;
    std::vector<T> packed(std::size_t(groups * lanes * k));
    for (Index g = 0; g < groups; ++g)
        for (Index l = 0; l < k; ++l)
            for (Index j = 0; j < lanes && g * lanes + j < p; ++j)
                packed[std::size_t((g * k + l) * lanes + j)] = H(l, g * lanes + j);
    return packed;
}

// H' with the components padded to whole tiles: p x width.
template <class T>
std::vector<T> pack_transposed(MatrixView<const T> H, Index width) {
    std::vector<T> packed(std::size_t(padded(H.cols, kPanelCols) * width));
    for (Index l = 0; l < H.rows; ++l)
        for (Index j = 0; j < H.cols; ++j) packed[std::size_t(j * width + l)] = H(l, j);
    return packed;
}

// Scratch of a unit of work: a block of rows against a panel of columns.
template <class T>
struct Cells {
    std::vector<T> rows;                   // of W: groups of four rows, k x 4 each
    std::vector<T> x, fit, first, second;  // kBlockRows x kPanelCols
    explicit Cells(Index k)
        : rows(std::size_t(kBlockRows * k)),
          x(std::size_t(kBlockRows * kPanelCols)),
          fit(x.size()),
          first(x.size()),
          second(x.size()) {}

    void take_rows(MatrixView<const T> W, Index begin, Index used) {
        const Index k = W.cols;
        for (Index r = 0; r < kBlockRows; ++r)
            for (Index l = 0; l < k; ++l)
                rows[std::size_t((r / kTileRows * k + l) * kTileRows + r % kTileRows)] =
                    r < used ? W(begin + r, l) : T(0);
    }

    // The fitted values of the panel, row-major.
    void fit_panel(const T* packed, Index k, Index groups) {
        constexpr Index lanes = kTileLanes<T>;
        for (Index g = 0; g < groups; ++g)
            for (Index r = 0; r < kBlockRows; r += kTileRows) {
                TileSums<T> s{};
                tile_accumulate(rows.data() + r * k, kTileRows, packed + g * k * lanes, lanes, k, s);
                tile_store(s, fit.data() + r * kPanelCols + g * lanes, kPanelCols);
            }
    }

    void take_cells(MatrixView<const T> X, Index begin, Index used, Index col, Index width, Index padded_width) {
        for (Index r = 0; r < kBlockRows; ++r) {
            T* to = x.data() + r * kPanelCols;
            Index j = 0;
            if (r < used) {
                const T* from = X.row(begin + r) + col * X.col_stride;
                if (X.col_stride == 1)
                    for (; j < width; ++j) to[j] = from[j];
                else
                    for (; j < width; ++j) to[j] = from[j * X.col_stride];
            }
            for (; j < padded_width; ++j) to[j] = std::numeric_limits<T>::quiet_NaN();
        }
    }
};

// first = x fit^(beta-2), second = fit^(beta-1); 0 where x is missing.
template <class T>
void quotients(Kind kind, double beta, const T* x, const T* fit, Index n, T* first, T* second) {
    const T least = kSmallest<T>;
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

// sums (kBlockRows x width) += cells (kBlockRows x depth) * packed (depth x width)
template <class T>
void add_over_columns(const T* cells, Index depth, const T* packed, Index width, T* sums) {
    constexpr Index lanes = kTileLanes<T>;
    T turned[kTileRows * kPanelCols];
    for (Index r = 0; r < kBlockRows; r += kTileRows) {
        for (Index j = 0; j < depth; ++j)
            for (Index i = 0; i < kTileRows; ++i) turned[j * kTileRows + i] = cells[(r + i) * kPanelCols + j];
        for (Index c = 0; c < width; c += lanes) {
            TileSums<T> s;
            tile_load(s, sums + r * width + c, width);
            tile_accumulate(turned, kTileRows, packed + c, width, depth, s);
            tile_store(s, sums + r * width + c, width);
        }
    }
}

// sums (k4 x ld) at column `col` += rows' (k4 x kBlockRows) * cells (kBlockRows x groups of lanes); `rows` is
// kBlockRows x k4, row-major.
template <class T>
void add_over_rows(const T* rows, Index k4, const T* cells, Index groups, T* sums, Index ld) {
    constexpr Index lanes = kTileLanes<T>;
    for (Index g = 0; g < groups; ++g)
        for (Index c = 0; c < k4; c += kTileRows) {
            TileSums<T> s;
            tile_load(s, sums + c * ld + g * lanes, ld);
            tile_accumulate(rows + c, k4, cells + g * lanes, kPanelCols, kBlockRows, s);
            tile_store(s, sums + c * ld + g * lanes, ld);
        }
}

}  // namespace

template <class T>
void nmf_beta_sums(MatrixView<const T> X, MatrixView<const T> W, MatrixView<const T> H, double beta, bool columns,
                   const Interrupt& interrupt, MatrixView<T> num, MatrixView<T> den) {
    constexpr Index lanes = kTileLanes<T>;
    const Index n = X.rows, p = X.cols, k = W.cols;
    const Kind kind = kind_of(beta);
    const bool both = den.data != nullptr;
    const Index width = padded(k, lanes), k4 = padded(k, kTileRows), p_padded = padded(p, kPanelCols);
    const auto packed = pack_columns<T>(H);
    const auto turned = columns ? std::vector<T>() : pack_transposed<T>(H, width);
    const Blocks chunks(n, kChunkRows);
    const Work work(4.0 * double(n) * double(p) * double(k) / 4.0);
    // Sums over the rows of a chunk are added in the order of the chunks, a few chunks at a time.
    constexpr Index kTogether = 8;
    std::vector<T> kept(columns ? std::size_t(std::min(kTogether, chunks.count()) * (both ? 2 : 1) * k4 * p_padded)
                                : std::size_t(0));
    if (columns) {
        for (Index l = 0; l < k; ++l)
            for (Index j = 0; j < p; ++j) {
                num(l, j) = T(0);
                if (both) den(l, j) = T(0);
            }
    }
    const auto chunk_sums = [&](Index chunk, T* over_rows) {
        if (interrupt.requested()) return;
        Cells<T> cells(k);
        std::vector<T> left(std::size_t(kBlockRows * (columns ? k4 : 2 * width)));
        if (columns) std::fill_n(over_rows, (both ? 2 : 1) * k4 * p_padded, T(0));
        for (Index begin = chunks.begin(chunk); begin < chunks.end(chunk); begin += kBlockRows) {
            const Index used = std::min(kBlockRows, chunks.end(chunk) - begin);
            cells.take_rows(W, begin, used);
            std::fill(left.begin(), left.end(), T(0));
            if (columns)
                for (Index r = 0; r < used; ++r)
                    for (Index l = 0; l < k; ++l) left[std::size_t(r * k4 + l)] = W(begin + r, l);
            for (Index col = 0; col < p; col += kPanelCols) {
                const Index across = std::min(kPanelCols, p - col), groups = (across + lanes - 1) / lanes;
                cells.fit_panel(packed.data() + col * k, k, groups);
                cells.take_cells(X, begin, used, col, across, groups * lanes);
                for (Index r = 0; r < kBlockRows; ++r) {
                    const Index at = r * kPanelCols;
                    quotients(kind, beta, cells.x.data() + at, cells.fit.data() + at, groups * lanes,
                              cells.first.data() + at, cells.second.data() + at);
                }
                if (columns) {
                    add_over_rows(left.data(), k4, cells.first.data(), groups, over_rows + col, p_padded);
                    if (both)
                        add_over_rows(left.data(), k4, cells.second.data(), groups, over_rows + k4 * p_padded + col,
                                      p_padded);
                } else {
                    add_over_columns(cells.first.data(), across, turned.data() + col * width, width, left.data());
                    if (both)
                        add_over_columns(cells.second.data(), across, turned.data() + col * width, width,
                                         left.data() + kBlockRows * width);
                }
            }
            if (columns) continue;
            for (Index r = 0; r < used; ++r)
                for (Index l = 0; l < k; ++l) {
                    num(begin + r, l) = left[std::size_t(r * width + l)];
                    if (both) den(begin + r, l) = left[std::size_t((kBlockRows + r) * width + l)];
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
void nmf_beta_sparse(const RowsView<T>& X, MatrixView<const T> W, MatrixView<const T> Ht, double beta,
                     const Interrupt& interrupt, MatrixView<T> num) {
    const Index k = W.cols;
    const Kind kind = kind_of(beta);
    const Blocks blocks(X.rows, 256);
    parallel_for(blocks.count(), Work(4.0 * double(X.values.size()) * double(k)), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<T> sum(static_cast<std::size_t>(k));
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
                for (Index l = 0; l < k; ++l) sum[std::size_t(l)] += first * h[l];
            });
            std::copy(sum.begin(), sum.end(), num.row(i));
        }
    });
}

template <class T>
double nmf_impute(MatrixView<const T> X, MatrixView<const T> W, MatrixView<const T> H, const Interrupt& interrupt,
                  MatrixView<T> filled) {
    constexpr Index lanes = kTileLanes<T>;
    const Index p = X.cols, k = W.cols;
    const auto packed = pack_columns<T>(H);
    const Blocks blocks(X.rows, 4 * kBlockRows);
    std::vector<double> part(std::size_t(blocks.count()));
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
                cells.take_cells(X, begin, used, col, across, groups * lanes);
                for (Index r = 0; r < used; ++r) {
                    const T *x = cells.x.data() + r * kPanelCols, *fit = cells.fit.data() + r * kPanelCols;
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
        part[std::size_t(b)] = sum;
    });
    double total = 0.0;
    for (const double value : part) total += value;
    return total;
}

template <class T>
double nmf_divergence(MatrixView<const T> X, MatrixView<const T> W, MatrixView<const T> H, double beta,
                      const Interrupt& interrupt) {
    constexpr Index lanes = kTileLanes<T>;
    const Index p = X.cols, k = W.cols;
    const Kind kind = kind_of(beta);
    const auto packed = pack_columns<T>(H);
    const Blocks blocks(X.rows, 4 * kBlockRows);
    std::vector<double> part(std::size_t(blocks.count()));
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
                cells.take_cells(X, begin, used, col, across, groups * lanes);
                for (Index r = 0; r < used; ++r) {
                    const T *x = cells.x.data() + r * kPanelCols, *fit = cells.fit.data() + r * kPanelCols;
                    double row = 0.0;
                    for (Index j = 0; j < across; ++j)
                        if (x[j] == x[j]) row += cell(double(x[j]), double(fit[j]));
                    sum += row;
                }
            }
        }
        part[std::size_t(b)] = sum;
    });
    double total = 0.0;
    for (const double value : part) total += value;
    return total;
}

#define STATLEARN_NMF(T)                                                                                           \
    template void nmf_beta_sums<T>(MatrixView<const T>, MatrixView<const T>, MatrixView<const T>, double, bool,    \
                                   const Interrupt&, MatrixView<T>, MatrixView<T>);                                \
    template void nmf_beta_sparse<T>(const RowsView<T>&, MatrixView<const T>, MatrixView<const T>, double,         \
                                     const Interrupt&, MatrixView<T>);                                             \
    template double nmf_impute<T>(MatrixView<const T>, MatrixView<const T>, MatrixView<const T>, const Interrupt&, \
                                  MatrixView<T>);                                                                  \
    template double nmf_divergence<T>(MatrixView<const T>, MatrixView<const T>, MatrixView<const T>, double,       \
                                      const Interrupt&);
STATLEARN_NMF(float)
STATLEARN_NMF(double)
#undef STATLEARN_NMF

}  // namespace statlearn::decomposition
