"""What every family shares: the native core, parameter and data checks, the registry, summary tables, statistics."""
