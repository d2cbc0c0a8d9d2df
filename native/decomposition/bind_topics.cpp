#include "common/bind_rows.hpp"
#include "decomposition/topics.hpp"

namespace statlearn {

void bind_topics(nb::module_& m) {
    m.def(
        "document_topics",
        [](In<double> values, In<int> columns, In<int> indptr, In<double, 2> word, double prior, double tol,
           int max_iter, Out<double, 2> gamma, Out<double, 2> theta) {
            const auto counts = csr_starts(values, columns, indptr, Index(word.shape(0)));
            require(Index(gamma.shape(0)) == counts.rows && gamma.shape(1) == word.shape(1) &&
                        theta.shape(0) == gamma.shape(0) && theta.shape(1) == gamma.shape(1),
                    "document_topics: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                require_columns(counts);
                decomposition::document_topics(counts, view(word), prior, tol, max_iter, stop, view(gamma),
                                               view(theta));
            });
        },
        "values"_array, "columns"_array, "indptr"_array, "word"_array, "prior"_a, "tol"_a, "max_iter"_a, "gamma"_array,
        "theta"_array);
    m.def(
        "word_statistics",
        [](In<double> values, In<int> columns, In<int> indptr, In<double, 2> word, In<double, 2> theta,
           Out<double, 2> stats) {
            const auto counts = csr_starts(values, columns, indptr, Index(theta.shape(0)));
            require(Index(word.shape(0)) == counts.rows && theta.shape(1) == word.shape(1) &&
                        stats.shape(0) == word.shape(0) && stats.shape(1) == word.shape(1),
                    "word_statistics: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                require_columns(counts);
                decomposition::word_statistics(counts, view(word), view(theta), stop, view(stats));
            });
        },
        "values"_array, "columns"_array, "indptr"_array, "word"_array, "theta"_array, "stats"_array);
    m.def(
        "mixture_log_likelihood",
        [](In<double> values, In<int> columns, In<int> indptr, In<double, 2> word, In<double, 2> theta) {
            const auto counts = csr_starts(values, columns, indptr, Index(word.shape(0)));
            require(Index(theta.shape(0)) == counts.rows && theta.shape(1) == word.shape(1),
                    "mixture_log_likelihood: the shapes of the arrays do not match");
            return run_native([&](const Interrupt& stop) {
                require_columns(counts);
                return decomposition::mixture_log_likelihood(counts, view(word), view(theta), stop);
            });
        },
        "values"_array, "columns"_array, "indptr"_array, "word"_array, "theta"_array);
}

}  // namespace statlearn
