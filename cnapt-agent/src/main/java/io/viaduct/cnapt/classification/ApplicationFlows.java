package io.viaduct.cnapt.classification;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The flows that get their application by one rule of the table, or by none.
///
/// @param process a process that the rule asks for, null if it asks for none
/// @param of flows that the rule matches
/// @param without those that rules before it match
public record ApplicationFlows(
    Application application, @Nullable String process, HeaderSet of, List<HeaderSet> without) {}
