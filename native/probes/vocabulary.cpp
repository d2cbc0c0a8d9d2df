#include "probes/vocabulary.hpp"

#include <algorithm>

#include "common/cholesky.hpp"
#include "common/tile.hpp"
#include "common/vector.hpp"
#include "common/vmath.hpp"

namespace statlearn::probes {

void apply(Function f, Span<const double> x, Span<double> out) {
    const double* from = x.data();
    double* to = out.data();
    const auto each = [&](auto&& one) {
        for (Index i = 0; i < x.size(); ++i) to[i] = one(from[i]);
    };
    switch (f) {
        case Function::exp:
            return each([](double value) { return exp_fast(value); });
        case Function::log:
            return each([](double value) { return log_fast(value); });
        case Function::log1p:
            return each([](double value) { return log1p_unit(value); });
        case Function::tanh:
            return each([](double value) { return tanh_fast(value); });
    }
}

void apply(Function, Span<const float> x, Span<float> out) {
    for (Index i = 0; i < x.size(); ++i) out[i] = exp_fast(x[i]);
}

template <class T>
double inner(Span<const T> x, Span<const double> y) {
    return dot(x.data(), y.data(), Index(x.size()));
}

template <class T>
void tiled_product(Matrix<const T> A, Matrix<const T> B, Span<const T> start, Matrix<T> C) {
    constexpr Index kWide = kTileLanes<T>;
    const Index depth = A.cols;
    std::vector<T> a(depth * kTileRows), b(depth * kWide);
    const auto pack = [&](const Matrix<const T>& X, Index first, Index width, T* to) {
        for (Index k = 0; k < depth; ++k)
            for (Index l = 0; l < width; ++l) to[k * width + l] = first + l < X.rows ? X(first + l, k) : T(0);
    };
    for (Index j = 0; j < B.rows; j += kWide) {
        pack(B, j, kWide, b.data());
        T begin[kWide];
        for (Index l = 0; l < kWide; ++l) begin[l] = j + l < B.rows ? start[j + l] : T(0);
        for (Index i = 0; i < A.rows; i += kTileRows) {
            pack(A, i, kTileRows, a.data());
            T twice[kTileRows] = {};
            for (Index k = 0; k < depth; ++k)
                for (Index r = 0; r < kTileRows; ++r) twice[r] += T(2) * a[k * kTileRows + r];
            TileSums<T> s;
            tile_fill_cols(s, begin);
            tile_accumulate(a.data(), kTileRows, b.data(), kWide, depth, s);
            tile_each(s, [&](Index r, Index c, PackOf<T> v) {
                v -= twice[r];
                if (i + r >= A.rows) return;
                for (Index l = 0; l < PackFor<T>::size; ++l)
                    if (j + c + l < B.rows) C(i + r, j + c + l) = v[l];
            });
        }
    }
}

std::vector<int> joined_solve(Matrix<const double> G, Span<const int> steps, double singular, Span<const double> b,
                              Span<double> x) {
    CholeskySet factor;
    std::vector<int> order;
    for (const int step : steps) {
        if (step < 0) {
            if (-1 - step >= factor.size()) continue;  // there is no such place
            factor.remove(-1 - step);
            order.erase(order.begin() + (-1 - step));
            continue;
        }
        std::vector<double> cross;
        for (const int other : order) cross.push_back(G(step, other));
        if (factor.append(cross.data(), G(step, step), singular)) order.push_back(step);
    }
    std::vector<double> right;
    for (const int j : order) right.push_back(b[j]);
    factor.solve(right.data());
    std::fill(x.begin(), x.end(), 0.0);
    for (std::size_t k = 0; k < order.size(); ++k) x[order[k]] = right[k];
    return order;
}

template double inner<float>(Span<const float>, Span<const double>);
template double inner<double>(Span<const double>, Span<const double>);
template void tiled_product<float>(Matrix<const float>, Matrix<const float>, Span<const float>, Matrix<float>);
template void tiled_product<double>(Matrix<const double>, Matrix<const double>, Span<const double>, Matrix<double>);

}  // namespace statlearn::probes
