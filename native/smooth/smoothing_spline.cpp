#include "smooth/smoothing_spline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "common/pack.hpp"
#include "common/parallel.hpp"

namespace statlearn::smooth {
namespace {

// Penalties, or responses, that share one walk along the knots: as many as a register holds, since the walk waits for
// its divisions (wider types live in memory and are eight times slower).
constexpr int kLanes = 4;
constexpr Index kBlock = 128;

using Lanes = Pack4;

// The quadratic x'Ax/2 - g'x of the state x = (f, f'), A = (a b; b c), with the determinant of A, all per lane. Going
// away from its knots b is never positive, and every update adds terms of one sign.
struct Information {
    Lanes a{}, b{}, c{}, det{}, u{}, v{};

    // To the state a distance h > 0 onwards: f moves by h f', and noise of variance q (h^3/3, h^2/2; h^2/2, h) comes
    // in. Returns the determinant by which the noise widens the distribution.
    Lanes move(double h, Lanes q) {
        const Lanes q22 = q * h, q12 = q22 * (h / 2), q11 = q22 * (h * h / 3);
        const Lanes b2 = b - h * a, c2 = c - h * (b + b2), v2 = v - h * u;
        const Lanes m11 = a * q11 + b2 * q12, m12 = a * q12 + b2 * q22;
        const Lanes m21 = b2 * q11 + c2 * q12, m22 = b2 * q12 + c2 * q22;
        const Lanes widening = 1.0 + q22 * (c - h * b + (h * h / 3) * a) + det * (q22 * q22 * (h * h / 12));
        const Lanes r = 1.0 / widening;
        const Lanes u2 = u;
        a = (a + det * q22) * r;
        b = (b2 - det * q12) * r;
        c = (c2 + det * q11) * r;
        u = ((1.0 + m22) * u2 - m12 * v2) * r;
        v = ((1.0 + m11) * v2 - m21 * u2) * r;
        det = det * r;
        return widening;
    }

    void observe(double w, Lanes wy) {
        a += w;
        u += wy;
        det += w * c;
    }
};

// Log of a long product, a few factors at a time.
struct LogProduct {
    Lanes product = broadcast(1.0), sum{};
    int count = 0;

    void multiply(Lanes factor) {
        product *= factor;
        if (++count == 4) flush();
    }
    void flush() {
        for (int l = 0; l < kLanes; ++l) sum[l] += std::log(product[l]);
        product = broadcast(1.0);
        count = 0;
    }
};

// What is known at a knot from all others and itself.
struct State {
    Lanes f, slope, second, variance;
};

// The pull w y on each knot: one response for all lanes, or a column of pulls for each.
struct OneResponse {
    Span<const double> y, w;
    Lanes operator()(Index i) const { return broadcast(y[i] * w[i]); }
};
struct ManyPulls {
    Matrix<const double> pulls;
    Index first;
    Lanes operator()(Index i) const {
        Lanes lanes{};
        const Index count = std::min<Index>(kLanes, pulls.cols - first);
        for (Index l = 0; l < count; ++l) lanes[l] = pulls(i, first + l);
        return lanes;
    }
};

// The walks of one group of lanes. Side 0 goes up, side 1 goes down; step s of a side is knot s or n - 1 - s. Each side
// first walks its own half and leaves its state at the start of every block; then goes on through the other's half,
// where the other's states are made again, block by block from the end, and joined with its own.
template <class Pull, bool kLogDet>
class Walk {
public:
    Walk(Knots knots, const Pull& pull, Lanes lambda) : knots_(knots), pull_(pull), q_(1.0 / lambda) {
        n_ = Index(knots.x.size());
        steps_ = {n_ / 2, n_ - n_ / 2};  // of the first walk of each side
        for (int side = 0; side < 2; ++side) {
            starts_[side].resize((steps_[side] + kBlock - 1) / kBlock);
        }
    }

    bool approach(int side, const Interrupt& interrupt) {
        Information state;
        LogProduct log_det;
        for (Index s = 0; s < steps_[side]; ++s) {
            if (s % kBlock == 0) {
                if (interrupt.requested()) return false;
                starts_[side][s / kBlock] = state;
            }
            if (s > 0) {
                const Lanes widening = state.move(distance(side, s), q_);
                if constexpr (kLogDet) log_det.multiply(widening);
            }
            const Index i = knot(side, s);
            state.observe(knots_.w[i], pull_(i));
        }
        log_det.flush();
        middle_[side] = state;
        log_det_[side] = log_det.sum;
        return true;
    }

    // sink(i, state) for every knot of the other side's half.
    template <class Sink>
    bool join(int side, const Interrupt& interrupt, Sink&& sink) {
        const int other = 1 - side;
        const double sign = side == 0 ? 1.0 : -1.0;  // of slopes
        std::vector<Information> told(kBlock);       // by the other side about each knot of a block, without itself
        Information state = middle_[side];
        for (Index block = Index(starts_[other].size()) - 1; block >= 0; --block) {
            if (interrupt.requested()) return false;
            const Index begin = block * kBlock, end = std::min(steps_[other], begin + kBlock);
            Information from = starts_[other][block];
            for (Index s = begin; s < end; ++s) {
                if (s > 0) from.move(distance(other, s), q_);
                told[s - begin] = from;
                const Index i = knot(other, s);
                from.observe(knots_.w[i], pull_(i));
            }
            for (Index s = end - 1; s >= begin; --s) {
                const Index i = knot(other, s);
                if (n_ - 1 - s > 0) {
                    const Lanes widening = state.move(distance(side, n_ - 1 - s), q_);
                    if (kLogDet && side == 0 && s == steps_[1] - 1) {
                        for (int l = 0; l < kLanes; ++l) log_det_[0][l] += std::log(widening[l]);
                    }
                }
                state.observe(knots_.w[i], pull_(i));
                const Information& t = told[s - begin];
                const Lanes a = state.a + t.a, b = state.b - t.b, c = state.c + t.c;
                const Lanes u = state.u + t.u, v = state.v - t.v;
                const Lanes det = a * c - b * b, r = 1.0 / det;
                const Lanes f = (c * u - b * v) * r, slope = (a * v - b * u) * r;
                if (kLogDet && side == 0 && s == steps_[1] - 1) {
                    for (int l = 0; l < kLanes; ++l) log_det_[0][l] += std::log(det[l]);
                }
                sink(i, State{f, sign * slope, q_ * (state.b * f + state.c * slope - state.v), c * r});
            }
        }
        return true;
    }

    Lanes log_det() const { return log_det_[0] + log_det_[1]; }

private:
    Index knot(int side, Index s) const { return side == 0 ? s : n_ - 1 - s; }
    double distance(int side, Index s) const {
        const Index i = knot(side, s), before = knot(side, s - 1);
        return std::abs(knots_.x[i] - knots_.x[before]);
    }

    Knots knots_;
    Pull pull_;
    Lanes q_;
    Index n_;
    std::array<Index, 2> steps_;
    std::array<std::vector<Information>, 2> starts_;
    std::array<Information, 2> middle_;
    Lanes log_det_[2] = {};
};

constexpr Index kKnotSteps = 50;  // operations for each knot of a walk, roughly

// Runs `task(side)` for both sides; false if one of them was interrupted.
template <class F>
bool both_sides(Knots knots, F&& task) {
    std::array<char, 2> done{};
    parallel_for(2, Work(kKnotSteps * Index(knots.x.size())), [&](Index side) { done[side] = char(task(int(side))); });
    return done[0] && done[1];
}

struct Sums {
    Lanes rss{}, df{}, loo{}, penalised{}, held{};
};

template <bool kLogDet>
bool score_lanes(Knots knots, SplineTargets targets, Lanes lambda, const Interrupt& interrupt, Index count,
                 SplineScore* scores) {
    const auto y = targets.y;
    Walk<OneResponse, kLogDet> walk(knots, OneResponse{y, knots.w}, lambda);
    if (!both_sides(knots, [&](int side) { return walk.approach(side, interrupt); })) return false;
    std::array<Sums, 2> parts;
    const bool done = both_sides(knots, [&](int side) {
        Sums sums;
        const bool finished = walk.join(side, interrupt, [&](Index i, const State& s) {
            const double w = knots.w[i];
            const Lanes residual = y[i] - s.f, square = w * residual * residual, slack = 1.0 - s.variance;
            sums.rss += square;
            sums.df += w * s.variance;
            sums.penalised += w * y[i] * residual;
            if (w > 0.0) sums.loo += (square + targets.within[i]) / (slack * slack);
            if (!targets.held_w.empty()) {
                const Lanes error = targets.held_y[i] - s.f;
                sums.held += targets.held_w[i] * error * error;
            }
        });
        parts[side] = sums;
        return finished;
    });
    if (!done) return false;
    const Lanes rss = parts[0].rss + parts[1].rss, df = parts[0].df + parts[1].df;
    const Lanes loo = parts[0].loo + parts[1].loo, penalised = parts[0].penalised + parts[1].penalised;
    const Lanes held = parts[0].held + parts[1].held, log_det = walk.log_det();
    for (Index l = 0; l < count; ++l) scores[l] = {rss[l], df[l], loo[l], penalised[l], log_det[l], held[l]};
    return true;
}

}  // namespace

bool smoothing_spline_scores(Knots knots, SplineTargets targets, Span<const double> lambda, bool likelihood,
                             const Interrupt& interrupt, Span<SplineScore> scores) {
    const Index count = Index(lambda.size());
    for (Index first = 0; first < count; first += kLanes) {
        Lanes group;
        for (Index l = 0; l < kLanes; ++l) group[l] = lambda[std::min(first + l, count - 1)];
        const auto score = likelihood ? score_lanes<true> : score_lanes<false>;
        const Index here = std::min<Index>(kLanes, count - first);
        if (!score(knots, targets, group, interrupt, here, scores.data() + first)) return false;
    }
    return true;
}

bool smoothing_spline_fit(Knots knots, Span<const double> y, double lambda, const Interrupt& interrupt,
                          SplineCurve curve) {
    Walk<OneResponse, false> walk(knots, OneResponse{y, knots.w}, broadcast(lambda));
    if (!both_sides(knots, [&](int side) { return walk.approach(side, interrupt); })) return false;
    return both_sides(knots, [&](int side) {
        return walk.join(side, interrupt, [&](Index i, const State& s) {
            curve.value[i] = s.f[0];
            curve.slope[i] = s.slope[0];
            curve.second[i] = s.second[0];
            curve.variance[i] = s.variance[0];
        });
    });
}

bool smoothing_spline_columns(Knots knots, Matrix<const double> pulls, double lambda, const Interrupt& interrupt,
                              Matrix<double> fitted) {
    const Index groups = (pulls.cols + kLanes - 1) / kLanes;
    std::vector<char> done(groups, 0);
    parallel_for(groups, [&](Index g) {
        const Index first = g * kLanes, count = std::min<Index>(kLanes, pulls.cols - first);
        Walk<ManyPulls, false> walk(knots, ManyPulls{pulls, first}, broadcast(lambda));
        const auto sink = [&](Index i, const State& s) {
            for (Index l = 0; l < count; ++l) fitted(i, first + l) = s.f[l];
        };
        done[g] = walk.approach(0, interrupt) && walk.approach(1, interrupt) && walk.join(0, interrupt, sink) &&
                  walk.join(1, interrupt, sink);
    });
    return std::all_of(done.begin(), done.end(), [](char d) { return d != 0; });
}

}  // namespace statlearn::smooth
