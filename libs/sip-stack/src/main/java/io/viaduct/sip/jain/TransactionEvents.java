package io.viaduct.sip.jain;

/// Receives what the transaction layer cannot give to a caller of its own.
@FunctionalInterface
public interface TransactionEvents {
  /// Called for a response that belongs to no transaction.
  void onStrayResponse();
}
