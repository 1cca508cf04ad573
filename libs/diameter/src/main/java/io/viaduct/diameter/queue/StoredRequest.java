package io.viaduct.diameter.queue;

import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.CodecLimits;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.message.MessageReader;
import io.viaduct.diameter.message.Verdict;
import java.util.Optional;

/// Reads requests that are entries of a queue: the octets of the message.
record StoredRequest(Dictionary dictionary) {
  // A stored request is bounded by what we build; the codec's limits are for peers.
  private static final CodecLimits LIMITS = new CodecLimits((1 << 24) - 4, 64, 1 << 20);

  /// Returns a request of the queue, or empty if the octets are no request.
  Optional<DiameterMessage> read(byte[] entry) {
    return Optional.of(new MessageReader(dictionary, LIMITS).read(entry))
        .filter(Verdict.Accepted.class::isInstance)
        .map(verdict -> ((Verdict.Accepted) verdict).message())
        .filter(message -> message.header().request());
  }
}
