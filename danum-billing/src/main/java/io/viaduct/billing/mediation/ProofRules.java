package io.viaduct.billing.mediation;

import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/// The operator's rules for SNAPTs and tokens.
///
/// @param lineRates reads the line rate by SNAPT id at this moment, bit/s in each direction
/// @param audience group of SNAPTs that tokens must be for
public record ProofRules(Supplier<ToLongFunction<String>> lineRates, String audience) {}
