#include "svm/working_set.hpp"

#include <algorithm>
#include <cmath>

#include "common/pack.hpp"

namespace statlearn::svm {
namespace {

constexpr double kBarred = 1e300;
constexpr double kLeastCurvature = 1e-12;  // as in libsvm: flat or concave pairs move to a bound
constexpr Index kStep = 8;

struct Best {
    double value;
    Index at;
};

// The least of value + bar, lowest index on ties.
Best least(const double* value, const double* bar, Index n) {
    Pack4 best[2] = {broadcast(kBarred), broadcast(kBarred)}, at[2] = {broadcast(-1.0), broadcast(-1.0)};
    for (Index j = 0; j < n; j += kStep)
        for (Index h = 0; h < 2; ++h) {
            const Pack4 x = load_pack(value + j + 4 * h) + load_pack(bar + j + 4 * h);
            const Mask4 better = positive(best[h] - x);
            best[h] = select(better, x, best[h]);
            at[h] = select(better, broadcast(double(j)), at[h]);
        }
    Best found{kBarred, -1};
    double values[kStep], places[kStep];
    for (Index h = 0; h < 2; ++h) packs(values)[h] = best[h], packs(places)[h] = at[h];
    for (Index l = 0; l < kStep; ++l) {
        const Index place = Index(places[l]) + l;
        if (places[l] >= 0.0 && (values[l] < found.value || (values[l] == found.value && place < found.at)))
            found = {values[l], place};
    }
    return found;
}

// The greatest decrease (g_j - g_i)^2 / (2 curvature) over j with g_j - bar_j > g_i, and the greatest such difference.
template <class T>
Best most_gain(const double* g, const double* bar, const T* row, const double* diagonal, double gi, double kii, Index n,
               double& violation) {
    Pack4 best[2] = {broadcast(0.0), broadcast(0.0)}, at[2] = {broadcast(-1.0), broadcast(-1.0)};
    Pack4 most[2] = {broadcast(0.0), broadcast(0.0)};
    const Pack4 zero = broadcast(0.0), flat = broadcast(kLeastCurvature), base = broadcast(gi), own = broadcast(kii);
    for (Index j = 0; j < n; j += kStep)
        for (Index h = 0; h < 2; ++h) {
            const Index k = j + 4 * h;
            Pack4 d = load_pack(g + k) - load_pack(bar + k) - base;
            d = select(positive(d), d, zero);
            most[h] = select(positive(d - most[h]), d, most[h]);
            Pack4 curvature = own + load_pack(diagonal + k) - 2.0 * load_pack(row + k);
            curvature = select(positive(curvature - flat), curvature, flat);
            const Pack4 gain = d * d / curvature;
            const Mask4 better = positive(gain - best[h]);
            best[h] = select(better, gain, best[h]);
            at[h] = select(better, broadcast(double(j)), at[h]);
        }
    Best found{0.0, -1};
    double values[kStep], places[kStep], differences[kStep];
    for (Index h = 0; h < 2; ++h) packs(values)[h] = best[h], packs(places)[h] = at[h], packs(differences)[h] = most[h];
    violation = 0.0;
    for (Index l = 0; l < kStep; ++l) {
        violation = std::max(violation, differences[l]);
        const Index place = Index(places[l]) + l;
        if (places[l] >= 0.0 && (values[l] > found.value || (values[l] == found.value && place < found.at)))
            found = {values[l], place};
    }
    return found;
}

template <class T>
void add_difference(double* g, double t, const T* up, const T* down, Index n) {
    for (Index j = 0; j < n; ++j) g[j] += t * (double(up[j]) - double(down[j]));
}

}  // namespace

template <class T>
WorkingSet<T>::WorkingSet(Index capacity)
    : stride_((capacity + kStep - 1) / kStep * kStep), kernel_(capacity * stride_, T(0)) {
    const Index size = stride_;
    for (auto* each : {&g_, &b_, &lower_, &upper_, &diagonal_}) each->assign(size, 0.0);
    group_.assign(size, 0);
    for (int s = 0; s < 2; ++s) grow_[s].assign(size, kBarred), fall_[s].assign(size, kBarred);
}

template <class T>
void WorkingSet<T>::start(Index q, bool two_groups) {
    q_ = q;
    padded_ = (q + kStep - 1) / kStep * kStep;
    groups_ = two_groups ? 2 : 1;
    for (int s = 0; s < 2; ++s)
        for (Index k = 0; k < padded_; ++k) grow_[s][k] = fall_[s][k] = kBarred;
}

template <class T>
void WorkingSet<T>::mark(Index k) {
    grow_[group_[k]][k] = b_[k] < upper_[k] ? 0.0 : kBarred;
    fall_[group_[k]][k] = b_[k] > lower_[k] ? 0.0 : kBarred;
}

template <class T>
void WorkingSet<T>::set(Index k, double value, double gradient, double lower, double upper, int group) {
    b_[k] = value, g_[k] = gradient, lower_[k] = lower, upper_[k] = upper, group_[k] = group;
    diagonal_[k] = double(kernel_[k * std::size_t(stride_) + k]);
    mark(k);
}

template <class T>
typename WorkingSet<T>::Pair WorkingSet<T>::choose(int group) const {
    Pair pair;
    const Best up = least(g_.data(), grow_[group].data(), padded_);
    if (up.at < 0) return pair;
    const Best down = most_gain(g_.data(), fall_[group].data(), kernel_.data() + up.at * stride_, diagonal_.data(),
                                up.value, diagonal_[up.at], padded_, pair.violation);
    pair.i = up.at, pair.j = down.at, pair.gain = down.value;
    return pair;
}

template <class T>
std::int64_t WorkingSet<T>::solve(double tol, std::int64_t max_steps) {
    for (std::int64_t step = 0; step < max_steps; ++step) {
        Pair pair = choose(0);
        double violation = pair.violation;
        if (groups_ == 2) {
            const Pair other = choose(1);
            violation = std::max(violation, other.violation);
            if (other.gain > pair.gain) pair = other;
        }
        if (violation <= tol || pair.i < 0 || pair.j < 0) return step;
        const auto i = std::size_t(pair.i), j = std::size_t(pair.j);
        const T *row_i = kernel_row(pair.i), *row_j = kernel_row(pair.j);
        const double curvature = std::max(diagonal_[i] + diagonal_[j] - 2.0 * double(row_i[j]), kLeastCurvature);
        double t = (g_[j] - g_[i]) / curvature;
        const double room_i = upper_[i] - b_[i], room_j = b_[j] - lower_[j];
        t = std::min(t, std::min(room_i, room_j));
        // A multiplier that reaches its bound is put exactly there.
        b_[i] = t >= room_i ? upper_[i] : b_[i] + t;
        b_[j] = t >= room_j ? lower_[j] : b_[j] - t;
        mark(pair.i);
        mark(pair.j);
        add_difference(g_.data(), t, row_i, row_j, padded_);
    }
    return max_steps;
}

template class WorkingSet<float>;
template class WorkingSet<double>;

}  // namespace statlearn::svm
