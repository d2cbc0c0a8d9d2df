#include "cluster/linkage_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/parallel.hpp"

namespace statlearn::cluster {

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr Index kChunks = 16;        // of rows in a pass over the matrix; each has its own list of neighbours
constexpr Index kPairsOfItems = 24;  // a round goes on if one item in so many finds a partner. Empirical.

// Two clusters that become one: their sizes, the share of the second in the union, their own entry.
struct Union {
    double a, b, share, between;
};

// The entry of a union for an item of size `other`, from the entries x and y of its two parts. kPlain: join(x, x) is x.
struct Single {
    static constexpr bool kPlain = true;
    static double join(double x, double y, const Union&, double) { return x < y ? x : y; }
};
struct Complete {
    static constexpr bool kPlain = true;
    static double join(double x, double y, const Union&, double) { return x > y ? x : y; }
};
struct Average {
    static constexpr bool kPlain = true;
    static double join(double x, double y, const Union& u, double) { return x + u.share * (y - x); }
};
struct Weighted {
    static constexpr bool kPlain = true;
    static double join(double x, double y, const Union&, double) { return 0.5 * (x + y); }
};
struct Ward {
    static constexpr bool kPlain = false;
    static double join(double x, double y, const Union& u, double other) {
        return ((u.a + other) * x + (u.b + other) * y - other * u.between) / (u.a + u.b + other);
    }
};
struct Centroid {
    static double join(double x, double y, const Union& u, double) {
        return (u.a * x + u.b * y - u.a * u.b * u.between / (u.a + u.b)) / (u.a + u.b);
    }
};
struct Median {
    static double join(double x, double y, const Union& u, double) { return 0.5 * (x + y) - 0.25 * u.between; }
};

// The upper triangle of a symmetric matrix, and the clusters its rows stand for.
struct Triangle {
    double* D;
    Index m;                    // rows of the matrix
    std::vector<double> sizes;  // of the clusters
    std::vector<int> members;   // one item of each

    Triangle(Span<double> entries, Index n) : D(entries.data()), m(n), sizes(n, 1.0), members(n) {
        std::iota(members.begin(), members.end(), 0);
    }

    double* row(Index i) const { return D + (i * (2 * m - i - 1) / 2 - i - 1); }  // entry j > i is row(i)[j]
    double& at(Index i, Index j) const { return i < j ? row(i)[j] : row(j)[i]; }

    // Keeps these rows (increasing) only: entries move towards the front, in order, so none is overwritten too early.
    void keep(const std::vector<int>& rows) {
        const auto left = Index(rows.size());
        double* to = D;
        for (Index a = 0; a < left; ++a) {
            const double* from = row(rows[a]);
            for (Index b = a + 1; b < left; ++b) *to++ = from[rows[b]];
            sizes[a] = sizes[rows[a]];
            members[a] = members[rows[a]];
        }
        m = left;
        sizes.resize(m);
        members.resize(m);
    }
};

// Clusters of one round: the row that stays, its partner's row (itself if there is none).
struct Groups {
    std::vector<int> first, second;
    std::vector<Union> join;

    Index count() const { return Index(first.size()); }
    bool paired(Index k) const { return first[k] != second[k]; }
    double size(Index k) const { return paired(k) ? join[k].a + join[k].b : join[k].a; }
    void add(int i, int j, double size_i, double size_j, double entry) {
        first.push_back(i), second.push_back(j), join.push_back({size_i, size_j, size_j / (size_i + size_j), entry});
    }
};

struct Neighbours {
    std::vector<double> entry;
    std::vector<int> at;
    explicit Neighbours(Index n) : entry(n, kFar), at(n, -1) {}
};

// Rows begin(c)..begin(c+1)-1 of a triangle with `rows` rows hold about the same number of entries for each c.
Index chunk_begin(Index rows, Index c) {
    const double share = double(kChunks - c) / double(kChunks);
    return c >= kChunks ? rows : rows - Index(std::llround(double(rows) * std::sqrt(share)));
}

// One pass: entries between all groups, written at their first rows, and each group's nearest other group. The four
// entries behind a new one belong to it alone, so rows can be taken in any order.
template <class Rule>
Neighbours merge_pass(const Triangle& T, const Groups& g, const Interrupt& interrupt) {
    const Index k = g.count();
    std::vector<Neighbours> found(kChunks, Neighbours(0));
    parallel_for(kChunks, [&](Index c) {
        const Index begin = chunk_begin(k, c), end = chunk_begin(k, c + 1);
        if (begin >= end) return;
        Neighbours& near = found[c];
        near = Neighbours(k);
        std::vector<double> entries(T.m);
        for (Index A = begin; A < end && !interrupt.requested(); ++A) {
            const Index ua = A;
            const int i = g.first[ua], j = g.second[ua];
            double* row = T.row(i);
            const double* from = row;
            if (i != j) {
                // Entries of the union for the old rows of later groups.
                for (Index B = A + 1; B < k; ++B) {
                    const Index ub = B;
                    const int u = g.first[ub], v = g.second[ub];
                    entries[u] = Rule::join(row[u], T.at(j, u), g.join[ua], g.join[ub].a);
                    if (v != u) entries[v] = Rule::join(row[v], T.at(j, v), g.join[ua], g.join[ub].b);
                }
                from = entries.data();
            }
            const double size = g.size(A);
            double best = kFar;
            int at = -1;
            for (Index B = A + 1; B < k; ++B) {
                const Index ub = B;
                const int u = g.first[ub], v = g.second[ub];
                const double x = from[u];
                double d = Rule::join(x, from[v], g.join[ub], size);
                if (!Rule::kPlain) d = u == v ? x : d;
                row[u] = d;
                at = d < best ? int(B) : at;
                best = d < best ? d : best;
                near.at[ub] = d < near.entry[ub] ? int(A) : near.at[ub];
                near.entry[ub] = d < near.entry[ub] ? d : near.entry[ub];
            }
            if (best < near.entry[ua]) near.entry[ua] = best, near.at[ua] = at;  // equal: the smaller number is there
        }
    });
    Neighbours nearest(k);
    for (const Neighbours& part : found)
        for (std::size_t i = 0; i < part.entry.size(); ++i)
            if (part.entry[i] < nearest.entry[i] || (part.entry[i] == nearest.entry[i] && part.at[i] >= 0 &&
                                                     (nearest.at[i] < 0 || part.at[i] < nearest.at[i])))
                nearest.entry[i] = part.entry[i], nearest.at[i] = part.at[i];
    return nearest;
}

template <class Rule>
class Agglomeration {
public:
    Agglomeration(Span<double> D, Index n, const Interrupt& stop) : T(D, n), interrupt(stop) {}

    std::vector<Merge> run() {
        if (T.m > kChainItems) rounds();
        chains();
        return std::move(merges);
    }

private:
    void rounds() {
        Groups groups;
        for (int i = 0; i < int(T.m); ++i) groups.add(i, i, 1.0, 1.0, 0.0);
        while (groups.count() > 1) {
            const Neighbours near = merge_pass<Rule>(T, groups, interrupt);
            if (interrupt.requested()) return;
            const Index k = groups.count();
            std::vector<int> rows(groups.first);  // of the matrix, by group
            settle(groups);
            if (3 * k < 2 * T.m) {
                T.keep(rows);
                std::iota(rows.begin(), rows.end(), 0);
            }
            Groups next;
            Index pairs = 0;
            for (int A = 0; A < int(k); ++A) {
                const Index ua = A;
                const int B = near.at[ua];
                // The matrix may hold infinity (or what cannot be compared): such an item has no neighbour.
                const bool mutual = B >= 0 && near.at[B] == A;
                const Index i = rows[ua];
                if (mutual && B < A) continue;
                if (!mutual) {
                    next.add(rows[ua], rows[ua], T.sizes[i], T.sizes[i], 0.0);
                    continue;
                }
                const Index j = rows[B];
                next.add(rows[ua], rows[B], T.sizes[i], T.sizes[j], near.entry[ua]);
                merges.push_back({T.members[i], T.members[j], near.entry[ua]});
                ++pairs;
            }
            if (next.count() == 1) return finish();
            groups = std::move(next);
            if (pairs * kPairsOfItems < k) break;
        }
        if (groups.count() > 1) {
            merge_pass<Rule>(T, groups, interrupt);
            settle(groups);
            T.keep(groups.first);
        }
    }

    // The sizes of the groups belong to their first rows from now on.
    void settle(const Groups& groups) {
        for (Index k = 0; k < groups.count(); ++k) T.sizes[groups.first[k]] = groups.size(k);
    }

    void finish() {
        T.m = 1;
        T.sizes.resize(1);
        T.members.resize(1);
    }

    void chains() {
        std::vector<int> active(T.m), chain;
        std::iota(active.begin(), active.end(), 0);
        while (active.size() > 1) {
            if (interrupt.requested()) return;
            if (2 * Index(active.size()) <= T.m) {
                for (int& c : chain) c = int(std::lower_bound(active.begin(), active.end(), c) - active.begin());
                T.keep(active);
                std::iota(active.begin(), active.end(), 0);
            }
            if (chain.empty()) chain.push_back(active[0]);
            const int i = chain.back();
            const int before = chain.size() > 1 ? chain[chain.size() - 2] : -1;
            double best = before >= 0 ? T.at(i, before) : kFar;
            int next = before;
            for (const int k : active)
                if (k != i && (T.at(i, k) < best || next < 0)) best = T.at(i, k), next = k;
            if (next != before || before < 0) {
                chain.push_back(next);
                continue;
            }
            const int a = std::min(i, next), b = std::max(i, next);
            merges.push_back({T.members[a], T.members[b], best});
            active.erase(std::lower_bound(active.begin(), active.end(), a));
            const double size_a = T.sizes[a];
            double& size_b = T.sizes[b];
            const Union pair{size_a, size_b, size_b / (size_a + size_b), best};
            for (const int k : active)
                if (k != b) T.at(b, k) = Rule::join(T.at(a, k), T.at(b, k), pair, T.sizes[k]);
            size_b += size_a;
            chain.resize(chain.size() - 2);
        }
    }

    Triangle T;
    const Interrupt& interrupt;
    std::vector<Merge> merges;
};

// The generic algorithm for linkages whose heights may fall: the nearest later neighbour of every row is kept.
template <class Rule>
std::vector<Merge> nearest_list_merges(Span<double> D, Index n, const Interrupt& interrupt) {
    Triangle T(D, n);
    std::vector<Merge> merges;
    std::vector<int> active(n, 0), near(n, -1);
    std::vector<double> entry(n, kFar);
    std::iota(active.begin(), active.end(), 0);
    const auto search = [&](std::size_t at) {  // the nearest later neighbour of the active row in this place
        const int i = active[at];
        const double* row = T.row(i);
        entry[i] = kFar, near[i] = -1;
        for (std::size_t k = at + 1; k < active.size(); ++k)
            if (row[active[k]] < entry[i] || near[i] < 0) entry[i] = row[active[k]], near[i] = active[k];
    };
    for (std::size_t k = 0; k + 1 < active.size(); ++k) search(k);
    while (active.size() > 1) {
        if (interrupt.requested()) break;
        int a = active[0];
        for (const int i : active)
            if (near[i] >= 0 && entry[i] < entry[a]) a = i;
        const int b = near[a];
        const double between = entry[a];
        merges.push_back({T.members[a], T.members[b], between});
        active.erase(std::lower_bound(active.begin(), active.end(), a));
        const double size_a = T.sizes[a], size_b = T.sizes[b];
        const Union pair{size_a, size_b, size_b / (size_a + size_b), between};
        for (const int k : active)
            if (k != b) T.at(b, k) = Rule::join(T.at(a, k), T.at(b, k), pair, T.sizes[k]);
        T.sizes[b] = size_a + size_b;
        for (std::size_t k = 0; k < active.size(); ++k) {
            const int i = active[k];
            if (i == b || near[i] == a || near[i] == b)
                search(k);
            else if (i < b && T.row(i)[b] < entry[i])
                entry[i] = T.row(i)[b], near[i] = b;
        }
    }
    return merges;
}

template <class Rule>
std::vector<Merge> merges_of(Span<double> D, Index n, const Interrupt& interrupt) {
    return Agglomeration<Rule>(D, n, interrupt).run();
}

}  // namespace

void condensed_distances(Span<const double> X, Index n, Index p, const Interrupt& interrupt, Span<double> D) {
    // Columns one after the other: the distances of one row to all later ones are plain loops over neighbours in
    // memory.
    std::vector<double> columns(n * p);
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < p; ++j) columns[j * n + i] = X[i * p + j];
    constexpr Index kPiece = 512;  // of a row, so that sums stay in the first cache
    const Blocks blocks(n, 32);
    parallel_for(blocks.count(), [&](Index b) {
        for (Index i = blocks.begin(b); i < blocks.end(b) && !interrupt.requested(); ++i) {
            double* row = D.data() + (i * (2 * n - i - 1) / 2 - i - 1);
            for (Index begin = i + 1; begin < n; begin += kPiece) {
                const Index end = std::min(n, begin + kPiece);
                std::fill(row + begin, row + end, 0.0);
                for (Index j = 0; j < p; ++j) {
                    const double* x = columns.data() + j * n;
                    const double own = x[i];
                    for (Index k = begin; k < end; ++k) row[k] += (x[k] - own) * (x[k] - own);
                }
                for (Index k = begin; k < end; ++k) row[k] = std::sqrt(row[k]);
            }
        }
    });
}

std::vector<Merge> matrix_merges(Span<double> D, Index n, Linkage linkage, const Interrupt& interrupt) {
    const bool squared = linkage == Linkage::ward || linkage == Linkage::centroid || linkage == Linkage::median;
    if (squared)
        for (double& d : D) d *= d;
    std::vector<Merge> merges;
    switch (linkage) {
        case Linkage::single:
            merges = merges_of<Single>(D, n, interrupt);
            break;
        case Linkage::complete:
            merges = merges_of<Complete>(D, n, interrupt);
            break;
        case Linkage::average:
            merges = merges_of<Average>(D, n, interrupt);
            break;
        case Linkage::weighted:
            merges = merges_of<Weighted>(D, n, interrupt);
            break;
        case Linkage::ward:
            merges = merges_of<Ward>(D, n, interrupt);
            break;
        case Linkage::centroid:
            merges = nearest_list_merges<Centroid>(D, n, interrupt);
            break;
        case Linkage::median:
            merges = nearest_list_merges<Median>(D, n, interrupt);
            break;
    }
    if (squared)
        for (Merge& merge : merges) merge.height = std::sqrt(std::max(merge.height, 0.0));
    return merges;
}

}  // namespace statlearn::cluster
