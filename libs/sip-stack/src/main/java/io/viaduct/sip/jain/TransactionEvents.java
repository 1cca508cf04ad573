package io.viaduct.sip.jain;

/// Receives the responses that answer no request of ours.
@FunctionalInterface
public interface TransactionEvents {
  /// Called for a response that belongs to no transaction.
  void onStrayResponse();
}
