#include "ensemble/forest_tools.hpp"

#include <algorithm>
#include <numeric>

#include "common/parallel.hpp"
#include "common/rng.hpp"
#include "trees/grow_forest.hpp"

namespace statlearn::ensemble {

namespace {

// The losses of one tree on the rows that it has not seen.
template <class T>
class TreeLosses {
public:
    TreeLosses(const trees::ForestView& forest, Span<const std::int64_t> node_rows, Matrix<const double> decision,
               bool labels, Matrix<const T> X, Matrix<const double> y)
        : forest_(forest),
          node_rows_(node_rows),
          decision_(decision),
          labels_(labels),
          X_(X),
          y_(y),
          words_((X.cols + 63) / 64) {}

    void importance(Index tree, const Bags& bags, Void how, std::uint64_t seed, Matrix<double> out) {
        find_rows(tree, bags);
        for (Index j = 0; j < X_.cols; ++j) out(tree, j) = 0.0;
        if (rows_.empty()) return;
        const int root = forest_.roots[tree];
        const auto m = Index(rows_.size());
        before_.resize(rows_.size());
        used_.assign(m * words_, 0);
        std::vector<std::uint64_t> any(words_, 0);
        for (Index i = 0; i < m; ++i) {
            std::uint64_t* used = used_.data() + i * words_;
            const Index row = rows_[i];
            before_[i] = loss(row, walk(root, [&](std::size_t k) {
                                  const int j = forest_.feature[k];
                                  used[j / 64] |= std::uint64_t{1} << (j % 64);
                                  return goes_left(forest_, k, X_(row, j));
                              }));
            for (Index w = 0; w < words_; ++w) any[w] |= used[w];
        }
        std::vector<Index> other(rows_);
        for (Index j = 0; j < X_.cols; ++j) {
            if (!(any[j / 64] >> (j % 64) & 1)) continue;
            Rng rng(seed, std::uint64_t(tree * X_.cols + j));
            if (how == Void::permute) rng.shuffle(other.begin(), m);
            double rise = 0.0;
            for (Index i = 0; i < m; ++i) {
                if (!(used_[i * words_ + j / 64] >> (j % 64) & 1)) continue;  // the leaf stays the same
                const Index row = rows_[i];
                const T value = X_(other[i], j);
                const auto leaf = walk(root, [&](std::size_t k) {
                    if (forest_.feature[k] != j) return goes_left(forest_, k, X_(row, forest_.feature[k]));
                    return how == Void::permute ? goes_left(forest_, k, value) : rng.uniform() < left_share(k);
                });
                rise += loss(row, leaf) - before_[i];
            }
            out(tree, j) = rise / double(m);
        }
    }

private:
    void find_rows(Index tree, const Bags& bags) {
        rows_.clear();
        for (Index i = 0; i < X_.rows; ++i)
            if (!in_bag(bags, tree, i)) rows_.push_back(i);
    }
    template <class Left>
    Index walk(int root, Left left) const {
        Index k = root;
        while (forest_.child[k] != k) k = forest_.child[k] + (left(k) ? 0 : 1);
        return k;
    }
    double left_share(std::size_t k) const { return double(node_rows_[forest_.child[k]]) / double(node_rows_[k]); }
    double loss(Index row, std::size_t leaf) const {
        double sum = 0.0;
        for (Index o = 0; o < y_.cols; ++o) {
            const double d = decision_(Index(leaf), o) - y_(row, o);
            sum += labels_ ? double(d != 0.0) : d * d;
        }
        return sum / double(y_.cols);
    }

    const trees::ForestView& forest_;
    Span<const std::int64_t> node_rows_;
    Matrix<const double> decision_;
    bool labels_;
    Matrix<const T> X_;
    Matrix<const double> y_;
    Index words_;
    std::vector<Index> rows_;
    std::vector<double> before_;
    std::vector<std::uint64_t> used_;  // columns tested on the way of each row
};

}  // namespace

void bootstrap_bags(Span<const std::uint64_t> seeds, Index draws, Span<const double> cumulative, Index n,
                    Matrix<std::uint8_t> bags) {
    parallel_for(Index(seeds.size()), [&](Index t) {
        std::vector<std::uint32_t> counts(n, 0);
        trees::bootstrap_counts(seeds[t], draws, cumulative, counts);
        std::fill_n(bags.row(t), bags.cols, std::uint8_t{0});
        for (Index i = 0; i < n; ++i) bags(t, i / 8) = std::uint8_t(bags(t, i / 8) | (counts[i] != 0) << (i % 8));
    });
}

void oob_add(Matrix<const int> leaves, const Bags& bags, Index first_row, Matrix<const double> value,
             Matrix<double> sums, Span<std::int64_t> trees) {
    const Blocks blocks(leaves.rows, 512);
    parallel_for(blocks.count(), [&](Index b) {
        for (Index t = 0; t < leaves.cols; ++t)
            for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
                if (in_bag(bags, t, first_row + i)) continue;
                const Index leaf = leaves(i, t);
                for (Index k = 0; k < value.cols; ++k) sums(i, k) += value(leaf, k);
                ++trees[i];
            }
    });
}

template <class T>
void oob_importance(const trees::ForestView& forest, Span<const std::int64_t> node_rows, Matrix<const double> decision,
                    bool labels, Matrix<const T> X, Matrix<const double> y, const Bags& bags, Void how,
                    std::uint64_t seed, const Interrupt& interrupt, Matrix<double> importance) {
    parallel_for(Index(forest.roots.size()), [&](Index t) {
        if (interrupt.requested()) return;
        TreeLosses<T>(forest, node_rows, decision, labels, X, y).importance(t, bags, how, seed, importance);
    });
}

void proximities(Matrix<const int> by_tree, const Bags& bags, const Interrupt& interrupt, Matrix<double> share) {
    const Index n = by_tree.cols, trees = by_tree.rows;
    // Where bags count, a row inside the bag gets a leaf of its own that nobody shares.
    std::vector<int> leaf(n * trees);
    std::vector<std::uint8_t> out(bags.rows > 0 ? n * trees : 0);
    for (Index t = 0; t < trees; ++t)
        for (Index i = 0; i < n; ++i) {
            const bool inside = bags.rows > 0 && in_bag(bags, t, i);
            leaf[t * n + i] = inside ? -1 : by_tree(t, i);
            if (bags.rows > 0) out[t * n + i] = !inside;
        }
    parallel_for(n, [&](Index i) {
        if (interrupt.requested()) return;
        std::vector<std::int32_t> met(n, 0), both(n, 0);
        for (Index t = 0; t < trees; ++t) {
            const int* of_tree = leaf.data() + t * n;
            const int own = of_tree[i];
            if (own < 0) continue;
            for (Index j = 0; j < n; ++j) met[j] += of_tree[j] == own;
            if (bags.rows > 0) {
                const std::uint8_t* left_out = out.data() + t * n;
                for (Index j = 0; j < n; ++j) both[j] += left_out[j];
            }
        }
        for (Index j = 0; j < n; ++j) {
            const double of = bags.rows > 0 ? both[j] : double(trees);
            share(i, j) = of > 0 ? met[j] / of : 0.0;
        }
        share(i, i) = 1.0;
    });
}

LeafRows leaf_rows(Matrix<const int> leaves, Index nodes, Span<const std::uint64_t> seeds, Index draws,
                   Span<const double> cumulative) {
    const Index n = leaves.rows;
    LeafRows all;
    all.start.assign(std::size_t(nodes) + 1, 0);
    // Without a bootstrap (no draws) every row is in every tree once.
    std::vector<std::vector<std::uint32_t>> counts(seeds.size(), std::vector<std::uint32_t>(n, 1));
    parallel_for(Index(seeds.size()), [&](Index t) {
        if (draws > 0) trees::bootstrap_counts(seeds[t], draws, cumulative, counts[t]);
        for (Index i = 0; i < n; ++i)  // nodes of different trees are different cells
            if (counts[t][i] != 0) ++all.start[leaves(i, t) + 1];
    });
    std::partial_sum(all.start.begin(), all.start.end(), all.start.begin());
    all.row.resize(all.start.back());
    all.count.resize(all.row.size());
    std::vector<std::int64_t> next(all.start.begin(), all.start.end() - 1);
    parallel_for(Index(seeds.size()), [&](Index t) {
        for (Index i = 0; i < n; ++i) {
            const std::uint32_t count = counts[t][i];
            if (count == 0) continue;
            const Index at = next[leaves(i, t)]++;
            all.row[at] = std::uint32_t(i);
            all.count[at] = count;
        }
    });
    return all;
}

void leaf_quantiles(Matrix<const int> leaves, Span<const std::int64_t> start, Span<const std::uint32_t> row,
                    Span<const std::uint32_t> count, Span<const std::uint32_t> rank, Span<const double> sorted,
                    Span<const double> levels, const Interrupt& interrupt, Matrix<double> quantiles) {
    const Blocks blocks(leaves.rows, 64);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<std::pair<std::uint32_t, double>> sample;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            sample.clear();
            for (Index t = 0; t < leaves.cols; ++t) {
                const Index leaf = leaves(i, t);
                double total = 0.0;
                for (auto e = start[leaf]; e < start[leaf + 1]; ++e) total += count[e];
                for (auto e = start[leaf]; e < start[leaf + 1]; ++e)
                    sample.emplace_back(rank[row[e]], count[e] / total);
            }
            std::sort(sample.begin(), sample.end());
            double all = 0.0;
            for (const auto& [at, weight] : sample) all += weight;
            for (Index q = 0; q < levels.size(); ++q) {
                // Room for the rounding of the sum: a level that the weights meet exactly is met.
                const double wanted = levels[q] * all * (1.0 - 1e-12);
                double sum = 0.0;
                std::size_t e = 0;
                while (e + 1 < sample.size() && (sum += sample[e].second) < wanted) ++e;
                quantiles(i, Index(q)) = sorted[sample[e].first];
            }
        }
    });
}

template void oob_importance(const trees::ForestView&, Span<const std::int64_t>, Matrix<const double>, bool,
                             Matrix<const float>, Matrix<const double>, const Bags&, Void, std::uint64_t,
                             const Interrupt&, Matrix<double>);
template void oob_importance(const trees::ForestView&, Span<const std::int64_t>, Matrix<const double>, bool,
                             Matrix<const double>, Matrix<const double>, const Bags&, Void, std::uint64_t,
                             const Interrupt&, Matrix<double>);

}  // namespace statlearn::ensemble
