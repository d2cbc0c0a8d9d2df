#include "decomposition/similar_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/parallel.hpp"
#include "common/vector.hpp"

namespace statlearn::decomposition {

namespace {

struct Sums {
    double n, x, y, xx, yy, xy;
};

double similarity(const SimilarPlan& plan, const Sums& s, double entries) {
    if (s.n < plan.min_common) return 0.0;
    double value = 0.0;
    if (plan.kind == Similarity::cosine) {
        const double scale = std::sqrt(s.xx * s.yy);
        value = scale > 0.0 ? s.xy / scale : 0.0;
    } else if (plan.kind == Similarity::pearson) {
        const double xx = s.n * s.xx - s.x * s.x, yy = s.n * s.yy - s.y * s.y;
        const double tiny = 1e-12;
        // A row that is constant over the common columns has no correlation.
        if (xx > tiny * s.n * s.xx && yy > tiny * s.n * s.yy) value = (s.n * s.xy - s.x * s.y) / std::sqrt(xx * yy);
    } else if (plan.kind == Similarity::jaccard) {
        value = s.n / (entries - s.n);
    } else {
        value = s.xy;
    }
    return value * (s.n / (s.n + plan.shrinkage));
}

std::vector<double> inverse_lengths(const RowsView<double>& table) {
    std::vector<double> inverse(table.rows);
    for (Index i = 0; i < table.rows; ++i) {
        const Index begin = table.indptr[i];
        const double* row = table.values.data() + begin;
        const double square = dot(row, row, table.indptr[i + 1] - Index(begin));
        inverse[i] = square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
    }
    return inverse;
}

// The tables with the mean of each row taken off its values: correlations remain, and do not cancel where values are
// far from 0.
struct CentredTables {
    CentredTables(const RowsView<double>& table, const RowsView<double>& turned)
        : by_row(table.values.begin(), table.values.end()), by_column(turned.values.begin(), turned.values.end()) {
        std::vector<double> mean(table.rows);
        for (std::size_t i = 0; i < mean.size(); ++i) {
            const auto begin = table.indptr[i], end = table.indptr[i + 1];
            double sum = 0.0;
            for (auto e = begin; e < end; ++e) sum += by_row[e];
            if (end > begin) mean[i] = sum / double(end - begin);
            for (auto e = begin; e < end; ++e) by_row[e] -= mean[i];
        }
        for (std::size_t e = 0; e < by_column.size(); ++e) by_column[e] -= mean[turned.cols_of[e]];
    }

    std::vector<double> by_row, by_column;
};

// The K best of some rows: better ones by similarity, then by the lower index.
//
// The leading bits of a number sort numbers roughly: they are counted, and only rows from the bin of the K-th best on
// are compared in full.
class Best {
public:
    explicit Best(Index most) : most_(most), counts_(kBins) {}

    void offer(double value, int row) {
        if (count_ == rows_.size()) rows_.resize(2 * count_ + 64);
        rows_[count_++] = {value, row};
    }

    // Writes them in order and forgets all.
    void take(int* to, double* size) {
        std::size_t m = count_;
        if (m > most_) m = keep_candidates();
        const auto begin = rows_.begin();
        if (m > most_) {
            std::nth_element(begin, begin + std::ptrdiff_t(most_ - 1), begin + std::ptrdiff_t(m), better);
            m = most_;
        }
        std::sort(begin, begin + std::ptrdiff_t(m), better);
        for (std::size_t r = 0; r < most_; ++r) {
            to[r] = r < m ? rows_[r].row : -1;
            size[r] = r < m ? rows_[r].value : 0.0;
        }
        count_ = 0;
    }

private:
    struct Row {
        double value;
        int row;
    };
    // Bins of 1/16 of a power of two from 2^-24 to 2, with what is smaller in the first and what is larger in the last.
    static constexpr int kBins = 25 * 16;
    static constexpr std::int64_t kFirst = (1023 - 24) * 16;

    static bool better(const Row& a, const Row& b) {
        return a.value > b.value || (a.value == b.value && a.row < b.row);
    }
    static int bin_of(double positive) {
        const std::int64_t bin = (std::bit_cast<std::int64_t>(positive) >> 48) - kFirst;
        return int(std::clamp<std::int64_t>(bin, 0, kBins - 1));
    }

    // Moves the rows that may be among the best to the front; returns their number.
    std::size_t keep_candidates() {
        std::fill(counts_.begin(), counts_.end(), 0);
        for (std::size_t r = 0; r < count_; ++r) ++counts_[bin_of(rows_[r].value)];
        int bin = kBins;
        for (std::size_t above = 0; above < most_; above += std::size_t(counts_[bin])) --bin;
        std::size_t kept = 0;
        for (std::size_t r = 0; r < count_; ++r) {
            const Row row = rows_[r];
            if (bin_of(row.value) >= bin) rows_[kept++] = row;
        }
        return kept;
    }

    std::size_t most_, count_ = 0;
    std::vector<int> counts_;
    std::vector<Row> rows_;
};

// product[j] += x y_j for the entries (j, y_j) of a column; rows whose product was 0 join those that were met. Returns
// the number of the latter. Apart from its callers, so that everything stays in registers.
[[gnu::noinline]] std::size_t add_column(const int* rows, const double* values, std::size_t n, double x,
                                         double* product, int* met, std::size_t count) {
    for (std::size_t e = 0; e < n; ++e) {
        const int j = rows[e];
        const double before = product[j];
        met[count] = j;
        count += before == 0.0;
        product[j] = before + x * values[e];
    }
    return count;
}

// Inner products alone need one number per row: 0 until the row is met. A product that comes back to 0 is met twice,
// and offered at most once.
class PlainProducts {
public:
    PlainProducts(Index n, Span<const double> inverse) : inverse_(inverse), product_(n), met_(n) {}

    void add(const RowsView<double>& table, const RowsView<double>& turned, Index i) {
        const Index first = table.indptr[i];
        const Index last = table.indptr[i + 1];
        for (Index at = first; at < std::min(first + kAhead, last); ++at) turned.prefetch(table.cols_of[at]);
        for (Index at = first; at < last; ++at) {
            if (at + kAhead < last) turned.prefetch(table.cols_of[at + kAhead]);
            const Index c = table.cols_of[at];
            const std::size_t begin = turned.indptr[c], n = turned.indptr[c + 1] - begin;
            if (count_ + n >= met_.size()) met_.resize(2 * (count_ + n + 1));
            count_ = add_column(turned.cols_of.data() + begin, turned.values.data() + begin, n, table.values[at],
                                product_.data(), met_.data(), count_);
        }
    }

    // Offers the cosines.
    void offer_all(Index i, Best& best) {
        const double own = inverse_[i];
        product_[i] = 0.0;
        for (std::size_t m = 0; m < count_; ++m) {
            const int j = met_[m];
            const double value = product_[j] * (own * inverse_[j]);
            product_[j] = 0.0;
            if (value > 0.0) best.offer(value, j);
        }
        count_ = 0;
    }

private:
    static constexpr Index kAhead = 12;  // columns that are asked for ahead of their use: they lie anywhere

    Span<const double> inverse_;  // of the lengths of the rows
    std::vector<double> product_;
    std::vector<int> met_;
    std::size_t count_ = 0;
};

// All sums over the common columns.
class CommonSums {
public:
    explicit CommonSums(Index n) : sums_(n) {}

    void add(const RowsView<double>& table, const RowsView<double>& turned, Index i) {
        table.each(i, [&](std::size_t c, double x) {
            const int end = turned.indptr[c + 1];
            for (int e = turned.indptr[c]; e < end; ++e) {
                const int j = turned.cols_of[e];
                const double y = turned.values[e];
                Sums& s = sums_[j];
                if (s.n == 0.0) met_.push_back(j);
                s.n += 1.0, s.x += x, s.y += y, s.xx += x * x, s.yy += y * y, s.xy += x * y;
            }
        });
    }

    // `entries` are those of a row; `inverse` is empty if the lengths of the rows do not matter.
    template <class F>
    void offer_all(Index i, const SimilarPlan& plan, F&& entries, Span<const double> inverse, Best& best) {
        for (const int j : met_) {
            const double scale = inverse.empty() ? 1.0 : inverse[i] * inverse[j];
            const double value = scale * similarity(plan, sums_[j], entries(i) + entries(j));
            sums_[j] = {};
            if (j != i && value > 0.0) best.offer(value, j);
        }
        met_.clear();
    }

private:
    std::vector<Sums> sums_;
    std::vector<int> met_;
};

}  // namespace

void similar_rows(const RowsView<double>& given, const RowsView<double>& given_turned, const SimilarPlan& plan,
                  const Interrupt& interrupt, Matrix<int> neighbors, Matrix<double> similarities) {
    RowsView<double> table = given, turned = given_turned;
    std::optional<CentredTables> centred;
    if (plan.kind == Similarity::pearson) {
        centred.emplace(given, given_turned);
        table.values = centred->by_row, turned.values = centred->by_column;
    }
    const Index n = table.rows, most = neighbors.cols;
    const Blocks blocks(n, 256);
    double pairs = 0.0;
    for (Index c = 0; c < turned.rows; ++c) {
        const double count = turned.indptr[c + 1] - turned.indptr[c];
        pairs += count * count;
    }
    const auto entries = [&](Index i) { return double(table.indptr[i + 1] - table.indptr[i]); };
    const bool plain = plan.kind == Similarity::whole && plan.shrinkage == 0.0 && plan.min_common <= 1;
    const auto inverse = plan.kind == Similarity::whole ? inverse_lengths(table) : std::vector<double>();
    parallel_for(blocks.count(), Work(2.0 * pairs), [&](Index b) {
        PlainProducts products(plain ? n : 0, inverse);
        CommonSums sums(plain ? 0 : n);
        Best best(most);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            if (interrupt.requested()) return;
            if (plain) {
                products.add(table, turned, i);
                products.offer_all(i, best);
            } else {
                sums.add(table, turned, i);
                sums.offer_all(i, plan, entries, inverse, best);
            }
            best.take(neighbors.row(i), similarities.row(i));
        }
    });
}

}  // namespace statlearn::decomposition
