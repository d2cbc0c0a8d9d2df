#include "common/gate.hpp"
#include "smooth/mars.hpp"

namespace statlearn {

void bind_mars(nb::module_& m) {
    m.def(
        "mars_forward",
        [](InF<double> X, In<double, 2> Y, std::optional<In<double>> weights, In<std::uint8_t> linear,
           std::optional<In<std::uint8_t, 2>> allowed, Index max_terms, Index max_degree, double penalty,
           double threshold, Index min_span, Index end_span, double end_span_adjust, Index fast_k, double fast_beta,
           double new_variable_penalty, bool step, bool remove_parent) {
            const auto n = X.shape(0), p = X.shape(1);
            require(n >= 1 && n < (std::size_t{1} << 32) && p >= 1, "mars_forward: X has the wrong shape");
            require(Y.shape(0) == n && Y.shape(1) >= 1, "mars_forward: Y has the wrong shape");
            require(!weights || weights->shape(0) == n, "mars_forward: the weights have the wrong length");
            require(linear.shape(0) == p, "mars_forward: `linear` has the wrong length");
            require(!allowed || (allowed->shape(0) == p && allowed->shape(1) == p),
                    "mars_forward: `allowed` has the wrong shape");
            require(max_terms >= 1 && max_degree >= 1 && end_span >= 0 && fast_k >= 0,
                    "mars_forward: an option is out of range");
            const smooth::MarsOptions options{max_terms, max_degree,      penalty, threshold, min_span,
                                              end_span,  end_span_adjust, fast_k,  fast_beta, new_variable_penalty,
                                              step,      remove_parent};
            const auto result = run_native([&](const Interrupt& stop) {
                return smooth::mars_forward(
                    view(X), view(Y), weights ? view(*weights) : Span<const double>(), view(linear),
                    allowed ? Span<const std::uint8_t>(allowed->data(), allowed->size()) : Span<const std::uint8_t>(),
                    options, stop);
            });
            const std::size_t terms = result.terms.size();
            std::vector<std::int64_t> parent(terms), feature(terms);
            std::vector<std::int8_t> factor(terms);
            std::vector<double> knot(terms);
            std::vector<std::uint8_t> removed(terms);
            for (std::size_t k = 0; k < terms; ++k) {
                const auto& term = result.terms[k];
                parent[k] = term.parent, feature[k] = term.feature, factor[k] = std::int8_t(term.factor);
                knot[k] = term.knot, removed[k] = term.removed;
            }
            return nb::make_tuple(to_numpy(std::move(parent), {terms}), to_numpy(std::move(feature), {terms}),
                                  to_numpy(std::move(factor), {terms}), to_numpy(std::move(knot), {terms}),
                                  to_numpy(std::move(removed), {terms}),
                                  to_numpy(std::vector<double>(result.rss), {result.rss.size()}), int(result.end));
        },
        "X"_array, "Y"_array, "weights"_array.none(), "linear"_array, "allowed"_array.none(), "max_terms"_a,
        "max_degree"_a, "penalty"_a, "threshold"_a, "min_span"_a, "end_span"_a, "end_span_adjust"_a, "fast_k"_a,
        "fast_beta"_a, "new_variable_penalty"_a, "step"_a, "remove_parent"_a);
}

}  // namespace statlearn
