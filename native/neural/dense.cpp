#include "neural/dense.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/blas.hpp"
#include "common/parallel.hpp"
#include "neural/dense_functions.hpp"

namespace statlearn::neural {

namespace {

constexpr Index kChunk = 1024;              // rows whose layers are in memory at a time
constexpr double kSmall = double(1 << 22);  // products; fewer are not worth dividing
constexpr Index kPiece = 128;               // rows of a piece: a batch of 256 keeps two threads busy
constexpr Index kSlice = 256;               // rows of a weight matrix in one product
constexpr double kProductsPerOperation = 16.0;

// A grid of equal parts of at most `size`, or one part if the work is small.
struct Parts {
    Index n, count;
    Parts(Index total, Index size, double products)
        : n(total), count(products < kSmall ? 1 : std::max<Index>(1, (total + size - 1) / size)) {}
    Index begin(Index k) const { return n * k / count; }
};

template <class T>
struct Layer {
    Index fan_in, fan_out;
    const T *weights, *intercepts;
    T *weight_gradient, *intercept_gradient;
    T* values;   // inputs of the layer, rows x fan_in
    T* adjoint;  // derivatives by its scores, rows x fan_out
};

template <class T>
class Pass {
public:
    Pass(const DenseShape& shape, const DenseBatch<T>& batch, Span<const T> w, Span<T> gradient, Span<T> scratch)
        : shape_(shape), batch_(batch), embedded_(shape.embedded()) {
        const Index rows = std::min(batch.rows(), kChunk);
        T* free = scratch.data();
        const auto take = [&](Index columns) {
            T* begin = free;
            free += rows * columns;
            return begin;
        };
        const T* weights = w.data();
        T* slots = gradient.data();
        for (Index k = 0; k < shape.depth(); ++k) {
            const Index in = shape.sizes[k], out = shape.sizes[k + 1];
            layers_.push_back({in, out, weights, nullptr, slots, nullptr, take(in), take(out)});
            weights += in * out;
            slots += in * out;
        }
        input_adjoint_ = take(embedded_);
        for (std::size_t j = 0; j < shape.levels.size(); ++j) {
            tables_.push_back({weights, slots});
            weights += shape.levels[j] * shape.lengths[j];
            slots += shape.levels[j] * shape.lengths[j];
        }
        for (auto& layer : layers_) {
            layer.intercepts = weights;
            layer.intercept_gradient = slots;
            weights += layer.fan_out;
            slots += layer.fan_out;
        }
        inputs_ = layers_[0].values;
    }

    // Rows [start, end) of the batch: their loss is returned, their
    // gradient is added (`add`) or stored.
    double run(Index start, Index end, bool add) {
        const Index n = end - start;
        const double products = double(n) * double(shape_.parameters());
        start_ = start;
        add_ = add;
        const bool copied = !batch_.all || embedded_ > 0;
        // Rows in order are multiplied where they are.
        layers_[0].values = copied ? inputs_ : const_cast<T*>(batch_.X.row(start));
        const Parts pieces(n, kPiece, products);
        std::vector<double> losses(pieces.count);
        parallel_for(pieces.count, Work(products / kProductsPerOperation), [&](Index p) {
            const Index low = pieces.begin(p), high = pieces.begin(p + 1);
            if (copied) read(low, high);
            forward(low, high);
            losses[p] = finish(low, high);
            backward(low, high);
        });
        struct Slice {
            Index layer, begin, end;
        };
        std::vector<Slice> slices;
        for (Index k = 0; k < shape_.depth(); ++k) {
            const auto& layer = layers_[k];
            const Parts parts(layer.fan_in, kSlice, double(n) * double(layer.fan_in) * double(layer.fan_out));
            for (Index s = 0; s < parts.count; ++s) slices.push_back({k, parts.begin(s), parts.begin(s + 1)});
        }
        parallel_for(Index(slices.size()), Work(products / kProductsPerOperation), [&](Index s) {
            const auto& slice = slices[s];
            add_products(layers_[slice.layer], slice.begin, slice.end, n);
        });
        add_embeddings(n);
        return std::accumulate(losses.begin(), losses.end(), 0.0);
    }

private:
    struct Table {
        const T* rows;
        T* gradient;
    };

    // Inputs of the first layer.
    void read(Index low, Index high) {
        const Index numbers = batch_.X.cols, in = layers_[0].fan_in;
        for (Index i = low; i < high; ++i) {
            const Index row = batch_.row(start_ + i);
            if (i + 1 < high) prefetch(batch_.X.row(batch_.row(start_ + i + 1)), numbers);
            T* to = std::copy_n(batch_.X.row(row), numbers, inputs_ + i * in);
            for (std::size_t j = 0; j < tables_.size(); ++j) {
                const Index length = shape_.lengths[j];
                to = std::copy_n(tables_[j].rows + batch_.codes(row, Index(j)) * length, length, to);
            }
        }
    }

    // Batches are rows in random order, which the processor cannot foresee.
    static void prefetch(const T* row, Index n) {
        constexpr Index kLine = Index(64 / sizeof(T));
        for (Index j = 0; j < n; j += kLine) __builtin_prefetch(row + j);
    }

    void forward(Index low, Index high) {
        for (std::size_t k = 0; k < layers_.size(); ++k) {
            const auto& layer = layers_[k];
            const bool last = k + 1 == layers_.size();
            T* scores = (last ? layer.adjoint : layers_[k + 1].values) + low * layer.fan_out;
            blas::gemm<T>('N', 'N', int(layer.fan_out), int(high - low), int(layer.fan_in), 1, layer.weights,
                          int(layer.fan_out), layer.values + low * layer.fan_in, int(layer.fan_in), 0, scores,
                          int(layer.fan_out));
            const auto kind = last ? Activation::identity : shape_.activations[k];
            activate(kind, layer.intercepts, scores, high - low, layer.fan_out);
        }
    }

    // Loss of the rows; the scores become their adjoints.
    double finish(Index low, Index high) {
        const Index outputs = layers_.back().fan_out;
        double sum = 0.0;
        for (Index i = low; i < high; ++i) {
            T* scores = layers_.back().adjoint + i * outputs;
            const Index row = batch_.row(start_ + i);
            double loss = shape_.output == Output::softmax
                              ? class_loss(Index(batch_.labels[row]), scores, outputs)
                              : target_loss(shape_.output, batch_.targets.row(row), scores, outputs);
            if (!batch_.weights.empty()) {
                const T weight = batch_.weights[row];
                loss *= double(weight);
                for (Index j = 0; j < outputs; ++j) scores[j] *= weight;
            }
            sum += loss;
        }
        return sum;
    }

    void backward(Index low, Index high) {
        for (std::size_t k = layers_.size(); k-- > 1;) {
            const auto& layer = layers_[k];
            T* adjoint = layers_[k - 1].adjoint + low * layer.fan_in;
            adjoint_of_inputs(layer, 0, layer.fan_in, low, high, adjoint);
            multiply_by_slope(shape_.activations[k - 1], layer.values + low * layer.fan_in, adjoint,
                              (high - low) * layer.fan_in);
        }
        if (embedded_ > 0) {
            const auto& layer = layers_[0];
            adjoint_of_inputs(layer, layer.fan_in - embedded_, embedded_, low, high, input_adjoint_ + low * embedded_);
        }
    }

    // Derivatives by `count` inputs of a layer from `begin` on.
    static void adjoint_of_inputs(const Layer<T>& layer, Index begin, Index count, Index low, Index high, T* to) {
        blas::gemm<T>('T', 'N', int(count), int(high - low), int(layer.fan_out), 1,
                      layer.weights + begin * layer.fan_out, int(layer.fan_out), layer.adjoint + low * layer.fan_out,
                      int(layer.fan_out), 0, to, int(count));
    }

    // Gradient of the weights of some inputs of a layer, and with the first of them of its intercepts.
    void add_products(const Layer<T>& layer, Index begin, Index end, Index n) const {
        const Index out = layer.fan_out;
        blas::gemm<T>('N', 'T', int(out), int(end - begin), int(n), 1, layer.adjoint, int(out), layer.values + begin,
                      int(layer.fan_in), add_ ? 1 : 0, layer.weight_gradient + begin * out, int(out));
        if (begin > 0) return;
        if (!add_) std::fill_n(layer.intercept_gradient, out, T(0));
        for (Index i = 0; i < n; ++i)
            for (Index j = 0; j < out; ++j) layer.intercept_gradient[j] += layer.adjoint[i * out + j];
    }

    void add_embeddings(Index n) {
        Index at = 0;
        for (std::size_t j = 0; j < tables_.size(); ++j) {
            const Index length = shape_.lengths[j];
            if (!add_) std::fill_n(tables_[j].gradient, shape_.levels[j] * length, T(0));
            for (Index i = 0; i < n; ++i) {
                T* sum = tables_[j].gradient + batch_.codes(batch_.row(start_ + i), Index(j)) * length;
                const T* part = input_adjoint_ + i * embedded_ + at;
                for (Index c = 0; c < length; ++c) sum[c] += part[c];
            }
            at += length;
        }
    }

    const DenseShape& shape_;
    const DenseBatch<T>& batch_;
    Index embedded_, start_ = 0;
    bool add_ = false;
    std::vector<Layer<T>> layers_;
    std::vector<Table> tables_;
    T *inputs_, *input_adjoint_;
};

}  // namespace

Index DenseShape::embedded() const { return std::accumulate(lengths.begin(), lengths.end(), Index(0)); }

Index DenseShape::parameters() const {
    Index count = 0;
    for (std::size_t k = 0; k + 1 < sizes.size(); ++k) count += (sizes[k] + 1) * sizes[k + 1];
    for (std::size_t j = 0; j < levels.size(); ++j) count += levels[j] * lengths[j];
    return count;
}

Index DenseShape::workspace(Index n) const {
    Index columns = embedded();
    for (std::size_t k = 0; k + 1 < sizes.size(); ++k) columns += sizes[k] + sizes[k + 1];
    return std::min(n, kChunk) * columns;
}

template <class T>
double dense_gradient(const DenseShape& shape, const DenseBatch<T>& batch, Span<const T> w, bool add,
                      const Interrupt& interrupt, Span<T> gradient, Span<T> scratch) {
    Pass<T> pass(shape, batch, w, gradient, scratch);
    double loss = 0.0;
    const Index n = batch.rows();
    for (Index start = 0; start < n && !interrupt.requested(); start += kChunk)
        loss += pass.run(start, std::min(start + kChunk, n), add || start > 0);
    return loss;
}

template double dense_gradient(const DenseShape&, const DenseBatch<float>&, Span<const float>, bool, const Interrupt&,
                               Span<float>, Span<float>);
template double dense_gradient(const DenseShape&, const DenseBatch<double>&, Span<const double>, bool, const Interrupt&,
                               Span<double>, Span<double>);

}  // namespace statlearn::neural
