// Kernel rows in a fixed amount of memory, the least recently used replaced first.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "svm/smo.hpp"

namespace statlearn::svm {

template <class T>
class RowCache {
public:
    RowCache(KernelRows<T>& kernel, std::size_t bytes)
        : kernel_(kernel), slot_of_(kernel.order(), -1), width_(kernel.order()) {
        const std::size_t n = kernel.order();
        elements_ = std::max(2 * n, std::min(bytes / sizeof(T), n * n));
        data_ = std::make_unique_for_overwrite<T[]>(elements_);
        resize();
    }

    // Rows that fit at once.
    Index capacity() const { return Index(row_of_.size()); }
    std::int64_t evaluated() const { return evaluated_; }

    // Makes sure that all of these rows (no more than fit, no repeats) are present, and gives their places.
    void fetch(Span<const int> rows, std::vector<const T*>& where) {
        ++clock_;
        missing_.clear();
        for (const int row : rows) {
            const int slot = slot_of_[row];
            if (slot >= 0)
                used_[slot] = clock_;
            else
                missing_.push_back(row);
        }
        if (!missing_.empty()) {
            find_room(missing_.size());
            places_.resize(missing_.size());
            for (std::size_t k = 0; k < missing_.size(); ++k) {
                const Index slot = room_[k];
                if (row_of_[slot] >= 0) slot_of_[row_of_[slot]] = -1;
                row_of_[slot] = missing_[k];
                slot_of_[missing_[k]] = int(slot);
                used_[slot] = clock_;
                places_[k] = data_.get() + Index(slot) * width_;
            }
            kernel_.evaluate(missing_, places_.data());
            evaluated_ += std::int64_t(missing_.size());
        }
        where.resize(rows.size());
        for (Index k = 0; k < rows.size(); ++k) where[k] = data_.get() + Index(slot_of_[rows[k]]) * width_;
    }

    // Keeps only these positions (ascending) of the present columns; the kernel then gives `columns`.
    void keep_columns(Span<const int> positions, Span<const int> columns) {
        const Index width = Index(positions.size());
        for (std::size_t slot = 0; slot < row_of_.size(); ++slot) {
            if (row_of_[slot] < 0) continue;
            // The new place of a row never lies behind the old one, so rows can move forward one after the other.
            const T* from = data_.get() + Index(slot) * width_;
            T* to = data_.get() + Index(slot) * width;
            for (Index j = 0; j < width; ++j) to[j] = from[positions[j]];
        }
        width_ = width;
        kernel_.select(columns);
        resize();
    }

    // Forgets all rows and begins anew with these columns.
    void restart(Span<const int> columns) {
        std::fill(slot_of_.begin(), slot_of_.end(), -1);
        std::fill(row_of_.begin(), row_of_.end(), -1);
        width_ = Index(columns.size());
        kernel_.select(columns);
        row_of_.resize(std::min(row_of_.size(), std::max<std::size_t>(2, elements_ / std::size_t(width_))));
        used_.resize(row_of_.size());
        resize();
    }

private:
    void resize() {
        const auto slots = std::min(slot_of_.size(), elements_ / std::size_t(std::max<Index>(width_, 1)));
        if (slots > row_of_.size()) {
            row_of_.resize(slots, -1);
            used_.resize(slots, 0);
        }
    }

    // The slots longest out of use, empty ones first.
    void find_room(std::size_t count) {
        room_.clear();
        for (std::size_t slot = 0; slot < row_of_.size() && room_.size() < count; ++slot)
            if (row_of_[slot] < 0) room_.push_back(int(slot));
        if (room_.size() == count) return;
        room_.resize(row_of_.size());
        std::iota(room_.begin(), room_.end(), 0);
        const auto older = [&](int a, int b) {
            const auto age = [&](int s) { return row_of_[s] < 0 ? -1 : used_[s]; };
            return age(a) != age(b) ? age(a) < age(b) : a < b;
        };
        std::nth_element(room_.begin(), room_.begin() + Index(count) - 1, room_.end(), older);
        room_.resize(count);
        std::sort(room_.begin(), room_.end());
    }

    KernelRows<T>& kernel_;
    std::unique_ptr<T[]> data_;
    std::size_t elements_ = 0;
    std::vector<int> slot_of_, row_of_, missing_, room_;
    std::vector<std::int64_t> used_;
    std::vector<T*> places_;
    Index width_;
    std::int64_t clock_ = 0, evaluated_ = 0;
};

}  // namespace statlearn::svm
