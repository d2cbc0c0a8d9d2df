"""Naive Bayes and Bayesian networks: the same fits and the same posteriors."""

import numpy as np

from benchmarks.case import Case


class gaussian_nb(Case):
    """Fit and predict, four classes."""

    size, quick = dict(n=1_000_000, p=50), dict(n=200, p=4)
    grow = dict(n=[100_000, 1_000_000], p=[10, 50, 200])
    goal = dict(sklearn=5)
    accept = dict(differs=1e-5)

    def data(n, p):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 4, n)
        return dict(X=rng.normal(size=(n, p)) + 0.1 * y[:, None], y=y)

    def quality(fit, X, y):
        return {"error": float(np.mean(fit.labels != y))}

    def statlearn(X, y):
        from statlearn.bayes import GaussianNB

        return dict(labels=GaussianNB().fit(X, y).predict(X))

    def sklearn(X, y):
        from sklearn.naive_bayes import GaussianNB

        return dict(labels=GaussianNB().fit(X, y).predict(X))

    def mlpack(X, y):
        import mlpack

        return dict(labels=mlpack.nbc(training=X, labels=y, test=X)["predictions"])


class categorical_nb(Case):
    """Fit and predict, 20 columns of ten levels, four classes."""

    size, quick = dict(n=1_000_000, p=20), dict(n=200, p=4)
    grow = dict(n=[100_000, 1_000_000])
    goal = dict(sklearn=5)

    def data(n, p):
        rng = np.random.default_rng(0)
        return dict(X=rng.integers(0, 10, (n, p)), y=rng.integers(0, 4, n))

    quality = gaussian_nb.quality

    def statlearn(X, y):
        from statlearn.bayes import CategoricalNB

        return dict(labels=CategoricalNB(min_categories=10).fit(X, y).predict(X))

    def sklearn(X, y):
        from sklearn.naive_bayes import CategoricalNB

        return dict(labels=CategoricalNB(min_categories=10).fit(X, y).predict(X))


class multinomial_nb(Case):
    """Fit and predict on a sparse matrix of word counts."""

    size, quick = dict(n=200_000, p=50_000), dict(n=200, p=50)
    goal = dict(sklearn=1)

    def data(n, p):
        rng = np.random.default_rng(0)
        words = (rng.pareto(0.7, n * 60) * 20).astype(int) % p
        values = rng.integers(1, 4, n * 60).astype(float)
        return dict(values=values, words=words, p=np.array(p), y=rng.integers(0, 5, n))

    def quality(fit, values, words, p, y):
        return {"error": float(np.mean(fit.labels != y))}

    def _matrix(values, words, p, y):
        from scipy import sparse

        rows = np.repeat(np.arange(len(y)), 60)
        return sparse.csr_matrix((values, (rows, words)), shape=(len(y), int(p)))

    def statlearn(values, words, p, y):
        return _multinomial("statlearn.bayes", values, words, p, y)

    def sklearn(values, words, p, y):
        return _multinomial("sklearn.naive_bayes", values, words, p, y)


def _multinomial(module, values, words, p, y):
    import importlib
    import time

    X = multinomial_nb._matrix(values, words, p, y)
    model = importlib.import_module(module).MultinomialNB()
    begin = time.perf_counter()
    labels = model.fit(X, y).predict(X)
    return dict(labels=labels, seconds=time.perf_counter() - begin)


def _random_network(n, seed):
    """Parents (at most three, of lower number) and tables of nodes with two or three states."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 4, n)
    parents = [np.sort(rng.choice(i, size=min(i, rng.integers(0, 4)), replace=False)) for i in range(n)]
    tables = [rng.dirichlet(np.ones(sizes[v]), size=tuple(sizes[u] for u in own)) for v, own in enumerate(parents)]
    return sizes, parents, tables


def _edges(parents):
    return np.array([(u, v) for v, own in enumerate(parents) for u in own], dtype=int).reshape(-1, 2)


def _frame(X):
    import pandas as pd

    columns = [f"n{j}" for j in range(X.shape[1])]
    return pd.DataFrame({c: X[:, j] for j, c in enumerate(columns)})


def _names(edges):
    return [(f"n{a}", f"n{b}") for a, b in edges.tolist()]


def _draw(n, p, seed):
    from statlearn.bayes import DiscreteBayesianNetwork

    sizes, parents, tables = _random_network(p, seed)
    network = DiscreteBayesianNetwork.from_tables(
        {v: tables[v] for v in range(p)},
        {v: list(range(sizes[v])) for v in range(p)},
        dict(enumerate(map(list, parents))),
    )
    return network.sample(n, random_state=seed).astype(np.int64), _edges(parents)


class network_em(Case):
    """Ten EM steps on 20 nodes with 10 % of the values missing; pgmpy drops such rows, see network_em_latent."""

    size, quick = dict(n=100_000, p=20), dict(n=200, p=5)
    goal = dict(pyagrum=1)

    def data(n, p):
        X, edges = _draw(n, p, 0)
        X = X.astype(float)
        X[np.random.default_rng(1).uniform(size=X.shape) < 0.1] = np.nan
        return dict(X=X, edges=edges)

    def quality(fit, X, edges):
        return {"log_likelihood": -float(np.ravel(fit.log_likelihood)[0]) / len(X)}

    def statlearn(X, edges):
        import warnings

        from statlearn.bayes import DiscreteBayesianNetwork

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = DiscreteBayesianNetwork(_names(edges), alpha=1.0, tol=0.0, max_iter=10, random_state=0)
            model.fit(_frame(X))
        return dict(log_likelihood=np.array([model.log_likelihood_]))

    def pyagrum(X, edges):
        import pyagrum as gum

        frame = _frame(X)
        text = frame.apply(lambda c: c.map(lambda v: "?" if np.isnan(v) else str(int(v))))
        template = gum.BayesNet()
        for c in frame.columns:
            template.add(gum.LabelizedVariable(c, c, [str(int(v)) for v in np.unique(frame[c].dropna())]))
        for a, b in _names(edges):
            template.addArc(a, b)
        learner = gum.BNLearner(text, template, ["?"])
        learner.useSmoothingPrior(1.0)
        learner.useEM(1e-10)
        learner.EMsetMaxIter(10)
        network = learner.learnParameters(template.dag())
        return dict(log_likelihood=np.array([np.nan if network is None else _gum_log_likelihood(network, frame)]))


def _gum_log_likelihood(network, frame):
    from statlearn.bayes import DiscreteBayesianNetwork

    states, parents, tables = {}, {}, {}
    for v in network.names():
        i = network.idFromName(v)
        states[v] = [float(s) for s in network.variable(i).labels()]
        table = network.cpt(i)
        own = [u for u in table.names if u != v][::-1]
        parents[v] = own
        array = table.toarray()  # axes are the names in reverse order
        axes = list(table.names)[::-1]
        tables[v] = np.transpose(array, [axes.index(u) for u in (*own, v)])
    model = DiscreteBayesianNetwork.from_tables(tables, states, parents)
    return float(model.score_samples(frame[model.nodes_]).sum())


class network_em_latent(Case):
    """Two EM steps from the same tables on 20 nodes of which two are hidden: 10 % of the values, the same answer."""

    size, quick = dict(n=100_000, p=20), dict(n=200, p=8)
    goal = dict(pgmpy=20)
    accept = dict(error=1e-8)
    hidden = 3, 7

    def data(n, p):
        X, edges = _draw(n, p, 0)
        sizes, parents, _ = _random_network(p, 0)
        rng = np.random.default_rng(1)
        start = [rng.dirichlet(np.ones(sizes[v]), size=tuple(sizes[u] for u in own)) for v, own in enumerate(parents)]
        flat = np.concatenate([table.ravel() for table in start])
        return dict(X=X, edges=edges, sizes=sizes, start=flat)

    def quality(fit, X, edges, sizes, start):
        reference = network_em_latent.statlearn(X, edges, sizes, start)["table"]
        return {"error": float(np.max(np.abs(np.asarray(fit.table) - reference)))}

    def _tables(edges, sizes, start):
        """Parents and start tables by node, unpacked."""
        parents = [[int(a) for a, b in edges if b == v] for v in range(len(sizes))]
        shapes = [tuple(sizes[u] for u in (*own, v)) for v, own in enumerate(parents)]
        parts = np.split(start, np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1])
        return parents, [part.reshape(shape) for part, shape in zip(parts, shapes)]

    def statlearn(X, edges, sizes, start):
        import warnings

        from statlearn.bayes import DiscreteBayesianNetwork

        _, tables = network_em_latent._tables(edges, sizes, start)
        frame = _frame(X.astype(float))
        frame[[f"n{h}" for h in network_em_latent.hidden]] = np.nan
        states = {f"n{v}": list(range(k)) for v, k in enumerate(sizes)}
        init = {f"n{v}": table for v, table in enumerate(tables)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = DiscreteBayesianNetwork(_names(edges), states=states, init=init, alpha=0.0, tol=0.0, max_iter=2)
            model.fit(frame)
        return dict(table=model.tables_[f"n{network_em_latent.hidden[1]}"].ravel())

    def pgmpy(X, edges, sizes, start):
        import warnings

        from pgmpy.estimators import ExpectationMaximization
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork

        warnings.simplefilter("ignore")
        parents, tables = network_em_latent._tables(edges, sizes, start)
        hidden = {f"n{h}" for h in network_em_latent.hidden}
        states = {f"n{v}": list(range(k)) for v, k in enumerate(sizes)}
        network = DiscreteBayesianNetwork(_names(edges), latents=hidden)
        network.add_nodes_from(states)
        init = {}
        for v, own in enumerate(parents):
            if v in network_em_latent.hidden or set(own) & set(network_em_latent.hidden):
                table = np.moveaxis(tables[v], -1, 0).reshape(sizes[v], -1)
                given, cards = [f"n{u}" for u in own], [int(sizes[u]) for u in own]
                names = {f"n{u}": states[f"n{u}"] for u in (v, *own)}
                init[f"n{v}"] = TabularCPD(f"n{v}", int(sizes[v]), table, given, cards, state_names=names)
        learner = ExpectationMaximization(network, _frame(X).drop(columns=sorted(hidden)), state_names=states)
        cards = {f"n{h}": int(sizes[h]) for h in network_em_latent.hidden}
        found = learner.get_parameters(latent_card=cards, max_iter=2, init_cpds=init, show_progress=False, n_jobs=2)
        table = next(each for each in found if each.variable == f"n{network_em_latent.hidden[1]}")
        own = parents[network_em_latent.hidden[1]]
        axes = [table.variables.index(f"n{u}") for u in (*own, network_em_latent.hidden[1])]
        return dict(table=np.transpose(table.values, axes).ravel())


class network_posteriors(Case):
    """All posterior marginals of a 37-node network, 20 different sets of evidence of four nodes."""

    size, quick = dict(p=37), dict(p=8)
    goal = dict(pgmpy=20, pyagrum=1)
    accept = dict(error=1e-10)

    def data(p):
        from statlearn.bayes import DiscreteBayesianNetwork

        rng = np.random.default_rng(5)
        sizes = rng.integers(2, 5, p)
        # Sparse, as ALARM is: 46 edges on 37 nodes, parents among the last few.
        parents = [
            sorted(rng.choice(np.arange(max(0, i - 6), i), size=min(i, int(rng.integers(0, 4) * 0.8)), replace=False))
            for i in range(p)
        ]
        tables = {f"n{v}": rng.dirichlet(np.ones(sizes[v]), size=tuple(sizes[u] for u in own))
                  for v, own in enumerate(parents)}  # fmt: skip
        network = DiscreteBayesianNetwork.from_tables(
            tables,
            {f"n{v}": [f"s{k}" for k in range(sizes[v])] for v in range(p)},
            {f"n{v}": [f"n{u}" for u in own] for v, own in enumerate(parents)},
        )
        evidence = np.array([rng.choice(p, 4, replace=False) for _ in range(20)])
        return dict(bif=np.frombuffer(network.to_bif().encode(), dtype=np.uint8), evidence=evidence)

    def quality(fit, bif, evidence):
        reference = network_posteriors.statlearn(bif, evidence)["sums"]
        return {"error": float(np.max(np.abs(np.asarray(fit.sums) - reference)))}

    def statlearn(bif, evidence):
        import time

        from statlearn.bayes import DiscreteBayesianNetwork

        network = DiscreteBayesianNetwork.from_bif(bytes(bif).decode())
        begin = time.perf_counter()
        found = [network.marginals({f"n{v}": "s0" for v in own}) for own in evidence]
        seconds = time.perf_counter() - begin
        return dict(sums=np.array([[m[v][0] for v in network.nodes_] for m in found]), seconds=seconds)

    def pyagrum(bif, evidence):
        import time

        import pyagrum as gum

        from statlearn.bayes import DiscreteBayesianNetwork

        # Its reader of BIF rounds to single precision: the tables are handed over as they are.
        given = DiscreteBayesianNetwork.from_bif(bytes(bif).decode())
        network = gum.BayesNet()
        for v in given.nodes_:
            network.add(gum.LabelizedVariable(v, v, given.states_[v]))
        for v in given.nodes_:
            for u in given.parents_[v]:
                network.addArc(u, v)
        for v in given.nodes_:
            axes = list(network.cpt(v).names)[::-1]
            own = [*given.parents_[v], v]
            network.cpt(v)[:] = np.ascontiguousarray(np.transpose(given.tables_[v], [own.index(u) for u in axes]))
        begin = time.perf_counter()
        found = []
        engine = gum.LazyPropagation(network)
        for own in evidence:
            engine.setEvidence({f"n{v}": "s0" for v in own})
            engine.makeInference()
            found.append([engine.posterior(v)[0] for v in given.nodes_])
        return dict(sums=np.array(found), seconds=time.perf_counter() - begin)

    def pgmpy(bif, evidence):
        import tempfile
        import time
        from pathlib import Path

        from pgmpy.inference import VariableElimination  # its junction tree refuses graphs of several components
        from pgmpy.readwrite import BIFReader

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "net.bif"
            path.write_bytes(bytes(bif))
            network = BIFReader(str(path)).get_model()
        names = [f"n{v}" for v in range(len(network.nodes()))]
        begin = time.perf_counter()
        found = []
        engine = VariableElimination(network)
        for own in evidence:
            given = {f"n{v}": "s0" for v in own}
            row = []
            for v in names:
                if v in given:
                    row.append(1.0)
                else:
                    factor = engine.query([v], evidence=given, show_progress=False)
                    row.append(factor.values[factor.name_to_no[v]["s0"]])
            found.append(row)
        return dict(sums=np.array(found), seconds=time.perf_counter() - begin)


class hill_climbing(Case):
    """BIC, 20 nodes."""

    size, quick = dict(n=100_000, p=20), dict(n=200, p=5)
    goal = dict(pgmpy=10)

    def data(n, p):
        X, _ = _draw(n, p, 0)
        return dict(X=X)

    def quality(fit, X):
        from statlearn.bayes import structure_score

        return {"objective": -structure_score(_frame(X), _names(fit.edges))}

    def statlearn(X):
        from statlearn.bayes import hill_climb_structure

        found = hill_climb_structure(_frame(X))
        return dict(edges=np.array([(int(a[1:]), int(b[1:])) for a, b in found.edges]).reshape(-1, 2))

    def pgmpy(X):
        from pgmpy.estimators import HillClimbSearch

        found = HillClimbSearch(_frame(X).astype(str).astype("category")).estimate(
            scoring_method="bic-d", show_progress=False
        )
        return dict(edges=np.array([(int(a[1:]), int(b[1:])) for a, b in found.edges()]).reshape(-1, 2))

    def pyagrum(X):
        import pyagrum as gum

        learner = gum.BNLearner(_frame(X).astype(str))
        learner.useScoreBIC()
        learner.useGreedyHillClimbing()
        network = learner.learnBN()
        pairs = [(network.variable(a).name(), network.variable(b).name()) for a, b in network.arcs()]
        return dict(edges=np.array([(int(a[1:]), int(b[1:])) for a, b in pairs]).reshape(-1, 2))
