package io.viaduct.bridge.registrar;

import java.time.Instant;

/// A change of the state of a user's credit, as billing has noticed it.
///
/// @param id rises with each change of the user; 0: there was none
/// @param state the new state
/// @param creditMicrodenarii balance and credit limit at the change
/// @param thresholdMicrodenarii credit below it is low
public record CreditNotice(
    long id,
    CreditState state,
    long creditMicrodenarii,
    long thresholdMicrodenarii,
    Instant noticedAt) {
  public static final CreditNotice NONE =
      new CreditNotice(0, CreditState.SUFFICIENT, 0, 0, Instant.EPOCH);
}
