package io.viaduct.snapt.reporting;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.sip.ServerAddresses;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.sip.transport.StreamClient;
import io.viaduct.usage.SipReporting;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends each report as a PUBLISH (RFC 3903) over TCP or TLS; the answer's body is the
/// acknowledgement (ADR 0077). An answer without one, of a proxy or of another server, means that
/// the report is sent again later.
public final class SipReportLine implements ReportLine {
  private static final Logger LOG = LoggerFactory.getLogger(SipReportLine.class);

  /// Timer F (RFC 3261 section 17.1.2.2): a server that answers nothing for so long has gone.
  private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(32);

  private static final int EXPIRES_SECONDS = 3600;
  private static final int UNAVAILABLE = 503;

  private final Settings settings;
  private final LongSupplier nanoClock;
  private final ServerAddresses<InetSocketAddress> addresses = new ServerAddresses<>();
  private final MultiThreadIoEventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("sip-reports", true), NioIoHandler.newFactory());
  private volatile String said = "";

  /// @param snapt id of this SNAPT, its user part in From
  /// @param domain of the bridge
  /// @param server the bridge, or a server of the core before it
  public record Settings(String snapt, String domain, StreamClient.Server server) {}

  public SipReportLine(Settings settings, LongSupplier nanoClock) {
    this.settings = settings;
    this.nanoClock = nanoClock;
  }

  @Override
  public StreamObserver<SignedUsageReport> open(StreamObserver<ReportAck> answers) {
    return new Line(answers);
  }

  @Override
  public String peer() {
    return settings.server().host() + ":" + settings.server().port();
  }

  @Override
  public void close() {
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /// A report without an answer: how to defer it, and when it was sent.
  private record Unanswered(ReportAck.Builder deferral, long sentNs) {}

  private final class Line implements StreamObserver<SignedUsageReport>, StreamClient.Events {
    private final StreamObserver<ReportAck> answers;
    private final StreamClient client;
    private final String callId = SipEndpoint.token();
    private final String tag = SipEndpoint.token();
    private final Map<Long, Unanswered> sent = new LinkedHashMap<>(); // guarded by itself
    private long sequence; // guarded by sent

    Line(StreamObserver<ReportAck> answers) {
      this.answers = answers;
      client = StreamClient.open(loop, settings.server(), addresses, GuardLimits.STANDARD, this);
    }

    @Override
    public void onNext(SignedUsageReport envelope) {
      long number;
      boolean isSilent;
      synchronized (sent) {
        long nowNs = nanoClock.getAsLong();
        isSilent = !sent.isEmpty() && nowNs - sent.values().iterator().next().sentNs() > SILENCE_NS;
        number = ++sequence;
        sent.put(number, new Unanswered(deferral(envelope), nowNs));
      }
      if (isSilent) {
        client.leave("no answer for 32 s");
      } else {
        client.send(publication(envelope, number));
      }
    }

    private SipRequest publication(SignedUsageReport envelope, long number) {
      String transport = settings.server().tls() == null ? "TCP" : "TLS";
      String to = "sip:" + SipReporting.USER + "@" + settings.domain();
      SipHeaders headers =
          SipHeaders.NONE
              .with(
                  "Via",
                  "SIP/2.0/%s %s;branch=z9hG4bK%s"
                      .formatted(transport, settings.domain(), callId + number))
              .with("Max-Forwards", "70")
              .with(
                  "From", "<sip:%s@%s>;tag=%s".formatted(settings.snapt(), settings.domain(), tag))
              .with("To", "<" + to + ">")
              .with("Call-ID", callId)
              .with("CSeq", number + " PUBLISH")
              .with("Event", SipReporting.EVENT)
              .with("Expires", Integer.toString(EXPIRES_SECONDS));
      return new SipRequest("PUBLISH", to, headers)
          .withBody(SipReporting.REPORT, SipBody.of(envelope.toByteArray()));
    }

    @Override
    public void onResponse(SipResponse response) {
      if (!response.isFinal()) {
        return;
      }
      Unanswered answered;
      synchronized (sent) {
        answered = sent.remove(response.cseq().number());
      }
      if (answered != null) {
        Optional<ReportAck> verdict = verdict(response);
        answers.onNext(verdict.orElseGet(() -> deferred(response, answered.deferral())));
        if (verdict.isEmpty() && response.status() == UNAVAILABLE && addresses.hasSeveral()) {
          client.leave(response.summary()); // RFC 3263 section 4.3
        }
      }
    }

    @Override
    public void onClosed(String why) {
      answers.onError(Status.UNAVAILABLE.withDescription(why).asRuntimeException());
    }

    @Override
    public void onError(Throwable why) {
      client.close();
    }

    @Override
    public void onCompleted() {
      client.close();
    }
  }

  private static ReportAck.Builder deferral(SignedUsageReport envelope) {
    ReportAck.Builder deferral = ReportAck.newBuilder().setVerdict(ReportVerdict.DEFERRED);
    try {
      UsageReport report = UsageReport.parseFrom(envelope.getReport());
      return deferral
          .setSnaptId(report.getSnaptId())
          .setSessionId(report.getSessionId())
          .setEpoch(report.getEpoch())
          .setSequence(report.getSequence());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("a report of this SNAPT cannot be read", e);
    }
  }

  private static Optional<ReportAck> verdict(SipResponse response) {
    if (!response.headers().first("Content-Type").orElse("").equals(SipReporting.ACKNOWLEDGEMENT)) {
      return Optional.empty();
    }
    try {
      return Optional.of(ReportAck.parseFrom(response.body().bytes()));
    } catch (InvalidProtocolBufferException _) {
      return Optional.empty();
    }
  }

  private ReportAck deferred(SipResponse response, ReportAck.Builder deferral) {
    String words = response.summary();
    if (!words.equals(said)) {
      said = words;
      LOG.warn("{} takes no report by SIP, reports are kept: {}", peer(), words);
    }
    return deferral.setReason(words).build();
  }
}
