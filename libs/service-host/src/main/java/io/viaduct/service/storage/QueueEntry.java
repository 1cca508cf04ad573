package io.viaduct.service.storage;

import io.viaduct.service.storage.DeliveryQueue.Outcome;
import java.util.concurrent.CompletableFuture;

/// An entry of a [DeliveryQueue] that was read. The queue's thread calls it.
public interface QueueEntry {
  /// Returns the session of the entry. Entries of one session are sent one after the other.
  String session();

  /// Sends the entry.
  ///
  /// @param isRepeated true if the receiver may have it: an earlier copy had no answer, or may have
  ///   been sent before the last start
  /// @return completes with the outcome; a failure means [Outcome#UNANSWERED]
  CompletableFuture<Outcome> send(boolean isRepeated);
}
