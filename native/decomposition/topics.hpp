// Variational steps of latent Dirichlet allocation (Blei, Ng and Jordan, 2003; Hoffman, Blei and Bach, 2010).
#pragma once

#include "common/interrupt.hpp"
#include "common/rows.hpp"
#include "common/view.hpp"

namespace statlearn::decomposition {

// The topics of every document for given words of the topics. With counts n_w of a document, word(w, k) =
// exp(E log beta_kw) and prior a, repeats
//     theta_k = exp(psi(gamma_k) - psi(sum gamma)),   gamma_k = a + theta_k sum_w n_w word(w, k) / sum_l theta_l
//     word(w, l)
// until the mean change of gamma is below `tol`, or max_iter times. `gamma` (documents x topics) holds the start on
// entry; `theta` is set. Documents are independent: the same bits for any number of threads.
void document_topics(const RowsView<double>& counts, Matrix<const double> word, double prior, double tol, int max_iter,
                     const Interrupt& interrupt, Matrix<double> gamma, Matrix<double> theta);

// stats(w, k) = word(w, k) sum_d n_dw theta(d, k) / sum_l theta(d, l) word(w, l), from the counts with words as rows.
// Each word is summed in the order of its documents.
void word_statistics(const RowsView<double>& counts_of_words, Matrix<const double> word, Matrix<const double> theta,
                     const Interrupt& interrupt, Matrix<double> stats);

// sum over documents and words of n_dw log sum_k theta(d, k) word(w, k).
double mixture_log_likelihood(const RowsView<double>& counts, Matrix<const double> word, Matrix<const double> theta,
                              const Interrupt& interrupt);

}  // namespace statlearn::decomposition
