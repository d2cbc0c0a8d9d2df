#include "smooth/loess_neighbors.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "common/parallel.hpp"
#include "neighbors/kd_tree.hpp"

namespace statlearn::smooth {
namespace {

constexpr Index kLeaf = 32;
constexpr Index kWorthATree = 4096;  // rows
constexpr double kTreeCost = 40.0;   // of building it, in distances a row (empirical)
constexpr Index kSample = 512;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

// A sample says between which values it lies; only those are looked at closely.
double kth_smallest(Span<const double> values, Index k, std::vector<double>& scratch) {
    const Index n = Index(values.size());
    if (n > 4 * kSample) {
        scratch.resize(n);
        for (Index s = 0; s < kSample; ++s) scratch[s] = values[s * n / kSample];
        std::sort(scratch.begin(), scratch.begin() + kSample);
        const double part = double(k) / double(n);
        const Index at = Index(part * kSample);
        const Index slack = Index(3.0 * std::sqrt(double(kSample) * part * (1.0 - part))) + 3;
        const double low = at < slack ? -kInfinity : scratch[at - slack];
        const double high = at + slack >= kSample ? kInfinity : scratch[at + slack];
        std::size_t below = 0, kept = 0;
        for (const double value : values) {
            below += value < low;
            scratch[kept] = value;
            kept += value >= low && value <= high;
        }
        if (Index(below) <= k && k < Index(below + kept)) {
            const auto place = scratch.begin() + (k - Index(below));
            std::nth_element(scratch.begin(), place, scratch.begin() + Index(kept));
            return *place;
        }
    }
    scratch.assign(values.begin(), values.end());
    std::nth_element(scratch.begin(), scratch.begin() + k, scratch.end());
    return scratch[k];
}

// Halves the range in which the target falls.
double counted_smallest(std::vector<Counted>& items, double target) {
    target *= 1.0 - 1e-12;
    auto first = items.begin(), last = items.end();
    double before = 0.0;
    while (last - first > 1) {
        const auto middle = first + (last - first) / 2;
        std::nth_element(first, middle, last, [](const Counted& a, const Counted& b) { return a.square < b.square; });
        double lower = 0.0;
        for (auto item = first; item != middle; ++item) lower += item->count;
        if (before + lower >= target) {
            last = middle;
        } else {
            before += lower;
            first = middle;
        }
    }
    return first->square;
}

LoessNeighbors::LoessNeighbors(const LoessData& data, const LoessRule& rule, Index places, const Interrupt& interrupt)
    : data_(data), rule_(rule) {
    const double n = double(data.X.rows), all = std::accumulate(data.counts.begin(), data.counts.end(), 0.0);
    const double neighbors = data.counts.empty() ? rule.neighbors : n * rule.neighbors / all;
    // The leaves around a place hold about half as many rows again as its neighbourhood.
    const bool saves = double(places) * (n - 1.5 * neighbors) > kTreeCost * n;
    if (rule.near > 1 && data.X.rows >= kWorthATree && saves) index(interrupt);
}

void LoessNeighbors::index(const Interrupt& interrupt) {
    const Index n = data_.X.rows, d = data_.X.cols, p = rule_.near;
    const neighbors::TreeShape shape{n, p, kLeaf};
    std::vector<double> by_row(n * p);
    for (Index j = 0; j < p; ++j)
        for (Index i = 0; i < n; ++i) by_row[i * p + j] = data_.X(i, j);
    std::vector<int> rows(n);
    std::vector<double> blocks(shape.block_count() * shape.block_size());
    std::vector<double> low(shape.nodes() * p), high(low);
    neighbors::kd_tree_build<double>({by_row.data(), n, p, p, 1}, shape, interrupt, rows, blocks,
                                     {low.data(), shape.nodes(), p, p, 1}, {high.data(), shape.nodes(), p, p, 1});
    if (interrupt.requested()) return;
    std::vector<neighbors::TreeNode> stack{shape.root()};
    while (!stack.empty()) {
        const neighbors::TreeNode node = stack.back();
        stack.pop_back();
        if (!node.is_leaf()) {
            stack.push_back(node.right());
            stack.push_back(node.left());
            continue;
        }
        leaf_runs_.emplace_back(shape.begin(node), shape.end(node));
        low_.insert(low_.end(), low.data() + node.id * p, low.data() + (node.id + 1) * p);
        high_.insert(high_.end(), high.data() + node.id * p, high.data() + (node.id + 1) * p);
    }
    const auto ordered = [&](const double* from, std::vector<double>& to) {
        for (const int row : rows) to.push_back(from[row]);
    };
    for (Index j = 0; j < d; ++j) ordered(data_.X.col(j), X_);
    ordered(data_.y.data(), y_);
    if (!data_.w.empty()) ordered(data_.w.data(), w_);
    if (!data_.counts.empty()) {
        ordered(data_.counts.data(), counts_);
        for (const auto& [first, last] : leaf_runs_)
            leaf_counts_.push_back(std::accumulate(counts_.begin() + first, counts_.begin() + last, 0.0));
    }
    data_ = {{X_.data(), n, d, 1, n}, y_, w_, counts_};
}

// The neighbours on a line are a run of the sorted rows.
void LoessNeighbors::window(double z, Neighborhood& out) const {
    const double* x = data_.X.data;
    const Index n = data_.X.rows;
    Index first = 0, last = 0;
    if (data_.counts.empty()) {
        const Index q = Index(rule_.neighbors);
        Index end = n - q;
        while (first < end) {
            const Index middle = (first + end) / 2;
            if (z - x[middle] > x[middle + q] - z)
                first = middle + 1;
            else
                end = middle;
        }
        last = first + q;
    } else {
        double counted = 0.0;
        first = last = std::lower_bound(x, x + n, z) - x;
        while (counted < rule_.neighbors * (1.0 - 1e-12) && last - first < n) {
            const bool right = first == 0 || (last < n && x[last] - z <= z - x[first - 1]);
            counted += data_.counts[right ? last++ : --first];
        }
    }
    out.runs.emplace_back(first, last);
}

// Enough whole leaves are within some distance; others that begin within it may hold neighbours, too.
void LoessNeighbors::leaves_around(const double* z, Neighborhood& out) const {
    const Index p = rule_.near, leaves = Index(leaf_runs_.size());
    out.squares.resize(leaves);
    out.far.resize(leaves);
    for (Index leaf = 0; leaf < leaves; ++leaf) {
        double nearest = 0.0, farthest = 0.0;
        for (Index j = 0; j < p; ++j) {
            const double below = low_[leaf * p + j] - z[j], above = z[j] - high_[leaf * p + j];
            const double gap = std::max(std::max(below, above), 0.0), side = std::max(-below, -above);
            nearest += gap * gap;
            farthest += side * side;
        }
        out.squares[leaf] = nearest;
        out.far[leaf] = farthest;
    }
    double bound = 0.0;
    if (data_.counts.empty()) {
        const Index enough = std::min(leaves, Index(rule_.neighbors) / kLeaf + 2);  // the last leaf may hold fewer rows
        bound = kth_smallest(out.far, enough - 1, out.scratch);
    } else {
        bound = counted(out.far, leaf_counts_, out);
    }
    bound *= 1.0 + 1e-12;
    for (Index leaf = 0; leaf < leaves; ++leaf)
        if (out.squares[leaf] <= bound) out.runs.push_back(leaf_runs_[leaf]);
}

void LoessNeighbors::candidates(const double* z, Neighborhood& out) const {
    out.runs.clear();
    if (data_.X.cols == 1)
        window(z[0], out);
    else if (!leaf_runs_.empty())
        leaves_around(z, out);
    else
        out.runs.emplace_back(0, data_.X.rows);
    measure(z, out);
}

// Squared distances of the rows of the runs.
void LoessNeighbors::measure(const double* z, Neighborhood& out) const {
    Index count = 0;
    for (const auto& [first, last] : out.runs) count += last - first;
    out.squares.assign(count, 0.0);
    double* at = out.squares.data();
    for (const auto& [first, last] : out.runs) {
        for (Index j = 0; j < rule_.near; ++j) {
            const double* x = data_.X.col(j);
            for (Index i = first; i < last; ++i) {
                const double gap = x[i] - z[j];
                at[i - first] += gap * gap;
            }
        }
        at += last - first;
    }
}

// The value up to which there are enough neighbours.
double LoessNeighbors::counted(Span<const double> squares, Span<const double> counts, Neighborhood& out) const {
    out.counted.resize(squares.size());
    for (Index i = 0; i < squares.size(); ++i) out.counted[i] = {squares[i], counts[i]};
    return counted_smallest(out.counted, rule_.neighbors);
}

// Squared distance to the last neighbour.
double LoessNeighbors::radius(Neighborhood& out) const {
    const auto& squares = out.squares;
    if (data_.counts.empty()) {
        const Index q = Index(rule_.neighbors);
        if (q >= Index(squares.size())) return *std::max_element(squares.begin(), squares.end());
        return kth_smallest(squares, q - 1, out.scratch);
    }
    if (data_.X.cols == 1) return std::max(squares.front(), squares.back());
    out.scratch.clear();
    for (const auto& [first, last] : out.runs)
        out.scratch.insert(out.scratch.end(), data_.counts.begin() + first, data_.counts.begin() + last);
    return counted(squares, out.scratch, out);
}

// Keeps the candidates with squared distance up to `limit`; false if their weights are all 0.
template <class Kernel>
bool LoessNeighbors::weigh(Neighborhood& out, double limit, Kernel&& kernel) const {
    out.rows.resize(out.squares.size());
    out.weights.resize(out.squares.size());
    std::size_t kept = 0;
    const double* at = out.squares.data();
    for (const auto& [first, last] : out.runs)
        for (Index i = first; i < last; ++i, ++at) {
            out.rows[kept] = int(i);
            out.weights[kept] = *at;
            kept += *at <= limit;
        }
    out.rows.resize(kept);
    out.weights.resize(kept);
    for (double& weight : out.weights) weight = kernel(weight);
    if (!data_.w.empty())
        for (std::size_t i = 0; i < kept; ++i) out.weights[i] *= data_.w[out.rows[i]];
    return std::any_of(out.weights.begin(), out.weights.end(), [](double weight) { return weight > 0.0; });
}

void LoessNeighbors::find(const double* z, Neighborhood& out) const {
    candidates(z, out);
    const double last = radius(out);
    out.reach = last * rule_.stretch;
    out.flat = false;
    const double reach = out.reach;
    if (reach > 0.0 && weigh(out, reach, [reach](double square) { return tricube(square, reach); })) return;
    // Ties reach beyond the candidates.
    out.flat = true;
    out.runs.assign(1, {0, data_.X.rows});
    measure(z, out);
    out.reach = -std::max(last, std::numeric_limits<double>::min());
    if (!weigh(out, -out.reach, [](double) { return 1.0; })) std::fill(out.weights.begin(), out.weights.end(), 1.0);
}

}  // namespace statlearn::smooth
