#include "ensemble/stump.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "common/parallel.hpp"
#include "common/radix.hpp"

namespace statlearn::ensemble {

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr double kAny = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kRow = kCut - 1;

// Sums of weights and of weighted targets on the left of a place, and all of them.
struct Totals {
    double W, S;
    // The criterion at left sums w, s: quadratic over linear, so convex in (w, s).
    double score(double w, double s) const {
        const double rest = W - w, other = S - s;
        return (s * s * rest + other * other * w) / (w * rest);
    }
};

// One piece of a sorted column: what lies to the left of it, and a bound of the criterion at its places.
struct Piece {
    Index feature, begin, end;
    double w, s;
    double bound;
};

// The largest value of the criterion that any order of the rows of a piece could give: their sums move the left side
// from (w, s) to (w + dw, s + ds) monotonically in the weights of either sign, and a convex function is largest at a
// corner.
double bound_of_signed(const Totals& all, double w, double s, double dw, double ds) {
    const double up = 0.5 * (dw + ds), down = 0.5 * (dw - ds);
    const auto at = [&](double dwi, double dsi) {
        const double left = w + dwi;
        return left > 0.0 && left < all.W ? all.score(left, s + dsi) : kNone;
    };
    return std::max({at(0.0, 0.0), at(dw, ds), at(up, up), at(down, -down)});
}

double bound_of_any(const Totals& all, double w, double s, double dw, double ds, double up) {
    const double high = s + up, low = s + (ds - up);
    double bound = kNone;
    for (const double left : {w, w + dw}) {
        const double rest = all.W - left;
        if (left <= 0.0 || rest <= 1e-12 * all.W) return kAny;
        bound = std::max({bound, all.score(left, low), all.score(left, high)});
    }
    return bound;
}

// Sums of the rows of each piece: four columns of one group over a block of rows.
template <Index kSums>
void add_sums(const std::uint8_t* bins, const double* sums, Index rows, double* out) {
    struct Cell {
        double sum[kSums];
    };
    auto* cells = reinterpret_cast<Cell*>(out);
    for (Index i = 0; i < rows; ++i) {
        const Cell row = reinterpret_cast<const Cell*>(sums)[i];  // a copy: `out` cannot change it
        for (Index c = 0; c < kStumpGroup; ++c) {
            Cell& cell = cells[c * kStumpBins + bins[i * kStumpGroup + c]];
            for (Index k = 0; k < kSums; ++k) cell.sum[k] += row.sum[k];
        }
    }
}

template <Index kSums>
std::vector<double> piece_sums(const StumpTable& table, Matrix<const double> sums, const Interrupt& interrupt) {
    const Index n = sums.rows, groups = table.bins.rows;
    const Index size = kStumpGroup * kStumpBins * kSums;
    const Blocks blocks(n, std::max<Index>(32768, (n + 7) / 8));
    std::vector<double> part(groups * blocks.count() * size, 0.0);
    parallel_for(groups * blocks.count(), [&](Index unit) {
        if (interrupt.requested()) return;
        const Index g = unit / blocks.count(), b = unit % blocks.count();
        const Index begin = blocks.begin(b);
        add_sums<kSums>(table.bins.row(g) + begin * kStumpGroup, sums.row(begin), blocks.end(b) - begin,
                        part.data() + unit * size);
    });
    for (Index g = 0; g < groups; ++g) {
        double* first = part.data() + g * blocks.count() * size;
        for (Index b = 1; b < blocks.count(); ++b)
            for (Index k = 0; k < size; ++k) first[k] += first[b * size + k];
        if (g > 0) std::copy_n(first, size, part.data() + g * size);
    }
    return part;
}

struct Place {
    double score = kNone;
    Index position = -1;
    double w = 0.0, s = 0.0;  // of the left side
};

// The best place inside a piece, or the first one that reaches `goal`.
Place best_in_piece(const Piece& piece, const std::uint32_t* order, Matrix<const double> sums, const Totals& all,
                    double goal) {
    double w = piece.w, s = piece.s;
    Place best;
    for (Index k = piece.begin; k < piece.end; ++k) {
        const double* row = sums.row(Index(order[k] & kRow));
        w += row[0];
        s += row[1];
        if ((order[k] & kCut) == 0 || !(w < all.W)) continue;
        const double score = all.score(w, s);
        if (score > best.score) {
            best = {score, k, w, s};
            if (score >= goal) break;
        }
    }
    return best;
}

template <Index kSums>
StumpCut search(const StumpTable& table, Matrix<const double> sums, double tie, const Interrupt& interrupt) {
    const Index p = table.order.rows;
    const auto part = piece_sums<kSums>(table, sums, interrupt);
    Totals all{0.0, 0.0};
    for (Index b = 0; b < kStumpBins; ++b) {
        all.W += part[b * kSums];
        all.S += part[b * kSums + 1];
    }
    const double parent = all.S * all.S / all.W;
    double reached = kNone;  // a value that some place has
    std::vector<Piece> pieces;
    for (Index j = 0; j < p; ++j) {
        const double* own = part.data() + j * kStumpBins * kSums;
        const std::uint32_t* ends = table.ends.row(j);
        double w = 0.0, s = 0.0;
        Index begin = 0;
        for (Index b = 0; b < kStumpBins && begin < table.order.cols; ++b) {
            const double *d = own + b * kSums, dw = d[0], ds = d[1];
            const Index end = Index(ends[b]);
            const double bound =
                kSums == 2 ? bound_of_signed(all, w, s, dw, ds) : bound_of_any(all, w, s, dw, ds, d[kSums - 2]);
            pieces.push_back({j, begin, end, w, s, bound});
            w += dw;
            s += ds;
            begin = end;
            if (end < table.order.cols && w < all.W) reached = std::max(reached, all.score(w, s));
        }
    }
    if (reached == kNone) return {};
    const double slack = 1e-12 * std::max(reached, parent);  // of sums in another order
    std::erase_if(pieces, [&](const Piece& piece) { return piece.bound < reached - tie - slack; });
    std::vector<double> best(pieces.size(), kNone);
    parallel_for(Index(pieces.size()), [&](Index k) {
        const Piece& piece = pieces[k];
        if (!interrupt.requested())
            best[k] = best_in_piece(piece, table.order.row(piece.feature), sums, all, kAny).score;
    });
    const double top = pieces.empty() ? kNone : *std::max_element(best.begin(), best.end());
    if (top == kNone) return {};
    const double goal = top - tie;
    std::size_t k = 0;
    while (best[k] < goal) ++k;
    const Place place = best_in_piece(pieces[k], table.order.row(pieces[k].feature), sums, all, goal);
    return {pieces[k].feature, place.position, place.score - parent, place.w, place.s};
}

}  // namespace

template <class T>
void stump_sort(Matrix<const T> X, const Interrupt& interrupt, Matrix<std::uint32_t> order, Matrix<std::uint32_t> ends,
                Matrix<std::uint8_t> bins) {
    using Key = decltype(radix_key(T(0)));
    struct Item {
        Key key;
        std::uint32_t row;
    };
    const Index n = X.rows;
    parallel_for(X.cols, [&](Index j) {
        if (interrupt.requested()) return;
        std::vector<Item> items(n), scratch(items.size());
        for (Index i = 0; i < n; ++i) items[i] = {radix_key(X(i, j)), std::uint32_t(i)};
        radix_sort<Item>(items, scratch, [](const Item& item) { return item.key; });
        std::uint32_t *out = order.row(j), *end = ends.row(j);
        std::uint8_t* bin = bins.row(j / kStumpGroup) + j % kStumpGroup;
        Index b = 0;
        for (Index i = 0; i < n; ++i) {
            const auto& item = items[i];
            const bool cut = i + 1 < n && item.key != items[i + 1].key;
            out[i] = item.row | (cut ? kCut : 0);
            bin[Index(item.row) * kStumpGroup] = std::uint8_t(b);
            if (cut && b + 1 < kStumpBins && (i + 1) * kStumpBins >= (b + 1) * n) {
                end[b++] = std::uint32_t(i + 1);
                // A long run of equal values may have passed several marks: the next piece is a full one again.
                while (b + 1 < kStumpBins && (i + 1) * kStumpBins >= (b + 1) * n) end[b++] = std::uint32_t(i + 1);
            }
        }
        std::fill(end + b, end + kStumpBins, std::uint32_t(n));
    });
}

StumpCut stump_search(const StumpTable& table, Matrix<const double> sums, double tie, const Interrupt& interrupt) {
    return sums.cols == 2 ? search<2>(table, sums, tie, interrupt) : search<4>(table, sums, tie, interrupt);
}

StumpCut stump_search_classes(Matrix<const std::uint32_t> order, Span<const double> weights, Span<const int> codes,
                              Index n_classes, double tie, const Interrupt& interrupt) {
    std::vector<double> total(n_classes, 0.0);
    double W = 0.0, squares = 0.0;
    for (Index i = 0; i < weights.size(); ++i) {
        W += weights[i];
        total[codes[i]] += weights[i];
    }
    for (const double t : total) squares += t * t;

    // The best place of a column, or the first one that reaches `goal`.
    const auto best_of_column = [&](Index j, double goal) {
        const std::uint32_t* rows = order.row(j);
        std::vector<double> left(total.size(), 0.0), right = total;
        double w = 0.0, left_squares = 0.0, right_squares = squares;
        std::pair<double, Index> best{kNone, -1};
        for (Index k = 0; k < order.cols; ++k) {
            const std::size_t i = rows[k] & kRow, c = std::size_t(codes[i]);
            const double v = weights[i];
            left_squares += v * (2.0 * left[c] + v);
            right_squares -= v * (2.0 * right[c] - v);
            left[c] += v;
            right[c] -= v;
            w += v;
            const double rest = W - w;
            if ((rows[k] & kCut) == 0 || !(rest > 0.0)) continue;
            const double score = (left_squares * rest + right_squares * w) / (w * rest);
            if (score > best.first) {
                best = {score, k};
                if (score >= goal) break;
            }
        }
        return best;
    };
    std::vector<double> best(order.rows, kNone);
    parallel_for(order.rows, [&](Index j) {
        if (!interrupt.requested()) best[j] = best_of_column(j, kAny).first;
    });
    const double top = *std::max_element(best.begin(), best.end());
    if (top == kNone) return {};
    const double goal = top - tie;
    std::size_t j = 0;
    while (best[j] < goal) ++j;
    const auto [score, place] = best_of_column(Index(j), goal);
    return {Index(j), place, score - squares / W};
}

template void stump_sort<float>(Matrix<const float>, const Interrupt&, Matrix<std::uint32_t>, Matrix<std::uint32_t>,
                                Matrix<std::uint8_t>);
template void stump_sort<double>(Matrix<const double>, const Interrupt&, Matrix<std::uint32_t>, Matrix<std::uint32_t>,
                                 Matrix<std::uint8_t>);

}  // namespace statlearn::ensemble
