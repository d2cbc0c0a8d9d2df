// Several kernel machines on one table, each on its own rows: the pairs of one-vs-one, the classes of one-vs-rest.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "svm/smo.hpp"

namespace statlearn::svm {

// Machine k has the kernel rows rows[row_start[k]..row_start[k + 1]) and the variables [start[k], start[k + 1]), whose
// row_of counts within its own rows.
struct Machines {
    Span<const int> row_start, rows, start, row_of;
    Span<const double> linear, lower, upper;
    Span<const std::uint8_t> group;  // empty, or per variable
};

// Solves all of them, several at a time; the cache is divided among those under way. Results do not depend on how many
// these are. `make_kernel(rows)` gives the kernel of a machine; `report(k, progress)` may be empty.
template <class T>
std::vector<SmoInfo> machines_fit(const Machines& machines,
                                  const std::function<std::unique_ptr<KernelRows<T>>(Span<const int>)>& make_kernel,
                                  SmoOptions options, const Interrupt& interrupt,
                                  const std::function<void(Index, const SmoProgress&)>& report, Span<double> b,
                                  Span<double> score);

// out(i, s, r) = sum over the support vectors v of segment s of coef(r, v) K(x_i, v), from blocks of the kernel:
// `values` are K (rows x support vectors); out has rows x segments x coef.rows numbers.
template <class T>
void segment_sums(Matrix<const T> values, Matrix<const double> coef, Span<const int> segment_start, Span<double> out);

}  // namespace statlearn::svm
