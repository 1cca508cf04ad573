package io.viaduct.bridge.token;

/// Decides whether a device may get tokens of an account. May block; never called on an event loop.
@FunctionalInterface
public interface DeviceLimit {
  /// The decision about one device key.
  sealed interface Verdict {
    /// The device may get tokens.
    record Bound() implements Verdict {}

    /// The account already has its maximum number of devices.
    ///
    /// @param max that maximum
    record TooMany(int max) implements Verdict {}

    /// The account is suspended or closed.
    record NotEntitled() implements Verdict {}

    /// Billing did not answer.
    record Unknown() implements Verdict {}
  }

  /// Asks billing to bind a device key to an account, if billing has not bound it yet.
  ///
  /// @param deviceKey Ed25519 public key, 32 bytes raw
  Verdict bind(String account, byte[] deviceKey);
}
