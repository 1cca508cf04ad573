package io.viaduct.sip.jain;

import io.viaduct.sip.IncomingRequest;

/// What comes out of the transaction layer.
public interface TransactionEvents {
  void onRequest(IncomingRequest request);

  /// A response that belongs to no transaction.
  void onStrayResponse();
}
