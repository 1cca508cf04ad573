package io.viaduct.snapt.credit;

import io.grpc.stub.StreamObserver;
import io.viaduct.service.operations.Tally;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditResult;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// The stream of credit control to the bridge, which all sessions of the SNAPT share. It carries
/// requests to billing, and each answer to its session. While there is no stream, the sessions
/// follow the failure handling of their classes. Any thread may call it; nothing blocks.
public final class CreditLine {
  private final WithoutBilling untilTold;
  private final FreeDestinations free;
  private final Map<String, Listener> sessions = new ConcurrentHashMap<>();
  private final Tally<CreditResult> results = new Tally<>(CreditResult.class);
  private final LongAdder pushes = new LongAdder();
  private final LongAdder unknown = new LongAdder();
  private final LongAdder requests = new LongAdder();
  private @Nullable StreamObserver<CreditRequest> stream; // guarded by this

  /// One session. Called on threads of the stream; must not block.
  public interface Listener {
    /// Takes an answer, or a change that billing has pushed.
    void answered(CreditAnswer answer);

    /// Notes that the stream has opened or closed.
    void lineChanged(boolean isOpen);
  }

  /// @param untilTold failure handling of each class until billing has named one
  /// @param free destinations that no credit is needed for
  public CreditLine(WithoutBilling untilTold, FreeDestinations free) {
    this.untilTold = untilTold;
    this.free = free;
  }

  FreeDestinations free() {
    return free;
  }

  FailureRules failureRules() {
    return new FailureRules(untilTold);
  }

  /// Adds a session.
  ///
  /// @return true if the stream is open
  synchronized boolean begin(String session, Listener listener) {
    sessions.put(session, listener);
    return stream != null;
  }

  synchronized void end(String session) {
    sessions.remove(session);
  }

  /// Sends a request, if the stream is open.
  synchronized void ask(CreditRequest request) {
    if (stream != null) {
      requests.increment();
      stream.onNext(request);
    }
  }

  /// Takes an open stream; each session then asks on it.
  public void onConnected(StreamObserver<CreditRequest> opened) {
    synchronized (this) {
      stream = opened;
    }
    sessions.values().forEach(each -> each.lineChanged(true));
  }

  /// Notes that the stream is lost.
  public void onDisconnected() {
    synchronized (this) {
      stream = null;
    }
    sessions.values().forEach(each -> each.lineChanged(false));
  }

  /// Passes an answer to its session.
  public void onAnswer(CreditAnswer answer) {
    Listener session = sessions.get(answer.getSessionId());
    if (session == null) {
      unknown.increment(); // the session has ended
      return;
    }
    if (answer.getNumber() == 0) {
      pushes.increment();
    }
    results.count(answer.getResult());
    session.answered(answer);
  }

  /// Returns the number of requests that were sent.
  public LongAdder requests() {
    return requests;
  }

  /// Returns the counts of answers and pushes by result.
  public Tally<CreditResult> results() {
    return results;
  }

  /// Returns the number of changes that billing has pushed.
  public LongAdder pushes() {
    return pushes;
  }

  /// Returns the number of answers to sessions that have ended.
  public LongAdder unknown() {
    return unknown;
  }
}
