#include "ensemble/isolation_trees.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "common/parallel.hpp"
#include "common/samplers.hpp"

namespace statlearn::ensemble {
namespace {

struct Part {
    int node, depth;
    Index begin, end;  // places of its rows
};

template <class T>
struct Range {
    T low = std::numeric_limits<T>::infinity(), high = -std::numeric_limits<T>::infinity();
    bool splits() const { return low < high; }
};

// The mean depth of an unsuccessful search in a binary search tree of n keys: 2 (H(n-1) - (n-1) / n), with
// H(k) = ln k + Euler's constant.
double mean_search_depth(std::int64_t n) {
    if (n <= 1) return 0.0;
    if (n == 2) return 1.0;
    const double m = double(n - 1);
    return 2.0 * (std::log(m) + std::numbers::egamma) - 2.0 * m / double(n);
}

template <class T>
class Grower {
public:
    Grower(Matrix<const T> X, const std::int64_t* rows, Index n_rows, const int* columns, Index n_columns,
           std::uint64_t seed)
        : X_(X), rows_(rows, rows + n_rows), columns_(columns, columns + n_columns), rng_(seed, 0) {}

    // Writes the nodes from place `root` of the arrays on; returns their number.
    int grow(int max_depth, std::size_t root, const IsolationNodes& nodes) {
        std::vector<Part> open{{0, 0, 0, Index(rows_.size())}};
        int size = 1;
        while (!open.empty()) {
            const Part part = open.back();
            open.pop_back();
            const auto k = root + std::size_t(part.node);
            const Index n = part.end - part.begin;
            nodes.rows[k] = n;
            nodes.feature[k] = -1;
            nodes.child[k] = part.node;
            nodes.threshold[k] = 0.0;
            nodes.missing_left[k] = 0;
            nodes.value[k] = part.depth + mean_search_depth(n);
            if (part.depth >= max_depth || n <= 1) continue;
            const auto [column, range] = draw_column(part);
            if (!range.splits()) continue;
            const double threshold = draw_threshold(range);
            const bool missing_left = rng_.bits32() >> 31;
            const Index middle = divide(part, column, threshold, missing_left);
            nodes.feature[k] = column;
            nodes.threshold[k] = threshold;
            nodes.missing_left[k] = missing_left;
            nodes.child[k] = size;
            open.push_back({size + 1, part.depth + 1, middle, part.end});
            open.push_back({size, part.depth + 1, part.begin, middle});
            size += 2;
        }
        return size;
    }

private:
    // A random column that is not constant on the rows, and its range there; one that is if there is no other.
    std::pair<int, Range<T>> draw_column(const Part& part) {
        int column = -1;
        Range<T> range;
        for (std::size_t k = 0; k < columns_.size() && !range.splits(); ++k) {
            column = draw_next(columns_.begin(), k, columns_.size(), rng_);
            range = range_of(part, column);
        }
        return {column, range};
    }

    Range<T> range_of(const Part& part, int column) const {
        Range<T> range;
        for (Index i = part.begin; i < part.end; ++i) {
            const T x = X_(Index(rows_[i]), column);
            if (x < range.low) range.low = x;  // false for NaN
            if (x > range.high) range.high = x;
        }
        return range;
    }

    // From the smallest value on, and below the largest: both sides have rows.
    double draw_threshold(const Range<T>& range) {
        const double low = double(range.low), high = double(range.high), u = rng_.uniform();
        const double threshold = (1.0 - u) * low + u * high;  // a difference may overflow
        return threshold >= low && threshold < high ? threshold : low;
    }

    Index divide(const Part& part, int column, double threshold, bool missing_left) {
        const auto left = [&](std::int64_t row) {
            const T x = X_(Index(row), column);
            return x != x ? missing_left : double(x) <= threshold;
        };
        const auto first = rows_.begin() + part.begin, last = rows_.begin() + part.end;
        return part.begin + (std::partition(first, last, left) - first);
    }

    Matrix<const T> X_;
    std::vector<std::int64_t> rows_;
    std::vector<int> columns_;
    Rng rng_;
};

}  // namespace

template <class T>
void isolation_trees(Matrix<const T> X, Matrix<const std::int64_t> rows, Matrix<const int> columns,
                     Span<const std::uint64_t> seeds, int max_depth, const Interrupt& interrupt,
                     const IsolationNodes& nodes) {
    const Index n_trees = rows.rows, room = 2 * rows.cols;
    const auto work = Work(double(n_trees) * double(rows.cols) * (max_depth + 1));
    parallel_for(n_trees, work, [&](Index t) {
        if (interrupt.requested()) return;
        Grower<T> grower(X, &rows(t, 0), rows.cols, &columns(t, 0), columns.cols, seeds[t]);
        nodes.size[t] = grower.grow(max_depth, std::size_t(t * room), nodes);
    });
}

template void isolation_trees<float>(Matrix<const float>, Matrix<const std::int64_t>, Matrix<const int>,
                                     Span<const std::uint64_t>, int, const Interrupt&, const IsolationNodes&);
template void isolation_trees<double>(Matrix<const double>, Matrix<const std::int64_t>, Matrix<const int>,
                                      Span<const std::uint64_t>, int, const Interrupt&, const IsolationNodes&);

}  // namespace statlearn::ensemble
