#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "cluster/dbscan.hpp"
#include "common/parallel.hpp"
#include "common/radix.hpp"
#include "common/union_find.hpp"

namespace statlearn::cluster {

namespace {

using Key = std::uint64_t;

constexpr Index kReach = 2;  // cells away that two points within eps can be, for p <= 3
constexpr double kMostCells = 1 << 20;
constexpr Index kCellsPerTask = 256;

struct Item {
    Key key;
    std::uint32_t row;
};

struct Range {
    Index begin, end;
};

// Points sorted by cell. The number of a cell in the last dimension is the lowest part of its key, so that cells
// that follow each other in a column of cells follow each other in memory.
template <int P>
class Grid {
public:
    Index n = 0;
    std::array<std::vector<double>, P> x;  // coordinates, by place
    std::vector<double> weight;            // by place; empty if all are 1
    std::vector<std::uint32_t> row;        // by place
    std::vector<Key> keys;                 // of the cells, increasing
    std::vector<Index> begin;              // first place of each cell, and the end
    std::vector<Index> core_end;           // core points come first in a cell, up to here
    std::vector<std::int64_t> column;      // what to add to a key to get to a neighbouring column of cells, near first

    bool sort(Span<const double> X, Span<const double> weights, double eps) {
        n = Index(X.size()) / P;
        std::array<double, P> low, high;
        low.fill(std::numeric_limits<double>::infinity());
        high.fill(-low[0]);
        for (Index i = 0; i < n; ++i)
            for (int j = 0; j < P; ++j) {
                low[j] = std::min(low[j], X[i * P + j]);
                high[j] = std::max(high[j], X[i * P + j]);
            }
        // A little smaller than eps / sqrt(P): no rounding can put two points farther than eps into one cell.
        const double side = eps / std::sqrt(double(P)) * (1.0 - 1e-9);
        std::array<int, P> shift;
        int bits = 0;
        for (int j = P - 1; j >= 0; --j) {
            const double cells = (high[j] - low[j]) / side;
            if (!(cells < kMostCells)) return false;
            shift[j] = bits;
            bits += int(std::bit_width(Key(cells) + 2 * Key(kReach) + 1));  // room for neighbours beyond the border
        }
        std::vector<Item> items(n), scratch(n);
        const Blocks blocks(n, 16384);
        parallel_for(blocks.count(), [&](Index b) {
            for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
                Key key = 0;
                for (int j = 0; j < P; ++j) {
                    const double cell = (X[i * P + j] - low[j]) / side;
                    key |= (Key(cell) + Key(kReach)) << shift[j];
                }
                items[i] = {key, std::uint32_t(i)};
            }
        });
        radix_sort<Item>(items, scratch, [](const Item& item) { return item.key; });
        place(items, X, weights);
        columns(shift);
        return true;
    }

    Index cells() const { return Index(keys.size()); }

    bool close(Index a, Index b, double square) const {
        double sum = 0.0;
        for (int j = 0; j < P; ++j) {
            const double t = x[j][a] - x[j][b];
            sum += t * t;
        }
        return sum <= square;
    }

    // Whether one of some places is within the distance of a place.
    bool any_close(Index a, Index from, Index to, double square) const {
        constexpr Index kStep = 16;
        for (; from < to; from += kStep)
            if (count_close(a, from, std::min(to, from + kStep), square) > 0) return true;
        return false;
    }

    Index count_close(Index a, Index from, Index to, double square) const {
        std::array<double, P> own;
        std::array<const double*, P> other;
        for (std::size_t j = 0; j < P; ++j) own[j] = x[j][a], other[j] = x[j].data();
        Index count = 0;
        for (Index b = from; b < to; ++b) {
            double sum = 0.0;
            for (std::size_t j = 0; j < P; ++j) sum += (own[j] - other[j][b]) * (own[j] - other[j][b]);
            count += sum <= square ? 1 : 0;
        }
        return count;
    }

    double weight_close(Index a, Index from, Index to, double square) const {
        double sum = 0.0;
        for (Index b = from; b < to; ++b) sum += close(a, b, square) ? weight[b] : 0.0;
        return sum;
    }

    // Moves the core points of a cell to its front.
    void core_first(Index cell, std::vector<char>& flags) {
        Index to = begin[cell];
        for (Index a = to; a < begin[cell + 1]; ++a) {
            if (!flags[a]) continue;
            for (auto& coordinate : x) std::swap(coordinate[a], coordinate[to]);
            if (!weight.empty()) std::swap(weight[a], weight[to]);
            std::swap(row[a], row[to]);
            std::swap(flags[a], flags[to]);
            ++to;
        }
        core_end[cell] = to;
    }

private:
    void place(const std::vector<Item>& items, Span<const double> X, Span<const double> weights) {
        for (auto& coordinate : x) coordinate.resize(n);
        row.resize(n);
        if (!weights.empty()) weight.resize(n);
        const Blocks blocks(n, 16384);
        parallel_for(blocks.count(), [&](Index b) {
            for (Index a = blocks.begin(b); a < blocks.end(b); ++a) {
                const auto r = items[a].row;
                for (std::size_t j = 0; j < P; ++j) x[j][a] = X[std::size_t(r) * P + j];
                if (!weights.empty()) weight[a] = weights[r];
                row[a] = r;
            }
        });
        for (Index a = 0; a < n; ++a)
            if (a == 0 || items[a].key != keys.back()) {
                keys.push_back(items[a].key);
                begin.push_back(a);
            }
        begin.push_back(n);
        core_end.assign(keys.size(), 0);
    }

    void columns(const std::array<int, P>& shift) {
        struct Step {
            Index far;
            std::int64_t add;
        };
        std::vector<Step> steps{{0, 0}};
        for (std::size_t j = 0; j + 1 < P; ++j) {
            std::vector<Step> longer;
            for (const Step& s : steps)
                for (Index d = -kReach; d <= kReach; ++d)
                    longer.push_back({s.far + d * d, s.add + d * (std::int64_t{1} << shift[j])});
            steps = longer;
        }
        std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.far < b.far; });
        for (const Step& s : steps) column.push_back(s.add);
    }
};

// The neighbours of cells that are looked at one after the other, column by column of cells: two marks for each column
// move forward with the cell.
template <int P>
class Sweep {
public:
    std::vector<Range> places;  // of the points around the present cell

    Sweep(const Grid<P>& grid, Index cell) : grid_(grid), ranges_(grid.column.size()) {
        for (std::size_t c = 0; c < ranges_.size(); ++c) {
            const Key key = target(cell, c);
            const auto at = std::lower_bound(grid.keys.begin(), grid.keys.end(), key - kReach) - grid.keys.begin();
            ranges_[c] = {at, at};
        }
    }

    // Cells of column c that may hold neighbours of the points of this cell; cells must be asked for in order.
    Range cells(Index cell, std::size_t c) {
        const Key key = target(cell, c);
        Range& r = ranges_[c];
        const auto& keys = grid_.keys;
        const Index all = grid_.cells();
        while (r.begin < all && keys[r.begin] < key - kReach) ++r.begin;
        r.end = std::max(r.end, r.begin);
        while (r.end < all && keys[r.end] <= key + kReach) ++r.end;
        return r;
    }

private:
    Key target(Index cell, std::size_t c) const { return grid_.keys[cell] + Key(grid_.column[c]); }

    const Grid<P>& grid_;
    std::vector<Range> ranges_;
};

template <int P>
class GridDbscan {
public:
    GridDbscan(Grid<P>& grid, const Density& density, const Interrupt& stop)
        : g(grid), square(density.eps * density.eps), least(density.least), interrupt(stop) {}

    void run(Span<std::uint8_t> core, Span<Index> labels) {
        find_cores();
        UnionFind sets(g.cells());
        join_cells(sets);
        number(sets);
        std::vector<Index> found(g.n, -1);
        label(found);
        for (Index a = 0; a < g.n; ++a) {
            labels[g.row[a]] = found[a];
            core[g.row[a]] = std::uint8_t(flags[a]);
        }
    }

private:
    template <class Body>
    void for_cells(Body&& body) {
        const Blocks blocks(g.cells(), kCellsPerTask);
        parallel_for(blocks.count(), [&](Index b) {
            if (interrupt.requested()) return;
            Sweep<P> sweep(g, blocks.begin(b));
            for (Index cell = blocks.begin(b); cell < blocks.end(b); ++cell) body(cell, sweep);
        });
    }

    double mass(Index from, Index to) const {
        if (g.weight.empty()) return double(to - from);
        double sum = 0.0;
        for (Index a = from; a < to; ++a) sum += g.weight[a];
        return sum;
    }

    void find_cores() {
        flags.assign(g.n, 0);
        for_cells([&](Index cell, Sweep<P>& sweep) {
            const Index begin = g.begin[cell], end = g.begin[cell + 1];
            if (mass(begin, end) >= least) {
                for (Index a = begin; a < end; ++a) flags[a] = present(a);
                return;
            }
            std::vector<Range>& places = ranges(cell, sweep);
            for (Index a = begin; a < end; ++a) {
                double sum = 0.0;
                for (const Range& r : places) {
                    sum += g.weight.empty() ? double(g.count_close(a, r.begin, r.end, square))
                                            : g.weight_close(a, r.begin, r.end, square);
                    if (sum >= least) break;
                }
                flags[a] = sum >= least && present(a);
            }
        });
        // Not before all counts are made: it moves points.
        parallel_for(Blocks(g.cells()).count(), [&](Index b) {
            const Blocks blocks(g.cells());
            for (Index cell = blocks.begin(b); cell < blocks.end(b); ++cell) g.core_first(cell, flags);
        });
    }

    char present(Index a) const { return g.weight.empty() || g.weight[a] > 0.0; }

    // Places of the points in the cells around.
    std::vector<Range>& ranges(Index cell, Sweep<P>& sweep) {
        std::vector<Range>& places = sweep.places;
        places.clear();
        for (std::size_t c = 0; c < g.column.size(); ++c) {
            const Range r = sweep.cells(cell, c);
            if (r.begin < r.end) places.push_back({g.begin[r.begin], g.begin[r.end]});
        }
        return places;
    }

    void join_cells(UnionFind& sets) {
        for_cells([&](Index cell, Sweep<P>& sweep) {
            if (!has_core(cell)) return;
            for (std::size_t c = 0; c < g.column.size(); ++c) {
                if (g.column[c] < 0) continue;  // the other cell looks at this one
                const Range r = sweep.cells(cell, c);
                for (Index other = std::max(r.begin, cell + 1); other < r.end; ++other)
                    if (has_core(other) && sets.find(int(cell)) != sets.find(int(other)) && touch(cell, other))
                        sets.join(int(cell), int(other));
            }
        });
    }

    bool has_core(Index cell) const { return g.core_end[cell] > g.begin[cell]; }

    // Whether two core points of two cells are within eps.
    bool touch(Index p, Index q) const {
        std::array<double, P> low, high;
        const Index begin = g.begin[q], end = g.core_end[q];
        for (std::size_t j = 0; j < P; ++j) {
            const auto [least_at, most_at] = std::minmax_element(g.x[j].begin() + begin, g.x[j].begin() + end);
            low[j] = *least_at, high[j] = *most_at;
        }
        for (Index a = g.begin[p]; a < g.core_end[p]; ++a) {
            double sum = 0.0;
            for (std::size_t j = 0; j < P; ++j) {
                const double own = g.x[j][a];
                const double t = std::max(0.0, std::max(low[j] - own, own - high[j]));
                sum += t * t;
            }
            if (sum <= square && g.any_close(a, begin, end, square)) return true;
        }
        return false;
    }

    // Clusters in the order of their first core points.
    void number(UnionFind& sets) {
        std::vector<std::uint32_t> first(g.cells(), std::numeric_limits<std::uint32_t>::max());
        std::vector<int> roots;
        cluster.assign(g.cells(), -1);
        for (Index cell = 0; cell < g.cells(); ++cell) {
            if (!has_core(cell)) continue;
            const int root = sets.find(int(cell));
            if (root == int(cell)) roots.push_back(root);
            auto& least_row = first[root];
            for (Index a = g.begin[cell]; a < g.core_end[cell]; ++a) least_row = std::min(least_row, g.row[a]);
        }
        std::sort(roots.begin(), roots.end(), [&](int a, int b) { return first[a] < first[b]; });
        for (std::size_t k = 0; k < roots.size(); ++k) cluster[roots[k]] = Index(k);
        for (Index cell = 0; cell < g.cells(); ++cell)
            if (has_core(cell)) cluster[cell] = cluster[sets.find(int(cell))];
    }

    void label(std::vector<Index>& found) {
        for_cells([&](Index cell, Sweep<P>& sweep) {
            const Index begin = g.begin[cell], end = g.begin[cell + 1];
            const Index rest = g.core_end[cell];
            for (Index a = begin; a < rest; ++a) found[a] = cluster[cell];
            if (rest == end) return;
            for (std::size_t c = 0; c < g.column.size(); ++c) {
                const Range r = sweep.cells(cell, c);
                for (Index other = r.begin; other < r.end; ++other) {
                    if (!has_core(other)) continue;
                    const Index name = cluster[other];
                    for (Index a = rest; a < end; ++a) {
                        Index& now = found[a];
                        if ((now < 0 || name < now) && g.any_close(a, g.begin[other], g.core_end[other], square))
                            now = name;
                    }
                }
            }
        });
    }

    Grid<P>& g;
    double square, least;
    const Interrupt& interrupt;
    std::vector<char> flags;     // core points, by place
    std::vector<Index> cluster;  // of the core points of a cell
};

template <int P>
bool grid_dbscan(Span<const double> X, const Density& density, const Interrupt& interrupt, Span<std::uint8_t> core,
                 Span<Index> labels) {
    Grid<P> grid;
    if (!grid.sort(X, density.weights, density.eps)) return false;
    GridDbscan<P>(grid, density, interrupt).run(core, labels);
    return true;
}

}  // namespace

bool dbscan_grid(Span<const double> X, Index n, Index p, const Density& density, const Interrupt& interrupt,
                 Span<std::uint8_t> core, Span<Index> labels) {
    if (n == 0) return true;
    switch (p) {
        case 1:
            return grid_dbscan<1>(X, density, interrupt, core, labels);
        case 2:
            return grid_dbscan<2>(X, density, interrupt, core, labels);
        case 3:
            return grid_dbscan<3>(X, density, interrupt, core, labels);
        default:
            return false;
    }
}

}  // namespace statlearn::cluster
