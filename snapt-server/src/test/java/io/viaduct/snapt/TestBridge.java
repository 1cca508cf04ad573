package io.viaduct.snapt;

import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.JoinAnswer;
import io.viaduct.usage.v1.RenewRequest;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.Revocations;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SnaptStatus;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.SnaptsGrpc;
import io.viaduct.usage.v1.TokenKey;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A bridge for tests: the real gRPC service over mutual TLS, with configurable answers.
public final class TestBridge implements AutoCloseable {
  public final List<UsageReport> reports = new CopyOnWriteArrayList<>();
  public final List<SignedUsageReport> signed = new CopyOnWriteArrayList<>();
  public final List<SnaptStatus> statuses = new CopyOnWriteArrayList<>();

  /// The verdict for each report; empty means that the report gets no answer.
  public volatile Function<UsageReport, Optional<ReportVerdict>> verdict =
      _ -> Optional.of(ReportVerdict.POSTED);

  /// The revoked tokens, in each answer; null as a bridge of the version before.
  public volatile @Nullable Revocations revocations;

  /// The error with which statuses are answered; null means that they are answered with keys.
  public volatile @Nullable Status refusal;

  /// The requests for a next certificate.
  public final List<String> renewals = new CopyOnWriteArrayList<>();

  /// The answer to them; null as a bridge of the version before.
  public volatile @Nullable JoinAnswer renewal;

  /// The streams of credit control that were opened. Their requests are not answered.
  public final AtomicInteger creditStreams = new AtomicInteger();

  private final List<StreamObserver<SnaptStatusAck>> announcers = new CopyOnWriteArrayList<>();
  private final Server server;

  public TestBridge(TlsMaterial tls, InetSocketAddress address, TokenKey... keys) throws Exception {
    server =
        NettyServerBuilder.forAddress(address)
            .sslContext(
                GrpcSslContexts.configure(tls.serverBuilder(ClientAuth.REQUIRE), SslProvider.JDK)
                    .build())
            .addService(new Service(List.of(keys)))
            .build()
            .start();
  }

  /// Asks the announcing process whether it is alive.
  public void probe(long number) {
    announcers.getLast().onNext(SnaptStatusAck.newBuilder().setProbe(number).build());
  }

  public int port() {
    return server.getPort();
  }

  private final class Service extends SnaptsGrpc.SnaptsImplBase {
    private final List<TokenKey> keys;

    Service(List<TokenKey> keys) {
      this.keys = keys;
    }

    @Override
    public StreamObserver<SignedUsageReport> report(StreamObserver<ReportAck> answers) {
      return new Receiver<>(answers) {
        @Override
        void take(SignedUsageReport envelope) throws Exception {
          UsageReport report = UsageReport.parseFrom(envelope.getReport());
          signed.add(envelope);
          reports.add(report);
          verdict
              .apply(report)
              .ifPresent(answer ->
                  answers.onNext(
                      ReportAck.newBuilder()
                          .setSnaptId(report.getSnaptId())
                          .setSessionId(report.getSessionId())
                          .setEpoch(report.getEpoch())
                          .setSequence(report.getSequence())
                          .setVerdict(answer)
                          .build()));
        }
      };
    }

    @Override
    public void renew(RenewRequest request, StreamObserver<JoinAnswer> answer) {
      JoinAnswer given = renewal;
      if (given == null) {
        super.renew(request, answer);
        return;
      }
      renewals.add(request.getCertificateRequest());
      answer.onNext(given);
      answer.onCompleted();
    }

    @Override
    public StreamObserver<CreditRequest> credit(StreamObserver<CreditAnswer> answers) {
      creditStreams.incrementAndGet();
      return new Receiver<>(answers) {
        @Override
        void take(CreditRequest request) {
          // billing is slow
        }
      };
    }

    @Override
    public StreamObserver<SnaptStatus> announce(StreamObserver<SnaptStatusAck> answers) {
      announcers.add(answers);
      return new Receiver<>(answers) {
        @Override
        void take(SnaptStatus status) {
          statuses.add(status);
          Status why = refusal;
          if (why != null) {
            answers.onError(why.asRuntimeException());
            return;
          }
          SnaptStatusAck.Builder answer = SnaptStatusAck.newBuilder().addAllTokenKeys(keys);
          Revocations revoked = revocations;
          answers.onNext((revoked == null ? answer : answer.setRevocations(revoked)).build());
        }
      };
    }
  }

  private abstract static class Receiver<T> implements StreamObserver<T> {
    private final StreamObserver<?> answers;

    Receiver(StreamObserver<?> answers) {
      this.answers = answers;
    }

    abstract void take(T message) throws Exception;

    @Override
    public void onNext(T message) {
      try {
        take(message);
      } catch (Exception e) {
        answers.onError(e);
      }
    }

    @Override
    public void onError(Throwable why) {
      // the SNAPT has disconnected and will reconnect
    }

    @Override
    public void onCompleted() {
      answers.onCompleted();
    }
  }

  @Override
  public void close() {
    server.shutdownNow();
    try {
      server.awaitTermination();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
