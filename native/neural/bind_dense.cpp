// Arguments of the dense networks' kernels.
#include "common/gate.hpp"
#include "neural/dense.hpp"

namespace statlearn {

namespace {

using neural::DenseBatch;
using neural::DenseShape;

std::vector<Index> positive(const In<int>& numbers, const char* message) {
    std::vector<Index> result;
    for (const int number : view(numbers)) {
        require(number >= 1, message);
        result.push_back(number);
    }
    return result;
}

DenseShape shape_of(In<int> sizes, In<int> activations, int output, In<int> levels, In<int> lengths) {
    DenseShape shape{positive(sizes, "the size of a layer must be positive"),
                     {},
                     neural::Output(output),
                     positive(levels, "an embedding must have levels"),
                     positive(lengths, "an embedding must have a length")};
    for (const int kind : view(activations)) {
        require(0 <= kind && kind <= int(neural::Activation::threshold), "unknown activation");
        shape.activations.push_back(neural::Activation(kind));
    }
    require(0 <= output && output <= int(neural::Output::exp), "unknown output");
    require(shape.depth() >= 1 && Index(shape.activations.size()) == shape.depth() - 1,
            "a network has one activation less than layers");
    require(shape.levels.size() == shape.lengths.size(), "levels and lengths of embeddings differ in number");
    require(shape.embedded() <= shape.sizes[0], "the embeddings are longer than the inputs");
    return shape;
}

// All indices must stay inside the arrays: a wrong one would read foreign memory.
template <class T>
void check_batch(const DenseShape& shape, const DenseBatch<T>& batch) {
    const Index rows = batch.X.rows;
    require(batch.X.cols + shape.embedded() == shape.sizes[0], "the columns of X do not fit the first layer");
    require(batch.codes.cols == Index(shape.levels.size()), "one column of codes per embedding is needed");
    require(batch.codes.cols == 0 || batch.codes.rows == rows, "X and codes have different numbers of rows");
    require(batch.weights.empty() || Index(batch.weights.size()) == rows, "X and weights differ in length");
    const bool classes = shape.output == neural::Output::softmax;
    require(classes ? Index(batch.labels.size()) == rows
                    : batch.targets.rows == rows && batch.targets.cols == shape.sizes.back(),
            "the target does not fit X and the outputs");
    for (const auto position : batch.positions)
        require(0 <= position && position < rows, "a position is outside of the table");
    for (Index i = 0; i < batch.rows(); ++i) {
        const Index row = batch.row(i);
        if (classes) {
            const auto label = batch.labels[row];
            require(0 <= label && label < shape.sizes.back(), "a label is outside of the classes");
        }
        for (Index j = 0; j < batch.codes.cols; ++j)
            require(0 <= batch.codes(row, j) && batch.codes(row, j) < shape.levels[j],
                    "a code is outside of the levels");
    }
}

template <class T>
void def_dense_gradient(nb::module_& m) {
    using Positions = std::optional<In<std::int64_t>>;
    m.def(
        "dense_gradient",
        [](const DenseShape& shape, In<T, 2> X, Positions positions, In<std::int64_t, 2> codes, In<std::int64_t> labels,
           In<T, 2> targets, In<T> weights, In<T> w, bool add, Out<T> gradient, Out<T> scratch) {
            const DenseBatch<T> batch{view(X),      positions ? view(*positions) : Span<const std::int64_t>{},
                                      !positions,   view(codes),
                                      view(labels), view(targets),
                                      view(weights)};
            check_batch(shape, batch);
            require(Index(w.shape(0)) == shape.parameters() && gradient.shape(0) >= w.shape(0),
                    "the vectors do not fit the network");
            require(Index(scratch.shape(0)) >= shape.workspace(batch.rows()), "the scratch memory is too small");
            return run_native([&](const Interrupt& interrupt) {
                return neural::dense_gradient<T>(shape, batch, view(w), add, interrupt, view(gradient), view(scratch));
            });
        },
        "shape"_a, "X"_array, "positions"_a.none(), "codes"_array, "labels"_array, "targets"_array, "weights"_array,
        "w"_array, "add"_a, "gradient"_array, "scratch"_array);
}

}  // namespace

void bind_dense(nb::module_& m) {
    nb::class_<DenseShape>(m, "DenseShape")
        .def(nb::new_(&shape_of), "sizes"_a, "activations"_a, "output"_a, "levels"_a, "lengths"_a)
        .def("workspace", &DenseShape::workspace, "n"_a);
    def_dense_gradient<float>(m);
    def_dense_gradient<double>(m);
}

}  // namespace statlearn
