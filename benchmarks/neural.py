"""Neural networks. The quality is the training loss after equally many epochs, and the errors on further rows."""

import time

import numpy as np

from benchmarks.case import Case


def _images(n, p, noise=1.0, seed=0):
    """Noisy copies of ten patterns, in single precision like images."""
    rng = np.random.default_rng(seed)
    patterns = rng.random((10, p), dtype=np.float32)
    y = rng.integers(10, size=n)
    return patterns[y] + noise * rng.normal(size=(n, p)).astype(np.float32), y


def _skorch_net(p, hidden, epochs, batch_size):
    import torch
    from skorch import NeuralNetClassifier

    return NeuralNetClassifier(
        torch.nn.Sequential(torch.nn.Linear(p, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, 10)),
        criterion=torch.nn.CrossEntropyLoss,
        optimizer=torch.optim.Adam,
        lr=0.001,
        max_epochs=epochs,
        batch_size=batch_size,
        iterator_train__shuffle=True,
        train_split=None,
        verbose=0,
    )


class mlp(Case):
    """A hidden layer of 256 units, ten epochs of Adam on batches of 256, and the classes of 5000 further rows."""

    size, quick = dict(n=60_000, p=784, hidden=256, epochs=10), dict(n=600, p=30, hidden=16, epochs=3)
    grow = dict(n=[10_000, 60_000], hidden=[64, 256, 1024])
    goal = dict(sklearn=1.5, skorch=1)
    accept = dict(loss=0.01, error=0.12)  # the noise of the images makes a tenth of the new ones ambiguous

    def data(n, p, hidden, epochs):
        X, y = _images(n + 5000, p, noise=2.5)
        return dict(X=X[:n], y=y[:n], X_new=X[n:], y_new=y[n:], hidden=hidden, epochs=epochs)

    def quality(fit, X, y, X_new, y_new, hidden, epochs):
        return dict(loss=float(fit.loss), error=float(np.mean(fit.labels != y_new)))

    def statlearn(X, y, X_new, y_new, hidden, epochs):
        from statlearn.neural import MLPClassifier

        m = MLPClassifier(hidden, batch_size=256, max_iter=epochs, n_iter_no_change=epochs, random_state=0).fit(X, y)
        return dict(loss=m.loss_, labels=m.predict(X_new))

    def sklearn(X, y, X_new, y_new, hidden, epochs):
        from sklearn.neural_network import MLPClassifier

        m = MLPClassifier(hidden, batch_size=256, max_iter=epochs, n_iter_no_change=epochs, random_state=0).fit(X, y)
        return dict(loss=m.loss_, labels=m.predict(X_new))

    def skorch(X, y, X_new, y_new, hidden, epochs):
        net = _skorch_net(X.shape[1], hidden, epochs, 256).fit(X, y.astype(np.int64))
        return dict(loss=net.history[-1, "train_loss"], labels=net.predict(X_new))


def _timed(predict, X):
    """Seconds of the fastest of five calls, and the answer."""
    answer, seconds = None, []
    for _ in range(5):
        begin = time.perf_counter()
        answer = predict(X)
        seconds.append(time.perf_counter() - begin)
    return dict(labels=np.asarray(answer, dtype=np.int64), seconds=min(seconds))


class mlp_predict(Case):
    """Classes of 10,000 rows by a network of 256 hidden units that has seen one epoch of 2000 rows."""

    size, quick = dict(n=10_000, p=784, hidden=256), dict(n=300, p=30, hidden=16)
    grow = dict(n=[1000, 10_000, 100_000])
    goal = dict(sklearn=1, skorch=1)
    accept = dict(disagreement=0.01)

    def data(n, p, hidden):
        X, y = _images(n, p)
        return dict(X=X, y=y, hidden=hidden)

    def quality(fit, X, y, hidden):
        return dict(disagreement=float(np.mean(fit.labels != y)))

    def statlearn(X, y, hidden):
        from statlearn.neural import MLPClassifier

        return _timed(MLPClassifier(hidden, max_iter=5, random_state=0).fit(X[:2000], y[:2000]).predict, X)

    def sklearn(X, y, hidden):
        from sklearn.neural_network import MLPClassifier

        return _timed(MLPClassifier(hidden, max_iter=5, random_state=0).fit(X[:2000], y[:2000]).predict, X)

    def skorch(X, y, hidden):
        net = _skorch_net(X.shape[1], hidden, epochs=5, batch_size=200)
        return _timed(net.fit(X[:2000], y[:2000].astype(np.int64)).predict, X)
