package io.viaduct.billing.accounting;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Takes accounting records and delivers them in their order.
@FunctionalInterface
public interface RecordStore {
  /// Stores records durably. Many take little longer than one.
  ///
  /// @param records at least one
  /// @return number of records that are stored, the first ones; fewer than all if it is full then
  /// @throws RecordRefusedException if it has been full before, or its disk fails
  int store(List<PostedRecord> records) throws RecordRefusedException;

  /// Waits at most 10 s until records are on the disk. Later the queue must not take them any more:
  /// they will be built again.
  static int await(CompletableFuture<Integer> stored) throws RecordRefusedException {
    try {
      return stored.get(10, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new RecordRefusedException(e);
    } catch (TimeoutException e) {
      stored.cancel(false);
      throw new RecordRefusedException(e);
    } catch (InterruptedException e) {
      stored.cancel(false);
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
