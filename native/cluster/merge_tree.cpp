#include "cluster/merge_tree.hpp"

#include <algorithm>
#include <utility>

#include "common/radix.hpp"

namespace statlearn::cluster {

void merge_tree(std::vector<Merge>& merges, Index n, bool sort, std::span<double> Z) {
    if (sort) {
        std::vector<Merge> scratch(merges.size());
        radix_sort<Merge>(merges, scratch, [](const Merge& m) { return radix_key(m.height); });
    }
    std::vector<int> parent(static_cast<std::size_t>(2 * n - 1), -1);
    std::vector<double> size(static_cast<std::size_t>(2 * n - 1), 1.0);
    const auto find = [&](int i) {
        int root = i;
        while (parent[std::size_t(root)] >= 0) root = parent[std::size_t(root)];
        while (parent[std::size_t(i)] >= 0) i = std::exchange(parent[std::size_t(i)], root);
        return root;
    };
    for (std::size_t k = 0; k < merges.size(); ++k) {
        int a = find(merges[k].a), b = find(merges[k].b);
        if (a > b) std::swap(a, b);
        const int made = int(n) + int(k);
        parent[std::size_t(a)] = parent[std::size_t(b)] = made;
        size[std::size_t(made)] = size[std::size_t(a)] + size[std::size_t(b)];
        double* z = Z.data() + 4 * k;
        z[0] = a, z[1] = b, z[2] = merges[k].height, z[3] = size[std::size_t(made)];
    }
}

void spread_labels(std::span<const Index> children, Index n, std::span<Index> labels) {
    for (Index k = Index(children.size()) / 2 - 1; k >= 0; --k)
        for (Index side = 0; side < 2; ++side) {
            Index& label = labels[std::size_t(children[std::size_t(2 * k + side)])];
            if (label < 0) label = labels[std::size_t(n + k)];
        }
}

void cophenetic(std::span<const double> Z, Index n, std::span<double> out) {
    // The members of a node are a linked list that two nodes join end to end.
    std::vector<Index> first(static_cast<std::size_t>(2 * n - 1)), last(first), next(static_cast<std::size_t>(n), -1);
    for (Index i = 0; i < n; ++i) first[std::size_t(i)] = last[std::size_t(i)] = i;
    for (Index k = 0; k < n - 1; ++k) {
        const auto a = std::size_t(Z[std::size_t(4 * k)]), b = std::size_t(Z[std::size_t(4 * k + 1)]);
        const double height = Z[std::size_t(4 * k + 2)];
        for (Index i = first[a]; i >= 0; i = next[std::size_t(i)])
            for (Index j = first[b]; j >= 0; j = next[std::size_t(j)]) {
                const Index low = std::min(i, j), high = std::max(i, j);
                out[std::size_t(low * (2 * n - low - 1) / 2 + high - low - 1)] = height;
            }
        next[std::size_t(last[a])] = first[b];
        first[std::size_t(n + k)] = first[a];
        last[std::size_t(n + k)] = last[b];
    }
}

}  // namespace statlearn::cluster
