package io.viaduct.billing.credit;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/// One bridge's stream for one SNAPT: requests are answered each on its own virtual thread, in any
/// order, and changes of the credit are pushed.
final class CreditStream implements StreamObserver<CreditRequest> {
  /// Most requests without an answer; a SNAPT has one for each session at most.
  static final int UNANSWERED_MAX = 64;

  private final ServerCallStreamObserver<CreditAnswer> bridge;
  private final Function<CreditRequest, CreditAnswer> decide;
  private final CreditSessions sessions;
  private final AccountLocks locks;
  private final Map<SessionKey, String> accounts = new ConcurrentHashMap<>(); // of this stream
  private boolean isEnded; // guarded by this

  /// @param decide decides about a request
  CreditStream(
      ServerCallStreamObserver<CreditAnswer> bridge,
      Function<CreditRequest, CreditAnswer> decide,
      CreditSessions sessions,
      AccountLocks locks) {
    this.bridge = bridge;
    this.decide = decide;
    this.sessions = sessions;
    this.locks = locks;
    bridge.disableAutoRequest();
    bridge.setOnCancelHandler(this::ended);
    bridge.request(UNANSWERED_MAX);
  }

  @Override
  public void onNext(CreditRequest request) {
    Thread.ofVirtual().name("credit-request").start(() -> answer(request));
  }

  private void answer(CreditRequest request) {
    try {
      // The lock keeps the order: an answer never follows a push that was decided after it.
      locks.run(request.getAccount(), () -> send(decided(request)));
      requestNext();
    } catch (RuntimeException e) {
      end(Status.INTERNAL.withDescription("see billing's log").withCause(e));
    }
  }

  // The session is known before the decision, so that no change of the credit is missed.
  private CreditAnswer decided(CreditRequest request) {
    SessionKey session = new SessionKey(request.getSnaptId(), request.getSessionId());
    if (!sessions.put(request.getAccount(), session, this)) {
      return CreditAnswers.unable(
          request, "billing knows %d sessions, the limit".formatted(CreditSessions.SESSIONS_MAX));
    }
    accounts.put(session, request.getAccount());
    CreditAnswer answer = decide.apply(request);
    boolean isOver =
        switch (request.getType()) {
          case TERMINATION -> true;
          default ->
              switch (answer.getResult()) {
                case REQUEST_REFUSED, UNKNOWN_ACCOUNT -> true;
                default -> false;
              };
        };
    if (isOver) {
      forget(session, request.getAccount());
    }
    return answer;
  }

  private void forget(SessionKey session, String account) {
    accounts.remove(session);
    sessions.remove(account, session, this);
  }

  /// Sends an answer, unless the stream has ended.
  synchronized void send(CreditAnswer answer) {
    if (!isEnded) {
      bridge.onNext(answer);
    }
  }

  /// Pushes an answer. A bridge that does not read loses its stream: nothing is queued for it.
  ///
  /// @return false if the stream has ended
  synchronized boolean push(CreditAnswer answer) {
    if (!isEnded && !bridge.isReady()) {
      end(Status.RESOURCE_EXHAUSTED.withDescription("the bridge does not read its stream"));
    }
    if (isEnded) {
      return false;
    }
    bridge.onNext(answer);
    return true;
  }

  private synchronized void requestNext() {
    if (!isEnded) {
      bridge.request(1);
    }
  }

  /// Ends the stream. The bridge opens a new one with the next request.
  void end(Status status) {
    synchronized (this) {
      if (isEnded) {
        return;
      }
      isEnded = true;
      bridge.onError(status.asRuntimeException());
    }
    forgetAll();
  }

  private void ended() {
    synchronized (this) {
      isEnded = true;
    }
    forgetAll();
  }

  private void forgetAll() {
    Map.copyOf(accounts).forEach(this::forget);
  }

  @Override
  public void onError(Throwable cause) {
    ended();
  }

  @Override
  public void onCompleted() {
    synchronized (this) {
      if (!isEnded) {
        isEnded = true;
        bridge.onCompleted();
      }
    }
    forgetAll();
  }
}
