package io.viaduct.bridge;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SubmitDeviceReportsRequest;
import io.viaduct.usage.v1.SubmitRequest;
import io.viaduct.usage.v1.SubmitResponse;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A peer that speaks billing's protocol over a real socket with mutual TLS. It answers a new
/// report with POSTED, and a known one with ALREADY_POSTED.
public final class BillingStub implements AutoCloseable {
  public final List<UsageReport> posted = new CopyOnWriteArrayList<>();
  public final List<SubmitRequest> requests = new CopyOnWriteArrayList<>();
  public final List<Integer> batches = new CopyOnWriteArrayList<>();
  public final List<SubmitDeviceReportsRequest> deviceReports = new CopyOnWriteArrayList<>();
  public volatile ReportVerdict deviceVerdict = ReportVerdict.PROVISIONAL;
  public volatile boolean broken;
  private final Server server;

  /// @param more further services of billing
  public BillingStub(TlsMaterial tls, int port, BindableService... more) throws Exception {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
            .sslContext(
                GrpcSslContexts.configure(tls.serverBuilder(ClientAuth.REQUIRE), SslProvider.JDK)
                    .build())
            .addService(new Service());
    for (BindableService each : more) {
      builder.addService(each);
    }
    server = builder.build().start();
  }

  public int port() {
    return server.getPort();
  }

  private final class Service extends MediationGrpc.MediationImplBase {
    @Override
    public void submit(SubmitRequest request, StreamObserver<SubmitResponse> answer) {
      if (broken) {
        answer.onError(Status.INTERNAL.asRuntimeException());
        return;
      }
      try {
        if (request.getReportsCount() > 0) {
          requests.add(request);
          batches.add(request.getReportsCount());
        }
        SubmitResponse.Builder response = SubmitResponse.newBuilder();
        for (var signed : request.getReportsList()) {
          UsageReport report = UsageReport.parseFrom(signed.getReport());
          response.addAcks(ack(report));
        }
        answer.onNext(response.build());
        answer.onCompleted();
      } catch (Exception e) {
        answer.onError(e);
      }
    }

    @Override
    public void submitDeviceReports(
        SubmitDeviceReportsRequest request, StreamObserver<SubmitResponse> answer) {
      if (broken) {
        answer.onError(Status.INTERNAL.asRuntimeException());
        return;
      }
      deviceReports.add(request);
      answer.onNext(
          SubmitResponse.newBuilder()
              .addAcks(
                  ReportAck.newBuilder()
                      .setVerdict(deviceVerdict)
                      .setReason("FORGED: by \r\nnobody"))
              .build());
      answer.onCompleted();
    }

    private synchronized ReportAck ack(UsageReport report) {
      boolean known = posted.contains(report);
      ReportVerdict verdict =
          report.getAccount().equals("nobody")
              ? ReportVerdict.REJECTED
              : known ? ReportVerdict.ALREADY_POSTED : ReportVerdict.POSTED;
      if (verdict == ReportVerdict.POSTED) {
        posted.add(report);
      }
      return ReportAck.newBuilder()
          .setSnaptId(report.getSnaptId())
          .setSessionId(report.getSessionId())
          .setEpoch(report.getEpoch())
          .setSequence(report.getSequence())
          .setVerdict(verdict)
          .build();
    }
  }

  public List<UsageReport> postedCopy() {
    return new ArrayList<>(posted);
  }

  @Override
  public void close() {
    server.shutdownNow();
    try {
      server.awaitTermination();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
