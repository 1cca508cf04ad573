package io.viaduct.billing.accounting;

import io.viaduct.diameter.message.DiameterMessage;

/// Takes accounting records and delivers them in their order.
@FunctionalInterface
public interface RecordStore {
  /// Stores a record durably.
  ///
  /// @throws RecordRefusedException if it is full, or its disk fails
  void store(DiameterMessage record) throws RecordRefusedException;

  /// A record was not stored.
  final class RecordRefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    public RecordRefusedException(Throwable cause) {
      super(cause);
    }
  }
}
