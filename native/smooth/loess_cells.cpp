#include "smooth/loess_cells.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace statlearn::smooth {
namespace {

constexpr double kMargin = 0.005;  // of the box around the rows, in parts of its sides

class CellBuilder {
public:
    CellBuilder(Matrix<const double> X, Span<const double> counts, Index near, double most)
        : X_(X), counts_(counts), near_(near), most_(most), rows_(X.rows) {
        cells_.d = X.cols;
        std::iota(rows_.begin(), rows_.end(), 0);
        enclose();
    }

    LoessCells build(const Interrupt& interrupt) {
        // Cells are cut in the order in which they arose; their rows are a run of rows_.
        for (std::size_t cell = 0; cell < cells_.column.size() && !interrupt.requested(); ++cell) {
            const Run run = runs_[cell];
            if (size_of(run) <= most_) continue;
            const Index column = widest(run);
            const Cut cut = split(run, X_.col(column));
            const int* corner = cells_.corners.data() + Index(cell) * n_corners();
            if (cut.value == vertex(corner[0], column) || cut.value == vertex(corner[n_corners() - 1], column))
                continue;
            divide(int(cell), column, cut);
        }
        return std::move(cells_);
    }

private:
    struct Run {
        Index begin, end;
    };
    struct Cut {
        double value;
        Index end;  // of the low part's rows
    };

    Index n_corners() const { return Index(1) << cells_.d; }
    double vertex(int v, Index j) const { return cells_.vertices[Index(v) * cells_.d + j]; }
    double count(int row) const { return counts_.empty() ? 1.0 : counts_[row]; }

    double size_of(Run run) const {
        if (counts_.empty()) return double(run.end - run.begin);
        double sum = 0.0;
        for (Index i = run.begin; i < run.end; ++i) sum += count(rows_[i]);
        return sum;
    }

    void enclose() {
        const Index d = cells_.d;
        std::vector<double> low(d), high(low);
        for (Index j = 0; j < d; ++j) {
            const auto [least, most] = std::minmax_element(X_.col(j), X_.col(j) + X_.rows);
            const double tiny = 1e-10 * std::max(std::abs(*least), std::abs(*most)) + 1e-30;
            const double margin = kMargin * std::max(*most - *least, tiny);
            low[j] = *least - margin;
            high[j] = *most + margin;
        }
        std::vector<double> place(low);
        for (Index c = 0; c < n_corners(); ++c) {
            for (Index j = 0; j < d; ++j) place[j] = (c >> j & 1 ? high : low)[j];
            cells_.corners.push_back(find_vertex(place));
        }
        add_cell({0, X_.rows});
    }

    int find_vertex(const std::vector<double>& place) {
        const auto [at, is_new] = known_.try_emplace(place, int(known_.size()));
        if (is_new) cells_.vertices.insert(cells_.vertices.end(), place.begin(), place.end());
        return at->second;
    }

    void add_cell(Run run) {
        runs_.push_back(run);
        cells_.column.push_back(-1);
        cells_.cut.push_back(0.0);
        cells_.low.push_back(-1);
        cells_.high.push_back(-1);
    }

    Index widest(Run run) const {
        Index best = 0;
        double widest = -1.0;
        for (Index j = 0; j < near_; ++j) {
            const double* x = X_.col(j);
            double least = x[rows_[run.begin]], most = least;
            for (Index i = run.begin; i < run.end; ++i) {
                const double value = x[rows_[i]];
                least = std::min(least, value);
                most = std::max(most, value);
            }
            if (most - least > widest) widest = most - least, best = j;
        }
        return best;
    }

    // Value of the row in the middle, by counts.
    double median(Run run, const double* x, double middle) {
        const auto first = rows_.begin() + run.begin, last = rows_.begin() + run.end;
        const auto before = [&](int a, int b) { return x[a] < x[b]; };
        if (counts_.empty()) {
            const auto place = first + (Index(middle) - 1);
            std::nth_element(first, place, last, before);
            return x[*place];
        }
        std::sort(first, last, before);
        double counted = 0.0;
        for (auto row = first; row != last; ++row) {
            counted += count(*row);
            if (counted >= middle * (1.0 - 1e-12)) return x[*row];
        }
        return x[*(last - 1)];
    }

    // The change between two values that is nearest to the median, the higher one of two equally near; the cut is at
    // the value below it. A run of equal rows is cut at their value.
    Cut split(Run run, const double* x) {
        const double size = size_of(run), middle = std::ceil(0.5 * size);
        const double value = median(run, x, middle);
        const auto first = rows_.begin() + run.begin, last = rows_.begin() + run.end;
        const auto equal = std::partition(first, last, [&](int row) { return x[row] < value; });
        const auto above = std::partition(equal, last, [&](int row) { return x[row] <= value; });
        const double below = size_of({run.begin, equal - rows_.begin()});
        const double up_to = below + size_of({equal - rows_.begin(), above - rows_.begin()});
        const double to_higher = up_to - middle, to_lower = middle - below;
        const bool has_higher = above != last, has_lower = equal != first && to_lower < size - middle;
        if (has_lower && (!has_higher || to_lower < to_higher)) {
            double largest = x[*first];
            for (auto row = first; row != equal; ++row) largest = std::max(largest, x[*row]);
            return {largest, equal - rows_.begin()};
        }
        return {value, above - rows_.begin()};
    }

    // New vertices stand where the cut meets the edges along its column.
    void divide(int cell, Index column, Cut cut) {
        const Index d = cells_.d;
        const int low = int(cells_.column.size()), high = low + 1;
        const Run run = runs_[cell];
        cells_.column[cell] = int(column);
        cells_.cut[cell] = cut.value;
        cells_.low[cell] = low;
        cells_.high[cell] = high;
        add_cell({run.begin, cut.end});
        add_cell({cut.end, run.end});
        const Index size = n_corners(), bit = Index(1) << column;
        const Index from = cell * size, to_low = low * size, to_high = high * size;
        cells_.corners.resize(to_high + size);
        std::vector<double> place(d);
        for (Index c = 0; c < size; ++c) {
            if (c & bit) continue;
            const int below = cells_.corners[from + c], above = cells_.corners[from + c + bit];
            for (Index j = 0; j < d; ++j) place[j] = vertex(below, j);
            place[column] = cut.value;
            const int between = find_vertex(place);
            cells_.corners[to_low + c] = below;
            cells_.corners[to_low + c + bit] = between;
            cells_.corners[to_high + c] = between;
            cells_.corners[to_high + c + bit] = above;
        }
    }

    Matrix<const double> X_;
    Span<const double> counts_;
    Index near_;
    double most_;
    std::vector<int> rows_;
    std::vector<Run> runs_;
    std::map<std::vector<double>, int> known_;
    LoessCells cells_;
};

}  // namespace

LoessCells loess_cells(Matrix<const double> X, Span<const double> counts, Index near, double most,
                       const Interrupt& interrupt) {
    return CellBuilder(X, counts, near, most).build(interrupt);
}

}  // namespace statlearn::smooth
