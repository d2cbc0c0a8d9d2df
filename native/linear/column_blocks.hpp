// The gradient of 1/2 |y - X w|^2 over a growing working set, for descent over groups of its columns.
#pragma once

#include <algorithm>
#include <vector>

#include "common/vector.hpp"
#include "linear/anderson.hpp"
#include "linear/column_store.hpp"

namespace statlearn::linear {

// While the columns are few they form one block, and a move updates the gradient through their cross-products. Beyond
// that they are cut into blocks of kWidth: inside a block a move works by cross-products, and when the block is left
// its moves are added to the fit, from which the gradient of the next block is formed. Either way the work per pass is
// streamed through memory once, in single precision; the gradient at the anchor is exact.
template <class Store>
class ColumnBlocks {
public:
    // A state of the model: gradient of all columns, or change of the fit. Affine in the coefficients.
    struct Point {
        std::vector<double> gradient;
        typename Store::Shift shift;
    };

    template <class Source>
    explicit ColumnBlocks(const Source& source) : store_(source) {
        point_.shift = store_.zero();
    }

    const Store& store() const { return store_; }
    bool whole() const { return whole_; }
    Index blocks() const { return whole_ ? 1 : Index(begins_.size()) - 1; }
    const Point& point() const { return point_; }
    void go_to(const Point& point) { point_ = point; }

    // Adds columns, group after group; the anchor must be set anew before the next pass.
    void append(Span<const Index> features, Span<const Index> sizes) {
        const Index old = store_.size();
        store_.append(features);
        const Index m = store_.size();
        Index at = old;
        for (const Index size : sizes) {
            groups_.push_back(at);
            at += size;
        }
        if (whole_ && double(m) <= std::clamp(kShare * double(store_.pass_cost()), kSmallest, kLargest)) {
            grow(whole_gram_, 0, old, m);
        } else if (whole_) {
            whole_ = false;
            whole_gram_ = {};
            begins_.assign(1, 0);
            cut(0);
        } else {
            cut(old);
        }
    }

    // The present coefficients become the anchor, with this gradient.
    void anchor(std::vector<double> gradient) {
        exact_ = std::move(gradient);
        if (whole_)
            point_.gradient = exact_;
        else
            point_.shift = store_.zero();
    }
    // The same state seen from the present point as the new anchor, to be called before it becomes the anchor.
    void rebase(Point& other) const {
        if (whole_) return;
        for (std::size_t i = 0; i < other.shift.size(); ++i) other.shift[i] -= point_.shift[i];
    }

    Index begin(Index block) const { return whole_ ? 0 : begins_[block]; }
    Index end(Index block) const { return whole_ ? store_.size() : begins_[block + 1]; }

    void enter(Index block) {
        if (whole_) {
            first_ = 0;
            return;
        }
        first_ = begin(block);
        const Index count = end(block) - first_;
        point_.gradient.resize(count);
        moved_.assign(count, 0.0);
        store_.dots(first_, first_ + count, point_.shift, point_.gradient.data());
        for (Index c = 0; c < count; ++c) point_.gradient[c] = exact_[first_ + c] - point_.gradient[c];
        gram_ = &grams_[block];
    }
    // Of a column of the block that was entered.
    const double* gradient(Index column) const { return point_.gradient.data() + (column - first_); }
    void move(Index column, Index count, const double* delta) {
        const Gram& gram = whole_ ? whole_gram_ : *gram_;
        const Index at = column - first_;
        subtract(gram.values.data() + at * gram.ld, gram.ld, delta, Index(point_.gradient.size()), count,
                 point_.gradient.data());
        if (!whole_)
            for (Index k = 0; k < count; ++k) moved_[at + k] += delta[k];
    }
    void leave(Index block) {
        if (whole_) return;
        // Runs of columns that moved.
        const Index count = end(block) - first_;
        for (Index c = 0; c < count;) {
            if (moved_[c] == 0.0) {
                ++c;
                continue;
            }
            Index last = c + 1;
            while (last < count && moved_[last] != 0.0) ++last;
            store_.add(first_ + c, first_ + last, moved_.data() + c, point_.shift);
            c = last;
        }
    }

    // |X (w - anchor)|^2 at a point, with change = w - anchor.
    double curvature(const Point& point, Span<const double> change) const {
        if (!whole_) return store_.norm2(point.shift);
        double sum = 0.0;
        for (Index c = 0; c < change.size(); ++c) sum += change[c] * (exact_[c] - point.gradient[c]);
        return sum;
    }
    // sum_c exact gradient times change
    double slope(Span<const double> change) const { return dot(exact_.data(), change.data(), Index(change.size())); }

    // a + t (b - a)
    Point between(const Point& a, const Point& b, double t) const {
        Point out = a;
        if (whole_)
            for (std::size_t c = 0; c < out.gradient.size(); ++c)
                out.gradient[c] += t * (b.gradient[c] - a.gradient[c]);
        else
            for (std::size_t i = 0; i < out.shift.size(); ++i)
                out.shift[i] += typename Store::Shift::value_type(t) * (b.shift[i] - a.shift[i]);
        return out;
    }
    template <std::size_t K>
    Point mixture(const std::vector<Point>& points, const AndersonWeights<K>& c) const {
        Point out = between(points[1], points[1], 0.0);
        for (std::size_t i = 0; whole_ && i < out.gradient.size(); ++i) {
            out.gradient[i] = 0.0;
            for (std::size_t k = 0; k < K; ++k) out.gradient[i] += c[k] * points[k + 1].gradient[i];
        }
        for (std::size_t i = 0; !whole_ && i < out.shift.size(); ++i) {
            double sum = 0.0;
            for (std::size_t k = 0; k < K; ++k) sum += c[k] * double(points[k + 1].shift[i]);
            out.shift[i] = typename Store::Shift::value_type(sum);
        }
        return out;
    }

private:
    // Empirical: one block up to this many columns per multiply-add of a pass over one.
    static constexpr double kShare = 0.15, kSmallest = 128.0, kLargest = 4096.0;
    static constexpr Index kWidth = 80;

    struct Gram {
        std::vector<float> values;
        Index ld = 0;
    };

    // y -= A c for `count` columns of A.
    static void subtract(const float* A, Index ld, const double* c, Index n, Index count, double* y) {
        Index k = 0;
        for (; k + 4 <= count; k += 4) {
            const float *a0 = A + k * ld, *a1 = a0 + ld, *a2 = a1 + ld, *a3 = a2 + ld;
            const double c0 = c[k], c1 = c[k + 1], c2 = c[k + 2], c3 = c[k + 3];
            for (Index i = 0; i < n; ++i)
                y[i] -= (c0 * double(a0[i]) + c1 * double(a1[i])) + (c2 * double(a2[i]) + c3 * double(a3[i]));
        }
        for (; k < count; ++k) {
            const float* a = A + k * ld;
            for (Index i = 0; i < n; ++i) y[i] -= c[k] * double(a[i]);
        }
    }

    void grow(Gram& gram, Index begin, Index first, Index end) {
        const Index m = end - begin;
        if (m > gram.ld) {
            const Index ld = (whole_ ? std::max<Index>(64, m + m / 2) : m) / 8 * 8 + 8, old = first - begin;
            std::vector<float> larger(ld * ld);
            for (Index c = 0; c < old; ++c) std::copy_n(gram.values.data() + c * gram.ld, old, larger.data() + c * ld);
            gram.values.swap(larger);
            gram.ld = ld;
        }
        store_.products(begin, first, end, gram.values.data(), gram.ld);
    }

    // Puts the groups from column `from` on into blocks, the last one of which may still have room.
    void cut(Index from) {
        const Index m = store_.size();
        if (begins_.back() == from && from > 0) begins_.pop_back();
        const auto next = [&](Index at) {  // the end of the group that begins at a column
            const auto after = std::upper_bound(groups_.begin(), groups_.end(), at);
            return after == groups_.end() ? m : *after;
        };
        for (Index at = from; at < m;) {
            Index end = next(at);
            const Index begin = begins_.back();
            if (end - begin > kWidth && at > begin) {  // does not fit any more
                begins_.push_back(at);
                continue;
            }
            while (end < m && next(end) - begin <= kWidth) end = next(end);
            const auto block = begins_.size() - 1;
            grams_.resize(begins_.size());
            grow(grams_[block], begin, at, end);
            at = end;
            if (at < m) begins_.push_back(at);
        }
        begins_.push_back(m);
    }

    Store store_;
    bool whole_ = true;
    Gram whole_gram_;
    std::vector<Index> groups_;  // where groups begin
    std::vector<Index> begins_;  // of the blocks, and the end of the last
    std::vector<Gram> grams_;
    const Gram* gram_ = nullptr;
    Index first_ = 0;  // of the block that was entered
    std::vector<double> exact_, moved_;
    Point point_;
};

}  // namespace statlearn::linear
