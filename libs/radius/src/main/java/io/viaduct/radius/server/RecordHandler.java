package io.viaduct.radius.server;

import io.viaduct.radius.accounting.AccountingRecord;
import java.util.concurrent.CompletableFuture;

/// Takes the records of clients.
@FunctionalInterface
public interface RecordHandler {
  /// Stores a record. Called on the event loop, so it must not block.
  ///
  /// @return completes when the record is safely stored, or nothing needs to store it; only then
  ///   the client is answered. If it fails, the client sends the record again
  CompletableFuture<Void> store(NasClient client, AccountingRecord record);
}
