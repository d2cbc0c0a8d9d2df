// The duality gap of the lasso and the elastic net.
#pragma once

#include <algorithm>
#include <cmath>

namespace statlearn::linear {

// One model's penalty: sum_j f_j (l1 |w_j| + l2/2 w_j^2).
struct Penalty {
    double l1, l2;
};

// The gap as a sum of terms that are never negative, so that no digits cancel:
//   gap = (1 - s)^2 / 2 (|r|^2 + l2 sum f w^2) + sum_j (l1 f |w_j| - s w_j h_j),  h = X'r - l2 f w,
// where the dual point is s r and s = min(1, min_j l1 f_j / |h_j|). A feature without an L1 penalty has no such
// constraint: with a ridge penalty its conjugate is added, without any the residual must be orthogonal to it, and the
// gap counts |x_j' r| (|w_j| + |x_j' r| / |x_j|^2).
class Gap {
public:
    Gap(Penalty penalty, bool positive) : penalty_(penalty), positive_(positive) {}

    // First pass: the largest violation.
    void see(double g, double w, double f) {
        const double limit = penalty_.l1 * f;
        if (limit <= 0.0) return;
        const double h = g - penalty_.l2 * f * w;
        const double size = positive_ ? h : std::abs(h);
        if (size * scale_ > limit) scale_ = limit / size;
    }
    // Second pass, non-zero and L1-free features only.
    void add(double g, double w, double f, double norm2) {
        const double l1 = penalty_.l1 * f, l2 = penalty_.l2 * f;
        if (l1 > 0.0) {
            ridge_ += l2 * w * w;
            sum_ += l1 * std::abs(w) - scale_ * w * (g - l2 * w);
        } else if (l2 > 0.0) {
            // With w >= 0 the conjugate only counts a positive correlation.
            const double sg = scale_ * g;
            if (positive_ && sg < 0.0)
                sum_ += 0.5 * l2 * w * w - w * sg;
            else
                sum_ += (l2 * w - sg) * (l2 * w - sg) / (2.0 * l2);
        } else if (norm2 > 0.0) {
            const double pull = positive_ ? std::max(g, 0.0) : std::abs(g);
            sum_ += scale_ * (pull * (std::abs(w) + pull / norm2) - w * g);
        }
    }
    double value(double rr) const { return 0.5 * (1.0 - scale_) * (1.0 - scale_) * (rr + ridge_) + sum_; }

private:
    Penalty penalty_;
    bool positive_;
    double scale_ = 1.0, sum_ = 0.0, ridge_ = 0.0;
};

}  // namespace statlearn::linear
