"""Every script of the gallery runs, without a warning, and draws its figures."""

import os
import runpy
from pathlib import Path

import pytest

from statlearn.app import cli
from tests.examples.pages import CHECKS

EXAMPLES = Path(__file__).parents[2] / "examples"

# Numbers that a page must show.
PRINTED = {
    "linear/plot_vowel_comparison.py": ["0.477 / 0.667", "0.316 / 0.556", "0.011 / 0.528", "0.223 / 0.513"],
    "linear/plot_housing_inference.py": ["-0.52507    0.051543", "in-sample mean squared error 22.8505"],
    "trees/plot_multiway_splits.py": ["sore throat = yes: flu", "headache = none: cold", "headache = severe: flu"],
    "assess/plot_thresholds.py": ["perfect: area 1.000", "useless: area 0.500", "reversed: area 0.000"],
    "linear/plot_spurious_correlation.py": ["correlation 0.620, p = 0.0079"],
    "decomposition/plot_svd_blocks.py": [
        "tall True {'column_space': 2, 'left_null_space': 4, 'row_space': 2, 'null_space': 2}",
        "wide True {'column_space': 2, 'left_null_space': 2, 'row_space': 2, 'null_space': 4}",
    ],
}


# Script, and how many figures it must leave.
GALLERY = [
    pytest.param("assess/plot_losses.py", 1, marks=pytest.mark.spec("ASM-G1")),
    pytest.param("assess/plot_overfitting.py", 2, marks=pytest.mark.spec("ASM-G2")),
    pytest.param("assess/plot_learning_curves.py", 1, marks=pytest.mark.spec("ASM-G3")),
    pytest.param("assess/plot_bias_variance.py", 2, marks=pytest.mark.spec("ASM-G4")),
    pytest.param("assess/plot_cross_validation.py", 2, marks=pytest.mark.spec("ASM-G5")),
    pytest.param("assess/plot_thresholds.py", 3, marks=pytest.mark.spec("ASM-G6", "CRS-151", "CRS-156")),
    pytest.param("assess/plot_wrong_cross_validation.py", 1, marks=pytest.mark.spec("ASM-G7")),
    pytest.param("assess/plot_qq.py", 1, marks=pytest.mark.spec("ASM-G8")),
    pytest.param("assess/plot_bootstrap.py", 2, marks=pytest.mark.spec("CRS-158")),
    pytest.param("assess/plot_leave_one_out.py", 1, marks=pytest.mark.spec("CRS-159")),
    pytest.param("bayes/plot_coin_posterior.py", 2, marks=pytest.mark.spec("BAY-G1")),
    pytest.param("bayes/plot_candy.py", 1, marks=pytest.mark.spec("BAY-G2")),
    pytest.param("bayes/plot_documents.py", 1, marks=pytest.mark.spec("BAY-G3")),
    pytest.param("bayes/plot_fraud_filter.py", 2, marks=pytest.mark.spec("BAY-G4")),
    pytest.param("bayes/plot_die.py", 1, marks=pytest.mark.spec("BAY-G5")),
    pytest.param("bayes/plot_bayesian_spline.py", 1, marks=pytest.mark.spec("BAY-G6")),
    pytest.param("bayes/plot_noisy_telephone.py", 1, marks=pytest.mark.spec("BAY-G7")),
    pytest.param("cluster/plot_kmeans_failures.py", 2, marks=pytest.mark.spec("CLU-G1")),
    pytest.param("cluster/plot_kmeans_starts.py", 1, marks=pytest.mark.spec("CLU-G2")),
    pytest.param("cluster/plot_image_quantization.py", 2, marks=pytest.mark.spec("CLU-G5")),
    pytest.param("cluster/plot_scaling.py", 2, marks=pytest.mark.spec("CLU-G8")),
    pytest.param("cluster/plot_spectral_rings.py", 2, marks=pytest.mark.spec("CLU-G4")),
    pytest.param("cluster/plot_how_many_clusters.py", 3, marks=pytest.mark.spec("CLU-G7")),
    pytest.param("cluster/plot_mean_shift_trajectories.py", 1, marks=pytest.mark.spec("CLU-G10")),
    pytest.param("cluster/plot_dbscan_eps.py", 3, marks=pytest.mark.spec("CLU-G3")),
    pytest.param("cluster/plot_country_groups.py", 2, marks=pytest.mark.spec("CLU-G6")),
    pytest.param("cluster/plot_profile_distances.py", 2, marks=pytest.mark.spec("CLU-G9")),
    pytest.param("cluster/plot_self_organizing_map.py", 2),
    pytest.param("cluster/plot_six_labels.py", 1, marks=pytest.mark.spec("CRS-85", "CRS-86")),
    pytest.param("cluster/plot_fuzzy_memberships.py", 1, marks=pytest.mark.spec("CRS-152")),
    pytest.param("decision/plot_policy_map.py", 1, marks=pytest.mark.spec("MDP-G1")),
    pytest.param("decision/plot_grid_resolution.py", 1, marks=pytest.mark.spec("MDP-G3")),
    pytest.param("decision/plot_tuned_policy.py", 3, marks=pytest.mark.spec("MDP-G2")),
    pytest.param("decision/plot_encounters.py", 1, marks=pytest.mark.spec("CRS-162")),
    pytest.param("decision/plot_cliff_walking.py", 1, marks=pytest.mark.spec("CRS-88")),
    pytest.param("decision/plot_random_walk.py", 1, marks=pytest.mark.spec("CRS-89")),
    pytest.param("decomposition/plot_svd_blocks.py", 1, marks=pytest.mark.spec("DEC-G1", "CRS-146")),
    pytest.param("decomposition/plot_robust_pca.py", 1, marks=pytest.mark.spec("DEC-G2")),
    pytest.param("decomposition/plot_threes.py", 3, marks=pytest.mark.spec("DEC-G3")),
    pytest.param("decomposition/plot_ica.py", 2, marks=pytest.mark.spec("DEC-G6")),
    pytest.param("decomposition/plot_procrustes.py", 1, marks=pytest.mark.spec("DEC-G7")),
    pytest.param("decomposition/plot_principal_curve.py", 2, marks=pytest.mark.spec("DEC-G8")),
    pytest.param("decomposition/plot_dictionary_denoising.py", 2, marks=pytest.mark.spec("DEC-G9")),
    pytest.param("decomposition/plot_lsa_topics.py", 1, marks=pytest.mark.spec("DEC-G10")),
    pytest.param("decomposition/plot_nmf_cone.py", 1, marks=pytest.mark.spec("DEC-G5")),
    pytest.param("decomposition/plot_parts_and_archetypes.py", 2, marks=pytest.mark.spec("DEC-G4")),
    pytest.param("decomposition/plot_ratings.py", 2, marks=pytest.mark.spec("DEC-G11")),
    pytest.param("decomposition/plot_word_map.py", 1, marks=pytest.mark.spec("DEC-G12")),
    pytest.param("decomposition/plot_eigenfaces.py", 2, marks=pytest.mark.spec("CRS-154")),
    pytest.param("discriminant/plot_gaussian_classes.py", 2, marks=pytest.mark.spec("DIS-G1", "CRS-142")),
    pytest.param("discriminant/plot_lda_qda.py", 1, marks=pytest.mark.spec("DIS-G2")),
    pytest.param("discriminant/plot_fisher_and_pca.py", 1, marks=pytest.mark.spec("DIS-G3")),
    pytest.param("discriminant/plot_vowel.py", 2, marks=pytest.mark.spec("DIS-G4")),
    pytest.param("discriminant/plot_many_genes.py", 1, marks=pytest.mark.spec("DIS-G5")),
    pytest.param("ensemble/plot_ale.py", 2),
    pytest.param("ensemble/plot_partial_dependence.py", 3, marks=pytest.mark.spec("ENS-G9")),
    pytest.param("ensemble/plot_shap.py", 3),
    pytest.param("ensemble/plot_forest_and_boosting.py", 1, marks=pytest.mark.spec("ENS-G4")),
    pytest.param("ensemble/plot_boosting_losses.py", 1, marks=pytest.mark.spec("ENS-G10")),
    pytest.param("ensemble/plot_vote_accuracy.py", 2, marks=pytest.mark.spec("ENS-G1")),
    pytest.param("ensemble/plot_adaboost_weights.py", 2, marks=pytest.mark.spec("ENS-G2")),
    pytest.param("ensemble/plot_nested_spheres.py", 1, marks=pytest.mark.spec("ENS-G3")),
    pytest.param("ensemble/plot_spam_comparison.py", 1, marks=pytest.mark.spec("ENS-G11")),
    pytest.param("ensemble/plot_stacking_weights.py", 1, marks=pytest.mark.spec("ENS-G12")),
    pytest.param("ensemble/plot_oob_error.py", 1, marks=pytest.mark.spec("ENS-G5")),
    pytest.param("ensemble/plot_noise_columns.py", 1, marks=pytest.mark.spec("ENS-G6")),
    pytest.param("ensemble/plot_forest_importances.py", 1, marks=pytest.mark.spec("ENS-G7")),
    pytest.param("ensemble/plot_proximity.py", 1, marks=pytest.mark.spec("ENS-G8")),
    pytest.param("formula/plot_effects.py", 1),
    pytest.param("gp/plot_prior_posterior.py", 1, marks=pytest.mark.spec("GPR-G1")),
    pytest.param("gp/plot_noise.py", 1, marks=pytest.mark.spec("GPR-G2")),
    pytest.param("gp/plot_likelihood_surface.py", 2, marks=pytest.mark.spec("GPR-G3")),
    pytest.param("gp/plot_posterior_covariance.py", 1, marks=pytest.mark.spec("GPR-G4")),
    pytest.param("gp/plot_bayesian_optimization.py", 3, marks=pytest.mark.spec("GPR-G5")),
    pytest.param("gp/plot_classification.py", 1, marks=pytest.mark.spec("GPR-G6")),
    pytest.param("graphical/plot_carcass.py", 1, marks=pytest.mark.spec("GRM-G1")),
    pytest.param("graphical/plot_glasso_path.py", 1, marks=pytest.mark.spec("GRM-G2")),
    pytest.param("graphical/plot_conditional_graph.py", 1, marks=pytest.mark.spec("GRM-G3")),
    pytest.param("graphical/plot_markov_counterexamples.py", 1, marks=pytest.mark.spec("GRM-G4")),
    pytest.param("graphical/plot_rbm_digits.py", 1, marks=pytest.mark.spec("GRM-G5")),
    pytest.param("graphical/plot_rbm_gibbs.py", 1, marks=pytest.mark.spec("CRS-106")),
    pytest.param("kernels/plot_kernel_functions.py", 2, marks=pytest.mark.spec("KER-G1")),
    pytest.param("kernels/plot_quadratic_lift.py", 2, marks=pytest.mark.spec("KER-G2")),
    pytest.param("kernels/plot_string_kernel.py", 1, marks=pytest.mark.spec("KER-G3")),
    pytest.param("kernels/plot_kernel_ridge.py", 2, marks=pytest.mark.spec("KER-G4")),
    pytest.param("linear/plot_three_classes.py", 1, marks=pytest.mark.spec("CRS-155")),
    pytest.param("linear/plot_constraint_regions.py", 1, marks=pytest.mark.spec("LIN-G1")),
    pytest.param("linear/plot_coefficient_profiles.py", 2, marks=pytest.mark.spec("LIN-G2")),
    pytest.param("linear/plot_threshold_functions.py", 1, marks=pytest.mark.spec("LIN-G3")),
    pytest.param("linear/plot_housing_inference.py", 3, marks=pytest.mark.spec("LIN-G4", "CRS-143")),
    pytest.param("linear/plot_ridge_polynomial.py", 1, marks=pytest.mark.spec("LIN-G5")),
    pytest.param("linear/plot_outliers.py", 1, marks=pytest.mark.spec("LIN-G6")),
    pytest.param("linear/plot_least_squares_classifier.py", 2, marks=pytest.mark.spec("LIN-G7")),
    pytest.param("linear/plot_iris_boundaries.py", 2, marks=pytest.mark.spec("LIN-G8", "CRS-141")),
    pytest.param("linear/plot_heart_disease.py", 3, marks=pytest.mark.spec("LIN-G9", "CRS-143")),
    pytest.param("linear/plot_imbalanced_weights.py", 1, marks=pytest.mark.spec("LIN-G10")),
    pytest.param("linear/plot_digit_coefficients.py", 1, marks=pytest.mark.spec("LIN-G11")),
    pytest.param("linear/plot_ridge_high_dimension.py", 1, marks=pytest.mark.spec("LIN-G12")),
    pytest.param("linear/plot_perceptron_margin.py", 1, marks=pytest.mark.spec("LIN-G13")),
    pytest.param("linear/plot_spurious_correlation.py", 1, marks=pytest.mark.spec("LIN-G14", "CRS-160")),
    pytest.param("linear/plot_transfer.py", 1, marks=pytest.mark.spec("CRS-94")),
    pytest.param("linear/plot_vowel_comparison.py", 1, marks=pytest.mark.spec("LIN-G15", "CRS-16")),
    pytest.param("linear/plot_cross_terms.py", 2, marks=pytest.mark.spec("CRS-139", "CRS-140")),
    pytest.param("linear/plot_sigmoid.py", 1, marks=pytest.mark.spec("CRS-148")),
    pytest.param("linear/plot_representatives.py", 2, marks=pytest.mark.spec("CRS-150")),
    pytest.param("manifold/plot_simplices.py", 1, marks=pytest.mark.spec("MAN-G1")),
    pytest.param("manifold/plot_swiss_roll.py", 1, marks=pytest.mark.spec("MAN-G2")),
    pytest.param("manifold/plot_digits_isomap.py", 3, marks=pytest.mark.spec("MAN-G3", "CRS-147")),
    pytest.param("manifold/plot_three_circles.py", 1, marks=pytest.mark.spec("MAN-G4")),
    pytest.param("manifold/plot_diffusion_times.py", 1, marks=pytest.mark.spec("MAN-G5")),
    pytest.param("manifold/plot_countries.py", 1, marks=pytest.mark.spec("MAN-G6")),
    pytest.param("neural/plot_hidden_states.py", 2, marks=pytest.mark.spec("CRS-98", "CRS-99")),
    pytest.param("neural/plot_activations.py", 1, marks=pytest.mark.spec("NEU-G1")),
    pytest.param("neural/plot_computational_graph.py", 1, marks=pytest.mark.spec("NEU-G2")),
    pytest.param("neural/plot_xor.py", 1, marks=pytest.mark.spec("NEU-G3")),
    pytest.param("neural/plot_contrastive_codes.py", 1, marks=pytest.mark.spec("CRS-97")),
    pytest.param("neural/plot_digit_filters.py", 2, marks=pytest.mark.spec("NEU-G4")),
    pytest.param("neural/plot_autoencoder_codes.py", 1, marks=pytest.mark.spec("NEU-G5")),
    pytest.param("mixture/plot_density_and_regions.py", 1, marks=pytest.mark.spec("MIX-G2")),
    pytest.param("mixture/plot_em_trace.py", 1, marks=pytest.mark.spec("MIX-G3")),
    pytest.param("mixture/plot_kmeans_and_mixture.py", 1, marks=pytest.mark.spec("MIX-G1")),
    pytest.param("mixture/plot_mixture_of_experts.py", 1, marks=pytest.mark.spec("MIX-G4")),
    pytest.param("mixture/plot_dirichlet_process.py", 2),
    pytest.param("neighbors/plot_regions.py", 1, marks=pytest.mark.spec("NEI-G1")),
    pytest.param("neighbors/plot_changing_vote.py", 1, marks=pytest.mark.spec("NEI-G2")),
    pytest.param("neighbors/plot_error_and_flexibility.py", 1, marks=pytest.mark.spec("NEI-G3")),
    pytest.param("neighbors/plot_neighbours_and_lines.py", 1, marks=pytest.mark.spec("NEI-G4")),
    pytest.param("neighbors/plot_curse_of_dimension.py", 2, marks=pytest.mark.spec("NEI-G5")),
    pytest.param("neighbors/plot_time_warping.py", 1, marks=pytest.mark.spec("CRS-161")),
    pytest.param("prep/plot_hog.py", 2, marks=pytest.mark.spec("CRS-101")),
    pytest.param("prep/plot_loan_table.py", 1, marks=pytest.mark.spec("PRE-G1")),
    pytest.param("prep/plot_variance_filter.py", 1, marks=pytest.mark.spec("PRE-G2")),
    pytest.param("prep/plot_density_similarity.py", 1, marks=pytest.mark.spec("PRE-G3")),
    pytest.param("prep/plot_imbalance.py", 1, marks=pytest.mark.spec("PRE-G4")),
    pytest.param("prep/plot_series_features.py", 1, marks=pytest.mark.spec("PRE-G5")),
    pytest.param("prep/plot_tfidf.py", 1, marks=pytest.mark.spec("PRE-G6")),
    pytest.param("logic/plot_version_space.py", 1, marks=pytest.mark.spec("LOG-G1")),
    pytest.param("logic/plot_aleph_search.py", 1, marks=pytest.mark.spec("LOG-G2")),
    pytest.param("logic/plot_proofs.py", 2, marks=pytest.mark.spec("LOG-G3")),
    pytest.param("logic/plot_parity_automaton.py", 1, marks=pytest.mark.spec("LOG-G4")),
    pytest.param("rules/plot_fp_tree.py", 1, marks=pytest.mark.spec("RUL-G1")),
    pytest.param("rules/plot_rules.py", 3, marks=pytest.mark.spec("RUL-G2")),
    pytest.param("rules/plot_density_as_classification.py", 1, marks=pytest.mark.spec("RUL-G3")),
    pytest.param("rules/plot_expressible_regions.py", 1, marks=pytest.mark.spec("RUL-G4")),
    pytest.param("rules/plot_hyperlinks.py", 2),
    pytest.param("smooth/plot_gam.py", 1),
    pytest.param("smooth/plot_loess.py", 2, marks=pytest.mark.spec("SMT-19")),
    pytest.param("smooth/plot_mars.py", 2, marks=pytest.mark.spec("SMT-G11")),
    pytest.param("smooth/plot_projection_pursuit.py", 2),
    pytest.param("smooth/plot_piecewise_polynomials.py", 2, marks=pytest.mark.spec("SMT-G1")),
    pytest.param("smooth/plot_spline_tails.py", 2, marks=pytest.mark.spec("SMT-G2")),
    pytest.param("smooth/plot_two_groups.py", 1, marks=pytest.mark.spec("SMT-G3")),
    pytest.param("smooth/plot_smoother_matrix.py", 2, marks=pytest.mark.spec("SMT-G4")),
    pytest.param("smooth/plot_choice_of_df.py", 1, marks=pytest.mark.spec("SMT-G5")),
    pytest.param("smooth/plot_kernel_smoothers.py", 2, marks=pytest.mark.spec("SMT-G6")),
    pytest.param("smooth/plot_equivalent_kernels.py", 1, marks=pytest.mark.spec("SMT-G7")),
    pytest.param("smooth/plot_tensor_logistic.py", 1, marks=pytest.mark.spec("SMT-G8")),
    pytest.param("smooth/plot_heart_local.py", 2, marks=pytest.mark.spec("SMT-G9")),
    pytest.param("smooth/plot_density_bandwidth.py", 2, marks=pytest.mark.spec("SMT-G12")),
    pytest.param("smooth/plot_spam.py", 1, marks=pytest.mark.spec("SMT-G10")),
    pytest.param("smooth/plot_wavelet_shrinkage.py", 1),
    pytest.param("smooth/plot_basis_functions.py", 2, marks=pytest.mark.spec("CRS-157")),
    pytest.param("svm/plot_maximum_margin.py", 2, marks=pytest.mark.spec("SVM-G1")),
    pytest.param("svm/plot_price_of_slack.py", 2, marks=pytest.mark.spec("SVM-G2")),
    pytest.param("svm/plot_kernel_boundaries.py", 1, marks=pytest.mark.spec("SVM-G3")),
    pytest.param("svm/plot_smo_box.py", 2, marks=pytest.mark.spec("SVM-G4")),
    pytest.param("svm/plot_margin_losses.py", 1, marks=pytest.mark.spec("SVM-G5")),
    pytest.param("svm/plot_price_and_scale.py", 1, marks=pytest.mark.spec("SVM-G6")),
    pytest.param("svm/plot_tube_regression.py", 1, marks=pytest.mark.spec("SVM-G7")),
    pytest.param("svm/plot_orange_skin.py", 1, marks=pytest.mark.spec("SVM-G8", "CRS-84")),
    pytest.param("svm/plot_landmarks.py", 1, marks=pytest.mark.spec("CRS-149")),
    pytest.param("trees/plot_impurity_curves.py", 1, marks=pytest.mark.spec("TRE-G1")),
    pytest.param("trees/plot_binary_entropy.py", 1, marks=pytest.mark.spec("TRE-G2")),
    pytest.param("trees/plot_iris_trees.py", 3, marks=pytest.mark.spec("TRE-G3")),
    pytest.param("trees/plot_cosine_outliers.py", 1, marks=pytest.mark.spec("TRE-G4")),
    pytest.param("trees/plot_housing_tree.py", 1, marks=pytest.mark.spec("TRE-G5", "CRS-144")),
    pytest.param("trees/plot_partition_and_surface.py", 3, marks=pytest.mark.spec("TRE-G6")),
    pytest.param("trees/plot_multiway_splits.py", 3, marks=pytest.mark.spec("TRE-G7", "CRS-145")),
    pytest.param("trees/plot_c50.py", 1, marks=pytest.mark.spec("CRS-79", "CRS-80")),
    pytest.param("trees/plot_slanted_boundaries.py", 2, marks=pytest.mark.spec("TRE-G8", "CRS-153")),
    pytest.param("trees/plot_cost_complexity.py", 1, marks=pytest.mark.spec("TRE-G9")),
    pytest.param("trees/plot_loss_roc.py", 1, marks=pytest.mark.spec("TRE-G10")),
    pytest.param("trees/plot_prim_boxes.py", 2, marks=pytest.mark.spec("TRE-G11")),
]


@pytest.fixture
def pyplot(monkeypatch):
    """Matplotlib without a screen; show() keeps the figures open so that they can be counted."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    monkeypatch.setattr(plt, "show", lambda: None)
    plt.close("all")
    yield plt
    plt.close("all")


@pytest.mark.parametrize("script, figures", GALLERY)
def test_example_draws_its_figures(script, figures, pyplot, capsys):
    page = runpy.run_path(str(EXAMPLES / script), run_name="__main__")
    assert len(pyplot.get_fignums()) == figures
    printed = capsys.readouterr().out
    for text in PRINTED.get(script, ()):
        assert text in printed
    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        if not os.environ.get("STATLEARN_FULL"):
            figure.set_layout_engine("none")  # to measure all texts twice takes longer than to draw them
        figure.canvas.draw()
        assert all(ax.has_data() or ax.texts for ax in figure.axes)
    if script in CHECKS:
        CHECKS[script](page, [pyplot.figure(number) for number in pyplot.get_fignums()])


def test_every_script_is_listed():
    listed = {param.values[0] for param in GALLERY}
    assert {str(p.relative_to(EXAMPLES)) for p in EXAMPLES.glob("*/plot_*.py")} == listed


@pytest.mark.parametrize("folds", [2, pytest.param(10, marks=pytest.mark.full)])
def test_demo_prints_the_leaderboard_and_writes_the_report(folds, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    main = cli.main
    monkeypatch.setattr(
        cli, "main", lambda args: main([*args, *(["--folds", str(folds)] if "compare" in args else [])])
    )
    runpy.run_path(str(EXAMPLES / "demo.py"), run_name="__main__")
    text = capsys.readouterr().out
    assert " is best" in text or "is preferred to" in text
    assert "mean of the target" in text
    assert "442 predictions of progression" in text
    assert text.rstrip().endswith("build/demo/report.html")
    assert (tmp_path / "build/demo/report.html").stat().st_size > 10_000
    assert (tmp_path / "build/demo/model.statlearn").exists()
