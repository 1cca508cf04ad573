package io.viaduct.sip.endpoint;

import io.viaduct.sip.SipException;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.stun.StunMessage;
import io.viaduct.sip.stun.TransactionId;
import io.viaduct.sip.transport.SipSockets;
import java.io.IOException;
import java.net.Inet6Address;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/// The STUN binding requests of this endpoint that wait for an answer. Each is repeated after 0.5,
/// 1 and 2 s, and given up after 7.5 s (RFC 8489 section 6.2.1). Thread-safe.
final class StunExchanges {
  /// More requests at a time are refused; a user agent needs one.
  private static final int PENDING_MAX = 16;

  private static final long FIRST_MS = 500;
  private static final int ATTEMPTS = 4;
  private static final SecureRandom RANDOM = new SecureRandom();

  private record Pending(SipFlow to, CompletableFuture<StunMessage.Success> answer) {}

  private final Map<TransactionId, Pending> pending = new ConcurrentHashMap<>();

  /// Asks the peer of a UDP flow for the address that this end has there.
  CompletableFuture<StunMessage.Success> ask(SipSockets sockets, SipFlow to) {
    CompletableFuture<StunMessage.Success> answer = new CompletableFuture<>();
    if (pending.size() >= PENDING_MAX) {
      answer.completeExceptionally(
          new SipException(
              SipException.Reason.OVERLOAD, PENDING_MAX + " STUN requests wait for an answer"));
      return answer;
    }
    TransactionId id = TransactionId.random(RANDOM);
    pending.put(id, new Pending(to, answer));
    byte[] request = StunMessage.request(id, to.remote().getAddress() instanceof Inet6Address);
    send(sockets, to, request, answer, 0);
    return answer.whenComplete((_, _) -> pending.remove(id));
  }

  private static void send(
      SipSockets sockets,
      SipFlow to,
      byte[] request,
      CompletableFuture<StunMessage.Success> answer,
      int attempt) {
    if (answer.isDone()) {
      return;
    }
    if (attempt == ATTEMPTS) {
      answer.completeExceptionally(
          new SipException(SipException.Reason.TIMEOUT, "no answer to STUN from " + to));
      return;
    }
    try {
      sockets.write(to, request);
    } catch (IOException e) {
      answer.completeExceptionally(
          new SipException(SipException.Reason.TRANSPORT, "STUN to " + to + ": " + e.getMessage()));
      return;
    }
    CompletableFuture.delayedExecutor(FIRST_MS << attempt, TimeUnit.MILLISECONDS)
        .execute(() -> send(sockets, to, request, answer, attempt + 1));
  }

  /// Takes an answer. @return false if it answers no request to this peer
  boolean answered(StunMessage.Success answer, SipFlow from) {
    Pending asked = pending.get(answer.id());
    return asked != null && asked.to.equals(from) && asked.answer.complete(answer);
  }

  /// Gives all requests up, because the endpoint closes.
  void close() {
    pending
        .values()
        .forEach(asked ->
            asked.answer.completeExceptionally(
                new SipException(SipException.Reason.CLOSED, "endpoint is closed")));
  }
}
