package io.viaduct.sip.jain;

import io.viaduct.sip.IncomingRequest;

/// Receives the results of the transaction layer.
public interface TransactionEvents {
  void onRequest(IncomingRequest request);

  /// Called for a response that belongs to no transaction.
  void onStrayResponse();
}
