#include "cluster/moment_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/vmath.hpp"

namespace statlearn::cluster {
namespace {

constexpr Index kDepth = 64;  // of the stack: median splits halve the rows

// d2[r] = squared distance of the point to row r of a leaf.
void leaf_distances(const double* point, const double* coordinates, Index p, double* d2) {
    for (Index r = 0; r < kLeafRows; ++r) d2[r] = 0.0;
    for (Index j = 0; j < p; ++j, coordinates += kLeafRows)
        for (Index r = 0; r < kLeafRows; ++r) {
            const double difference = coordinates[r] - point[j];
            d2[r] += difference * difference;
        }
}

// Adds kernel[r] x row r of a leaf. Four partial sums, so that the loops become vector code.
void add_leaf(const double* kernel, const double* coordinates, Index p, Moments& found) {
    const auto weighted = [&](const double* x) {
        double lane[4] = {};
        for (Index r = 0; r < kLeafRows; r += 4)
            for (Index l = 0; l < 4; ++l) lane[l] += kernel[r + l] * x[r + l];
        return (lane[0] + lane[1]) + (lane[2] + lane[3]);
    };
    double ones[kLeafRows];
    std::fill(ones, ones + kLeafRows, 1.0);
    const double weight = weighted(ones);
    if (weight == 0.0) return;
    found.weight += weight;
    for (Index j = 0; j < p; ++j) found.sum[j] += weighted(coordinates + j * kLeafRows);
}

}  // namespace

template <class T>
MomentTree::MomentTree(Matrix<const T> X, Span<const double> weights) : p_(X.cols) {
    std::vector<Index> rows;
    for (Index i = 0; i < X.rows; ++i)
        if (weights.empty() || weights[i] > 0.0) rows.push_back(i);
    if (rows.empty()) return;
    std::vector<double> table(X.rows * p_);
    for (Index i = 0; i < X.rows; ++i)
        for (Index j = 0; j < p_; ++j) table[i * p_ + j] = static_cast<double>(X(i, j));
    build(rows, 0, static_cast<Index>(rows.size()), table, weights);
}

Index MomentTree::build(std::vector<Index>& rows, Index begin, Index end, const std::vector<double>& table,
                        Span<const double> weights) {
    const auto id = static_cast<Index>(nodes_.size());
    nodes_.push_back({begin, end, 0, 0, 0.0});
    boxes_.resize(boxes_.size() + static_cast<std::size_t>(2 * p_));
    sums_.resize(sums_.size() + static_cast<std::size_t>(p_), 0.0);
    const auto row = [&](Index place) { return table.data() + rows[place] * p_; };
    const auto weight = [&](Index place) { return weights.empty() ? 1.0 : weights[rows[place]]; };
    double* const box = boxes_.data() + 2 * p_ * id;
    double* const sum = sums_.data() + p_ * id;
    std::copy(row(begin), row(begin) + p_, box);
    std::copy(row(begin), row(begin) + p_, box + p_);
    double total = 0.0;
    for (Index i = begin; i < end; ++i) {
        const double w = weight(i);
        total += w;
        for (Index j = 0; j < p_; ++j) {
            const double x = row(i)[j];
            box[j] = std::min(box[j], x);
            box[p_ + j] = std::max(box[p_ + j], x);
            sum[j] += w * x;
        }
    }
    nodes_[id].weight = total;
    if (end - begin <= kLeafRows) {
        const auto block = static_cast<Index>(leaves_.size());
        nodes_[id].block = block;
        leaves_.resize(leaves_.size() + static_cast<std::size_t>((p_ + 1) * kLeafRows), 0.0);
        for (Index i = begin; i < end; ++i) {
            double* at = leaves_.data() + block + (i - begin);
            at[0] = weight(i);
            for (Index j = 0; j < p_; ++j) at[(j + 1) * kLeafRows] = row(i)[j];
        }
        return id;
    }
    Index side = 0;
    for (Index j = 1; j < p_; ++j)
        if (box[p_ + j] - box[j] > box[p_ + side] - box[side]) side = j;
    const Index middle = begin + (end - begin) / 2;
    std::nth_element(rows.begin() + begin, rows.begin() + middle, rows.begin() + end, [&](Index a, Index b) {
        const double x = table[a * p_ + side];
        const double y = table[b * p_ + side];
        return x < y || (x == y && a < b);
    });
    build(rows, begin, middle, table, weights);
    const Index right = build(rows, middle, end, table, weights);
    nodes_[id].right = right;
    return id;
}

double MomentTree::least(Index node, const double* point) const {
    const double *a = low(node), *b = high(node);
    double sum = 0.0;
    for (Index j = 0; j < p_; ++j) {
        const double outside = std::max(0.0, std::max(a[j] - point[j], point[j] - b[j]));
        sum += outside * outside;
    }
    return sum;
}

double MomentTree::most(Index node, const double* point) const {
    const double *a = low(node), *b = high(node);
    double sum = 0.0;
    for (Index j = 0; j < p_; ++j) {
        const double away = std::max(point[j] - a[j], b[j] - point[j]);
        sum += away * away;
    }
    return sum;
}

template <class Enter, class Leaf>
void MomentTree::walk(Enter&& enter, Leaf&& leaf) const {
    if (nodes_.empty()) return;
    Index stack[kDepth];
    Index depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const Index id = stack[--depth];
        if (!enter(id)) continue;
        const Node& node = nodes_[id];
        if (node.right == 0) {
            const double* block = leaves_.data() + node.block;
            leaf(block + kLeafRows, block);
        } else {
            stack[depth++] = node.right;
            stack[depth++] = id + 1;
        }
    }
}

void MomentTree::ball(const double* point, double radius, Moments& found) const {
    const double limit = radius * radius;
    double kernel[kLeafRows];
    walk(
        [&](Index id) {
            if (least(id, point) > limit) return false;
            if (most(id, point) > limit) return true;
            const double* sum = sums_.data() + p_ * id;
            found.weight += nodes_[id].weight;
            for (Index j = 0; j < p_; ++j) found.sum[j] += sum[j];
            return false;
        },
        [&](const double* coordinates, const double* weights) {
            leaf_distances(point, coordinates, p_, kernel);
            for (Index r = 0; r < kLeafRows; ++r) kernel[r] = kernel[r] <= limit ? weights[r] : 0.0;
            add_leaf(kernel, coordinates, p_, found);
        });
}

void MomentTree::gaussian(const double* point, double rate, double offset, double limit, Moments& found) const {
    double kernel[kLeafRows];
    walk([&](Index id) { return least(id, point) <= limit; },
         [&](const double* coordinates, const double* weights) {
             leaf_distances(point, coordinates, p_, kernel);
             for (Index r = 0; r < kLeafRows; ++r) kernel[r] = weights[r] * exp_fast(-rate * (kernel[r] - offset));
             add_leaf(kernel, coordinates, p_, found);
         });
}

double MomentTree::nearest(const double* point) const {
    double best = std::numeric_limits<double>::infinity();
    double d2[kLeafRows];
    walk([&](Index id) { return least(id, point) < best; },
         [&](const double* coordinates, const double* weights) {
             leaf_distances(point, coordinates, p_, d2);
             for (Index r = 0; r < kLeafRows; ++r)
                 if (weights[r] > 0.0) best = std::min(best, d2[r]);
         });
    return best;
}

template MomentTree::MomentTree(Matrix<const float>, Span<const double>);
template MomentTree::MomentTree(Matrix<const double>, Span<const double>);

}  // namespace statlearn::cluster
