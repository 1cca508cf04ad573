package io.viaduct.snapt.credit;

import io.grpc.stub.StreamObserver;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.FailureAction;
import io.viaduct.usage.v1.FailureHandling;
import io.viaduct.usage.v1.GrantedUnits;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.UsedUnits;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// The far end of a [CreditLine]: the test reads each request, and answers as it likes.
final class TestBilling implements StreamObserver<CreditRequest> {
  static final String UNCLASSIFIED = "unclassified";
  private final CreditLine line;
  private final BlockingQueue<CreditRequest> requests = new LinkedBlockingQueue<>();

  TestBilling(CreditLine line) {
    this.line = line;
  }

  void connect() {
    line.onConnected(this);
  }

  void disconnect() {
    line.onDisconnected();
  }

  CreditRequest next() throws InterruptedException {
    CreditRequest request = requests.poll(10, TimeUnit.SECONDS);
    if (request == null) {
      throw new AssertionError("no request within 10 s");
    }
    return request;
  }

  /// Returns the next request of a type, and answers those before it as granted.
  CreditRequest next(java.util.function.Predicate<CreditRequest> wanted)
      throws InterruptedException {
    CreditRequest request = next();
    while (!wanted.test(request)) {
      grant(request, 1 << 20, false);
      request = next();
    }
    return request;
  }

  /// Grants each application of a request some bytes more.
  void grant(CreditRequest request, long moreBytes, boolean isFinal) {
    CreditAnswer.Builder answer =
        answer(request, isFinal ? CreditResult.CREDIT_LIMIT_REACHED : CreditResult.SUCCESS);
    for (UsedUnits used : request.getUsedList()) {
      answer.addGranted(
          GrantedUnits.newBuilder()
              .setApplication(used.getApplication())
              .setServiceClass(used.getServiceClass())
              .setTotalBytes(used.getTotalBytes() + moreBytes)
              .setValidityMs(60_000)
              .setFinal(isFinal));
    }
    line.onAnswer(answer.build());
  }

  void answer(CreditRequest request, CreditResult result, FailureAction failure) {
    CreditAnswer.Builder answer = answer(request, result);
    for (int code = 1; code <= 4; code++) {
      answer.addFailure(FailureHandling.newBuilder().setServiceClassValue(code).setAction(failure));
    }
    line.onAnswer(answer.build());
  }

  /// Replaces all quotas of a session by one.
  void push(CreditRequest of, CreditResult result, ServiceClass serviceClass, long totalBytes) {
    line.onAnswer(pushed(of, result, serviceClass, totalBytes).build());
  }

  private static CreditAnswer.Builder pushed(
      CreditRequest of, CreditResult result, ServiceClass serviceClass, long totalBytes) {
    return answer(of, result)
        .setNumber(0)
        .addGranted(
            GrantedUnits.newBuilder()
                .setApplication(of.getUsed(0).getApplication())
                .setServiceClass(serviceClass)
                .setTotalBytes(totalBytes)
                .setValidityMs(60_000));
  }

  /// Asks for the credit that the session does not need.
  void reauthorise(CreditRequest of, ServiceClass serviceClass, long totalBytes) {
    line.onAnswer(
        pushed(of, CreditResult.SUCCESS, serviceClass, totalBytes).setReauthorise(true).build());
  }

  private static CreditAnswer.Builder answer(CreditRequest request, CreditResult result) {
    return CreditAnswer.newBuilder()
        .setSessionId(request.getSessionId())
        .setAccount(request.getAccount())
        .setNumber(request.getNumber())
        .setResult(result)
        .setAvailableMicrodenarii(1_500_000);
  }

  @Override
  public void onNext(CreditRequest request) {
    requests.add(request);
  }

  @Override
  public void onError(Throwable why) {
    throw new AssertionError(why);
  }

  @Override
  public void onCompleted() {}
}
