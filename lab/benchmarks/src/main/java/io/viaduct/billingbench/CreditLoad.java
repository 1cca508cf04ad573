package io.viaduct.billingbench;

import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditControlGrpc;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.UsedUnits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/// Sessions of many SNAPTs that ask billing for credit all at once, on one stream for each SNAPT,
/// as a bridge sends them. Each session has one application, and uses what it got before it asks
/// again.
final class CreditLoad {
  private static final long DEADLINE_S = 300;
  private static final long BYTES = 50_000;
  private static final long MS = 1_000;

  private final List<Snapt> snapts;
  private final List<Session> sessions;

  private static final class Session {
    final String id;
    final String account;
    final Snapt snapt;
    long number;
    long bytes;
    long ms;
    volatile long askedNs;
    volatile long answeredNs;

    Session(String id, String account, Snapt snapt) {
      this.id = id;
      this.account = account;
      this.snapt = snapt;
    }

    CreditRequest next(CreditRequestType type) {
      number++;
      return CreditRequest.newBuilder()
          .setSnaptId(snapt.id)
          .setSessionId(id)
          .setAccount(account)
          .setNumber(number)
          .setType(type)
          .setTotalMs(ms)
          .addUsed(
              UsedUnits.newBuilder()
                  .setApplication("web")
                  .setServiceClass(ServiceClass.HT_HD)
                  .setTotalBytes(bytes)
                  .setBytesPerSecond(BYTES * 1000.0 / MS)
                  .setTotalFlowMs(ms)
                  .setFlows(1))
          .build();
    }

    void use() {
      bytes += BYTES;
      ms += MS;
    }
  }

  /// One stream.
  private static final class Snapt implements StreamObserver<CreditAnswer> {
    final String id;
    final Map<String, Session> sessions = new ConcurrentHashMap<>();
    final StreamObserver<CreditRequest> requests;
    volatile String failure = "";
    volatile CountDownLatch unanswered = new CountDownLatch(0);

    Snapt(ManagedChannel bridge, String id) {
      this.id = id;
      requests = CreditControlGrpc.newStub(bridge).credit(this);
    }

    @Override
    public void onNext(CreditAnswer answer) {
      Session session = sessions.get(answer.getSessionId());
      if (answer.getNumber() == 0 || session == null) {
        return;
      }
      session.answeredNs = System.nanoTime();
      if (answer.getResult() != CreditResult.SUCCESS) {
        failure = answer.toString();
      }
      unanswered.countDown();
    }

    @Override
    public void onError(Throwable cause) {
      failure = cause.toString();
      while (unanswered.getCount() > 0) {
        unanswered.countDown();
      }
    }

    @Override
    public void onCompleted() {
      onError(new IllegalStateException("billing has ended the stream"));
    }
  }

  /// One round: each session has asked once.
  ///
  /// @param perSecond answers per second, from the first request to the last answer
  /// @param waitsMs time from each request until its answer, ms
  record Round(double perSecond, double[] waitsMs) {}

  /// @param accounts accounts that the sessions share evenly
  CreditLoad(ManagedChannel bridge, String run, int streams, int sessionCount, int accounts) {
    snapts =
        IntStream.range(0, streams)
            .mapToObj(n -> new Snapt(bridge, "load-" + run + "-" + n))
            .toList();
    sessions = new ArrayList<>();
    for (int n = 0; n < sessionCount; n++) {
      Snapt snapt = snapts.get(n % streams);
      Session session = new Session("s-" + n, "bench-" + n % accounts, snapt);
      snapt.sessions.put(session.id, session);
      sessions.add(session);
    }
  }

  /// Lets each session ask once, all at the same time, and waits for all answers.
  ///
  /// @throws IllegalStateException if an answer does not come, or is no grant
  Round ask(CreditRequestType type) throws InterruptedException {
    snapts.forEach(snapt -> snapt.unanswered = new CountDownLatch(snapt.sessions.size()));
    long beginNs = System.nanoTime();
    List<Thread> senders = snapts.stream().map(snapt -> sender(snapt, type)).toList();
    for (Thread each : senders) {
      each.join();
    }
    for (Snapt snapt : snapts) {
      if (!snapt.unanswered.await(DEADLINE_S, TimeUnit.SECONDS)) {
        throw new IllegalStateException(
            "%d requests of %s have no answer after %d s"
                .formatted(snapt.unanswered.getCount(), snapt.id, DEADLINE_S));
      }
      if (!snapt.failure.isEmpty()) {
        throw new IllegalStateException(snapt.id + ": " + snapt.failure);
      }
    }
    double seconds = (System.nanoTime() - beginNs) / 1e9;
    sessions.forEach(Session::use);
    return new Round(
        sessions.size() / seconds,
        sessions.stream().mapToDouble(each -> (each.answeredNs - each.askedNs) / 1e6).toArray());
  }

  private static Thread sender(Snapt snapt, CreditRequestType type) {
    return Thread.ofVirtual()
        .start(() ->
            snapt
                .sessions
                .values()
                .forEach(session -> {
                  session.askedNs = System.nanoTime();
                  snapt.requests.onNext(session.next(type));
                }));
  }
}
