package io.viaduct.bridge.token;

/// Says whether a device may have tokens of an account. May block; never called on an event loop.
@FunctionalInterface
public interface DeviceLimit {
  /// The answer for a device key that is not known yet.
  sealed interface Verdict {
    /// It may.
    record Bound() implements Verdict {}

    /// The account has as many devices as it may.
    ///
    /// @param max how many that is
    record TooMany(int max) implements Verdict {}

    /// The account is suspended, or none any more.
    record NotEntitled() implements Verdict {}

    /// Billing did not answer.
    record Unknown() implements Verdict {}
  }

  /// Asks, and has the key recorded if there is room.
  ///
  /// @param deviceKey Ed25519 public key, 32 bytes raw
  Verdict bind(String account, byte[] deviceKey);
}
