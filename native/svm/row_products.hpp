// Inner products of rows with weights, and multiples of rows added to them.
#pragma once

#include "common/rows_view.hpp"

namespace statlearn::svm {

template <class T>
double row_dot(const RowsView<T>& X, Index i, const double* w) {
    double sum = 0.0;
    if (!X.cols_of.empty()) {
        X.each(i, [&](std::size_t j, double x) { sum += w[j] * x; });
        return sum;
    }
    constexpr Index kLanes = 8;  // separate sums, so that the loop runs in vector registers
    const T* x = X.values.data() + i * X.cols;
    double lanes[kLanes] = {};
    const Index whole = X.cols / kLanes * kLanes;
    for (Index j = 0; j < whole; j += kLanes)
        for (Index l = 0; l < kLanes; ++l) lanes[l] += w[j + l] * double(x[j + l]);
    for (Index j = whole; j < X.cols; ++j) sum += w[j] * double(x[j]);
    for (const double lane : lanes) sum += lane;
    return sum;
}

template <class T>
void row_add(const RowsView<T>& X, Index i, double factor, double* w) {
    X.each(i, [&](std::size_t j, double x) { w[j] += factor * x; });
}

template <class T>
double row_square(const RowsView<T>& X, Index i) {
    double sum = 0.0;
    X.each(i, [&](std::size_t, double x) { sum += x * x; });
    return sum;
}

}  // namespace statlearn::svm
