package io.viaduct.sip.stun;

import java.util.random.RandomGenerator;

/// The 96-bit number of a STUN transaction (RFC 8489 section 5). An answer with a number that was
/// drawn at random proves that its sender has seen the request.
public record TransactionId(long high, int low) {
  /// Draws a number.
  ///
  /// @param random a source that an attacker cannot predict
  public static TransactionId random(RandomGenerator random) {
    return new TransactionId(random.nextLong(), random.nextInt());
  }
}
