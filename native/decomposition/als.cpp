#include "decomposition/als.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/cholesky.hpp"
#include "common/gram.hpp"
#include "common/parallel.hpp"
#include "common/vector.hpp"

namespace statlearn::decomposition {

namespace {

constexpr Index kRowsPerUnit = 64;
constexpr Index kPacked = 256;  // entries that are packed at a time

Index whole_tiles(Index n) { return (n + kGramTile - 1) / kGramTile * kGramTile; }

// Cross-products of packed rows of `used` columns, padded to whole tiles.
class Products {
public:
    Products(Index used, bool weighted)
        : width_(whole_tiles(used)),
          plain_(kPacked * width_),
          scaled_(weighted ? plain_.size() : std::size_t(0)),
          sums_(width_ * width_) {}

    void clear() { std::fill(sums_.begin(), sums_.end(), 0.0); }
    double* next() { return plain_.data() + filled_ * width_; }  // the columns behind the used ones are 0
    Index width() const { return width_; }
    // The row that `next` was filled with counts with this weight (1 if they are not weighted).
    void push(double weight) {
        if (!scaled_.empty()) {
            const double* from = next();
            double* to = scaled_.data() + filled_ * width_;
            for (Index j = 0; j < width_; ++j) to[j] = weight * from[j];
        }
        if (++filled_ == kPacked) flush();
    }
    void flush() {
        const double* left = scaled_.empty() ? plain_.data() : scaled_.data();
        if (filled_) gram_update(left, plain_.data(), filled_, width_, sums_.data());
        filled_ = 0;
    }
    double operator()(Index i, Index j) const { return i <= j ? sums_[i * width_ + j] : sums_[j * width_ + i]; }

private:
    Index width_, filled_ = 0;
    std::vector<double> plain_, scaled_, sums_;
};

// Four small systems of normal equations side by side, one per lane. A coefficient whose column depends on earlier ones
// becomes 0, as in SmallSolve.
class FourSystems {
public:
    explicit FourSystems(Index d) : d_(d), matrix_(4 * d * d), right_(4 * d), inverse_(right_), start_(right_) {}

    double& matrix(Index i, Index j, Index lane) { return matrix_[4 * (i * d_ + j) + lane]; }  // j <= i
    double& right(Index i, Index lane) { return right_[4 * i + lane]; }                        // becomes the solution

    // A system that has the solution 0.
    void leave_out(Index lane) {
        for (Index i = 0; i < d_; ++i) {
            for (Index j = 0; j <= i; ++j) matrix(i, j, lane) = 0.0;
            right(i, lane) = 0.0;
        }
    }

    void solve() {
        const Pack4 zero = {};
        for (Index j = 0; j < d_; ++j) packs(start_.data())[j] = at(j, j);
        // Column by column, each taken out of the ones behind it: products that need not wait for each other.
        for (Index j = 0; j < d_; ++j) {
            const Pack4 pivot = at(j, j), start = packs(start_.data())[j];
            const Mask4 kept = (pivot > kSingular * start) & (start > zero);
            double root[4];
            packs(root)[0] = kept ? pivot : zero + 1.0;
            for (double& value : root) value = 1.0 / std::sqrt(value);
            const Pack4 inverse = kept ? load_pack(root) : zero;
            packs(inverse_.data())[j] = inverse;
            for (Index i = j + 1; i < d_; ++i) at(i, j) = at(i, j) * inverse;
            for (Index i = j + 1; i < d_; ++i) {
                const Pack4 factor = at(i, j);
                for (Index l = j + 1; l <= i; ++l) at(i, l) -= factor * at(l, j);
            }
        }
        Pack4* x = packs(right_.data());
        const Pack4* inverse = packs(inverse_.data());
        for (Index j = 0; j < d_; ++j) {
            x[j] = x[j] * inverse[j];
            for (Index i = j + 1; i < d_; ++i) x[i] -= at(i, j) * x[j];
        }
        for (Index j = d_ - 1; j >= 0; --j) {
            x[j] = x[j] * inverse[j];
            for (Index i = 0; i < j; ++i) x[i] -= at(j, i) * x[j];
        }
    }

private:
    static constexpr double kSingular = 1e-14;  // share of its squares that must be left of a column

    Pack4& at(Index i, Index j) { return packs(matrix_.data())[i * d_ + j]; }

    Index d_;
    std::vector<double> matrix_, right_, inverse_, start_;
};

double work_of(const RowsView<double>& R, Index k) {
    return double(R.values.size()) * double(k * k) + double(R.rows) * double(k * k * k) / 3.0;
}

}  // namespace

void als_rows(const RowsView<double>& R, Span<const double> weights, Matrix<const double> V, Span<const double> offset,
              const AlsPlan& plan, const Interrupt& interrupt, Matrix<double> U, Span<double> bias) {
    const Index k = V.cols, d = k + (plan.bias ? 1 : 0);
    const Blocks blocks(R.rows, kRowsPerUnit);
    parallel_for(blocks.count(), Work(work_of(R, d)), [&](Index b) {
        Products products(d + 1, !weights.empty());
        FourSystems systems(d);
        // The cross-products of row i, in one lane.
        const auto gather = [&](Index i, Index lane) {
            const int first = R.indptr[i], end = R.indptr[i + 1];
            double total = 0.0;
            products.clear();
            for (int e = first; e < end; ++e) {
                const Index j = R.cols_of[e];
                double* to = products.next();
                std::copy_n(V.row(j), k, to);
                if (plan.bias) to[k] = 1.0;
                to[d] = R.values[e] - (offset.empty() ? 0.0 : offset[j]);
                const double weight = weights.empty() ? 1.0 : weights[e];
                total += weight;
                products.push(weight);
            }
            products.flush();
            if (!(total > 0.0)) return systems.leave_out(lane);
            const double factor = plan.by_count ? total : 1.0;
            for (Index r = 0; r < d; ++r) {
                for (Index c = 0; c <= r; ++c) systems.matrix(r, c, lane) = products(c, r);
                systems.matrix(r, r, lane) += factor * (r < k ? plan.reg : plan.reg_bias);
                systems.right(r, lane) = products(r, d);
            }
        };
        for (Index i = blocks.begin(b); i < blocks.end(b); i += 4) {
            if (interrupt.requested()) return;
            const Index used = std::min<Index>(4, blocks.end(b) - i);
            for (Index lane = 0; lane < 4; ++lane) {
                if (lane < used)
                    gather(i + lane, lane);
                else
                    systems.leave_out(lane);
            }
            systems.solve();
            for (Index lane = 0; lane < used; ++lane) {
                double* out = U.row(i + lane);
                for (Index r = 0; r < k; ++r) out[r] = systems.right(r, lane);
                if (plan.bias) bias[i + lane] = systems.right(k, lane);
            }
        }
    });
}

double rating_squares(const RowsView<double>& R, Span<const double> weights, Matrix<const double> U,
                      Matrix<const double> V, double mean, Span<const double> row_bias, Span<const double> col_bias,
                      const Interrupt& interrupt) {
    const Index k = U.cols;
    const Blocks blocks(R.rows, kRowsPerUnit);
    std::vector<double> part(blocks.count());
    parallel_for(blocks.count(), Work(2.0 * double(R.values.size()) * double(k)), [&](Index b) {
        if (interrupt.requested()) return;
        double sum = 0.0;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            const double *u = U.row(i), base = mean + row_bias[i];
            const int end = R.indptr[i + 1];
            for (int e = R.indptr[i]; e < end; ++e) {
                const Index j = R.cols_of[e];
                const double error = R.values[e] - base - col_bias[j] - dot(u, V.row(Index(j)), k);
                sum += (weights.empty() ? 1.0 : weights[e]) * error * error;
            }
        }
        part[b] = sum;
    });
    double total = 0.0;
    for (const double value : part) total += value;
    return total;
}

void als_implicit_rows(const RowsView<double>& R, Matrix<const double> V, Matrix<const double> gram,
                       const ImplicitPlan& plan, const Interrupt& interrupt, Matrix<double> U) {
    const Index k = V.cols;
    const Blocks blocks(R.rows, kRowsPerUnit);
    const auto exact = [&](Index b) {
        if (interrupt.requested()) return;
        Products products(k, true);
        SmallSolve system(k, 1e-14);
        std::vector<double> right(k);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            products.clear();
            std::fill(right.begin(), right.end(), 0.0);
            R.each(i, [&](std::size_t j, double r) {
                const double more = plan.alpha * r;
                double* to = products.next();
                std::copy_n(V.row(Index(j)), k, to);
                axpy(1.0 + more, V.row(Index(j)), right.data(), k);
                products.push(more);
            });
            products.flush();
            for (Index r = 0; r < k; ++r) {
                for (Index c = 0; c <= r; ++c) system.row(r)[c] = products(c, r) + gram(r, c);
                system.row(r)[r] += plan.reg;
            }
            system.factor();
            system.solve(right);
            std::copy_n(right.data(), k, U.row(i));
        }
    };
    const auto conjugate = [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<double> residual(k), direction(residual), image(residual);
        // out = (V'V + reg + sum alpha r v v') x
        const auto apply = [&](Index i, const double* x, double* out) {
            columns_dot(gram.data, x, k, k, out);  // gram is symmetric
            for (Index l = 0; l < k; ++l) out[l] += plan.reg * x[l];
            R.each(i, [&](std::size_t j, double r) {
                const double* v = V.row(Index(j));
                axpy(plan.alpha * r * dot(v, x, k), v, out, k);
            });
        };
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            double* x = U.row(i);
            apply(i, x, image.data());
            std::fill(residual.begin(), residual.end(), 0.0);
            R.each(i,
                   [&](std::size_t j, double r) { axpy(1.0 + plan.alpha * r, V.row(Index(j)), residual.data(), k); });
            for (Index l = 0; l < k; ++l) residual[l] -= image[l];
            direction = residual;
            double square = dot(residual.data(), residual.data(), k);
            for (int s = 0; s < plan.cg_steps && square > 1e-20; ++s) {
                apply(i, direction.data(), image.data());
                const double step = square / dot(direction.data(), image.data(), k);
                axpy(step, direction.data(), x, k);
                axpy(-step, image.data(), residual.data(), k);
                const double next = dot(residual.data(), residual.data(), k), ratio = next / square;
                for (Index l = 0; l < k; ++l) direction[l] = residual[l] + ratio * direction[l];
                square = next;
            }
        }
    };
    if (plan.cg_steps > 0)
        parallel_for(blocks.count(), Work(4.0 * plan.cg_steps * double(R.values.size()) * double(k)), conjugate);
    else
        parallel_for(blocks.count(), Work(work_of(R, k)), exact);
}

void pair_products(Span<const int> rows, Span<const int> cols, Matrix<const double> U, Matrix<const double> V,
                   const Interrupt& interrupt, Span<double> out) {
    const Index k = U.cols;
    const Blocks blocks(Index(rows.size()), 4096);
    parallel_for(blocks.count(), Work(2.0 * double(rows.size()) * double(k)), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index e = blocks.begin(b); e < blocks.end(b); ++e) out[e] = dot(U.row(rows[e]), V.row(cols[e]), k);
    });
}

double sgd_pass(Span<const int> rows, Span<const int> cols, Span<const double> ratings, Span<const double> weights,
                Span<const int> order, Span<const double> row_share, Span<const double> col_share, const SgdPlan& plan,
                const Interrupt& interrupt, Matrix<double> U, Matrix<double> V, Span<double> row_bias,
                Span<double> col_bias) {
    const Index k = U.cols;
    double squares = 0.0;
    Index done = 0;
    for (const int e : order) {
        if ((++done & 0xffff) == 0 && interrupt.requested()) break;
        const auto at = std::size_t(e), i = std::size_t(rows[at]), j = std::size_t(cols[at]);
        double *u = U.row(Index(i)), *v = V.row(Index(j));
        double error = ratings[at] - plan.mean - dot(u, v, k);
        if (plan.bias) error -= row_bias[i] + col_bias[j];
        const double weight = weights.empty() ? 1.0 : weights[at];
        squares += weight * error * error;
        const double pull = weight * error, of_row = row_share[i], of_col = col_share[j];
        if (plan.bias) {
            row_bias[i] += plan.rate * (pull - plan.reg_bias * of_row * row_bias[i]);
            col_bias[j] += plan.rate * (pull - plan.reg_bias * of_col * col_bias[j]);
        }
        for (Index l = 0; l < k; ++l) {
            const double before = u[l];
            u[l] += plan.rate * (pull * v[l] - plan.reg * of_row * before);
            v[l] += plan.rate * (pull * before - plan.reg * of_col * v[l]);
        }
    }
    return squares;
}

}  // namespace statlearn::decomposition
