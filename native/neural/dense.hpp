// Loss and gradient of a dense network for the rows of a batch, by back-propagation written out.
//
// Two phases, each over a grid that depends on the sizes only, so that the bits do not depend on the number of threads.
// Pieces of rows go forward to the loss and back to the adjoints of every layer; then slices of the weights take the
// sum of products over all rows. So a gradient exists once, not once per thread. The products are BLAS's: the caller
// must have set it to one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::neural {

enum class Activation : int { identity, relu, tanh, logistic, softplus, threshold };
// An output function stands for its canonical loss: squared error / 2, binary and categorical cross-entropy, Poisson
// deviance / 2.
enum class Output : int { identity, logistic, softmax, exp };

// The parameters are one vector: the weights of every layer (fan-in x fan-out, row-major), the embeddings (levels x
// length), the intercepts of every layer.
struct DenseShape {
    std::vector<Index> sizes;             // inputs (the embeddings among them, at the end), hidden units, outputs
    std::vector<Activation> activations;  // of the hidden layers
    Output output;
    std::vector<Index> levels, lengths;  // of the embeddings

    Index depth() const { return Index(sizes.size()) - 1; }
    Index embedded() const;          // inputs that come from embeddings
    Index parameters() const;        // length of the vector
    Index workspace(Index n) const;  // numbers of scratch memory for batches of n rows
};

// A table and the rows of it that make up the batch.
template <class T>
struct DenseBatch {
    Matrix<const T> X;                   // row-major
    Span<const std::int64_t> positions;  // of the rows; not used if `all`
    bool all;                            // the batch is the whole table
    Matrix<const std::int64_t> codes;    // levels of the categories, one column per embedding
    Span<const std::int64_t> labels;     // classes, for Output::softmax
    Matrix<const T> targets;             // one column per output, for the others
    Span<const T> weights;               // of the rows; empty means 1

    Index rows() const { return all ? X.rows : Index(positions.size()); }
    Index row(Index i) const { return all ? i : Index(positions[i]); }
};

// Writes the gradient of the weighted sum of the losses, or adds it to what is there (`add`), and returns that sum.
// Requires positions, codes and labels in range. Cost O(rows x parameters). `scratch` holds shape.workspace(rows)
// numbers.
template <class T>
double dense_gradient(const DenseShape& shape, const DenseBatch<T>& batch, Span<const T> w, bool add,
                      const Interrupt& interrupt, Span<T> gradient, Span<T> scratch);

}  // namespace statlearn::neural
