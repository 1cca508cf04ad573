package io.viaduct.diameter.peer;

import io.viaduct.diameter.message.Answers;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.peer.DiameterStatistics.Count;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/// Answers the requests of peers. Copies of a request get the answer of the first one.
final class IncomingRequests {
  private static final int TOO_BUSY = 3004;
  private static final int APPLICATION_UNSUPPORTED = 3007;
  private static final int UNABLE_TO_COMPLY = 5012;
  private static final long KEEP_MS = 240_000;

  private final Map<Long, RequestHandler> handlers;
  private final AnsweredRequests answered;
  private final Answers answers;
  private final DiameterStatistics statistics;
  private final int inProgressMax;
  private int inProgress;

  IncomingRequests(
      Map<Long, RequestHandler> handlers,
      int rememberedMax,
      int inProgressMax,
      Answers answers,
      DiameterStatistics statistics) {
    this.handlers = handlers;
    this.answered = new AnsweredRequests(rememberedMax, KEEP_MS);
    this.answers = answers;
    this.statistics = statistics;
    this.inProgressMax = inProgressMax;
  }

  /// @param loop where the answer is sent
  void received(Connection connection, DiameterMessage request, long nowMs, Executor loop) {
    statistics.count(Count.REQUEST_RECEIVED);
    RequestHandler handler = handlers.get(request.header().application());
    if (handler == null) {
      send(connection, request, answers.plain(request, APPLICATION_UNSUPPORTED));
      return;
    }
    if (inProgress >= inProgressMax) {
      statistics.count(Count.TOO_BUSY);
      send(connection, request, answers.plain(request, TOO_BUSY));
      return;
    }
    CompletableFuture<DiameterMessage> first = answered.find(request);
    if (first != null) {
      statistics.count(Count.DUPLICATE);
    } else {
      first = handle(handler, request);
      answered.add(request, first, nowMs);
    }
    inProgress++;
    first.whenCompleteAsync(
        (answer, failure) -> {
          inProgress--;
          if (failure == null) {
            if (!answer.isSuccess()) {
              // The sender may try again with the same identifiers, and then succeed.
              answered.forget(request);
            }
            send(connection, request, answer);
          } else {
            answered.forget(request);
            send(connection, request, answers.plain(request, UNABLE_TO_COMPLY));
          }
        },
        loop);
  }

  private static CompletableFuture<DiameterMessage> handle(
      RequestHandler handler, DiameterMessage request) {
    try {
      return handler.handle(request);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void send(Connection connection, DiameterMessage request, DiameterMessage answer) {
    statistics.count(Count.ANSWER_SENT);
    connection.send(
        answer.with(answer.header().withHopByHop(request.header().hopByHop())).encode());
  }
}
