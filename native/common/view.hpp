// Non-owning views of the caller's arrays. A kernel sees its data only through these. Indices are signed; in builds
// without NDEBUG (cmake -DSTATLEARN_CHECKED=ON, and those with sanitizers) every one is compared with the bounds.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>

namespace statlearn {

using Index = std::ptrdiff_t;

// Whether elements of one type may be seen as those of the other: the same, or const. No array of a derived class is
// one of its base.
template <class From, class To>
concept Views = std::is_convertible_v<From (*)[], To (*)[]>;

// `size` elements in a row.
template <class T>
class Span {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    constexpr Span() = default;
    template <std::contiguous_iterator It, std::integral Count>
        requires Views<std::remove_reference_t<std::iter_reference_t<It>>, T>
    constexpr Span(It first, Count count) : data_(std::to_address(first)), size_(static_cast<Index>(count)) {
        assert(size_ >= 0);
    }
    template <std::contiguous_iterator It>
        requires Views<std::remove_reference_t<std::iter_reference_t<It>>, T>
    constexpr Span(It first, It last) : Span(first, last - first) {}
    // A vector, an array, another span: what knows where its elements are, and how many. One that is about to go may be
    // seen, but not be written to.
    template <class Range>
        requires(!std::same_as<std::remove_cvref_t<Range>, Span>) &&
                (std::is_const_v<T> || std::is_lvalue_reference_v<Range>) && requires(Range& range) {
                    { std::size(range) } -> std::integral;
                    requires Views<std::remove_pointer_t<decltype(std::data(range))>, T>;
                }
    constexpr Span(Range&& range) : Span(std::data(range), std::size(range)) {}

    constexpr T* data() const { return data_; }
    constexpr Index size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T* begin() const { return data_; }
    constexpr T* end() const { return data_ + size_; }
    constexpr T& operator[](Index i) const {
        assert(0 <= i && i < size_);
        return data_[i];
    }
    constexpr T& front() const { return (*this)[0]; }
    constexpr T& back() const { return (*this)[size_ - 1]; }

    constexpr Span first(Index count) const { return subspan(0, count); }
    constexpr Span last(Index count) const { return subspan(size_ - count, count); }
    constexpr Span subspan(Index begin) const { return subspan(begin, size_ - begin); }
    constexpr Span subspan(Index begin, Index count) const {
        assert(0 <= begin && 0 <= count && begin + count <= size_);
        return {data_ + begin, count};
    }

private:
    T* data_ = nullptr;
    Index size_ = 0;
};

template <std::contiguous_iterator It, std::integral Count>
Span(It, Count) -> Span<std::remove_reference_t<std::iter_reference_t<It>>>;
template <class Range>
Span(Range&& range) -> Span<std::remove_pointer_t<decltype(std::data(range))>>;

// A matrix with arbitrary strides, counted in elements: C order, Fortran order and slices share one type.
template <class T>
struct Matrix {
    T* data = nullptr;
    Index rows = 0, cols = 0;
    Index row_stride = 0, col_stride = 0;

    T& operator()(Index i, Index j) const {
        assert(0 <= i && i < rows && 0 <= j && j < cols);
        return data[i * row_stride + j * col_stride];
    }
    // Where a row or a column begins; the one behind the last is where all of them end.
    T* col(Index j) const {
        assert(0 <= j && j <= cols);
        return data + j * col_stride;
    }
    T* row(Index i) const {
        assert(0 <= i && i <= rows);
        return data + i * row_stride;
    }
    bool row_major() const { return col_stride == 1; }
    bool col_major() const { return row_stride == 1; }
    Matrix<const T> as_const() const { return {data, rows, cols, row_stride, col_stride}; }
};

// A sparse matrix in compressed columns: column j holds entries indptr[j] to indptr[j + 1].
template <class T>
struct CscView {
    Span<const T> values;
    Span<const int> rows_of;  // row index of each stored value
    Span<const int> indptr;   // cols + 1 offsets
    Index rows = 0, cols = 0;
};

}  // namespace statlearn
