#include <bit>

#include "trees/cart_criteria.hpp"
#include "trees/cart_scan.hpp"

namespace statlearn::trees {

void AbsoluteCriterion::enter(Cells cells) {
    take_means(cells);
    const Index n_outputs = outputs();
    sorted_.resize(n_outputs);
    std::vector<std::uint32_t> order(cells.size());
    loss_ = 0.0;
    for (Index o = 0; o < n_outputs; ++o) {
        const auto target = [&](std::size_t k) { return y(cells[k].row, Index(o)); };
        std::iota(order.begin(), order.end(), 0u);
        std::sort(order.begin(), order.end(), [&](auto a, auto b) {
            return target(a) != target(b) ? target(a) < target(b) : cells[a].row < cells[b].row;
        });
        auto& values = sorted_[o];
        values.resize(cells.size());
        double below = 0.0, median = 0.0;
        bool found = false;
        for (std::size_t k = 0; k < order.size(); ++k) {
            const auto row = cells[order[k]].row;
            values[k] = target(order[k]);
            place_[o * std::size_t(target_.rows) + row] = std::uint32_t(k);
            below += row_weight(row);
            if (found || 2.0 * below < weight_) continue;
            found = true;
            median = values[k];
            // Half the weight on either side: the middle of the two.
            if (2.0 * below == weight_ && k + 1 < order.size()) median = (median + target(order[k + 1])) / 2.0;
        }
        median_[o] = median;
        for (Index k = 0; k < cells.size(); ++k)
            loss_ += row_weight(cells[k].row) * std::abs(target(k) - median) / double(n_outputs);
    }
    impurity_ = loss_ / weight_;
}

void AbsoluteCriterion::begin(Cells first, Cells then, Cells rest) {
    order_.clear();
    for (const Cells part : {first, then, rest})
        for (const auto& cell : part) order_.push_back(cell.row);
    for (auto* all : {&left_loss_, &right_loss_, &left_median_, &right_median_}) all->assign(order_.size() + 1, 0.0);
    for (std::size_t o = 0; o < median_.size(); ++o) {
        run(o, order_, false, left_loss_, left_median_);
        run(o, order_, true, right_loss_, right_median_);
    }
    left_weight_ = 0.0;
    taken_ = 0;
    for (const auto& cell : first) add(cell.row);
}

// Adds the absolute deviations of the first k rows to loss[k] for all k, or of the others where `backwards`.
void AbsoluteCriterion::run(std::size_t o, Span<const std::uint32_t> order, bool backwards, std::vector<double>& loss,
                            std::vector<double>& median) {
    const auto m = order.size();
    const auto& values = sorted_[o];
    tree_weight_.assign(values.size() + 1, 0.0);
    tree_sum_.assign(values.size() + 1, 0.0);
    const std::size_t top = std::bit_floor(values.size());
    double weight = 0.0, sum = 0.0;
    for (Index step = 0; step < m; ++step) {
        if (step % 65536 == 65535 && target_.interrupt && target_.interrupt->requested()) return;
        const auto k = backwards ? m - 1 - step : step;
        const auto row = order[k];
        const double w = row_weight(row), v = y(row, Index(o));
        weight += w;
        sum += w * v;
        for (std::size_t i = place_[o * std::size_t(target_.rows) + row] + 1; i < tree_weight_.size(); i += i & -i) {
            tree_weight_[i] += w;
            tree_sum_[i] += w * v;
        }
        // The median is the value behind the last place up to which less than half of the weight lies; where exactly
        // half lies before a value, the middle of it and the one before.
        std::size_t place = 0, upper = 0;
        double below = 0.0, below_sum = 0.0, up_to = 0.0;
        for (std::size_t jump = top; jump > 0; jump /= 2) {
            if (place + jump < tree_weight_.size() && below + tree_weight_[place + jump] < 0.5 * weight * (1 - 1e-14)) {
                place += jump;
                below += tree_weight_[place];
                below_sum += tree_sum_[place];
            }
            if (upper + jump < tree_weight_.size() &&
                up_to + tree_weight_[upper + jump] <= 0.5 * weight * (1 + 1e-14)) {
                upper += jump;
                up_to += tree_weight_[upper];
            }
        }
        const double middle = values[std::min(place, values.size() - 1)];
        const auto at = backwards ? k : k + 1;
        loss[at] += ((middle * below - below_sum) + (sum - below_sum - middle * (weight - below))) / double(outputs());
        if (o == 0) median[at] = 0.5 * (middle + values[std::min(upper, values.size() - 1)]);
    }
}

template std::unique_ptr<CartScorer> make_scorer<AbsoluteCriterion>(const CartTarget&);

}  // namespace statlearn::trees
