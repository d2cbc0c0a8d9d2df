"""Code shared by the families: the native core, parameter and data checks, the registry, summary tables, statistics."""
