#include <algorithm>
#include <cmath>
#include <vector>

#include "common/parallel.hpp"
#include "decomposition/nmf.hpp"
#include "decomposition/nmf_cells.hpp"
#include "decomposition/nmf_rows.hpp"

namespace statlearn::decomposition {

namespace {

constexpr double kMostRelaxed = 1.9;  // steps of twice the length and more need not converge

// Replaces the missing cells of a copied panel by their fitted values.
template <class T>
void fill_panel(Cells<T>& cells, Index used, Index across) {
    for (Index r = 0; r < used; ++r) {
        T* x = cells.x.data() + r * kPanelCols;
        const T* fit = cells.fit.data() + r * kPanelCols;
        for (Index j = 0; j < across; ++j) x[j] = x[j] == x[j] ? x[j] : fit[j];
    }
}

// The squared error of the cells that are not missing, before they are filled. Adds the number of missing ones of each
// row to `lacking`.
template <class T>
double panel_squares(const Cells<T>& cells, Index used, Index across, Index* lacking) {
    constexpr Index lanes = 8;  // sums side by side, in a fixed order
    double part[lanes] = {};
    for (Index r = 0; r < used; ++r) {
        const T *x = cells.x.data() + r * kPanelCols, *fit = cells.fit.data() + r * kPanelCols;
        const auto square = [&](Index j) {
            // Not "seen ? x - fit : 0": tools/masked_loads.py says what GCC 12 makes of a load inside a choice.
            const double e = double(x[j] == x[j] ? x[j] : fit[j]) - double(fit[j]);
            return e * e;
        };
        Index j = 0;
        for (; j + lanes <= across; j += lanes)
            for (Index l = 0; l < lanes; ++l) part[l] += square(j + l);
        for (; j < across; ++j) part[0] += square(j);
        int count = 0;
        for (Index c = 0; c < across; ++c) count += x[c] != x[c];
        lacking[r] += count;
    }
    double sum = 0.0;
    for (const double value : part) sum += value;
    return sum;
}

}  // namespace

template <class T>
AlternatingFacts nmf_alternating_pass(MatrixView<const T> X, MatrixView<const T> H, MatrixView<const double> G,
                                      std::span<const int> order, const CoordinatePlan& plan, bool missing, bool relax,
                                      const Interrupt& interrupt, MatrixView<T> W, MatrixView<T> products) {
    constexpr Index lanes = kTileLanes<T>;
    const Index n = X.rows, p = X.cols, k = W.cols;
    const Index width = padded(k, PackFor<T>::size), k4 = padded(k, kTileRows), p_padded = padded(p, kPanelCols);
    const auto turned = pack_transposed<T>(H, width);
    const auto packed = missing ? pack_columns<T>(H) : std::vector<T>();
    const Blocks chunks(n, kChunkRows);
    const Index size = k4 * p_padded;
    std::vector<T> kept(std::size_t(std::min(kTogether, chunks.count()) * size));
    std::vector<AlternatingFacts> facts(std::size_t(chunks.count()));

    const auto chunk_pass = [&](Index chunk, T* sums) {
        if (interrupt.requested()) return;
        Cells<T> cells(k);
        CoordinateRows descent(G, order, plan);
        std::vector<T> a(std::size_t(kBlockRows * width)), w(std::size_t(kBlockRows * k4)), before;
        AlternatingFacts& own = facts[std::size_t(chunk)];
        std::fill_n(sums, size, T(0));
        for (Index begin = chunks.begin(chunk); begin < chunks.end(chunk); begin += kBlockRows) {
            const Index used = std::min(kBlockRows, chunks.end(chunk) - begin);
            const auto each_panel = [&](auto&& body) {
                if (missing) cells.take_rows(W.as_const(), begin, used);
                for (Index col = 0; col < p; col += kPanelCols) {
                    const Index across = std::min(kPanelCols, p - col), groups = (across + lanes - 1) / lanes;
                    if (!missing) {
                        body(cells.take(X, begin, used, col, across, T(0)), col, across, groups);
                        continue;
                    }
                    cells.fit_panel(packed.data() + col * k, k, groups);
                    body(cells.copy(X, begin, used, col, across, T(0)), col, across, groups);
                }
            };
            Index lacking[kBlockRows] = {};
            std::fill(a.begin(), a.end(), T(0));
            each_panel([&](const Panel<T>& x, Index col, Index across, Index) {
                if (missing) {
                    own.squares += panel_squares(cells, used, across, lacking);
                    fill_panel(cells, used, across);
                }
                add_over_columns(x, across, turned.data() + col * width, width, a.data());
            });
            for (Index r = 0; r < used; ++r)
                for (Index l = 0; l < k; ++l) own.size += std::abs(double(a[std::size_t(r * width + l)]));
            if (relax) {
                before.resize(std::size_t(kBlockRows * k));
                for (Index r = 0; r < used; ++r) std::copy_n(W.row(begin + r), k, before.data() + r * k);
            }
            own.violation += descent.descend(a.data(), width, used, W.row(begin), W.row_stride);
            for (Index r = 0; r < used && relax; ++r) {
                if (lacking[r] == 0 || lacking[r] == p) continue;
                const T factor = T(std::min(kMostRelaxed, double(p) / double(p - lacking[r])));
                const T* from = before.data() + r * k;
                T* to = W.row(begin + r);
                for (Index l = 0; l < k; ++l) to[l] = std::max(T(0), from[l] + factor * (to[l] - from[l]));
            }
            std::fill(w.begin(), w.end(), T(0));
            for (Index r = 0; r < used; ++r) std::copy_n(W.row(begin + r), k, w.data() + r * k4);
            each_panel([&](const Panel<T>& x, Index col, Index across, Index groups) {
                if (missing) fill_panel(cells, used, across);
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

template AlternatingFacts nmf_alternating_pass<float>(MatrixView<const float>, MatrixView<const float>,
                                                      MatrixView<const double>, std::span<const int>,
                                                      const CoordinatePlan&, bool, bool, const Interrupt&,
                                                      MatrixView<float>, MatrixView<float>);
template AlternatingFacts nmf_alternating_pass<double>(MatrixView<const double>, MatrixView<const double>,
                                                       MatrixView<const double>, std::span<const int>,
                                                       const CoordinatePlan&, bool, bool, const Interrupt&,
                                                       MatrixView<double>, MatrixView<double>);

}  // namespace statlearn::decomposition
