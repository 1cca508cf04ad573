package io.viaduct.cnapt.links;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The status of one usable link.
///
/// @param use `yes` or `spare`
/// @param signalDbm newest signal strength of a wireless link; null for other links
public record LinkStatus(
    String name, String use, double cost, List<String> addresses, @Nullable Integer signalDbm) {}
