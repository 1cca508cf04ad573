package io.viaduct.radius.client;

import io.netty.util.concurrent.Future;
import io.viaduct.radius.client.ClientSettings.Server;
import io.viaduct.radius.message.Attribute;
import io.viaduct.radius.message.AttributesBuilder;
import io.viaduct.radius.message.RadiusPacket;
import io.viaduct.radius.message.Refusal;
import io.viaduct.radius.statistics.RadiusStatistics.Count;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One record on its way to the first server that answers. A retransmission to a server is the same
/// packet, so that the server knows it as a copy; the packet to the next server has another
/// Acct-Delay-Time, hence another identifier (RFC 2866 section 5.2). It belongs to the client's
/// event loop.
final class Exchange {
  // RFC 5080 section 2.2.1: times differ by up to a tenth, so that clients do not send together.
  private static final double JITTER = 0.1;

  private final AccountingClient client;
  private final RadiusPacket record;
  private final CompletableFuture<Void> answered;
  private final int first; // index of the server that is tried first
  private int tried; // servers that were given up
  private int attempt; // packets to the present server
  private int identifier = -1;
  private byte[] octets = {};
  private @Nullable Future<?> timer;

  Exchange(AccountingClient client, RadiusPacket record, CompletableFuture<Void> answered) {
    this.client = client;
    this.record = record;
    this.answered = answered;
    this.first = client.present();
  }

  /// Sends the record to the next server.
  void begin() {
    Optional<Integer> free = client.takeIdentifier(this);
    if (free.isEmpty()) {
      answered.completeExceptionally(new UnansweredException("256 records are in flight"));
      return;
    }
    identifier = free.get();
    attempt = 0;
    octets = server().secret().signRequest(withDelay().withIdentifier(identifier));
    transmit(Count.REQUEST_SENT);
  }

  private RadiusPacket withDelay() {
    long now = client.clock().instant().getEpochSecond();
    long delay = Math.max(0, now - record.number("Event-Timestamp").orElse(now));
    Attribute attribute =
        new AttributesBuilder(client.dictionary()).add("Acct-Delay-Time", delay).build().getFirst();
    return record.with(attribute);
  }

  private int index() {
    return (first + tried) % client.settings().servers().size();
  }

  private Server server() {
    return client.settings().servers().get(index());
  }

  private void transmit(Count kind) {
    client.count(kind);
    client.socket().send(server().address(), octets);
    double factor = 1 + ThreadLocalRandom.current().nextDouble(-JITTER, JITTER);
    long wait = Math.round((client.settings().timeout().toMillis() << attempt) * factor);
    attempt++;
    timer = client.socket().after(Math.max(1, wait), TimeUnit.MILLISECONDS, this::timedOut);
  }

  private void timedOut() {
    if (attempt < client.settings().attempts()) {
      transmit(Count.RETRANSMITTED);
      return;
    }
    client.release(identifier);
    tried++;
    if (tried < client.settings().servers().size()) {
      client.count(Count.FAIL_OVER);
      begin();
    } else {
      client.count(Count.UNANSWERED);
      answered.completeExceptionally(new UnansweredException("no server has answered"));
    }
  }

  boolean isWith(InetSocketAddress sender) {
    return server().address().equals(sender);
  }

  Optional<Refusal> flaw(byte[] response) {
    return server().secret().flawOfResponse(response, octets);
  }

  void answered() {
    int by = index();
    end();
    client.answeredBy(by);
    answered.complete(null);
  }

  void fail(String reason) {
    end();
    answered.completeExceptionally(new UnansweredException(reason));
  }

  private void end() {
    client.release(identifier);
    if (timer != null) {
      timer.cancel(false);
    }
  }
}
