package io.viaduct.bridge.credit;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.viaduct.bridge.credit.RemovedDevices.Shown;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditRequestType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One SNAPT's stream of requests for credit. It remembers whose sessions have shown their token,
/// and the requests that wait for billing: if billing goes away, they get UNABLE_TO_DELIVER.
final class SnaptCreditStream implements StreamObserver<CreditRequest> {
  /// Most requests without an answer, as at billing.
  private static final int UNANSWERED_MAX = 64;

  /// Most sessions of one SNAPT on its stream.
  private static final int SESSIONS_MAX = 100_000;

  private final CreditRelay relay;
  private final String snapt;
  private final String peer;
  private final ServerCallStreamObserver<CreditAnswer> answers;

  private record Asked(String session, long number) {}

  // All guarded by this.
  private final Map<String, Shown> sessions = new HashMap<>(); // by session that showed its token
  private final Map<Asked, CreditRequest> waiting = new HashMap<>();
  private @Nullable BillingSide billing;
  private boolean isEnded;

  SnaptCreditStream(
      CreditRelay relay,
      String snapt,
      String peer,
      ServerCallStreamObserver<CreditAnswer> answers) {
    this.relay = relay;
    this.snapt = snapt;
    this.peer = peer;
    this.answers = answers;
    relay.opened(this);
    answers.disableAutoRequest();
    answers.setOnCancelHandler(this::ended);
    answers.request(UNANSWERED_MAX);
  }

  @Override
  public synchronized void onNext(CreditRequest request) {
    if (!relay.isConfigured(snapt)) {
      end(
          Status.PERMISSION_DENIED.withDescription(
              "'" + snapt + "' is not configured here any more"));
      return;
    }
    Optional<CreditRelay.Flaw> flaw = flaw(request);
    if (flaw.isPresent()) {
      answer(request, flaw.get());
      return;
    }
    Shown session = session(request);
    sessions.put(request.getSessionId(), session);
    Optional<CreditRelay.Flaw> removal = relay.removal(session);
    if (removal.isPresent()) {
      answer(request, removal.get());
      return;
    }
    forward(request.toBuilder().setSnaptId(snapt).clearToken().build());
  }

  // A token that is renewed shows the same device.
  private Shown session(CreditRequest request) {
    Shown known = sessions.get(request.getSessionId());
    return relay.look(known == null ? relay.shown(request) : known);
  }

  /// Takes the credit of a user's sessions whose device was removed.
  synchronized void revoke(String user) {
    sessions.forEach((id, session) -> {
      if (session.account().equals(user)) {
        relay
            .removal(session)
            .ifPresent(flaw ->
                answer(CreditRequest.newBuilder().setSessionId(id).setAccount(user).build(), flaw));
      }
    });
  }

  private Optional<CreditRelay.Flaw> flaw(CreditRequest request) {
    if (!request.getSnaptId().isEmpty() && !request.getSnaptId().equals(snapt)) {
      return refused(
          CreditRefusal.FOREIGN_SNAPT, "snapt_id must be '%s', or be left out".formatted(snapt));
    }
    if (!relay.holdsId(snapt, peer)) {
      return refused(CreditRefusal.ID_IN_USE, "another process holds the id of this SNAPT");
    }
    if (request.hasToken()) {
      return relay.flaw(request).or(() -> tooMany(request));
    }
    Shown session = sessions.get(request.getSessionId());
    if (session == null) {
      return refused(
          CreditRefusal.TOKEN_MISSING,
          "the first request of a session on a stream must have its token");
    }
    return session.account().equals(request.getAccount())
        ? Optional.empty()
        : refused(
            CreditRefusal.OTHER_ACCOUNT, "the session has shown the token of another account");
  }

  private Optional<CreditRelay.Flaw> tooMany(CreditRequest request) {
    return sessions.containsKey(request.getSessionId()) || sessions.size() < SESSIONS_MAX
        ? Optional.empty()
        : refused(
            CreditRefusal.TOO_MANY_SESSIONS,
            "a stream has at most %d sessions".formatted(SESSIONS_MAX));
  }

  private static Optional<CreditRelay.Flaw> refused(CreditRefusal reason, String detail) {
    return Optional.of(new CreditRelay.Flaw(reason, detail));
  }

  private void forward(CreditRequest request) {
    waiting.put(new Asked(request.getSessionId(), request.getNumber()), request);
    BillingSide open = billing;
    if (open == null) {
      open = new BillingSide();
      billing = open;
      open.call();
    }
    relay.relayed();
    open.send(request);
  }

  private void answer(CreditRequest request, CreditRelay.Flaw flaw) {
    relay.refused(flaw.reason());
    send(
        CreditAnswer.newBuilder()
            .setSnaptId(snapt)
            .setSessionId(request.getSessionId())
            .setAccount(request.getAccount())
            .setNumber(request.getNumber())
            .setResult(flaw.reason().result())
            .setReason("bridge: " + flaw.detail())
            .build());
  }

  private void send(CreditAnswer answer) {
    if (isEnded) {
      return;
    }
    boolean isPush = answer.getNumber() == 0;
    if (isPush && !answers.isReady()) {
      // Nothing is queued for a SNAPT that does not read; it asks anew on its next stream.
      end(Status.RESOURCE_EXHAUSTED.withDescription("the SNAPT does not read its stream"));
      return;
    }
    answers.onNext(answer);
    if (isPush) {
      relay.pushed();
    } else {
      answers.request(1);
    }
  }

  private void end(Status status) {
    if (!isEnded) {
      answers.onError(status.asRuntimeException());
      ended();
    }
  }

  private synchronized void ended() {
    if (isEnded) {
      return;
    }
    isEnded = true;
    relay.closed(this);
    if (billing != null) {
      billing.complete();
    }
  }

  @Override
  public void onError(Throwable cause) {
    ended();
  }

  @Override
  public synchronized void onCompleted() {
    if (!isEnded) {
      ended();
      answers.onCompleted();
    }
  }

  /// The stream to billing. A new one is opened by the first request after it has ended.
  private final class BillingSide implements StreamObserver<CreditAnswer> {
    private @Nullable StreamObserver<CreditRequest> requests;

    void call() {
      requests = relay.callBilling(this);
    }

    void send(CreditRequest request) {
      if (requests != null) {
        requests.onNext(request);
      }
    }

    void complete() {
      if (requests != null) {
        requests.onCompleted();
      }
    }

    @Override
    public void onNext(CreditAnswer answer) {
      synchronized (SnaptCreditStream.this) {
        if (billing != this) {
          return; // its requests have had their answer from the bridge
        }
        CreditRequest asked = waiting.remove(new Asked(answer.getSessionId(), answer.getNumber()));
        if (answer.getNumber() != 0 && asked == null) {
          return;
        }
        if (asked != null && asked.getType() == CreditRequestType.TERMINATION) {
          sessions.remove(answer.getSessionId());
        }
        SnaptCreditStream.this.send(answer);
      }
    }

    @Override
    public void onError(Throwable cause) {
      synchronized (SnaptCreditStream.this) {
        if (billing != this) {
          return;
        }
        billing = null;
        List<CreditRequest> unanswered = List.copyOf(waiting.values());
        waiting.clear();
        CreditRelay.Flaw away =
            new CreditRelay.Flaw(
                CreditRefusal.BILLING_AWAY,
                "billing does not answer: " + Status.fromThrowable(cause));
        unanswered.forEach(request -> answer(request, away));
      }
    }

    @Override
    public void onCompleted() {
      onError(Status.UNAVAILABLE.withDescription("billing has ended the stream").asException());
    }
  }
}
