package io.viaduct.bridge.credit;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditControlGrpc;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditResult;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/// Speaks billing's side of credit control. It grants each application 1000 bytes more, unless it
/// is silent.
final class CreditStub extends CreditControlGrpc.CreditControlImplBase {
  final BlockingQueue<CreditRequest> requests = new LinkedBlockingQueue<>();
  final List<StreamObserver<CreditAnswer>> streams = new CopyOnWriteArrayList<>();
  volatile boolean isSilent;

  @Override
  public StreamObserver<CreditRequest> credit(StreamObserver<CreditAnswer> answers) {
    streams.add(answers);
    return new StreamObserver<>() {
      @Override
      public void onNext(CreditRequest request) {
        requests.add(request);
        if (!isSilent) {
          answers.onNext(answer(request));
        }
      }

      @Override
      public void onError(Throwable cause) {
        streams.remove(answers);
      }

      @Override
      public void onCompleted() {
        streams.remove(answers);
        answers.onCompleted();
      }
    };
  }

  static CreditAnswer answer(CreditRequest request) {
    CreditAnswer.Builder answer =
        CreditAnswer.newBuilder()
            .setSnaptId(request.getSnaptId())
            .setSessionId(request.getSessionId())
            .setAccount(request.getAccount())
            .setNumber(request.getNumber())
            .setResult(CreditResult.SUCCESS);
    request
        .getUsedList()
        .forEach(used ->
            answer
                .addGrantedBuilder()
                .setApplication(used.getApplication())
                .setServiceClass(used.getServiceClass())
                .setTotalBytes(used.getTotalBytes() + 1000));
    return answer.build();
  }

  /// Ends the streams as a billing that stops.
  void endStreams() {
    List<StreamObserver<CreditAnswer>> all = List.copyOf(streams);
    streams.clear();
    all.forEach(stream ->
        stream.onError(Status.UNAVAILABLE.withDescription("billing is stopping").asException()));
  }
}
