package io.viaduct.bridge.registrar;

/// State of an account's credit, as billing says. Devices are told each change.
public enum CreditState {
  SUFFICIENT,
  LOW,
  /// Nothing is left: SNAPTs refuse flows.
  EXHAUSTED
}
