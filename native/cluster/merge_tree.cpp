#include "cluster/merge_tree.hpp"

#include <algorithm>
#include <utility>

#include "common/radix.hpp"

namespace statlearn::cluster {

void merge_tree(std::vector<Merge>& merges, Index n, bool sort, Span<double> Z) {
    if (sort) {
        std::vector<Merge> scratch(merges.size());
        radix_sort<Merge>(merges, scratch, [](const Merge& m) { return radix_key(m.height); });
    }
    std::vector<int> parent(2 * n - 1, -1);
    std::vector<double> size(2 * n - 1, 1.0);
    const auto find = [&](int i) {
        int root = i;
        while (parent[root] >= 0) root = parent[root];
        while (parent[i] >= 0) i = std::exchange(parent[i], root);
        return root;
    };
    for (std::size_t k = 0; k < merges.size(); ++k) {
        int a = find(merges[k].a), b = find(merges[k].b);
        if (a > b) std::swap(a, b);
        const int made = int(n) + int(k);
        parent[a] = parent[b] = made;
        size[made] = size[a] + size[b];
        double* z = Z.data() + 4 * k;
        z[0] = a, z[1] = b, z[2] = merges[k].height, z[3] = size[made];
    }
}

void spread_labels(Span<const Index> children, Index n, Span<Index> labels) {
    for (Index k = Index(children.size()) / 2 - 1; k >= 0; --k)
        for (Index side = 0; side < 2; ++side) {
            Index& label = labels[children[2 * k + side]];
            if (label < 0) label = labels[n + k];
        }
}

void cophenetic(Span<const double> Z, Index n, Span<double> out) {
    // The members of a node are a linked list that two nodes join end to end.
    std::vector<Index> first(2 * n - 1), last(first), next(n, -1);
    for (Index i = 0; i < n; ++i) first[i] = last[i] = i;
    for (Index k = 0; k < n - 1; ++k) {
        const auto a = std::size_t(Z[4 * k]), b = std::size_t(Z[4 * k + 1]);
        const double height = Z[4 * k + 2];
        for (Index i = first[a]; i >= 0; i = next[i])
            for (Index j = first[b]; j >= 0; j = next[j]) {
                const Index low = std::min(i, j), high = std::max(i, j);
                out[low * (2 * n - low - 1) / 2 + high - low - 1] = height;
            }
        next[last[a]] = first[b];
        first[n + k] = first[a];
        last[n + k] = last[b];
    }
}

}  // namespace statlearn::cluster
