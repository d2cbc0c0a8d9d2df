"""The studio: the application's work in a browser, on one's own machine (``statlearn studio``, extra ``studio``)."""
