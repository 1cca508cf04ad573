package io.viaduct.diameter.peer;

import io.viaduct.diameter.message.DiameterMessage;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Remembers the requests of peers and their answers, so that a copy of a request is not processed
/// again. A copy has the same Origin-Host and end-to-end identifier (RFC 6733 section 3); it may
/// come over another peer, with or without the T bit. It is also of the same command, application,
/// session and number: a node that begins its identifiers anew at each start may give one to two
/// requests within the time. The oldest give way at the limit.
final class AnsweredRequests {
  private final int most;
  private final long keepMs;
  private final Map<Origin, Answered> byOrigin = new LinkedHashMap<>();

  private record Origin(
      String host,
      int endToEnd,
      int command,
      long application,
      String session,
      OptionalLong creditNumber,
      OptionalLong recordNumber) {}

  private record Answered(CompletableFuture<DiameterMessage> answer, long untilMs) {}

  /// @param keepMs how long an identifier is unique; the RFC says four minutes or more
  AnsweredRequests(int most, long keepMs) {
    this.most = most;
    this.keepMs = keepMs;
  }

  /// Returns the answer to the first copy, which may not be there yet, or null for a new request.
  @Nullable CompletableFuture<DiameterMessage> find(DiameterMessage request) {
    Answered answered = byOrigin.get(origin(request));
    return answered == null ? null : answered.answer;
  }

  /// Remembers a request. Only a success stays; [#forget] removes the others.
  void add(DiameterMessage request, CompletableFuture<DiameterMessage> answer, long nowMs) {
    Iterator<Answered> oldest = byOrigin.values().iterator();
    while (oldest.hasNext() && (oldest.next().untilMs - nowMs <= 0 || byOrigin.size() >= most)) {
      oldest.remove();
    }
    byOrigin.put(origin(request), new Answered(answer, nowMs + keepMs));
  }

  void forget(DiameterMessage request) {
    byOrigin.remove(origin(request));
  }

  int size() {
    return byOrigin.size();
  }

  private static Origin origin(DiameterMessage request) {
    return new Origin(
        request.avps().text("Origin-Host").orElse(""),
        request.header().endToEnd(),
        request.header().command(),
        request.header().application(),
        request.avps().text("Session-Id").orElse(""),
        request.avps().number("CC-Request-Number"),
        request.avps().number("Accounting-Record-Number"));
  }
}
