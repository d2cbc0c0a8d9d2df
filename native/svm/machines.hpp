// Several kernel machines on one table, each on its own rows: the pairs of one-vs-one, the classes of one-vs-rest.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "svm/smo.hpp"

namespace statlearn::svm {

// Machine k has the kernel rows rows[row_start[k]..row_start[k + 1]) and the variables [start[k], start[k + 1]), whose
// row_of counts within its own rows.
struct Machines {
    std::span<const int> row_start, rows, start, row_of;
    std::span<const double> linear, lower, upper;
    std::span<const std::uint8_t> group;  // empty, or per variable
};

// Solves all of them, several at a time; the cache is divided among those under way. Results do not depend on how many
// these are. `make_kernel(rows)` gives the kernel of a machine; `report(k, progress)` may be empty.
template <class T>
std::vector<SmoInfo> machines_fit(
    const Machines& machines, const std::function<std::unique_ptr<KernelRows<T>>(std::span<const int>)>& make_kernel,
    SmoOptions options, const Interrupt& interrupt, const std::function<void(Index, const SmoProgress&)>& report,
    std::span<double> b, std::span<double> score);

// out(i, s, r) = sum over the support vectors v of segment s of coef(r, v) K(x_i, v), from blocks of the kernel:
// `values` are K (rows x support vectors); out has rows x segments x coef.rows numbers.
template <class T>
void segment_sums(MatrixView<const T> values, MatrixView<const double> coef, std::span<const int> segment_start,
                  std::span<double> out);

}  // namespace statlearn::svm
