package io.viaduct.billing.mediation;

import java.util.function.ToLongFunction;

/// What the operator says about SNAPTs and tokens.
///
/// @param lineRateOf bit/s in each direction, by SNAPT id
/// @param audience group of SNAPTs that tokens must be for
public record ProofRules(ToLongFunction<String> lineRateOf, String audience) {}
