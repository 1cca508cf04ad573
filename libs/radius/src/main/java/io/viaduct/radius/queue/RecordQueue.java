package io.viaduct.radius.queue;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.radius.client.AccountingClient;
import io.viaduct.radius.dictionary.Dictionary;
import io.viaduct.radius.message.PacketReader;
import io.viaduct.radius.message.RadiusPacket;
import io.viaduct.radius.message.Verdict;
import io.viaduct.service.storage.DeliveryQueue;
import io.viaduct.service.storage.DeliveryQueue.Outcome;
import io.viaduct.service.storage.QueueEntry;
import io.viaduct.service.storage.QueueSettings;
import io.viaduct.service.storage.QueueStatistics;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// Delivers accounting records at least once, from a [DeliveryQueue]. An entry is a packet without
/// identifier, authenticators and Acct-Delay-Time. Records of an Acct-Session-Id are sent one after
/// the other. RADIUS has no answer that refuses a record, so a record that no server answers is
/// sent again for ever, and the following ones of its session wait.
public final class RecordQueue implements AutoCloseable {
  private final DeliveryQueue queue;

  private RecordQueue(DeliveryQueue queue) {
    this.queue = queue;
  }

  /// Opens a queue and begins to send what it holds.
  ///
  /// @throws IOException if the directory cannot be used
  public static RecordQueue open(
      QueueSettings settings, AccountingClient client, Dictionary dictionary) throws IOException {
    PacketReader reader = new PacketReader(dictionary);
    return new RecordQueue(
        DeliveryQueue.open(
            "radius-queue",
            settings,
            octets -> read(reader, octets).map(record -> new Entry(client, record))));
  }

  private static Optional<RadiusPacket> read(PacketReader reader, byte[] entry) {
    return reader.read(entry) instanceof Verdict.Accepted(RadiusPacket packet, _)
            && packet.code() == RadiusPacket.ACCOUNTING_REQUEST
        ? Optional.of(packet)
        : Optional.empty();
  }

  private record Entry(AccountingClient client, RadiusPacket record) implements QueueEntry {
    @Override
    public String session() {
      return record.text("Acct-Session-Id");
    }

    // A server knows a copy by its Acct-Session-Id and its time.
    @Override
    public CompletableFuture<Outcome> send(boolean isRepeated) {
      return client.send(record).thenApply(_ -> Outcome.DELIVERED);
    }
  }

  /// Registers the counters.
  public void bindTo(MeterRegistry registry) {
    statistics()
        .bindTo(registry, "viaduct_radius_queued", "viaduct_radius_queue", "RADIUS records");
  }

  public QueueStatistics statistics() {
    return queue.statistics();
  }

  /// Stores a record and sends it.
  ///
  /// @return as [DeliveryQueue#add]
  public CompletableFuture<Void> add(RadiusPacket record) {
    return queue.add(record.encode());
  }

  /// Stores records and sends them.
  ///
  /// @return as [DeliveryQueue#addAll]
  public CompletableFuture<Integer> addAll(List<RadiusPacket> records) {
    return queue.addAll(records.stream().map(RadiusPacket::encode).toList());
  }

  /// Stops sending. What has no answer is sent at the next start.
  @Override
  public void close() {
    queue.close();
  }
}
