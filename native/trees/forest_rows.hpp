// The rows of a tree in growth: a node's rows stand side by side, in one of two buffers.
//
// A split keeps the left rows in the node's own buffer and writes the right ones, last first, to the same places of
// the other, so that nothing is copied back:
//
//      this buffer   [ left left left .  .  .  .  ]       other buffer   [ .  .  .  right right right right ]
#pragma once

#include <cstring>
#include <memory>

#include "trees/grow_forest.hpp"

namespace statlearn::trees::binned {

constexpr std::size_t kTogether = 4;  // columns that are read in one go

// Part of the rows: those of a node.
struct Range {
    Index begin = 0, end = 0;
    int buffer = 0;
    Index size() const { return end - begin; }
};

// Each row's bins and payload move with it: a node reads memory in a straight line.
template <class Target>
class MovedRows {
public:
    using Payload = typename Target::Payload;

    explicit MovedRows(const ForestTable& table)
        : table_(table),
          payload_at_((std::size_t(table.columns()) + 3) / 4 * 4),
          stride_((payload_at_ + Target::kBytes + 15) / 16 * 16) {}

    Range begin(Span<const std::uint32_t> counts, const Target& target) {
        const Index size = Index(counts.size()) - std::count(counts.begin(), counts.end(), 0u);
        if (size > capacity_) {
            for (auto& buffer : buffers_) buffer = std::make_unique_for_overwrite<Bin[]>(std::size_t(size) * stride_);
            capacity_ = size;
        }
        Bin* to = buffers_[0].get();
        for (Index i = 0; i < counts.size(); ++i) {
            if (counts[i] == 0) continue;
            std::memcpy(to, table_.by_row.row(Index(i)), table_.columns());
            const Payload own = target.payload(std::uint32_t(i), counts[i]);
            std::memcpy(to + payload_at_, &own, Target::kBytes);
            to += stride_;
        }
        return {0, size, 0};
    }

    class View {
    public:
        View(const Bin* at, std::size_t stride, Index size) : at_(at), stride_(stride), size_(size) {}
        Index size() const { return size_; }
        Payload operator()(Index i) const {
            Payload own;
            std::memcpy(&own, at_ + std::size_t(i) * stride_, Target::kBytes);
            return own;
        }

    private:
        const Bin* at_;
        std::size_t stride_;
        Index size_;
    };
    View view(const Range& range) const { return {at(range) + payload_at_, stride_, range.size()}; }

    // The bins of some columns, one column after the other, `apart` bytes from each to the next.
    void gather(const Range& range, Span<const int> features, Bin* bytes, Index apart) const {
        by_stride([&]<std::size_t kStride>() {
            if (features.size() == kTogether)
                gather_by<kStride, kTogether>(range, features.data(), bytes, apart);
            else
                for (const int& feature : features) gather_by<kStride, 1>(range, &feature, bytes, 0), bytes += apart;
        });
    }

    // Splits the range by the bins of a column, of which goes_left(bin) says 0 or 1; the number of rows on the left.
    template <class F>
    Index split(const Range& range, int feature, F goes_left) {
        return by_stride([&]<std::size_t kStride>() { return split_by<kStride>(range, feature, goes_left); });
    }

private:
    // Calls a function with the usual strides as constants, 0 for any other.
    template <class F>
    auto by_stride(F&& f) const {
        switch (stride_) {
            case 16:
                return f.template operator()<16>();
            case 32:
                return f.template operator()<32>();
            case 48:
                return f.template operator()<48>();
            case 64:
                return f.template operator()<64>();
            default:
                return f.template operator()<0>();
        }
    }

    const Bin* at(const Range& range) const {
        return buffers_[range.buffer].get() + std::size_t(range.begin) * stride_;
    }

    template <std::size_t kStride, std::size_t kColumns>
    void gather_by(const Range& range, const int* features, Bin* bytes, Index apart) const {
        // Copies: a byte that is written could be any member for all the compiler knows.
        const std::size_t stride = kStride ? kStride : stride_;
        const Index m = range.size();
        std::array<const Bin*, kColumns> from;
        std::array<Bin*, kColumns> to;
        for (std::size_t l = 0; l < kColumns; ++l) from[l] = at(range) + features[l], to[l] = bytes + Index(l) * apart;
        for (Index i = 0; i < m; ++i)
            for (std::size_t l = 0; l < kColumns; ++l) to[l][i] = from[l][std::size_t(i) * stride];
    }

    template <std::size_t kStride, class F>
    Index split_by(const Range& range, int feature, F goes_left) {
        const std::size_t stride = kStride ? kStride : stride_;
        const Bin* from = at(range);
        Bin* to_left = buffers_[range.buffer].get() + std::size_t(range.begin) * stride;
        Bin* to_right = buffers_[1 - range.buffer].get() + std::size_t(range.end - 1) * stride;
        Index kept = 0;
        const Index m = range.size();
        for (Index i = 0; i < m; ++i, from += stride) {
            // Written to both sides, kept on one: what is overwritten was read before, or is nobody's.
            const std::size_t goes = goes_left(from[feature]);
            if constexpr (kStride != 0) {
                Bin row[kStride];
                std::memcpy(row, from, kStride);
                std::memcpy(to_left, row, kStride);
                std::memcpy(to_right, row, kStride);
            } else if (goes) {
                if (to_left != from) std::memcpy(to_left, from, stride);
            } else {
                std::memcpy(to_right, from, stride);
            }
            to_left += goes * stride;
            to_right -= (1 - goes) * stride;
            kept += Index(goes);
        }
        return kept;
    }

    const ForestTable& table_;
    std::size_t payload_at_, stride_;
    Index capacity_ = 0;
    std::unique_ptr<Bin[]> buffers_[2];
};

// Only row numbers move: for tables so wide that a node looks at a small part of each row.
template <class Target>
class NumberedRows {
public:
    using Payload = typename Target::Payload;

    explicit NumberedRows(const ForestTable& table) : table_(table) {
        for (auto& buffer : buffers_) buffer.resize(table.rows());
        payloads_.resize(table.rows());
    }

    Range begin(Span<const std::uint32_t> counts, const Target& target) {
        Index size = 0;
        for (Index i = 0; i < counts.size(); ++i) {
            if (counts[i] == 0) continue;
            payloads_[i] = target.payload(std::uint32_t(i), counts[i]);
            buffers_[0][size++] = std::uint32_t(i);
        }
        return {0, size, 0};
    }

    class View {
    public:
        View(const std::uint32_t* rows, const Payload* payloads, Index size)
            : rows_(rows), payloads_(payloads), size_(size) {}
        Index size() const { return size_; }
        Payload operator()(Index i) const { return payloads_[rows_[i]]; }

    private:
        const std::uint32_t* rows_;
        const Payload* payloads_;
        Index size_;
    };
    View view(const Range& range) const {
        return {buffers_[range.buffer].data() + range.begin, payloads_.data(), range.size()};
    }

    void gather(const Range& range, Span<const int> features, Bin* bytes, Index apart) const {
        const std::uint32_t* rows = buffers_[range.buffer].data() + range.begin;
        for (const int feature : features) {
            const Bin* column = table_.by_column.row(feature);
            for (Index i = 0; i < range.size(); ++i) bytes[i] = column[rows[i]];
            bytes += apart;
        }
    }

    template <class F>
    Index split(const Range& range, int feature, F goes_left) {
        const Bin* column = table_.by_column.row(feature);
        std::uint32_t* own = buffers_[range.buffer].data() + range.begin;
        std::uint32_t* other = buffers_[1 - range.buffer].data() + range.end - 1;
        Index kept = 0;
        for (Index i = 0; i < range.size(); ++i) {
            const std::uint32_t row = own[i];
            const auto goes = Index(goes_left(column[row]));
            own[kept] = row;
            *other = row;
            kept += goes;
            other -= 1 - goes;
        }
        return kept;
    }

private:
    const ForestTable& table_;
    std::vector<std::uint32_t> buffers_[2];
    std::vector<Payload> payloads_;
};

}  // namespace statlearn::trees::binned
