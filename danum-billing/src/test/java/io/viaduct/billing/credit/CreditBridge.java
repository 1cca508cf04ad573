package io.viaduct.billing.credit;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditControlGrpc;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.UsageReport;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/// Asks for credit and submits reports as a bridge does, over a real connection with a certificate.
final class CreditBridge implements AutoCloseable {
  private static final long WAIT_S = 30;

  private final ManagedChannel channel;
  private final StreamObserver<CreditRequest> requests;
  private final Map<String, BlockingQueue<CreditAnswer>> answers = new ConcurrentHashMap<>();
  private final Map<String, BlockingQueue<CreditAnswer>> pushes = new ConcurrentHashMap<>();
  final BlockingQueue<Status> ends = new LinkedBlockingQueue<>();

  /// @param name name in the certificate
  CreditBridge(RunningBilling billing, String name) throws Exception {
    channel = billing.channel(name);
    requests =
        CreditControlGrpc.newStub(channel)
            .credit(
                new StreamObserver<>() {
                  @Override
                  public void onNext(CreditAnswer answer) {
                    queue(answer.getNumber() == 0 ? pushes : answers, answer.getSessionId())
                        .add(answer);
                  }

                  @Override
                  public void onError(Throwable cause) {
                    ends.add(Status.fromThrowable(cause));
                  }

                  @Override
                  public void onCompleted() {
                    ends.add(Status.OK);
                  }
                });
  }

  private static BlockingQueue<CreditAnswer> queue(
      Map<String, BlockingQueue<CreditAnswer>> of, String session) {
    return of.computeIfAbsent(session, _ -> new LinkedBlockingQueue<>());
  }

  /// Sends a request and returns its answer.
  CreditAnswer ask(CreditRequest request) throws InterruptedException {
    synchronized (requests) {
      requests.onNext(request);
    }
    CreditAnswer answer = queue(answers, request.getSessionId()).poll(WAIT_S, TimeUnit.SECONDS);
    assertThat(answer).as("answer to %s, end of the stream: %s", request, ends).isNotNull();
    assertThat(answer.getNumber()).isEqualTo(request.getNumber());
    return answer;
  }

  /// Returns the next push to a session.
  CreditAnswer pushed(String session) throws InterruptedException {
    CreditAnswer answer = queue(pushes, session).poll(WAIT_S, TimeUnit.SECONDS);
    assertThat(answer).as("push to %s, end of the stream: %s", session, ends).isNotNull();
    return answer;
  }

  /// Returns the next push to a session with this result; others may still be on their way.
  CreditAnswer pushed(String session, CreditResult result) throws InterruptedException {
    return pushed(session, answer -> answer.getResult() == result);
  }

  /// Returns the next push to a session that is as wanted; others may still be on their way.
  CreditAnswer pushed(String session, Predicate<CreditAnswer> wanted) throws InterruptedException {
    CreditAnswer answer = pushed(session);
    while (!wanted.test(answer)) {
      answer = pushed(session);
    }
    return answer;
  }

  /// Forgets the pushes to a session that have arrived.
  void forgetPushes(String session) {
    queue(pushes, session).clear();
  }

  /// Submits a report with its receipt, and returns the verdict.
  ReportVerdict submit(UsageReport report, Instant now) {
    return MediationGrpc.newBlockingStub(channel)
        .withDeadlineAfter(WAIT_S, TimeUnit.SECONDS)
        .submit(Reports.request(now, List.of(report)))
        .getAcks(0)
        .getVerdict();
  }

  @Override
  public void close() throws InterruptedException {
    channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
  }
}
