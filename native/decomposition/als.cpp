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
    explicit Products(Index used)
        : width_(whole_tiles(used)),
          plain_(std::size_t(kPacked * width_)),
          scaled_(plain_.size()),
          sums_(std::size_t(width_ * width_)) {}

    void clear() { std::fill(sums_.begin(), sums_.end(), 0.0); }
    double* next() { return plain_.data() + filled_ * width_; }
    double* next_scaled() { return scaled_.data() + filled_ * width_; }
    Index width() const { return width_; }
    // The row that `next` was filled with counts with this weight.
    void push(double weight) {
        const double* from = next();
        double* to = next_scaled();
        for (Index j = 0; j < width_; ++j) to[j] = weight * from[j];
        if (++filled_ == kPacked) flush();
    }
    void flush() {
        if (filled_) gram_update(scaled_.data(), plain_.data(), filled_, width_, sums_.data());
        filled_ = 0;
    }
    double operator()(Index i, Index j) const {
        return i <= j ? sums_[std::size_t(i * width_ + j)] : sums_[std::size_t(j * width_ + i)];
    }

private:
    Index width_, filled_ = 0;
    std::vector<double> plain_, scaled_, sums_;
};

double work_of(const RowsView<double>& R, Index k) {
    return double(R.values.size()) * double(k * k) + double(R.rows) * double(k * k * k) / 3.0;
}

}  // namespace

void als_rows(const RowsView<double>& R, std::span<const double> weights, MatrixView<const double> V,
              std::span<const double> offset, const AlsPlan& plan, const Interrupt& interrupt, MatrixView<double> U,
              std::span<double> bias) {
    const Index k = V.cols, d = k + (plan.bias ? 1 : 0);
    const Blocks blocks(R.rows, kRowsPerUnit);
    parallel_for(blocks.count(), Work(work_of(R, d)), [&](Index b) {
        if (interrupt.requested()) return;
        Products products(d + 1);
        SmallSolve system(d, 1e-14);
        std::vector<double> right(std::size_t(d) + 1);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            const int first = R.indptr[std::size_t(i)], end = R.indptr[std::size_t(i) + 1];
            double* out = U.row(i);
            double total = 0.0;
            products.clear();
            for (int e = first; e < end; ++e) {
                const Index j = R.cols_of[std::size_t(e)];
                double* to = products.next();
                std::copy_n(V.row(j), k, to);
                if (plan.bias) to[k] = 1.0;
                to[d] = R.values[std::size_t(e)] - (offset.empty() ? 0.0 : offset[std::size_t(j)]);
                std::fill(to + d + 1, to + products.width(), 0.0);
                const double weight = weights.empty() ? 1.0 : weights[std::size_t(e)];
                total += weight;
                products.push(weight);
            }
            products.flush();
            if (!(total > 0.0)) {
                std::fill_n(out, k, 0.0);
                if (plan.bias) bias[std::size_t(i)] = 0.0;
                continue;
            }
            const double factor = plan.by_count ? total : 1.0;
            for (Index r = 0; r < d; ++r) {
                for (Index c = 0; c <= r; ++c) system.row(r)[c] = products(c, r);
                system.row(r)[r] += factor * (r < k ? plan.reg : plan.reg_bias);
                right[std::size_t(r)] = products(r, d);
            }
            system.factor();
            system.solve({right.data(), std::size_t(d)});
            std::copy_n(right.data(), k, out);
            if (plan.bias) bias[std::size_t(i)] = right[std::size_t(k)];
        }
    });
}

void als_implicit_rows(const RowsView<double>& R, MatrixView<const double> V, MatrixView<const double> gram,
                       const ImplicitPlan& plan, const Interrupt& interrupt, MatrixView<double> U) {
    const Index k = V.cols;
    const Blocks blocks(R.rows, kRowsPerUnit);
    const auto exact = [&](Index b) {
        if (interrupt.requested()) return;
        Products products(k);
        SmallSolve system(k, 1e-14);
        std::vector<double> right(static_cast<std::size_t>(k));
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            products.clear();
            std::fill(right.begin(), right.end(), 0.0);
            R.each(i, [&](std::size_t j, double r) {
                const double more = plan.alpha * r;
                double* to = products.next();
                std::copy_n(V.row(Index(j)), k, to);
                std::fill(to + k, to + products.width(), 0.0);
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
        std::vector<double> residual(static_cast<std::size_t>(k)), direction(residual), image(residual);
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
            for (Index l = 0; l < k; ++l) residual[std::size_t(l)] -= image[std::size_t(l)];
            direction = residual;
            double square = dot(residual.data(), residual.data(), k);
            for (int s = 0; s < plan.cg_steps && square > 1e-20; ++s) {
                apply(i, direction.data(), image.data());
                const double step = square / dot(direction.data(), image.data(), k);
                axpy(step, direction.data(), x, k);
                axpy(-step, image.data(), residual.data(), k);
                const double next = dot(residual.data(), residual.data(), k), ratio = next / square;
                for (Index l = 0; l < k; ++l)
                    direction[std::size_t(l)] = residual[std::size_t(l)] + ratio * direction[std::size_t(l)];
                square = next;
            }
        }
    };
    if (plan.cg_steps > 0)
        parallel_for(blocks.count(), Work(4.0 * plan.cg_steps * double(R.values.size()) * double(k)), conjugate);
    else
        parallel_for(blocks.count(), Work(work_of(R, k)), exact);
}

void pair_products(std::span<const int> rows, std::span<const int> cols, MatrixView<const double> U,
                   MatrixView<const double> V, const Interrupt& interrupt, std::span<double> out) {
    const Index k = U.cols;
    const Blocks blocks(Index(rows.size()), 4096);
    parallel_for(blocks.count(), Work(2.0 * double(rows.size()) * double(k)), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index e = blocks.begin(b); e < blocks.end(b); ++e)
            out[std::size_t(e)] = dot(U.row(rows[std::size_t(e)]), V.row(cols[std::size_t(e)]), k);
    });
}

double sgd_pass(std::span<const int> rows, std::span<const int> cols, std::span<const double> ratings,
                std::span<const double> weights, std::span<const int> order, std::span<const double> row_share,
                std::span<const double> col_share, const SgdPlan& plan, const Interrupt& interrupt,
                MatrixView<double> U, MatrixView<double> V, std::span<double> row_bias, std::span<double> col_bias) {
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
