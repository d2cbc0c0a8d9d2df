// Blocks of pairs of rows through the nodes of a formula, forwards and backwards. Only kernels of this folder include
// this.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "common/kernel_finish.hpp"
#include "common/kernel_sums.hpp"
#include "common/log_gamma.hpp"
#include "common/parallel.hpp"
#include "gp/bessel.hpp"
#include "gp/covariance.hpp"

namespace statlearn::gp {

using detail::exp_to_zero;
using detail::KernelTerm;
using detail::kPanel;
using detail::Packed;

constexpr Index kBlock = 48;  // rows and columns of a block of pairs: a multiple of both panel widths
constexpr Index kArea = kBlock * kBlock;

inline bool is_leaf(Op op) { return op < Op::sum; }
inline bool is_radial(Op op) { return op == Op::rbf || op == Op::matern || op == Op::rational_quadratic; }
inline bool has_rows(Op op) { return is_leaf(op) && op != Op::constant && op != Op::white; }

inline KernelKind pairwise_kind(const Node& node) { return KernelKind(int(node.extra)); }

inline KernelTerm term_of(const Node& node) {
    switch (node.op) {
        case Op::dot_product:
            return KernelTerm::product;
        case Op::minimum:
            return KernelTerm::minimum;
        case Op::pairwise:
            return detail::kernel_term(pairwise_kind(node));
        default:
            return KernelTerm::square;
    }
}

// How a leaf sees a row: divided by its length scales, or by its norm.
class RowScale {
public:
    RowScale(const Node& node, Span<const double> values, Index p)
        : unit_(node.op == Op::pairwise && pairwise_kind(node) == KernelKind::cosine), divisor_(p, 1.0) {
        if (!is_radial(node.op)) return;
        const int own = node.op == Op::rational_quadratic ? node.first + 1 : node.first;
        const bool many = node.op != Op::rational_quadratic && node.count > 1;
        for (Index k = 0; k < p; ++k) divisor_[k] = values[own + (many ? int(k) : 0)];
    }

    void put(const double* x, Index stride, double* to) const {
        const Index p = Index(divisor_.size());
        double norm = 1.0;
        if (unit_) {
            norm = 0.0;
            for (Index k = 0; k < p; ++k) norm += x[k * stride] * x[k * stride];
            norm = norm > 0.0 ? std::sqrt(norm) : 1.0;
        }
        for (Index k = 0; k < p; ++k) to[k * kPanel<double>] = x[k * stride] / (unit_ ? norm : divisor_[k]);
    }

private:
    bool unit_;
    std::vector<double> divisor_;
};

inline Packed<double> pack_rows(const RowScale& scale, Matrix<const double> X) {
    Packed<double> rows(X.rows, X.cols);
    const Blocks blocks(X.rows, 1024);
    parallel_for(blocks.count(), Work(X.rows * X.cols), [&](Index b) {
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) scale.put(X.row(i), X.col_stride, rows.at(i));
    });
    return rows;
}

// What a thread needs for one block.
struct Workspace {
    struct Buffers {
        std::vector<double> value, sums, slope, adjoint;
    };
    std::vector<Buffers> of;

    Workspace(const Formula& formula, bool derivatives) : of(formula.nodes.size()) {
        for (std::size_t k = 0; k < of.size(); ++k) {
            of[k].value.resize(kArea);
            if (has_rows(formula.nodes[k].op)) of[k].sums.resize(kArea);
            if (!derivatives) continue;
            of[k].adjoint.resize(kArea);
            if (is_radial(formula.nodes[k].op) || formula.nodes[k].op == Op::exp_sine_squared)
                of[k].slope.resize(kArea);
        }
    }
};

struct Block {
    Index i0, i1, j0, j1;
    bool same;  // rows of one table with themselves
    Index rows() const { return i1 - i0; }
    Index cols() const { return j1 - j0; }
    Index width() const { return (cols() + kPanel<double> - 1) / kPanel<double> * kPanel<double>; }  // whole panels
};

template <class F>
void each_row(const Block& block, F&& body) {
    for (Index r = 0; r < block.rows(); ++r) body(r * kBlock, block.width());
}

class Evaluator {
public:
    Evaluator(const Formula& formula, Matrix<const double> X, const Matrix<const double>* Z) : formula_(formula) {
        for (const Node& node : formula.nodes) {
            left_.emplace_back();
            right_.emplace_back();
            if (!has_rows(node.op)) continue;
            const RowScale scale(node, formula.values, X.cols);
            left_.back() = std::make_unique<Packed<double>>(pack_rows(scale, X));
            if (Z) right_.back() = std::make_unique<Packed<double>>(pack_rows(scale, *Z));
        }
    }

    // For rows that change from one block to the next: room for at most kBlock of them, filled by `put`.
    Evaluator(const Formula& formula, Index p) : formula_(formula) {
        for (const Node& node : formula.nodes) {
            left_.emplace_back();
            right_.emplace_back();
            scales_.emplace_back(node, formula.values, p);
            if (has_rows(node.op)) left_.back() = std::make_unique<Packed<double>>(kBlock, p);
        }
    }

    // Row x as the i-th of the block.
    void put(Index i, const double* x, Index stride) {
        for (std::size_t k = 0; k < left_.size(); ++k)
            if (left_[k]) scales_[k].put(x, stride, left_[k]->at(i));
    }

    // Values of all nodes for a block; with `derivatives`, also what `backward` needs.
    const double* forward(const Block& block, bool derivatives, Workspace& work) const {
        for (std::size_t k = 0; k < formula_.nodes.size(); ++k) {
            const Node& node = formula_.nodes[k];
            auto& own = work.of[k];
            if (is_leaf(node.op)) {
                leaf(k, block, derivatives, own);
                continue;
            }
            const double* a = work.of[node.left].value.data();
            const double* b = node.right >= 0 ? work.of[node.right].value.data() : nullptr;
            double* out = own.value.data();
            each_row(block, [&](Index at, Index m) {
                if (node.op == Op::sum)
                    for (Index j = at; j < at + m; ++j) out[j] = a[j] + b[j];
                else if (node.op == Op::product)
                    for (Index j = at; j < at + m; ++j) out[j] = a[j] * b[j];
                else {
                    std::copy_n(a + at, m, out + at);
                    detail::power(out + at, m, node.extra);
                }
            });
        }
        return work.of.back().value.data();
    }

    // The buffer into which the weights of the result go; they must be 0 beyond the block's columns.
    static double* seed(Workspace& work) { return work.of.back().adjoint.data(); }

    // Carries the weights of the result back to the leaves.
    void backward(const Block& block, Workspace& work) const {
        for (std::size_t k = formula_.nodes.size(); k-- > 0;) {
            const Node& node = formula_.nodes[k];
            if (is_leaf(node.op)) continue;
            const double* from = work.of[k].adjoint.data();
            auto& a = work.of[node.left];
            each_row(block, [&](Index at, Index m) {
                double* left = a.adjoint.data();
                if (node.op == Op::power) {
                    std::copy_n(a.value.data() + at, m, left + at);
                    detail::power(left + at, m, node.extra - 1.0);
                    for (Index j = at; j < at + m; ++j) left[j] = from[j] != 0.0 ? from[j] * node.extra * left[j] : 0.0;
                    return;
                }
                auto& b = work.of[node.right];
                double* right = b.adjoint.data();
                if (node.op == Op::sum) {
                    std::copy_n(from + at, m, left + at);
                    std::copy_n(from + at, m, right + at);
                } else {
                    const double* x = a.value.data();
                    const double* y = b.value.data();
                    for (Index j = at; j < at + m; ++j) {
                        left[j] = from[j] * y[j];
                        right[j] = from[j] * x[j];
                    }
                }
            });
        }
    }

    // total[s] += the sum over the block of adjoint times derivative, for the free parameters of all leaves.
    void gather(const Block& block, Workspace& work, double* total) const {
        for (std::size_t k = 0; k < formula_.nodes.size(); ++k) {
            const Node& node = formula_.nodes[k];
            if (!is_leaf(node.op)) continue;
            for (int c = 0; c < node.count; ++c) {
                const int slot = formula_.slots[node.first + c];
                if (slot < 0) continue;
                if (is_radial(node.op) && node.op != Op::rational_quadratic && node.count > 1) {
                    total[slot] += column(k, c, block, work);
                    continue;
                }
                double sum = 0.0;
                each_pair_derivative(k, c, block, work, [&](Index, const double* row, Index m) {
                    for (Index j = 0; j < m; ++j) sum += row[j];
                });
                total[slot] += sum;
            }
        }
    }

    // write(slot, row, values, count) for the derivatives of a block, weighted by the adjoint.
    template <class F>
    void each_derivative(const Block& block, Workspace& work, F&& write) const {
        std::vector<double> weighted(std::size_t{kBlock});
        for (std::size_t k = 0; k < formula_.nodes.size(); ++k) {
            const Node& node = formula_.nodes[k];
            if (!is_leaf(node.op)) continue;
            for (int c = 0; c < node.count; ++c) {
                const int slot = formula_.slots[node.first + c];
                if (slot < 0) continue;
                if (is_radial(node.op) && node.op != Op::rational_quadratic && node.count > 1) {
                    const auto& own = work.of[k];
                    const auto& A = *left_[k];
                    const auto& B = rows_right(k);
                    for (Index r = 0; r < block.rows(); ++r) {
                        const double a = A.at(block.i0 + r)[c * kPanel<double>];
                        for (Index j = 0; j < block.cols(); ++j) {
                            const double d = a - B.at(block.j0 + j)[c * kPanel<double>];
                            const Index at = r * kBlock + j;
                            weighted[j] = own.adjoint[at] * own.slope[at] * d * d;
                        }
                        write(slot, r, weighted.data(), block.cols());
                    }
                    continue;
                }
                each_pair_derivative(k, c, block, work,
                                     [&](Index r, const double* row, Index) { write(slot, r, row, block.cols()); });
            }
        }
    }

private:
    const Packed<double>& rows_right(std::size_t k) const { return right_[k] ? *right_[k] : *left_[k]; }

    void leaf(std::size_t k, const Block& block, bool derivatives, Workspace::Buffers& own) const {
        const Node& node = formula_.nodes[k];
        const double* par = formula_.values.data() + node.first;
        double* value = own.value.data();
        if (node.op == Op::constant) {
            each_row(block, [&](Index at, Index m) { std::fill_n(value + at, m, par[0]); });
            return;
        }
        if (node.op == Op::white) {
            each_row(block, [&](Index at, Index m) { std::fill_n(value + at, m, 0.0); });
            if (block.same && block.i0 == block.j0)
                for (Index r = 0; r < block.rows(); ++r) value[r * kBlock + r] = par[0];
            return;
        }
        detail::kernel_sums(term_of(node), *left_[k], block.i0, block.i1, rows_right(k), block.j0, block.j1,
                            own.sums.data(), kBlock);
        const double* sums = own.sums.data();
        each_row(block, [&](Index at, Index m) {
            finish(node, par, sums + at, value + at,
                   derivatives && !own.slope.empty() ? own.slope.data() + at : nullptr, m);
        });
    }

    // Values of a leaf from its sums. For radial kernels `slope` is g with dk / d log l_k = g ((x_k - z_k) / l_k)^2,
    // for the periodic one it is dk / d log(period).
    static void finish(const Node& node, const double* par, const double* sums, double* value, double* slope, Index m) {
        switch (node.op) {
            case Op::rbf:
                std::copy_n(sums, m, value);
                detail::finish<double>({KernelKind::rbf, 0.5, 0.0, 0.0}, value, m);
                if (slope) std::copy_n(value, m, slope);
                return;
            case Op::matern:
                return matern(node.extra, sums, value, slope, m);
            case Op::rational_quadratic: {
                const double a = par[0];
                for (Index j = 0; j < m; ++j) {
                    const double base = 1.0 + sums[j] / (2.0 * a);
                    value[j] = exp_to_zero(-a * log_fast(base));
                    if (slope) slope[j] = value[j] / base;
                }
                return;
            }
            case Op::exp_sine_squared: {
                const double length = par[0], period = par[1];
                for (Index j = 0; j < m; ++j) {
                    const double angle = std::numbers::pi * std::sqrt(sums[j]) / period;
                    const double s = std::sin(angle) / length;
                    value[j] = exp_to_zero(-2.0 * s * s);
                    if (slope) slope[j] = 4.0 * angle / length * std::cos(angle) * s * value[j];
                }
                return;
            }
            case Op::dot_product:
                for (Index j = 0; j < m; ++j) value[j] = par[0] * par[0] + sums[j];
                return;
            case Op::minimum:
                for (Index j = 0; j < m; ++j) value[j] = par[0] * sums[j];
                return;
            default:
                std::copy_n(sums, m, value);
                detail::finish<double>({pairwise_kind(node), par[0], 1.0, 3.0}, value, m);
        }
    }

    static void matern(double nu, const double* sums, double* value, double* slope, Index m) {
        if (nu == 0.5) {
            for (Index j = 0; j < m; ++j) {
                const double d = std::sqrt(sums[j]);
                value[j] = exp_to_zero(-d);
                if (slope) slope[j] = d > 0.0 ? value[j] / d : 0.0;
            }
        } else if (nu == 1.5) {
            for (Index j = 0; j < m; ++j) {
                const double d = std::sqrt(3.0 * sums[j]), e = exp_to_zero(-d);
                value[j] = (1.0 + d) * e;
                if (slope) slope[j] = 3.0 * e;
            }
        } else if (nu == 2.5) {
            for (Index j = 0; j < m; ++j) {
                const double d = std::sqrt(5.0 * sums[j]), e = exp_to_zero(-d);
                value[j] = (1.0 + d + d * d / 3.0) * e;
                if (slope) slope[j] = 5.0 / 3.0 * (1.0 + d) * e;
            }
        } else {
            // k = c t^nu K_nu(t), dk / dt = -c t^nu K_{nu - 1}(t), t = sqrt(2 nu) r.
            const double log_scale = (1.0 - nu) * std::numbers::ln2 - log_gamma(nu);
            for (Index j = 0; j < m; ++j) {
                const double t = std::sqrt(2.0 * nu * sums[j]);
                if (t < 1e-150) {
                    value[j] = 1.0;
                    if (slope) slope[j] = nu > 1.0 ? nu / (nu - 1.0) : 0.0;
                } else if (t > 700.0) {
                    value[j] = 0.0;
                    if (slope) slope[j] = 0.0;
                } else {
                    const BesselPair K = bessel_k_scaled(nu, t);
                    const double front = std::exp(log_scale + nu * std::log(t) - t + K.exponent);
                    value[j] = std::min(1.0, front * K.order);
                    if (slope) slope[j] = 2.0 * nu * front * K.below / t;
                }
            }
        }
    }

    // visit(row, values, count): adjoint times dk / d log(parameter c) of a leaf with one column of derivatives.
    template <class F>
    void each_pair_derivative(std::size_t k, int c, const Block& block, const Workspace& work, F&& visit) const {
        const Node& node = formula_.nodes[k];
        const auto& own = work.of[k];
        const double* par = formula_.values.data() + node.first;
        double out[kBlock];
        for (Index r = 0; r < block.rows(); ++r) {
            const Index at = r * kBlock, m = block.cols();
            const double *w = own.adjoint.data() + at, *v = own.value.data() + at, *s = own.sums.data() + at;
            const double* g = own.slope.data() + at;
            switch (node.op) {
                case Op::constant:
                case Op::white:
                case Op::minimum:
                    for (Index j = 0; j < m; ++j) out[j] = w[j] * v[j];
                    break;
                case Op::rbf:
                case Op::matern:
                    for (Index j = 0; j < m; ++j) out[j] = w[j] * g[j] * s[j];
                    break;
                case Op::rational_quadratic:
                    if (c == 1)
                        for (Index j = 0; j < m; ++j) out[j] = w[j] * g[j] * s[j];
                    else
                        for (Index j = 0; j < m; ++j) {
                            const double base = 1.0 + s[j] / (2.0 * par[0]);
                            out[j] = w[j] * (0.5 * g[j] * s[j] - v[j] * par[0] * log_fast(base));
                        }
                    break;
                case Op::exp_sine_squared:
                    if (c == 1)
                        for (Index j = 0; j < m; ++j) out[j] = w[j] * g[j];
                    else
                        for (Index j = 0; j < m; ++j) {
                            const double sine = std::sin(std::numbers::pi * std::sqrt(s[j]) / par[1]) / par[0];
                            out[j] = w[j] * 4.0 * sine * sine * v[j];
                        }
                    break;
                case Op::dot_product:
                    for (Index j = 0; j < m; ++j) out[j] = w[j] * 2.0 * par[0] * par[0];
                    break;
                default:
                    pairwise_slope(pairwise_kind(node), par[0], w, s, v, out, m);
            }
            visit(r, out, m);
        }
    }

    static void pairwise_slope(KernelKind kind, double gamma, const double* w, const double* s, const double* v,
                               double* out, Index m) {
        for (Index j = 0; j < m; ++j) {
            double d = 0.0;
            switch (kind) {
                case KernelKind::rbf:
                case KernelKind::laplacian:
                case KernelKind::chi2:
                    d = -gamma * s[j] * v[j];
                    break;
                case KernelKind::polynomial: {
                    const double base = gamma * s[j] + 1.0;
                    d = 3.0 * base * base * gamma * s[j];
                    break;
                }
                case KernelKind::sigmoid:
                    d = (1.0 - v[j] * v[j]) * gamma * s[j];
                    break;
                default:
                    break;  // does not depend on gamma
            }
            out[j] = w[j] * d;
        }
    }

    // The sum over a block of adjoint times slope times the squared difference of scaled column c.
    double column(std::size_t k, int c, const Block& block, Workspace& work) const {
        auto& own = work.of[k];
        const auto& A = *left_[k];
        const auto& B = rows_right(k);
        const Index m = block.width();
        Pack4 sum[kTilePacks] = {};
        for (Index r = 0; r < block.rows(); ++r) {
            const Pack4 a = broadcast(A.at(block.i0 + r)[c * kPanel<double>]);
            const double* w = own.adjoint.data() + r * kBlock;
            const double* g = own.slope.data() + r * kBlock;
            for (Index j = 0; j < m; j += kPanel<double>) {
                const double* b = B.at(block.j0 + j) + c * kPanel<double>;
                for (Index v = 0; v < kTilePacks; ++v) {
                    const Pack4 d = a - load_pack(b + 4 * v);
                    sum[v] += load_pack(w + j + 4 * v) * load_pack(g + j + 4 * v) * d * d;
                }
            }
        }
        const Pack4 all = sum[0] + sum[1] + sum[2];
        return (all[0] + all[1]) + (all[2] + all[3]);
    }

    const Formula& formula_;
    std::vector<std::unique_ptr<Packed<double>>> left_, right_;
    std::vector<RowScale> scales_;
};

}  // namespace statlearn::gp
