#include "smooth/local_likelihood.hpp"

#include <atomic>
#include <cmath>
#include <vector>

#include "common/cholesky.hpp"
#include "common/parallel.hpp"
#include "common/vmath.hpp"
#include "smooth/local_window.hpp"

namespace statlearn::smooth {
namespace {

constexpr int kPatience = 30;      // steps after which a loss that can run away is taken to do so
constexpr std::size_t kWide = 8;   // rows that are worked on side by side
constexpr double kPerfect = 1e-4;  // mean loss of a window that only a runaway fit reaches

// One linear predictor.
struct OneScore {
    const GlmTerms& terms;
    double centre, mean;

    static constexpr bool kSingle = true;
    static constexpr Index scores() { return 1; }
    double pull(Index, Index) const { return 1.0; }  // of the ridge, between two scores
    double centre_of(Index) const { return centre; }
    bool canonical() const {
        return (terms.family == Family::binomial && terms.link == Link::logit) ||
               (terms.family == Family::poisson && terms.link == Link::log) ||
               (terms.family == Family::gaussian && terms.link == Link::identity);
    }
    bool quadratic() const { return terms.family == Family::gaussian && terms.link == Link::identity; }
    bool at_edge(double y) const { return terms.at_edge(y); }
    // Whether all responses are one value at the edge of their range: no finite optimum.
    bool endless(Span<const double> y) const {
        return terms.at_edge(y[0]) && std::all_of(y.begin(), y.end(), [&](double other) { return other == y[0]; });
    }
    double least_loss(double y) const { return terms.least_loss(y); }

    // Losses of many rows with their slopes, Fisher weights and second derivatives.
    void rows(Span<const double> y, Span<const double> eta, double* loss, double* slope, double* expected,
              double* observed) const {
        const std::size_t n = y.size();
        if (terms.family == Family::binomial && terms.link == Link::logit) {
            for (std::size_t i = 0; i < n; i += kWide) {
                const std::size_t count = std::min(kWide, n - i);
                double t[kWide] = {}, r[kWide] = {}, value[kWide], pull[kWide], bend[kWide];
                for (std::size_t l = 0; l < count; ++l) {
                    t[l] = eta[i + l];
                    r[l] = y[i + l];
                }
                for (std::size_t l = 0; l < kWide; ++l) {
                    const double e = exp_fast(-std::abs(t[l])), inverse = 1.0 / (1.0 + e);
                    const double above = t[l] > 0.0 ? t[l] : 0.0, share = t[l] > 0.0 ? 1.0 : e;
                    value[l] = log1p_unit(e) + above - r[l] * t[l];
                    pull[l] = share * inverse - r[l];
                    bend[l] = e * inverse * inverse;
                }
                for (std::size_t l = 0; l < count; ++l) {
                    loss[i + l] = value[l];
                    slope[i + l] = pull[l];
                    expected[i + l] = observed[i + l] = bend[l];
                }
            }
        } else if (terms.family == Family::poisson && terms.link == Link::log) {
            for (std::size_t i = 0; i < n; ++i) {
                const double mu = exp_fast(eta[i]);
                loss[i] = mu - y[i] * eta[i];
                slope[i] = mu - y[i];
                expected[i] = observed[i] = mu;
            }
        } else {
            for (std::size_t i = 0; i < n; ++i) {
                const auto c = terms.curve(y[i], eta[i]);
                loss[i] = terms.loss(y[i], eta[i]);
                slope[i] = c.slope;
                expected[i] = c.expected;
                observed[i] = c.observed;
            }
        }
    }
    // A start inside the range of means: the mean of the window, drawn a little towards that of all rows.
    void start(Span<const double> y, Span<const double> weight, double total, double* beta) const {
        double sum = 0.0;
        for (Index i = 0; i < y.size(); ++i) sum += weight[i] * y[i];
        beta[0] = link_of(0.95 * sum / total + 0.05 * mean);
        if (!std::isfinite(beta[0])) beta[0] = centre;  // e.g. the logarithm of a negative mean
    }
    double link_of(double mu) const {
        switch (terms.link) {
            case Link::identity:
                return mu;
            case Link::log:
                return std::log(mu);
            case Link::power:
                return std::pow(mu, terms.link_power);
            case Link::logit:
                return std::log(mu / (1.0 - mu));
            case Link::cloglog:
                return std::log(-std::log1p(-mu));
            default:  // a logistic curve of the same slope at 1/2: close enough to start from
                return 0.6267 * std::log(mu / (1.0 - mu));
        }
    }
};

// Scores of all classes but the first, which has 0.
struct ClassScores {
    Index classes;
    Span<const double> centre;

    static constexpr bool kSingle = false;
    Index scores() const { return classes - 1; }
    double pull(Index a, Index b) const { return 2.0 * ((a == b ? 1.0 : 0.0) - 1.0 / double(classes)); }
    double centre_of(Index a) const { return centre[a]; }
    static constexpr bool canonical() { return true; }
    static constexpr bool quadratic() { return false; }
    static constexpr bool at_edge(double) { return true; }
    static constexpr double least_loss(double) { return 0.0; }
    // Whether a class is absent: its score has no finite optimum.
    bool endless(Span<const double> y) const {
        std::vector<char> seen(classes, 0);
        for (const double k : y) seen[Index(k)] = 1;
        return std::find(seen.begin(), seen.end(), 0) != seen.end();
    }
    double total(const double* eta, double& top) const {
        top = 0.0;
        for (Index a = 0; a < classes - 1; ++a) top = std::max(top, eta[a]);
        double sum = std::exp(-top);
        for (Index a = 0; a < classes - 1; ++a) sum += std::exp(eta[a] - top);
        return sum;
    }
    double loss(double y, const double* eta) const {
        double top;
        const double sum = total(eta, top);
        const Index k = Index(y);
        return top + std::log(sum) - (k > 0 ? eta[k - 1] : 0.0);
    }
    void derivatives(double y, const double* eta, double* slope, double* curvature) const {
        const Index c = classes - 1, k = Index(y);
        double top;
        const double sum = total(eta, top);
        for (Index a = 0; a < c; ++a) slope[a] = std::exp(eta[a] - top) / sum;
        for (Index a = 0; a < c; ++a)
            for (Index b = 0; b <= a; ++b) curvature[a * c + b] = (a == b ? slope[a] : 0.0) - slope[a] * slope[b];
        if (k > 0) slope[k - 1] -= 1.0;
    }
    void start(Span<const double>, Span<const double>, double, double* beta) const {
        for (Index a = 0; a < classes - 1; ++a) beta[a] = centre[a];
    }
};

// Newton's method in the windows of one thread's queries. Coefficients are stored function by function: those of
// function j for all scores stand at j * scores.
template <class Model>
class Fitter {
public:
    Fitter(const LocalData& data, LocalRule rule, LikelihoodRule how, const Model& model)
        : data_(data),
          how_(how),
          model_(model),
          window_(data, rule),
          m_(window_.functions()),
          c_(model.scores()),
          size_(m_ * c_),
          normal_(size_),
          design_(m_),
          beta_(size_),
          step_(size_),
          score_(c_),
          slope_(c_),
          curvature_(c_ * c_),
          used_(m_) {}

    Window at(const double* x0, const double* z0, double h, Index without) {
        if (!window_.open(x0, z0, h, without)) return Window::empty;
        gather();
        if (how_.alpha > 0.0) return climb(how_.alpha) ? Window::ok : Window::not_converged;
        if (!model_.endless(y_)) {
            runaway_ = false;
            if (climb(0.0)) return Window::ok;
            if (!runaway_) return Window::not_converged;
        }
        climb(how_.fallback);
        return Window::separated;
    }

    double score(Index a) const { return beta_[a]; }

    // For one score, after `at`: variance of the intercept at dispersion 1, and its element of the inverse information.
    void spread(double& variance, double& information) {
        accumulate(true);
        normal_.factor();
        std::fill(step_.begin(), step_.end(), 0.0);
        step_[0] = 1.0;
        normal_.solve(step_);
        information = step_[0];
        variance = 0.0;
        for (Index i = 0; i < count_; ++i) {
            const double *b = functions(i), weight = weight_[i];
            double inner = 0.0;
            for (Index j = 0; j < m_; ++j) inner += step_[j] * b[j];
            variance += weight * weight / copies_[i] * expected_[i] * inner * inner;
        }
    }

    double at_zero() const { return window_.at_zero(); }

private:
    const double* functions(Index i) const { return functions_.data() + i * m_; }
    double* eta(Index i) { return eta_.data() + i * c_; }

    // The rows of the window side by side, and which functions they determine.
    void gather() {
        const Index most = window_.high() - window_.low();
        for (auto* values : {&weight_, &y_, &copies_}) values->resize(most);
        functions_.resize(most * std::size_t(m_));
        total_ = 0.0;
        count_ = 0;
        for (Index i = window_.low(); i < window_.high(); ++i) {
            const double weight = window_.weight(i);
            if (weight == 0.0) continue;
            window_.functions_at(i, functions_.data() + count_ * m_);
            weight_[count_] = weight;
            y_[count_] = data_.y[i];
            copies_[count_] = window_.copies(i);
            total_ += weight;
            ++count_;
        }
        for (auto* values : {&weight_, &y_, &copies_}) values->resize(count_);
        design_.clear();
        if (m_ == 2) {
            add_design<2>();
        } else if (m_ == 3) {
            add_design<3>();
        } else {
            for (Index i = 0; i < count_; ++i) {
                const double* b = functions(i);
                for (Index j = 0; j < m_; ++j) {
                    double* row = design_.row(j);
                    for (Index k = 0; k <= j; ++k) row[k] += weight_[i] * b[j] * b[k];
                }
            }
        }
        eta_.resize(count_ * c_);
        change_.resize(count_ * c_);
        if constexpr (Model::kSingle)
            for (auto* values : {&trial_, &loss_, &slope_, &expected_, &observed_}) values->resize(count_);
        design_.factor();
        for (Index j = 0; j < m_; ++j) used_[j] = design_.kept(j);
    }

    // Cross-products of M functions, in registers.
    template <int M>
    void add_design() {
        double gram[M][M] = {};
        for (Index i = 0; i < count_; ++i) {
            const double* b = functions(i);
            for (int j = 0; j < M; ++j)
                for (int k = 0; k <= j; ++k) gram[j][k] += weight_[i] * b[j] * b[k];
        }
        for (int j = 0; j < M; ++j)
            for (int k = 0; k <= j; ++k) design_.row(j)[k] = gram[j][k];
    }

    void scores_of(const std::vector<double>& beta, std::vector<double>& scores) const {
        if (c_ == 1 && m_ == 2) {
            const double constant = beta[0], slope = beta[1];
            for (Index i = 0; i < count_; ++i) scores[i] = constant + slope * functions(i)[1];
            return;
        }
        for (Index i = 0; i < count_; ++i) {
            const double* b = functions(i);
            for (Index a = 0; a < c_; ++a) {
                double sum = 0.0;
                for (Index j = 0; j < m_; ++j) sum += beta[j * c_ + a] * b[j];
                scores[i * c_ + a] = sum;
            }
        }
    }

    double from_centre(double length, Index j, Index a) const {
        const Index at = j * c_ + a;
        return beta_[at] + length * step_[at] - (j == 0 ? model_.centre_of(a) : 0.0);
    }

    // Loss at beta + length step, whose scores are eta_ + length change_; a single score leaves its derivatives too.
    double loss_at(double length) {
        double sum = 0.0;
        if constexpr (Model::kSingle) {
            for (std::size_t i = 0; i < y_.size(); ++i) trial_[i] = eta_[i] + length * change_[i];
            model_.rows(y_, trial_, loss_.data(), slope_.data(), expected_.data(), observed_.data());
            for (std::size_t i = 0; i < y_.size(); ++i) sum += weight_[i] * loss_[i];
        } else {
            for (Index i = 0; i < count_; ++i) {
                for (Index a = 0; a < c_; ++a) score_[a] = eta_[i * c_ + a] + length * change_[i * c_ + a];
                sum += weight_[i] * model_.loss(y_[i], score_.data());
            }
        }
        if (alpha_ == 0.0) return sum;
        double ridge = 0.0;
        for (Index j = 0; j < m_; ++j)
            for (Index a = 0; a < c_; ++a)
                for (Index b = 0; b < c_; ++b)
                    ridge += model_.pull(a, b) * from_centre(length, j, a) * from_centre(length, j, b);
        return sum + 0.5 * alpha_ * ridge;
    }

    // Largest change of a score by the whole step, relative to 1 + the score.
    double largest_change() const {
        double part[kWide] = {};
        const std::size_t n = change_.size(), whole = n / kWide * kWide;
        for (std::size_t i = 0; i < whole; i += kWide)
            for (std::size_t l = 0; l < kWide; ++l) {
                const double relative = std::abs(change_[i + l]) / (1.0 + std::abs(eta_[i + l]));
                part[l] = relative > part[l] ? relative : part[l];
            }
        double most = 0.0;
        for (std::size_t i = whole; i < n; ++i) most = std::max(most, std::abs(change_[i]) / (1.0 + std::abs(eta_[i])));
        for (const double value : part) most = std::max(most, value);
        return most;
    }

    // Cross-products of the functions under the curvature, and minus the slope; M functions, or any number for 0.
    template <int M>
    void add_rows(const double* curvature) {
        if constexpr (M > 0) {
            double gram[M][M] = {}, slope[M] = {};
            for (Index i = 0; i < count_; ++i) {
                const double* b = functions(i);
                const double w = weight_[i], s = w * slope_[i], c = w * curvature[i];
                for (int j = 0; j < M; ++j) {
                    slope[j] += s * b[j];
                    for (int k = 0; k <= j; ++k) gram[j][k] += c * b[j] * b[k];
                }
            }
            for (int j = 0; j < M; ++j) {
                step_[j] = -slope[j];
                for (int k = 0; k <= j; ++k) normal_.row(j)[k] = gram[j][k];
            }
        } else {
            for (Index i = 0; i < count_; ++i) {
                const double* b = functions(i);
                const double w = weight_[i], s = w * slope_[i], c = w * curvature[i];
                for (Index j = 0; j < m_; ++j) {
                    const double part = c * b[j];
                    step_[j] -= s * b[j];
                    double* row = normal_.row(j);
                    for (Index k = 0; k <= j; ++k) row[k] += part * b[k];
                }
            }
        }
    }

    void add_class_rows() {
        for (Index i = 0; i < count_; ++i) {
            model_.derivatives(y_[i], eta(i), slope_.data(), curvature_.data());
            const double* b = functions(i);
            for (Index j = 0; j < m_; ++j) {
                const double part = weight_[i] * b[j];
                for (Index a = 0; a < c_; ++a) {
                    step_[j * c_ + a] -= part * slope_[a];
                    double* row = normal_.row(j * c_ + a);
                    for (Index k = 0; k <= j; ++k) {
                        const double product = part * b[k];
                        for (Index d = 0; d < (k == j ? a + 1 : c_); ++d)
                            row[k * c_ + d] += product * curvature_[std::max(a, d) * c_ + std::min(a, d)];
                    }
                }
            }
        }
    }

    // Curvature into normal_, minus the slope into step_.
    void accumulate(bool fisher) {
        normal_.clear();
        std::fill(step_.begin(), step_.end(), 0.0);
        if constexpr (Model::kSingle) {
            const double* curvature = fisher ? expected_.data() : observed_.data();
            if (m_ == 1)
                add_rows<1>(curvature);
            else if (m_ == 2)
                add_rows<2>(curvature);
            else if (m_ == 3)
                add_rows<3>(curvature);
            else
                add_rows<0>(curvature);
        } else {
            add_class_rows();
        }
        for (Index j = 0; j < m_; ++j)
            for (Index a = 0; a < c_; ++a) {
                const Index at = j * c_ + a;
                if (!used_[j]) {  // stays at 0, without a part in the others
                    for (Index k = 0; k <= at; ++k) normal_.row(at)[k] = 0.0;
                    for (Index k = at; k < size_; ++k) normal_.row(k)[at] = 0.0;
                    step_[at] = 0.0;
                    continue;
                }
                for (Index d = 0; d < c_; ++d) {
                    if (d <= a) normal_.row(at)[j * c_ + d] += alpha_ * model_.pull(a, d);
                    const double centre = j == 0 ? model_.centre_of(d) : 0.0;
                    step_[at] -= alpha_ * model_.pull(a, d) * (beta_[j * c_ + d] - centre);
                }
            }
    }

    bool determined() const {
        for (Index j = 0; j < m_; ++j)
            for (Index a = 0; a < c_; ++a)
                if (used_[j] && !normal_.kept(j * c_ + a)) return false;
        return true;
    }

    // Newton's method from the constant model; true if it converged. Without a ridge, runaway_ says that the loss seems
    // to have no minimum.
    bool climb(double alpha) {
        alpha_ = alpha;
        std::fill(beta_.begin(), beta_.end(), 0.0);
        std::fill(step_.begin(), step_.end(), 0.0);
        std::fill(change_.begin(), change_.end(), 0.0);
        model_.start(y_, weight_, total_, beta_.data());
        scores_of(beta_, eta_);
        const bool edges = std::any_of(y_.begin(), y_.end(), [&](double y) { return model_.at_edge(y); });
        double value = loss_at(0.0), least = 0.0;
        for (Index i = 0; i < count_; ++i) least += weight_[i] * model_.least_loss(y_[i]);
        for (int step = 0; step < how_.max_iter; ++step) {
            bool newton = true;
            accumulate(model_.canonical());
            normal_.factor();
            if (!determined() && !model_.canonical()) {
                newton = false;
                accumulate(true);
                normal_.factor();
            }
            if (!determined() && alpha == 0.0) {
                runaway_ = edges;
                return false;
            }
            normal_.solve(step_);
            scores_of(step_, change_);
            const double change = largest_change();
            double length = 1.0, next = loss_at(1.0);
            const double allowed = value + 1e-13 * (std::abs(value) + total_);
            for (int halving = 0; halving < 40 && !(next <= allowed) && length * change > how_.tol; ++halving) {
                length *= 0.5;
                next = loss_at(length);
            }
            if (!(next < std::numeric_limits<double>::infinity())) return false;
            for (std::size_t j = 0; j < beta_.size(); ++j) beta_[j] += length * step_[j];
            for (std::size_t i = 0; i < eta_.size(); ++i) eta_[i] += length * change_[i];
            value = next;
            // A full Newton step squares the error: what is left after a change of 0.1 sqrt(tol) is far below tol.
            const double enough = newton && length == 1.0 ? std::max(how_.tol, 0.1 * std::sqrt(how_.tol)) : how_.tol;
            if (length * change <= enough || model_.quadratic()) return true;
            if (alpha == 0.0 && edges && (value - least < kPerfect * total_ || step >= kPatience)) {
                runaway_ = true;
                return false;
            }
        }
        return false;
    }

    const LocalData& data_;
    LikelihoodRule how_;
    const Model& model_;
    LocalWindow window_;
    Index m_, c_, size_, count_ = 0;
    SmallSolve normal_, design_;
    std::vector<double> beta_, step_, score_, slope_, curvature_;
    std::vector<double> functions_, weight_, y_, copies_, eta_, change_;  // of the rows of the window
    std::vector<double> trial_, loss_, expected_, observed_;              // with one score
    std::vector<char> used_;
    double total_ = 0.0, alpha_ = 0.0;
    bool runaway_ = false;
};

template <class Model, class Write>
bool all_queries(const LocalData& data, const LocalQueries& queries, LocalRule rule, LikelihoodRule how,
                 const Model& model, const Interrupt& interrupt, Write&& write) {
    const Blocks blocks(queries.X.rows, 16);
    std::atomic<bool> stopped{false};
    parallel_for(blocks.count(), [&](Index block) {
        Fitter<Model> fitter(data, rule, how, model);
        std::vector<double> x0(queries.X.cols), z0(queries.Z.cols);
        for (Index q = blocks.begin(block); q < blocks.end(block); ++q) {
            if (stopped || interrupt.requested()) {
                stopped = true;
                return;
            }
            for (Index j = 0; j < queries.X.cols; ++j) x0[j] = queries.X(q, j);
            for (Index j = 0; j < queries.Z.cols; ++j) z0[j] = queries.Z(q, j);
            const double h = queries.bandwidth.empty() ? 0.0 : queries.bandwidth[q];
            write(q, fitter, fitter.at(x0.data(), z0.data(), h, how.leave_out ? q : -1));
        }
    });
    return !stopped;
}

}  // namespace

bool local_likelihood(const LocalData& data, const LocalQueries& queries, LocalRule rule, const GlmTerms& terms,
                      LikelihoodRule how, double centre, double mean, const Interrupt& interrupt, Span<double> eta,
                      Span<double> std_error, Span<double> information, Span<int> ended) {
    const OneScore model{terms, centre, mean};
    return all_queries(data, queries, rule, how, model, interrupt,
                       [&](Index q, Fitter<OneScore>& fitter, Window window) {
                           ended[q] = int(window);
                           eta[q] = std_error[q] = information[q] = std::numeric_limits<double>::quiet_NaN();
                           if (window == Window::empty) return;
                           double variance = 0.0;
                           fitter.spread(variance, information[q]);
                           information[q] *= fitter.at_zero();
                           std_error[q] = std::sqrt(variance);
                           eta[q] = fitter.score(0);
                       });
}

bool local_multinomial(const LocalData& data, const LocalQueries& queries, LocalRule rule, Index classes,
                       LikelihoodRule how, Span<const double> centre, const Interrupt& interrupt, Matrix<double> eta,
                       Span<int> ended) {
    const ClassScores model{classes, centre};
    return all_queries(
        data, queries, rule, how, model, interrupt, [&](Index q, Fitter<ClassScores>& fitter, Window window) {
            ended[q] = int(window);
            for (Index a = 0; a < classes - 1; ++a)
                eta(q, a) = window == Window::empty ? std::numeric_limits<double>::quiet_NaN() : fitter.score(a);
        });
}

}  // namespace statlearn::smooth
