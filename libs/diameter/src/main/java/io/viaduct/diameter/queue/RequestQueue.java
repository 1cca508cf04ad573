package io.viaduct.diameter.queue;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.AvpGroup;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.peer.DiameterException;
import io.viaduct.diameter.peer.DiameterNode;
import io.viaduct.service.storage.DeliveryQueue;
import io.viaduct.service.storage.DeliveryQueue.Outcome;
import io.viaduct.service.storage.QueueEntry;
import io.viaduct.service.storage.QueueSettings;
import io.viaduct.service.storage.QueueStatistics;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Delivers requests at least once, from a [DeliveryQueue], those of a Session-Id one after the
/// other. One that got no answer is sent again with the T bit and the same end-to-end identifier,
/// also after a restart; the peer recognises a copy by Session-Id and record number. One that was
/// never sent, or was answered with an error, is sent again without the T bit (RFC 6733 section 3),
/// unless another copy had no answer. Destination-Host is a preference: if its host cannot be
/// reached, any peer that takes the request may have it.
public final class RequestQueue implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RequestQueue.class);

  private static final String DESTINATION = "Destination-Host";

  private final DiameterNode node;
  private final DeliveryQueue queue;

  private RequestQueue(DiameterNode node, DeliveryQueue queue) {
    this.node = node;
    this.queue = queue;
  }

  /// Opens a queue and begins to send what it holds. A peer that becomes available ends the wait
  /// after a request that got no answer.
  ///
  /// @throws IOException if the directory cannot be used
  public static RequestQueue open(QueueSettings settings, DiameterNode node, Dictionary dictionary)
      throws IOException {
    StoredRequest format = new StoredRequest(dictionary);
    DeliveryQueue queue =
        DeliveryQueue.open(
            "diameter-queue",
            settings,
            octets -> format.read(octets).map(request -> new Entry(node, request)));
    node.onAvailable(queue::resume);
    queue.resume();
    return new RequestQueue(node, queue);
  }

  private record Entry(DiameterNode node, DiameterMessage request) implements QueueEntry {
    @Override
    public String session() {
      return request.avps().text("Session-Id").orElse("");
    }

    @Override
    public CompletableFuture<Outcome> send(boolean isRepeated) {
      DiameterMessage message =
          isRepeated ? request.with(request.header().asRetransmission()) : request;
      return node.exchange(message)
          .thenCompose(exchange ->
              AnswerOutcome.isUndelivered(exchange.answer()) && message.avps().has(DESTINATION)
                  ? node.exchange(withoutDestination(exchange.request()))
                  : CompletableFuture.completedFuture(exchange))
          .thenApply(exchange -> {
            Outcome outcome = AnswerOutcome.of(exchange);
            if (outcome == Outcome.REFUSED) {
              LOG.warn(
                  "a peer refuses a request with {}", exchange.answer().resultCode().orElse(0));
            }
            return outcome;
          })
          .exceptionallyCompose(failure ->
              isUnsent(failure)
                  ? CompletableFuture.completedFuture(Outcome.POSTPONED)
                  : CompletableFuture.failedFuture(failure));
    }

    private static boolean isUnsent(Throwable failure) {
      return failure.getCause() instanceof DiameterException cause && !cause.mayHaveArrived();
    }

    private static DiameterMessage withoutDestination(DiameterMessage message) {
      return new DiameterMessage(
          message.header(),
          new AvpGroup(
              message.avps().avps().stream()
                  .filter(avp -> !avp.name().equals(DESTINATION))
                  .toList()));
    }
  }

  /// Registers the counters.
  public void bindTo(MeterRegistry registry) {
    statistics()
        .bindTo(registry, "viaduct_diameter_queued", "viaduct_diameter_queue", "Diameter requests");
  }

  public QueueStatistics statistics() {
    return queue.statistics();
  }

  /// Stores a request and sends it.
  ///
  /// @return as [DeliveryQueue#add]
  public CompletableFuture<Void> add(DiameterMessage request) {
    return queue.add(identified(request));
  }

  /// Stores requests and sends them.
  ///
  /// @return as [DeliveryQueue#addAll]
  public CompletableFuture<Integer> addAll(List<DiameterMessage> requests) {
    return queue.addAll(requests.stream().map(this::identified).toList());
  }

  private byte[] identified(DiameterMessage request) {
    return request.with(request.header().withEndToEnd(node.takeEndToEnd())).encode();
  }

  /// Stops sending. What has no answer is sent at the next start.
  @Override
  public void close() {
    queue.close();
  }
}
