#include "cluster/ward.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cluster/box_tree.hpp"
#include "common/parallel.hpp"

namespace statlearn::cluster {

namespace {

// A round is worth its searches as long as it makes one merge for so many of them. Empirical.
constexpr Index kSearchesPerMerge = 12;

double weight(double a, double b) { return 2.0 * (a * b) / (a + b); }

struct Near {
    double height;  // squared
    int at;
};

// The clusters that are left, in the order of their first members, and a tree of their centres.
class Clusters {
public:
    Clusters(Span<const double> X, Index n, Index cols)
        : p(cols), centres(X.begin(), X.end()), sizes(n, 1.0), members(n) {
        std::iota(members.begin(), members.end(), 0);
        plant();
    }

    Index count() const { return Index(members.size()); }
    const double* centre(Index i) const { return centres.data() + i * p; }
    double size(Index i) const { return sizes[i]; }
    int member(Index i) const { return members[i]; }
    bool alive(Index i) const { return members[i] >= 0; }

    // The nearest other cluster; among equals the first.
    Near nearest(Index i) const {
        const double* x = centre(i);
        const double own = size(i);
        Near best{kInfinity, -1};
        visit_leaves(
            tree, [&](Index node) { return weight(own, smallest[node]) * tree.box_distance(node, x); },
            [&] { return best.height; },
            [&](Index leaf) {
                double height[kLeaf];
                tree.leaf_distances(leaf, x, height);
                const double* other = slot_sizes.data() + leaf * kLeaf;
                for (Index s = 0; s < kLeaf; ++s) height[s] *= weight(own, other[s]);
                const int* row = tree.row.data() + leaf * kLeaf;
                for (Index s = 0; s < kLeaf; ++s) {
                    const bool better = height[s] < best.height || (height[s] == best.height && row[s] < best.at);
                    if (better && row[s] != int(i) && row[s] >= 0) best = {height[s], row[s]};
                }
            });
        return best;
    }

    double height(Index i, Index j) const {
        double sum = 0.0;
        for (Index k = 0; k < p; ++k) {
            const double t = centre(i)[k] - centre(j)[k];
            sum += t * t;
        }
        return sum * weight(size(i), size(j));
    }

    // The second joins the first, and is dead until `gather`.
    void join(Index i, Index j) {
        const double a = size(i), b = size(j);
        double* x = centres.data() + i * p;
        for (Index k = 0; k < p; ++k) x[k] = (a * x[k] + b * centre(j)[k]) / (a + b);
        sizes[i] = a + b;
        members[j] = -1;
    }

    // Tells the tree of one `join`.
    void replant(Index i, Index j) {
        const Index at = tree.slot[i];
        tree.replace(Index(at), centre(i), int(i));
        slot_sizes[at] = size(i);
        tree.replace(tree.slot[j], nullptr, -1);
    }

    // Forgets the dead; `places` receives the new place of each cluster. A new tree.
    void gather(std::vector<int>& places) {
        Index left = 0;
        places.assign(members.size(), -1);
        for (Index i = 0; i < count(); ++i) {
            if (!alive(i)) continue;
            std::copy(centre(i), centre(i) + p, centres.data() + left * p);
            sizes[left] = size(i);
            members[left] = member(i);
            places[i] = int(left++);
        }
        centres.resize(left * p);
        sizes.resize(left);
        members.resize(left);
        plant();
    }

    const BoxTree& boxes() const { return tree; }

private:
    void plant() {
        tree.build(centres.data(), count(), p);
        slot_sizes.assign(tree.row.size(), 1.0);
        smallest.assign(tree.nodes(), kInfinity);
        for (std::size_t s = 0; s < tree.row.size(); ++s) {
            if (tree.row[s] < 0) continue;
            slot_sizes[s] = sizes[tree.row[s]];
            double& least = smallest[std::size_t(tree.first_leaf()) + s / kLeaf];
            least = std::min(least, slot_sizes[s]);
        }
        for (Index node = tree.first_leaf() - 1; node >= 0; --node)
            smallest[node] = std::min(smallest[2 * node + 1], smallest[2 * node + 2]);
    }

    Index p;
    std::vector<double> centres, sizes;
    std::vector<int> members;  // one row of each cluster, -1 for the dead
    BoxTree tree;
    std::vector<double> slot_sizes, smallest;  // sizes by slot; the smallest size below a node
};

// Merges pairs that are each other's nearest, round by round; returns when a round is not worth its searches.
void merge_rounds(Clusters& clusters, std::vector<Merge>& merges, const Interrupt& interrupt) {
    Index m = clusters.count();
    std::vector<Near> near(m, Near{kInfinity, -1});
    std::vector<int> places;
    Index searches = m;
    while (m > 1 && !interrupt.requested()) {
        // In the order of the tree, so that searches that follow each other touch the same boxes.
        const auto& rows = clusters.boxes().row;
        const Blocks blocks(Index(rows.size()), 256);
        parallel_for(blocks.count(), [&](Index b) {
            if (interrupt.requested()) return;
            for (Index s = blocks.begin(b); s < blocks.end(b); ++s) {
                const int i = rows[s];
                if (i >= 0 && near[i].at < 0) near[i] = clusters.nearest(i);
            }
        });
        if (interrupt.requested()) return;
        const auto before = merges.size();
        std::vector<char> changed(m, 0);
        for (Index i = 0; i < m; ++i) {
            const int j = near[i].at;
            if (j <= i || near[j].at != int(i)) continue;
            merges.push_back({clusters.member(i), clusters.member(j), std::sqrt(near[i].height)});
            clusters.join(i, j);
            changed[i] = changed[j] = 1;
        }
        const auto made = Index(merges.size() - before);
        clusters.gather(places);
        searches = 0;
        for (Index i = 0; i < m; ++i) {
            const int place = places[i];
            if (place < 0) continue;
            Near& own = near[place];
            own = near[i];
            // No pair at all can only come from equal heights that were found at different times: search afresh.
            const bool again = made == 0 || changed[i] || changed[own.at];
            own.at = again ? -1 : places[own.at];
            searches += again;
        }
        m = clusters.count();
        near.resize(m);
        if (m > 256 && searches > kSearchesPerMerge * std::max<Index>(made, 1)) return;
    }
}

void merge_chains(Clusters& clusters, std::vector<Merge>& merges, const Interrupt& interrupt) {
    std::vector<Index> chain;
    std::vector<int> places;
    Index left = clusters.count(), first = 0;
    while (left > 1) {
        if (interrupt.requested()) return;
        if (2 * left <= clusters.count()) {
            clusters.gather(places);
            for (Index& i : chain) i = places[i];
            first = 0;
        }
        if (chain.empty()) {
            while (!clusters.alive(first)) ++first;
            chain.push_back(first);
        }
        const Index i = chain.back();
        Near next = clusters.nearest(i);
        if (chain.size() > 1) {
            // The one before wins ties: the chain must end.
            const Index before = chain[chain.size() - 2];
            const double height = clusters.height(i, before);
            if (height <= next.height) next = {height, int(before)};
        }
        if (chain.size() < 2 || next.at != int(chain[chain.size() - 2])) {
            chain.push_back(next.at);
            continue;
        }
        const Index a = std::min<Index>(i, next.at), b = std::max<Index>(i, next.at);
        merges.push_back({clusters.member(a), clusters.member(b), std::sqrt(next.height)});
        clusters.join(b, a);
        clusters.replant(b, a);
        chain.resize(chain.size() - 2);
        --left;
    }
}

}  // namespace

std::vector<Merge> ward_merges(Span<const double> X, Index n, Index p, const Interrupt& interrupt) {
    std::vector<Merge> merges;
    merges.reserve(n - 1);
    Clusters clusters(X, n, p);
    if (n > kChainItems) merge_rounds(clusters, merges, interrupt);
    merge_chains(clusters, merges, interrupt);
    return merges;
}

}  // namespace statlearn::cluster
