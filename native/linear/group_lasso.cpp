#include "linear/group_lasso.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "common/blas.hpp"
#include "common/parallel.hpp"
#include "linear/vector_ops.hpp"

namespace statlearn::linear {
namespace {

constexpr double kRough = 100.0;    // empirical: how much coarser descent may be before the set of groups is settled
constexpr double kGramShare = 0.3;  // empirical: beyond this many columns per row the residual is cheaper
constexpr double kEps = std::numeric_limits<double>::epsilon();

double norm(const double* x, Index n) { return std::sqrt(dot(x, x, n)); }

// The minimiser of b'Db/2 - v'b + lambda |b| for a diagonal D >= 0, into b. Outside of 0, b = (D + lambda/t)^-1 v with
// t = |b| the root of H(t) = sum v_i^2 / (d_i t + lambda)^2 = 1; 1/sqrt(H) is concave and almost linear in t, so
// Newton's method from the left converges in a few steps.
void solve_block(const double* d, const double* v, int m, double lambda, double* b) {
    if (lambda == 0.0) {
        const double top = *std::max_element(d, d + m);
        for (int i = 0; i < m; ++i) b[i] = d[i] > 1e-14 * top ? v[i] / d[i] : 0.0;
        return;
    }
    const double size = norm(v, m);
    if (size <= lambda) {
        std::fill(b, b + m, 0.0);
        return;
    }
    if (m == 1) {
        b[0] = d[0] > 0.0 ? v[0] * (1.0 - lambda / size) / d[0] : 0.0;
        return;
    }
    const double top = *std::max_element(d, d + m);
    if (!(top > 0.0)) {
        std::fill(b, b + m, 0.0);
        return;
    }
    double t = (size - lambda) / top;  // H >= 1 here
    for (int k = 0; k < 50; ++k) {
        double H = 0.0, slope = 0.0;
        for (int i = 0; i < m; ++i) {
            const double q = 1.0 / (d[i] * t + lambda), e = v[i] * q;
            H += e * e;
            slope += e * e * d[i] * q;
        }
        const double step = H * (std::sqrt(H) - 1.0) / slope;
        t += step;
        if (std::abs(step) <= 4.0 * kEps * t) break;
    }
    for (int i = 0; i < m; ++i) b[i] = v[i] * t / (d[i] * t + lambda);
}

class Solver {
public:
    Solver(const GroupLassoData& data, StopRule stop, const Interrupt& interrupt)
        : data_(data),
          stop_(stop),
          interrupt_(interrupt),
          n_(data.X.rows),
          groups_(int(data.starts.size()) - 1),
          place_(std::size_t(groups_), -1),
          norm_(std::size_t(groups_)),
          anchor_(std::size_t(groups_), 0.0),
          reach_(std::size_t(groups_)),
          r_(data.y.begin(), data.y.end()),
          u_(data.y.size()) {
        total_weight_ = double(n_);
        if (!data.weights.empty()) {
            total_weight_ = std::accumulate(data.weights.begin(), data.weights.end(), 0.0);
            root_.resize(std::size_t(n_));
            for (Index i = 0; i < n_; ++i) {
                root_[std::size_t(i)] = std::sqrt(data.weights[std::size_t(i)]);
                r_[std::size_t(i)] *= root_[std::size_t(i)];
            }
        }
        y_ = r_;
        last_ = r_;
        yy_ = dot(y_.data(), y_.data(), n_);
        prepare_groups();
    }

    GroupLassoInfo run(std::span<const double> alphas, MatrixView<double> coefs, std::span<double> gaps,
                       std::span<int> sweeps) {
        GroupLassoInfo info;
        std::vector<int> all(static_cast<std::size_t>(groups_));
        std::iota(all.begin(), all.end(), 0);
        evaluate(all);
        std::vector<int> free_groups;
        for (const int g : all)
            if (data_.penalty[std::size_t(g)] == 0.0) free_groups.push_back(g);
        activate(free_groups);
        double previous = 0.0;
        for (std::size_t k = 0; k < alphas.size(); ++k) {
            lambda_ = alphas[k] * total_weight_;
            if (k == 0) previous = lambda_;
            if (interrupt_.requested()) {
                info.status = Status::interrupted;
                return info;
            }
            sweeps_ = 0;
            solve_one(previous);
            if (gap_ > stop_.tol * 0.5 * yy_ && yy_ > 0.0) {
                ++info.n_stopped;
                if (info.status == Status::ok) info.status = Status::max_iter;
            }
            gaps[k] = gap_ / total_weight_;
            sweeps[k] = sweeps_;
            write(coefs.row(Index(k)));
            previous = lambda_;
        }
        return info;
    }

private:
    int size_of(int g) const { return data_.starts[std::size_t(g) + 1] - data_.starts[std::size_t(g)]; }
    double penalty(int g) const { return lambda_ * data_.penalty[std::size_t(g)]; }

    // The centred and weighted columns of a group.
    void copy_group(int g, double* to) const {
        for (int k = data_.starts[std::size_t(g)]; k < data_.starts[std::size_t(g) + 1]; ++k, to += n_) {
            const int j = data_.columns[std::size_t(k)];
            const double* x = data_.X.col(j);
            const double mean = data_.means[std::size_t(j)];
            if (root_.empty())
                for (Index i = 0; i < n_; ++i) to[i] = x[i] - mean;
            else
                for (Index i = 0; i < n_; ++i) to[i] = root_[std::size_t(i)] * (x[i] - mean);
        }
    }

    // An upper bound of the spectral norm of every group: the root of the largest row sum of its Gram matrix would need
    // the whole matrix, the root of the trace does with the norms of the columns.
    void prepare_groups() {
        parallel_for(groups_, [&](Index g) {
            double trace = 0.0;
            for (int k = data_.starts[std::size_t(g)]; k < data_.starts[std::size_t(g) + 1]; ++k) {
                const int j = data_.columns[std::size_t(k)];
                const double* x = data_.X.col(j);
                const double mean = data_.means[std::size_t(j)];
                double s[4] = {};
                Index i = 0;
                if (root_.empty()) {
                    for (; i + 4 <= n_; i += 4)
                        for (Index l = 0; l < 4; ++l) s[l] += (x[i + l] - mean) * (x[i + l] - mean);
                    for (; i < n_; ++i) s[0] += (x[i] - mean) * (x[i] - mean);
                } else {
                    for (; i < n_; ++i) {
                        const double e = root_[std::size_t(i)] * (x[i] - mean);
                        s[0] += e * e;
                    }
                }
                trace += (s[0] + s[1]) + (s[2] + s[3]);
            }
            reach_[std::size_t(g)] = std::sqrt(trace);
        });
    }

    // Exact norms |X_g'r| of the groups named.
    void evaluate(const std::vector<int>& list) {
        double sum = 0.0;
        for (Index i = 0; i < n_; ++i) {
            u_[std::size_t(i)] = root_.empty() ? r_[std::size_t(i)] : root_[std::size_t(i)] * r_[std::size_t(i)];
            sum += u_[std::size_t(i)];
        }
        const bool small = double(n_) * double(list.size()) < 20000.0;
        const Blocks blocks(Index(list.size()), 8);
        parallel_for(blocks.count(), small ? 1 : threads(), [&](Index b) {
            for (Index l = blocks.begin(b); l < blocks.end(b); ++l) {
                const auto g = std::size_t(list[std::size_t(l)]);
                double square = 0.0;
                for (int k = data_.starts[g]; k < data_.starts[g + 1]; ++k) {
                    const int j = data_.columns[std::size_t(k)];
                    const double c = dot(data_.X.col(j), u_.data(), n_) - data_.means[std::size_t(j)] * sum;
                    square += c * c;
                }
                norm_[g] = std::sqrt(square);
                anchor_[g] = moved_;
            }
        });
    }

    double bound(int g) const {
        return norm_[std::size_t(g)] + reach_[std::size_t(g)] * (moved_ - anchor_[std::size_t(g)]);
    }

    // Makes groups active: rotated columns, their squared norms, and their products with the other active columns.
    void activate(const std::vector<int>& list) {
        if (list.empty()) return;
        const int before = width_;
        for (const int g : list) width_ += size_of(g);
        Z_.resize(std::size_t(n_) * std::size_t(width_));
        d_.resize(std::size_t(width_));
        beta_.resize(std::size_t(width_), 0.0);
        synced_.resize(std::size_t(width_), 0.0);
        grad_.resize(std::size_t(width_));
        int at = before;
        for (const int g : list) {
            place_[std::size_t(g)] = int(active_.size());
            active_.push_back(g);
            offset_.push_back(at);
            rotations_.emplace_back();
            at += size_of(g);
        }
        parallel_for(Index(list.size()), [&](Index l) {
            const int g = list[std::size_t(l)], m = size_of(g);
            const auto a = std::size_t(place_[std::size_t(g)]);
            double* Z = Z_.data() + Index(offset_[a]) * n_;
            double* d = d_.data() + offset_[a];
            if (m == 1) {
                copy_group(g, Z);
                d[0] = dot(Z, Z, n_);
                return;
            }
            std::vector<double> block(static_cast<std::size_t>(n_ * m));
            auto& Q = rotations_[a];
            copy_group(g, block.data());
            Q.resize(std::size_t(m) * std::size_t(m));
            for (int i = 0; i < m; ++i)
                for (int j = 0; j <= i; ++j)
                    Q[std::size_t(i + j * m)] = Q[std::size_t(j + i * m)] =
                        dot(block.data() + i * n_, block.data() + j * n_, n_);
            blas::syevd('L', m, Q.data(), m, d);
            for (int i = 0; i < m; ++i) d[i] = std::max(d[i], 0.0);
            std::fill(Z, Z + n_ * m, 0.0);
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < m; ++j) axpy(Q[std::size_t(j + i * m)], block.data() + j * n_, Z + i * n_, n_);
        });
        if (on_gram_ && double(width_) > kGramShare * double(n_)) {
            on_gram_ = false;
            G_ = {};
        }
        if (on_gram_) grow_gram(before);
        columns_dot(Z_.data() + Index(before) * n_, r_.data(), n_, width_ - before, grad_.data() + before);
        zy_.resize(std::size_t(width_));
        columns_dot(Z_.data() + Index(before) * n_, y_.data(), n_, width_ - before, zy_.data() + before);
    }

    void grow_gram(int before) {
        if (width_ > capacity_) {
            const int capacity = std::max(2 * capacity_, width_ + 64);
            std::vector<double> larger(std::size_t(capacity) * std::size_t(capacity));
            for (int j = 0; j < before; ++j)
                std::copy_n(G_.data() + Index(j) * capacity_, before, larger.data() + Index(j) * capacity);
            G_ = std::move(larger);
            capacity_ = capacity;
        }
        const int added = width_ - before;
        double* corner = G_.data() + Index(before) * capacity_;
        blas::gemm('T', 'N', width_, added, int(n_), 1.0, Z_.data(), int(n_), Z_.data() + Index(before) * n_, int(n_),
                   0.0, corner, capacity_);
        for (int j = before; j < width_; ++j)
            for (int i = 0; i < before; ++i)
                G_[std::size_t(j) + std::size_t(i) * std::size_t(capacity_)] =
                    corner[i + Index(j - before) * capacity_];
    }

    // Minimises over one active group; the squared movement of the fit.
    double update(int a) {
        const int g = active_[std::size_t(a)], m = size_of(g), at = offset_[std::size_t(a)];
        double* b = beta_.data() + at;
        const double* d = d_.data() + at;
        v_.resize(std::size_t(3 * m));
        double *v = v_.data(), *next = v + m, *step = next + m;
        const double* Z = Z_.data() + Index(at) * n_;
        if (on_gram_)
            std::copy_n(grad_.data() + at, m, v);
        else
            columns_dot(Z, r_.data(), n_, m, v);
        for (int i = 0; i < m; ++i) v[i] += d[i] * b[i];
        solve_block(d, v, m, penalty(g), next);
        double change = 0.0;
        for (int i = 0; i < m; ++i) {
            step[i] = b[i] - next[i];
            change += d[i] * step[i] * step[i];
        }
        if (change == 0.0) return 0.0;
        if (on_gram_)
            columns_axpy(G_.data() + Index(at) * capacity_, capacity_, step, width_, m, grad_.data());
        else
            columns_axpy(Z, n_, step, n_, m, r_.data());
        std::copy_n(next, m, b);
        return change;
    }

    bool is_zero(int a) const {
        const int at = offset_[std::size_t(a)], m = size_of(active_[std::size_t(a)]);
        for (int i = 0; i < m; ++i)
            if (beta_[std::size_t(at + i)] != 0.0) return false;
        return true;
    }

    // Sweeps over the active groups until no block moves the fit by more than `limit` (squared).
    void descend(double limit) {
        std::vector<int> nonzero;
        while (sweeps_ < stop_.max_iter && !interrupt_.requested()) {
            double largest = 0.0;
            for (int a = 0; a < int(active_.size()); ++a) largest = std::max(largest, update(a));
            ++sweeps_;
            if (largest <= limit) return;
            nonzero.clear();
            for (int a = 0; a < int(active_.size()); ++a)
                if (!is_zero(a)) nonzero.push_back(a);
            history_.clear();
            while (sweeps_ < stop_.max_iter && !interrupt_.requested()) {
                largest = 0.0;
                for (const int a : nonzero) largest = std::max(largest, update(a));
                ++sweeps_;
                if (largest <= limit) break;
                extrapolate();
            }
        }
    }

    // The vector that descent keeps beside the coefficients, affine in them.
    std::vector<double>& companion() { return on_gram_ ? grad_ : r_; }

    double objective() const {
        double value = 0.0;
        if (on_gram_) {
            value = yy_;
            for (int j = 0; j < width_; ++j)
                value -= beta_[std::size_t(j)] * (grad_[std::size_t(j)] + zy_[std::size_t(j)]);
        } else {
            value = dot(r_.data(), r_.data(), n_);
        }
        value *= 0.5;
        for (std::size_t a = 0; a < active_.size(); ++a)
            value += penalty(active_[a]) * norm(beta_.data() + offset_[a], size_of(active_[a]));
        return value;
    }

    // Anderson extrapolation of the last sweeps (as in Bertrand & Massias 2021): the affine combination of the iterates
    // whose differences nearly cancel; taken only if it lowers the objective.
    void extrapolate() {
        constexpr std::size_t kDepth = 5;
        history_.emplace_back(beta_, companion());
        if (history_.size() <= kDepth) return;
        double A[kDepth][kDepth], c[kDepth], trace = 0.0;
        std::vector<double> steps(kDepth * beta_.size());
        for (std::size_t k = 0; k < kDepth; ++k)
            for (std::size_t j = 0; j < beta_.size(); ++j)
                steps[k * beta_.size() + j] = std::sqrt(d_[j]) * (history_[k + 1].first[j] - history_[k].first[j]);
        for (std::size_t k = 0; k < kDepth; ++k)
            for (std::size_t l = 0; l <= k; ++l)
                A[k][l] = A[l][k] =
                    dot(steps.data() + k * beta_.size(), steps.data() + l * beta_.size(), Index(beta_.size()));
        for (std::size_t k = 0; k < kDepth; ++k) trace += A[k][k];
        for (std::size_t k = 0; k < kDepth; ++k) {
            A[k][k] += 1e-12 * trace;
            c[k] = 1.0;
        }
        for (std::size_t k = 0; k < kDepth; ++k) {  // Gaussian elimination of a small positive definite system
            if (!(A[k][k] > 0.0)) {
                history_.clear();
                return;
            }
            for (std::size_t l = k + 1; l < kDepth; ++l) {
                const double q = A[l][k] / A[k][k];
                for (std::size_t m = k; m < kDepth; ++m) A[l][m] -= q * A[k][m];
                c[l] -= q * c[k];
            }
        }
        double sum = 0.0;
        for (std::size_t k = kDepth; k-- > 0;) {
            for (std::size_t l = k + 1; l < kDepth; ++l) c[k] -= A[k][l] * c[l];
            c[k] /= A[k][k];
            sum += c[k];
        }
        const double before = objective();
        auto& other = companion();
        std::vector<double> beta(beta_.size(), 0.0), moved(other.size(), 0.0);
        for (std::size_t k = 0; k < kDepth; ++k) {
            axpy(c[k] / sum, history_[k + 1].first.data(), beta.data(), Index(beta.size()));
            axpy(c[k] / sum, history_[k + 1].second.data(), moved.data(), Index(moved.size()));
        }
        std::swap(beta, beta_);
        std::swap(moved, other);
        if (!(objective() < before)) {
            std::swap(beta, beta_);
            std::swap(moved, other);
        }
        history_.clear();
    }

    // Brings residual and gradient up to date with the coefficients, and adds to the distance the residual has moved.
    void sync() {
        if (on_gram_) {
            for (int j = 0; j < width_; ++j) synced_[std::size_t(j)] -= beta_[std::size_t(j)];
            columns_axpy(Z_.data(), n_, synced_.data(), n_, width_, r_.data());
            synced_ = beta_;
        } else {
            columns_dot(Z_.data(), r_.data(), n_, width_, grad_.data());
        }
        double square = 0.0;
        for (std::size_t i = 0; i < r_.size(); ++i) {
            const double e = r_[i] - last_[i];
            square += e * e;
        }
        last_ = r_;
        moved_ += std::sqrt(square) * (1.0 + 1e-12);
    }

    // Groups of the list outside the active set that violate their condition, the worst first, at most `most`.
    std::vector<int> violators(const std::vector<int>& list, std::size_t most) {
        std::vector<int> doubtful, found;
        for (const int g : list)
            if (place_[std::size_t(g)] < 0 && bound(g) > penalty(g)) doubtful.push_back(g);
        evaluate(doubtful);
        for (const int g : doubtful)
            if (norm_[std::size_t(g)] > penalty(g) * (1.0 + 1e-10)) found.push_back(g);
        std::stable_sort(found.begin(), found.end(), [&](int g, int h) {
            return norm_[std::size_t(g)] * data_.penalty[std::size_t(h)] >
                   norm_[std::size_t(h)] * data_.penalty[std::size_t(g)];
        });
        if (found.size() > most) found.resize(most);
        return found;
    }

    void solve_one(double previous) {
        std::vector<int> strong, all;
        for (int g = 0; g < groups_; ++g) {
            if (place_[std::size_t(g)] >= 0) continue;
            all.push_back(g);
            if (bound(g) >= (2.0 * lambda_ - previous) * data_.penalty[std::size_t(g)]) strong.push_back(g);
        }
        double limit = inner_ * yy_;
        bool growing = true;  // while groups still enter, a rough descent is enough
        for (;;) {
            descend(growing ? kRough * limit : limit);
            sync();
            const std::size_t most = std::max<std::size_t>(10, active_.size());
            auto found = violators(strong, most);
            if (found.empty() && !growing) found = violators(all, most);
            if (sweeps_ < stop_.max_iter && (growing || !found.empty())) {
                growing = !found.empty();
                activate(found);
                continue;
            }
            gap_ = duality_gap();
            if (gap_ <= stop_.tol * 0.5 * yy_ || sweeps_ >= stop_.max_iter || interrupt_.requested()) break;
            limit *= 0.1;
            inner_ = std::max(0.3 * inner_, 1e-30);  // the next penalties start with what this one needed
        }
        if (gap_ < 0.1 * stop_.tol * 0.5 * yy_) inner_ = std::min(inner_ * 1.5, stop_.tol);
    }

    double duality_gap() const {
        const double rr = dot(r_.data(), r_.data(), n_), ry = dot(r_.data(), y_.data(), n_);
        double primal = 0.5 * rr, ratio = 1.0, slack = 0.0;
        for (std::size_t a = 0; a < active_.size(); ++a) {
            const int m = size_of(active_[a]), at = offset_[a];
            const double size = norm(grad_.data() + at, m), limit = penalty(active_[a]);
            primal += limit * norm(beta_.data() + at, m);
            if (limit > 0.0)
                ratio = std::max(ratio, size / limit);
            else  // free groups: their part of the gradient should vanish
                slack += std::abs(dot(grad_.data() + at, beta_.data() + at, m));
        }
        for (int g = 0; g < groups_; ++g)
            if (place_[std::size_t(g)] < 0 && penalty(g) > 0.0) {
                const double size = std::min(bound(g), std::max(norm_[std::size_t(g)], penalty(g)));
                ratio = std::max(ratio, size / penalty(g));
            }
        // The best multiple of the residual that is dual feasible.
        const double scale = rr > 0.0 ? std::clamp(ry / rr, -1.0 / ratio, 1.0 / ratio) : 0.0;
        return std::max(primal - (scale * ry - 0.5 * scale * scale * rr) + slack, 0.0);
    }

    void write(double* coefs) const {
        std::fill(coefs, coefs + data_.X.cols, 0.0);
        for (std::size_t a = 0; a < active_.size(); ++a) {
            const int g = active_[a], m = size_of(g), at = offset_[a], start = data_.starts[std::size_t(g)];
            for (int j = 0; j < m; ++j) {
                double value = beta_[std::size_t(at)];
                if (m > 1) {
                    value = 0.0;
                    for (int i = 0; i < m; ++i)
                        value += rotations_[a][std::size_t(j + i * m)] * beta_[std::size_t(at + i)];
                }
                coefs[data_.columns[std::size_t(start + j)]] = value;
            }
        }
    }

    const GroupLassoData& data_;
    StopRule stop_;
    const Interrupt& interrupt_;
    Index n_;
    int groups_;
    std::vector<int> place_;      // position among the active groups, -1 outside
    std::vector<double> norm_;    // |X_g'r| when last evaluated
    std::vector<double> anchor_;  // where the residual was then, as a length of its path
    std::vector<double> reach_;   // bound of the spectral norm of the group's columns
    std::vector<double> r_, last_, y_, u_, root_;
    double moved_ = 0.0, lambda_ = 0.0, yy_ = 0.0, gap_ = 0.0, total_weight_ = 0.0;
    double inner_ = 1e-8;  // relative limit of the descent, adapted to the gaps it leads to
    int sweeps_ = 0;

    std::vector<int> active_, offset_;  // groups, and where their columns start
    std::vector<std::vector<double>> rotations_;
    std::vector<double> Z_, d_, beta_, synced_, grad_, zy_, G_, v_;
    std::vector<std::pair<std::vector<double>, std::vector<double>>> history_;  // coefficients and companion, by sweep
    int width_ = 0, capacity_ = 0;
    bool on_gram_ = true;  // descent on products of columns, or on the residual
};

}  // namespace

GroupLassoInfo group_lasso_path(const GroupLassoData& data, std::span<const double> alphas, StopRule stop,
                                const Interrupt& interrupt, MatrixView<double> coefs, std::span<double> gaps,
                                std::span<int> sweeps) {
    return Solver(data, stop, interrupt).run(alphas, coefs, gaps, sweeps);
}

}  // namespace statlearn::linear
