// The dual problem in a few variables, solved inside the processor's cache.
#pragma once

#include <cstdint>
#include <vector>

#include "common/view.hpp"

namespace statlearn::svm {

// Pair steps on q variables: kernel (q x q, row stride `stride`), gradient g, values b and bounds; see smo.hpp.
template <class T>
class WorkingSet {
public:
    explicit WorkingSet(Index capacity);

    // Loads q variables; entries of `kernel` are then written by the caller.
    void start(Index q, bool two_groups);
    T* kernel_row(Index k) { return kernel_.data() + k * stride_; }
    void set(Index k, double value, double gradient, double lower, double upper, int group);

    // Steps until the violation is at most `tol`, or the number of steps reaches `max_steps`; returns their number.
    std::int64_t solve(double tol, std::int64_t max_steps);

    double value(Index k) const { return b_[k]; }

private:
    struct Pair {
        Index i = -1, j = -1;
        double violation = 0.0, gain = 0.0;
    };
    void mark(Index k);
    Pair choose(int group) const;

    Index stride_, q_ = 0, padded_ = 0;
    int groups_ = 1;
    std::vector<T> kernel_;
    std::vector<double> g_, b_, lower_, upper_, diagonal_;
    std::vector<int> group_;
    std::vector<double> grow_[2], fall_[2];  // 0 where the variable may grow or fall, else kBarred
};

}  // namespace statlearn::svm
