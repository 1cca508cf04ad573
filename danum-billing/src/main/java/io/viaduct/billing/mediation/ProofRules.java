package io.viaduct.billing.mediation;

import java.util.function.ToLongFunction;

/// The operator's rules for SNAPTs and tokens.
///
/// @param lineRateOf line rate by SNAPT id, bit/s in each direction
/// @param audience group of SNAPTs that tokens must be for
public record ProofRules(ToLongFunction<String> lineRateOf, String audience) {}
