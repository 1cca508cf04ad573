package io.viaduct.billing.accounting;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Takes accounting records and delivers them in their order.
@FunctionalInterface
public interface RecordStore {
  /// Stores a record durably.
  ///
  /// @throws RecordRefusedException if it is full, or its disk fails
  void store(PostedRecord record) throws RecordRefusedException;

  /// Waits at most 10 s until a record is on the disk.
  static void await(CompletableFuture<Void> stored) throws RecordRefusedException {
    try {
      stored.get(10, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new RecordRefusedException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RecordRefusedException(e);
    }
  }

  /// A record was not stored.
  final class RecordRefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    public RecordRefusedException(Throwable cause) {
      super(cause);
    }
  }
}
