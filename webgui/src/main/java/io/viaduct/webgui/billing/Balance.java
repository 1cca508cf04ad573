package io.viaduct.webgui.billing;

import java.time.Instant;

/// What an account holds.
///
/// @param postedMicrodenarii the ledger's sum
/// @param availableMicrodenarii posted minus what is reserved for running traffic
public record Balance(
    String account,
    MicroDenarii postedMicrodenarii,
    MicroDenarii availableMicrodenarii,
    Instant asOf) {

  /// What running traffic may still take.
  public MicroDenarii reserved() {
    return new MicroDenarii(
        Math.subtractExact(postedMicrodenarii.value(), availableMicrodenarii.value()));
  }
}
