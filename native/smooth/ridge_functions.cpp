#include "smooth/ridge_functions.hpp"

#include <algorithm>
#include <vector>

#include "common/radix.hpp"

namespace statlearn::smooth {
namespace {

constexpr double kSame = 1e-10;  // share of the range within which projections of equal rows differ by rounding

struct Keyed {
    std::uint64_t key;
    std::int32_t row;
};

}  // namespace

void ridge_order(Span<const double> z, Span<std::int32_t> order) {
    std::vector<Keyed> items(z.size()), scratch(z.size());
    for (Index i = 0; i < z.size(); ++i) items[i] = {radix_key(z[i]), std::int32_t(i)};
    radix_sort<Keyed>(items, scratch, [](const Keyed& item) { return item.key; });
    for (Index i = 0; i < z.size(); ++i) order[i] = items[i].row;
}

Index ridge_places(RidgeRows rows, Span<const std::int32_t> order, Index most, RidgePlaces out) {
    const Index n = Index(order.size());
    const auto at = [&](Index i) { return std::size_t(order[i]); };
    const bool merge = n > 2 * most;
    double total = 0.0;
    for (const double w : rows.w) total += w;
    const double same = kSame * (rows.z[at(n - 1)] - rows.z[at(0)]), per_weight = double(most) / total;
    Index count = 0;
    double before = 0.0;
    for (Index i = 0; i < n;) {
        // The rows of the next block.
        const auto block = [&](Index k, double weight_before) {
            return std::min(most - 1, Index((weight_before + 0.5 * rows.w[at(k)]) * per_weight));
        };
        const Index own = merge ? block(i, before) : 0;
        double weight = 0.0, place = 0.0, mean = 0.0;
        Index end = i;
        for (; end < n; ++end) {
            const std::size_t r = at(end);
            if (end > i && (merge ? block(end, before) != own : rows.z[r] - rows.z[at(end - 1)] > same)) break;
            before += rows.w[r];
            weight += rows.w[r];
            place += rows.w[r] * rows.z[r];
            mean += rows.w[r] * rows.t[r];
        }
        place /= weight;
        mean /= weight;
        double within = 0.0;
        for (Index k = i; k < end; ++k) {
            const double gap = rows.t[at(k)] - mean;
            within += rows.w[at(k)] * gap * gap;
        }
        i = end;
        const Index last = count - 1;
        if (count > 0 && !(place - out.place[last] > same)) {  // ties across blocks are one place
            const double both = out.weight[last] + weight, gap = mean - out.mean[last];
            out.within[last] += within + out.weight[last] * weight / both * gap * gap;
            out.mean[last] += weight / both * gap;
            out.weight[last] = both;
            continue;
        }
        const Index c = count++;
        out.place[c] = place;
        out.weight[c] = weight;
        out.mean[c] = mean;
        out.within[c] = within;
    }
    return count;
}

void ridge_evaluate(Span<const double> z, Span<const std::int32_t> order, RidgeCurve curve, Span<double> value,
                    Span<double> slope) {
    const std::size_t m = curve.knots.size();
    std::size_t k = 0;  // the knot on the left
    double inverse = 1.0 / (curve.knots[1] - curve.knots[0]);
    for (const auto number : order) {
        const Index r = number;
        const double x = z[r];
        if (x <= curve.knots[0] || x >= curve.knots[m - 1]) {
            const std::size_t end = x <= curve.knots[0] ? 0 : m - 1;
            value[r] = curve.value[end] + (x - curve.knots[end]) * curve.slope[end];
            slope[r] = curve.slope[end];
            continue;
        }
        if (x >= curve.knots[k + 1]) {
            while (x >= curve.knots[k + 1]) ++k;
            inverse = 1.0 / (curve.knots[k + 1] - curve.knots[k]);
        }
        const double u = x - curve.knots[k], jerk = (curve.second[k + 1] - curve.second[k]) * inverse;
        slope[r] = curve.slope[k] + u * (curve.second[k] + 0.5 * u * jerk);
        value[r] = curve.value[k] + u * (curve.slope[k] + u * (0.5 * curve.second[k] + u * jerk / 6.0));
    }
}

bool ridge_supersmooth(RidgeRows rows, SuperRule rule, const Interrupt& interrupt, Span<double> value,
                       Span<double> slope) {
    const std::size_t n = rows.z.size();
    std::vector<std::int32_t> order(n);
    ridge_order(rows.z, order);
    std::vector<double> memory(6 * n);
    const auto part = [&](std::size_t k) { return Span<double>(memory).subspan(k * n, n); };
    for (std::size_t i = 0; i < n; ++i) {
        const Index r = order[i];
        part(0)[i] = rows.z[r];
        part(1)[i] = rows.t[r];
        part(2)[i] = rows.w[r];
    }
    if (!supersmoother_fit({part(0), part(1), part(2)}, rule, interrupt, {part(3), part(4), part(5)})) return false;
    for (std::size_t i = 0; i < n; ++i) {
        const Index r = order[i];
        value[r] = part(3)[i];
        slope[r] = part(4)[i];
    }
    return true;
}

}  // namespace statlearn::smooth
