// Shapley values against rows of a background.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/parallel.hpp"
#include "trees/shap_plan.hpp"
#include "trees/tree_shap.hpp"

namespace statlearn::trees {

namespace {

constexpr int kMaxTable = 10;  // columns on a path up to which all patterns of a leaf are listed
// Nanoseconds, measured: one row against one row of the background in one tree; one step of the other way.
constexpr double kPairCost = 130.0, kTableCost = 1.0;

// (a - 1)! c! / (a + c)!, from logarithms of factorials.
class ShapleyWeights {
public:
    explicit ShapleyWeights(int most) : log_factorial_(std::size_t(most) + 2, 0.0), side_(std::min(most, 64) + 1) {
        for (std::size_t k = 2; k < log_factorial_.size(); ++k)
            log_factorial_[k] = log_factorial_[k - 1] + std::log(double(k));
        for (int a = 0; a < side_; ++a)
            for (int c = 0; c < side_; ++c) table_.push_back(a > 0 && a + c <= most ? compute(a, c) : 0.0);
    }
    double operator()(int a, int c) const { return a < side_ && c < side_ ? table_[a * side_ + c] : compute(a, c); }

private:
    double compute(int a, int c) const {
        return std::exp(log_factorial_[a - 1] + log_factorial_[c] - log_factorial_[a + c]);
    }
    std::vector<double> log_factorial_, table_;
    int side_;
};

// Whether a row goes left, for every node of a tree.
template <class T>
void decide_all(const ForestView& forest, Index begin, Index end, const Matrix<const T>& X, Index i,
                std::uint8_t* left) {
    for (Index k = begin; k < end; ++k)
        left[k - begin] = forest.child[k] != int(k) && goes_left(forest, int(k), double(X(i, forest.feature[k])));
}

// One tree, one row and one row of the background.
struct PairWalk {
    struct Branch {
        int feature, other;  // other: where the background's value leads
        bool second;         // on that side already
    };
    const WeightedForest& trees;
    Index begin, first_output;
    const ShapleyWeights& weights;
    std::vector<std::int8_t>& side;  // of each column: 0 open, 1 from the row, 2 from the background
    std::vector<Branch>& branches;

    void run(const std::uint8_t* row, const std::uint8_t* other, double scale, double* phi) const {
        const auto& child = trees.forest.child;
        int a = 0, c = 0;
        branches.clear();
        for (int node = int(begin);;) {
            while (child[node] != node) {
                const int to_row = child[node] + !row[node - begin];
                const int to_other = child[node] + !other[node - begin];
                const int f = trees.forest.feature[node];
                if (to_row == to_other || side[f] == 1) {
                    node = to_row;
                } else if (side[f] == 2) {
                    node = to_other;
                } else {
                    branches.push_back({f, to_other, false});
                    side[f] = 1;
                    ++a;
                    node = to_row;
                }
            }
            const double gain = a ? scale * weights(a, c) : 0.0, loss = c ? scale * weights(c, a) : 0.0;
            for (const Branch& b : branches) {
                const double share = b.second ? -loss : gain;
                double* out = phi + b.feature * trees.outputs + first_output;
                for (Index k = 0; k < trees.value.cols; ++k) out[k] += share * trees.value(node, k);
            }
            while (!branches.empty() && branches.back().second) {
                side[branches.back().feature] = 0;
                --c;
                branches.pop_back();
            }
            if (branches.empty()) return;
            Branch& last = branches.back();
            last.second = true;
            side[last.feature] = 2;
            --a;
            ++c;
            node = last.other;
        }
    }
};

Index end_of(const ForestView& forest, Index t) {
    return t + 1 < forest.roots.size() ? forest.roots[t + 1] : Index(forest.feature.size());
}

// A leaf as the columns on its path see it. A row has one bit for each of these columns: whether it takes all the
// splits on that column. All that matters of a row of the background is its pattern of bits, so the Shapley values of a
// row with pattern f are a table over f, filled once with the weights of the background's patterns.
struct LeafTable {
    int node = 0;
    std::vector<int> columns;
    struct Step {
        int node, bit;
        bool left;
    };
    std::vector<Step> path;
    std::vector<double> values;  // of a leaf of value 1: [pattern][column]

    std::uint32_t pattern(const std::uint8_t* left, Index begin) const {
        std::uint32_t bits = (1u << columns.size()) - 1u;
        for (const Step& step : path)
            if (bool(left[step.node - begin]) != step.left) bits &= ~(1u << step.bit);
        return bits;
    }

    // Adds the values for a row of this pattern to the columns of phi.
    void add(std::uint32_t bits, const WeightedForest& trees, double* phi) const {
        const double* own = values.data() + std::size_t(bits) * columns.size();
        for (std::size_t j = 0; j < columns.size(); ++j)
            for (Index k = 0; k < trees.value.cols; ++k)
                phi[columns[j] * trees.outputs + k] += own[j] * trees.value(node, k);
    }

    // `weight` of each pattern of the background. A row and a row of the background of pattern b reach the leaf between
    // them when the row has all the bits that b lacks; those count for the row, and those that only b has against it.
    void fill(const std::vector<double>& weight, const ShapleyWeights& shapley) {
        const auto d = columns.size();
        const std::uint32_t all = (1u << d) - 1u;
        values.assign((std::size_t(all) + 1) * d, 0.0);
        for (std::uint32_t b = 0; b <= all; ++b) {
            if (weight[b] == 0.0) continue;
            const std::uint32_t rows_own = all & ~b;
            const int a = std::popcount(rows_own);
            for (std::uint32_t shared = b;; shared = (shared - 1) & b) {  // all subsets of b
                const std::uint32_t only_b = b & ~shared;
                const int c = std::popcount(only_b);
                const double gain = a ? weight[b] * shapley(a, c) : 0.0, loss = c ? weight[b] * shapley(c, a) : 0.0;
                double* out = values.data() + std::size_t(rows_own | shared) * d;
                for (std::size_t j = 0; j < d; ++j) {
                    if (rows_own >> j & 1u) out[j] += gain;
                    if (only_b >> j & 1u) out[j] -= loss;
                }
                if (shared == 0) break;
            }
        }
    }
};

// The leaves of a tree; none where a path has more columns than tables are made for.
std::vector<LeafTable> list_leaves(const ForestView& forest, Index begin) {
    struct Waiting {
        int node;
        LeafTable::Step step;
        int depth;
    };
    std::vector<LeafTable> leaves;
    std::vector<Waiting> waiting;
    LeafTable open;
    std::vector<int> opened;  // columns known before each step of the open path
    const auto push = [&](int node, int depth) {
        const int child = forest.child[node];
        if (child == node) {
            open.node = node;
            leaves.push_back(open);
            return;
        }
        waiting.push_back({child + 1, {node, 0, false}, depth});
        waiting.push_back({child, {node, 0, true}, depth});
    };
    push(int(begin), 0);
    while (!waiting.empty()) {
        auto [node, step, depth] = waiting.back();
        waiting.pop_back();
        if (int(open.path.size()) > depth) {
            open.path.resize(depth);
            open.columns.resize(opened[depth]);
            opened.resize(depth);
        }
        opened.push_back(int(open.columns.size()));
        const int feature = forest.feature[step.node];
        const auto at = std::find(open.columns.begin(), open.columns.end(), feature);
        step.bit = int(at - open.columns.begin());
        if (at == open.columns.end()) open.columns.push_back(feature);
        if (open.columns.size() > std::size_t(kMaxTable)) return {};
        open.path.push_back(step);
        push(node, depth + 1);
    }
    return leaves;
}

// Whether tables cost less than all pairs of rows.
bool pays(const std::vector<LeafTable>& leaves, Index rows, Index background) {
    double cost = 0.0;
    for (const LeafTable& leaf : leaves) {
        const double d = double(leaf.columns.size()), patterns = std::exp2(d), steps = double(leaf.path.size());
        cost += d * (patterns + std::min(std::pow(3.0, d), double(background) * patterns)) +
                double(rows + background) * (steps + 2 * d);
    }
    return !leaves.empty() && kTableCost * cost < kPairCost * double(rows) * double(background);
}

}  // namespace

template <class T>
void tree_shap_interventional(const WeightedForest& trees, Matrix<const T> X, Matrix<const T> background,
                              Span<const double> weights, const Interrupt& interrupt, Matrix<double> phi) {
    const ForestView& forest = trees.forest;
    const ShapleyWeights shapley(int(std::min<Index>(X.cols, Index(forest.feature.size()))));
    const Blocks blocks(X.rows, 32);
    std::vector<std::uint8_t> others;
    for (Index t = 0; t < forest.roots.size(); ++t) {
        if (interrupt.requested()) return;
        const Index begin = forest.roots[t], nodes = end_of(forest, t) - begin;
        const Index first = trees.value.cols == 1 ? forest.output[t] : 0;
        others.resize(nodes * background.rows);
        parallel_for(background.rows, [&](Index i) {
            decide_all(forest, begin, begin + nodes, background, i, others.data() + i * nodes);
        });
        auto leaves = list_leaves(forest, begin);
        const bool listed = pays(leaves, X.rows, background.rows);
        if (listed)
            parallel_for(Index(leaves.size()), [&](Index k) {
                LeafTable& leaf = leaves[k];
                std::vector<double> of_pattern(std::size_t(1) << leaf.columns.size(), 0.0);
                for (Index o = 0; o < background.rows; ++o)
                    of_pattern[leaf.pattern(others.data() + o * nodes, begin)] += weights[o];
                leaf.fill(of_pattern, shapley);
            });
        parallel_for(blocks.count(), [&](Index b) {
            std::vector<std::uint8_t> own(nodes);
            std::vector<std::int8_t> side(X.cols, 0);
            std::vector<PairWalk::Branch> branches;
            const PairWalk walk{trees, begin, first, shapley, side, branches};
            for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
                if (interrupt.requested()) return;
                decide_all(forest, begin, begin + nodes, X, i, own.data());
                if (listed) {
                    for (const LeafTable& leaf : leaves)
                        leaf.add(leaf.pattern(own.data(), begin), trees, phi.row(i) + first);
                    continue;
                }
                for (Index o = 0; o < background.rows; ++o)
                    if (weights[o] > 0.0) walk.run(own.data(), others.data() + o * nodes, weights[o], phi.row(i));
            }
        });
    }
}

template void tree_shap_interventional(const WeightedForest&, Matrix<const float>, Matrix<const float>,
                                       Span<const double>, const Interrupt&, Matrix<double>);
template void tree_shap_interventional(const WeightedForest&, Matrix<const double>, Matrix<const double>,
                                       Span<const double>, const Interrupt&, Matrix<double>);

}  // namespace statlearn::trees
