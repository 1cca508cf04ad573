package io.viaduct.bridge.registrar;

/// How the credit of an account stands, as billing says. Devices are told each change.
public enum CreditState {
  SUFFICIENT,
  LOW,
  /// Nothing is left: SNAPTs refuse flows.
  EXHAUSTED
}
