package io.viaduct.webgui.billing;

import java.time.Instant;
import java.util.Objects;

/// The balance of an account.
///
/// @param postedMicrodenarii the ledger's sum
/// @param availableMicrodenarii posted minus what is reserved for running traffic
public record Balance(
    String account,
    MicroDenarii postedMicrodenarii,
    MicroDenarii availableMicrodenarii,
    Instant asOf) {
  public Balance {
    Objects.requireNonNull(account);
    Objects.requireNonNull(asOf);
    difference(postedMicrodenarii, availableMicrodenarii); // refuses what has none
  }

  /// Returns the amount that is reserved for running traffic.
  public MicroDenarii reserved() {
    return difference(postedMicrodenarii, availableMicrodenarii);
  }

  private static MicroDenarii difference(MicroDenarii posted, MicroDenarii available) {
    return new MicroDenarii(Math.subtractExact(posted.value(), available.value()));
  }
}
