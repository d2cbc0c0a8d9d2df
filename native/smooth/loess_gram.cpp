#include <atomic>
#include <numeric>

#include "common/gram.hpp"
#include "common/parallel.hpp"
#include "smooth/loess_entries.hpp"
#include "smooth/loess_operator.hpp"

namespace statlearn::smooth {
namespace {

constexpr Index kPack = 256;  // rows taken together
constexpr Index kRound = 32;  // packs whose cross-products wait to be added up

// Rows in the order of their leaves, so that those of a pack are neighbours.
std::vector<int> by_leaf(const LoessData& data, const Blender& blender) {
    const Index n = data.X.rows, d = data.X.cols;
    std::vector<int> order(n), leaf(order);
    std::iota(order.begin(), order.end(), 0);
    if (d == 1) return order;
    for (Index i = 0; i < n; ++i) {
        double z[kLoessColumns];
        for (Index j = 0; j < d; ++j) z[j] = data.X(i, j);
        leaf[i] = blender.leaf(z);
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return leaf[a] < leaf[b]; });
    return order;
}

// The cross-products of one pack, over the columns that its rows meet.
class Pack {
public:
    std::vector<Index> columns;  // of G
    std::vector<double> products;
    Index width = 0;

    void fill(const LoessData& data, const LoessRule& rule, const LoessFits& fits, const Blender& blender,
              Span<const int> rows, Span<const double> divide, bool with_blends) {
        const Index r = fits.places.rows * fits.parts, count = Index(rows.size());
        columns.clear();
        std::vector<Index> near = reaching(data, rule, fits, rows);
        const Index shift = with_blends ? r : 0;
        for (const Index v : near)
            for (Index part = 0; part < fits.parts; ++part) columns.push_back(shift + v * fits.parts + part);
        std::vector<Share> shares;
        if (with_blends) find_blends(data, fits, blender, rows, shares);
        width = (Index(columns.size()) + kGramTile - 1) / kGramTile * kGramTile;
        std::vector<double> Z(count * width, 0.0);
        LoessEntries entries(data, rule, fits);
        for (Index i = 0; i < count; ++i) {
            const double root = divide.empty() ? 1.0 : std::sqrt(divide[rows[i]]);
            double* z = Z.data() + i * width;
            for (const Index v : near) {
                entries.entries(v, rows[i], z);
                for (Index part = 0; part < fits.parts; ++part) *z++ /= root;
            }
        }
        for (const Share& share : shares) {
            const double root = divide.empty() ? 1.0 : std::sqrt(divide[rows[share.row]]);
            Z[share.row * width + share.column] = root * share.value;
        }
        products.assign(width * width, 0.0);
        gram_update(Z.data(), Z.data(), count, width, products.data());
    }

    void add_to(Matrix<double> G) const {
        const Index size = Index(columns.size());
        for (Index a = 0; a < size; ++a)
            for (Index b = a; b < size; ++b) {
                const double value = products[a * width + b];
                const Index i = columns[a], j = columns[b];
                G(i, j) += value;
                if (i != j) G(j, i) += value;
            }
    }

private:
    struct Share {
        Index row, column;  // of the pack
        double value;
    };

    // Vertices whose fits reach into the box of the rows.
    static std::vector<Index> reaching(const LoessData& data, const LoessRule& rule, const LoessFits& fits,
                                       Span<const int> rows) {
        std::vector<double> low(rule.near), high(low);
        for (Index j = 0; j < rule.near; ++j) {
            const double* x = data.X.col(j);
            low[j] = high[j] = x[rows[0]];
            for (const int row : rows) {
                low[j] = std::min(low[j], x[row]);
                high[j] = std::max(high[j], x[row]);
            }
        }
        std::vector<Index> found;
        for (Index v = 0; v < fits.places.rows; ++v) {
            double square = 0.0;
            for (Index j = 0; j < rule.near; ++j) {
                const double z = fits.places(v, j);
                const double gap = std::max(std::max(low[j] - z, z - high[j]), 0.0);
                square += gap * gap;
            }
            if (square <= std::abs(fits.reach[v])) found.push_back(v);
        }
        return found;
    }

    // Appends the columns of the vertices that the rows' blends are made of.
    void find_blends(const LoessData& data, const LoessFits& fits, const Blender& blender, Span<const int> rows,
                     std::vector<Share>& shares) {
        std::vector<Index> place(fits.places.rows, -1);
        Blend blend;
        for (Index i = 0; i < rows.size(); ++i) {
            double z[kLoessColumns];
            for (Index j = 0; j < data.X.cols; ++j) z[j] = data.X(rows[i], j);
            blender.collect(z, blend);
            for (Index t = 0; t < blend.size; ++t) {
                const int v = blend.index[t];
                Index& at = place[v];
                if (at < 0) {
                    at = Index(columns.size());
                    for (Index part = 0; part < fits.parts; ++part) columns.push_back(v * fits.parts + part);
                }
                for (Index part = 0; part < fits.parts; ++part)
                    shares.push_back({Index(i), at + part, blend.shares[t][part]});
            }
        }
    }
};

}  // namespace

bool loess_gram(const LoessData& data, const LoessRule& rule, const LoessFits& fits, const LoessCellsView& cells,
                Span<const double> divide, const Interrupt& interrupt, Matrix<double> G) {
    const bool with_blends = G.rows > fits.places.rows * fits.parts;
    const Blender blender(cells);
    const std::vector<int> order = by_leaf(data, blender);
    for (Index i = 0; i < G.rows; ++i) std::fill(G.row(i), G.row(i) + G.cols, 0.0);
    const Blocks blocks(data.X.rows, kPack);
    std::vector<Pack> packs(std::min(kRound, blocks.count()));
    std::atomic<bool> stopped{false};
    for (Index first = 0; first < blocks.count() && !stopped; first += kRound) {
        const Index count = std::min(kRound, blocks.count() - first);
        parallel_for(count, [&](Index p) {
            if (stopped || interrupt.requested()) {
                stopped = true;
                return;
            }
            const Index begin = blocks.begin(first + p), end = blocks.end(first + p);
            const Span<const int> rows(order.data() + begin, end - begin);
            packs[p].fill(data, rule, fits, blender, rows, divide, with_blends);
        });
        if (stopped) return false;
        for (Index p = 0; p < count; ++p) packs[p].add_to(G);
    }
    return true;
}

}  // namespace statlearn::smooth
