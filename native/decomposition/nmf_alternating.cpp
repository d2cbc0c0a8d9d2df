#include <algorithm>
#include <cmath>
#include <vector>

#include "common/parallel.hpp"
#include "decomposition/nmf.hpp"
#include "decomposition/nmf_cells.hpp"
#include "decomposition/nmf_rows.hpp"

namespace statlearn::decomposition {

namespace {

// The squares of a pack of differences, added up in double precision.
inline void add_squares(Pack4 e, Pack4& sum) { sum = mul_add(e, e, sum); }
inline void add_squares(Pack8 e, Pack4& sum) {
    float each[8];
    packs(each)[0] = e;
    add_squares(load_pack(each), sum);
    add_squares(load_pack(each + 4), sum);
}

// A panel of the table in `x`, with fitted values in its missing cells, which are put there while they are still in the
// registers. With `Squares`, returns the squared error of the other cells.
template <bool Squares, class T>
double fill_panel(Cells<T>& cells, const Panel<T>& from, const T* packed, Index k, Index groups) {
    constexpr Index lanes = kTileLanes<T>, pack = PackFor<T>::size;
    Pack4 squares[kTilePacks] = {};
    for (Index r = 0; r < kBlockRows; r += kTileRows)
        for (Index g = 0; g < groups; ++g) {
            TileSums<T> fit{};
            tile_accumulate(cells.rows.data() + r * k, kTileRows, packed + g * k * lanes, lanes, k, fit);
            const T* x = from.at + r * from.step + g * lanes;
            T* to = cells.x.data() + r * kPanelCols + g * lanes;
            for (Index i = 0; i < kTileRows; ++i)
                for (Index v = 0; v < kTilePacks; ++v) {
                    const PackOf<T> seen = packs(x + i * from.step)[v], value = fit.v[i][v];
                    const PackOf<T> filled = seen == seen ? seen : value;
                    *packs(to + i * kPanelCols + v * pack) = filled;
                    if constexpr (Squares) add_squares(filled - value, squares[v]);
                }
        }
    return total(squares[0]) + (total(squares[1]) + total(squares[2]));
}

}  // namespace

template <class T>
AlternatingFacts nmf_alternating_pass(Matrix<const T> X, Matrix<const T> H, Matrix<const double> G,
                                      Span<const int> order, const CoordinatePlan& plan, bool missing,
                                      Span<const T> row_steps, const Interrupt& interrupt, Matrix<T> W,
                                      Matrix<T> products) {
    constexpr Index lanes = kTileLanes<T>;
    const Index n = X.rows, p = X.cols, k = W.cols;
    const Index width = padded(k, PackFor<T>::size), k4 = padded(k, kTileRows), p_padded = padded(p, kPanelCols);
    const auto turned = pack_transposed<T>(H, width);
    const auto packed = missing ? pack_columns<T>(H) : std::vector<T>();
    const Blocks chunks(n, kChunkRows);
    const Index size = k4 * p_padded;
    std::vector<T> kept(std::min(kTogether, chunks.count()) * size);
    std::vector<AlternatingFacts> facts(chunks.count());

    const auto chunk_pass = [&](Index chunk, T* sums) {
        if (interrupt.requested()) return;
        Cells<T> cells(k);
        CoordinateRows descent(G, order, plan);
        std::vector<T> a(kBlockRows * width), w(kBlockRows * k4), before;
        AlternatingFacts& own = facts[chunk];
        std::fill_n(sums, size, T(0));
        for (Index begin = chunks.begin(chunk); begin < chunks.end(chunk); begin += kBlockRows) {
            const Index used = std::min(kBlockRows, chunks.end(chunk) - begin);
            const auto each_panel = [&](auto&& fill, auto&& body) {
                if (missing) cells.take_rows(W.as_const(), begin, used);
                for (Index col = 0; col < p; col += kPanelCols) {
                    const Index across = std::min(kPanelCols, p - col), groups = (across + lanes - 1) / lanes;
                    Panel<T> x = cells.take(X, begin, used, col, across, T(0));
                    if (missing) {
                        fill(x, packed.data() + col * k, groups);
                        x = {cells.x.data(), kPanelCols};
                    }
                    body(x, col, across, groups);
                }
            };
            std::fill(a.begin(), a.end(), T(0));
            each_panel([&](const Panel<T>& x, const T* h,
                           Index groups) { own.squares += fill_panel<true>(cells, x, h, k, groups); },
                       [&](const Panel<T>& x, Index col, Index across, Index) {
                           add_over_columns(x, across, turned.data() + col * width, width, a.data());
                       });
            for (Index r = 0; r < used; ++r)
                for (Index l = 0; l < k; ++l) own.size += std::abs(double(a[r * width + l]));
            if (!row_steps.empty()) {
                before.resize(kBlockRows * k);
                for (Index r = 0; r < used; ++r) std::copy_n(W.row(begin + r), k, before.data() + r * k);
            }
            own.violation += descent.descend(a.data(), width, used, W.row(begin), W.row_stride);
            for (Index r = 0; r < used && !row_steps.empty(); ++r) {
                const T step = row_steps[begin + r], *from = before.data() + r * k;
                T* to = W.row(begin + r);
                if (step == T(1)) continue;
                for (Index l = 0; l < k; ++l) to[l] = std::max(T(0), from[l] + step * (to[l] - from[l]));
            }
            std::fill(w.begin(), w.end(), T(0));
            for (Index r = 0; r < used; ++r) std::copy_n(W.row(begin + r), k, w.data() + r * k4);
            each_panel([&](const Panel<T>& x, const T* h, Index groups) { fill_panel<false>(cells, x, h, k, groups); },
                       [&](const Panel<T>& x, Index col, Index, Index groups) {
                           add_over_rows(w.data(), k4, x, groups, sums + col, p_padded);
                       });
        }
    };

    for (Index j = 0; j < p; ++j) std::fill_n(products.row(j), k, T(0));
    const Work work((missing ? 4.0 : 2.0) * double(n) * double(p) * double(k));
    for (Index first = 0; first < chunks.count(); first += kTogether) {
        const Index many = std::min(kTogether, chunks.count() - first);
        parallel_for(many, work, [&](Index c) { chunk_pass(first + c, kept.data() + c * size); });
        if (interrupt.requested()) break;
        for (Index c = 0; c < many; ++c)
            for (Index l = 0; l < k; ++l) {
                const T* from = kept.data() + c * size + l * p_padded;
                for (Index j = 0; j < p; ++j) products(j, l) += from[j];
            }
    }
    AlternatingFacts total{};
    for (const AlternatingFacts& part : facts) {
        total.violation += part.violation;
        total.size += part.size;
        total.squares += part.squares;
    }
    return total;
}

template AlternatingFacts nmf_alternating_pass<float>(Matrix<const float>, Matrix<const float>, Matrix<const double>,
                                                      Span<const int>, const CoordinatePlan&, bool, Span<const float>,
                                                      const Interrupt&, Matrix<float>, Matrix<float>);
template AlternatingFacts nmf_alternating_pass<double>(Matrix<const double>, Matrix<const double>, Matrix<const double>,
                                                       Span<const int>, const CoordinatePlan&, bool, Span<const double>,
                                                       const Interrupt&, Matrix<double>, Matrix<double>);

}  // namespace statlearn::decomposition
