package io.viaduct.bridge.snapts;

import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.bridge.configuration.Snapt;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.registrar.Refusal;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.registrar.SipService;
import io.viaduct.bridge.reporting.PendingReport;
import io.viaduct.bridge.reporting.ReportMeters;
import io.viaduct.bridge.reporting.ReportRefusal;
import io.viaduct.bridge.reporting.ReportTransport;
import io.viaduct.bridge.reporting.ReportVerifier;
import io.viaduct.bridge.reporting.ReportVerifier.Outcome;
import io.viaduct.service.logging.PeerText;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.usage.SipReporting;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.util.Optional;

/// Takes the reports of SNAPTs by SIP (ADR 0077): PUBLISH of the event package
/// [SipReporting#EVENT], over TCP or TLS. The report's signature is the SNAPT's proof, so it needs
/// no credentials. Checks, way to billing and verdicts are those of gRPC. All other events are for
/// the next one.
final class SnaptPublications implements SipService.Publications {
  private static final String RETRY_SECONDS = "10";

  private final boolean isOn;
  private final String domain;
  private final SnaptDirectory directory;
  private final ReportVerifier verifier;
  private final ReportTransport transport;
  private final ReportMeters meters;
  private final SipMeters sip;
  private final SipService.Publications next;

  /// @param isOn false: no report is taken by SIP
  SnaptPublications(
      boolean isOn,
      String domain,
      SnaptDirectory directory,
      ReportVerifier verifier,
      ReportTransport transport,
      ReportMeters meters,
      SipMeters sip,
      SipService.Publications next) {
    this.isOn = isOn;
    this.domain = domain;
    this.directory = directory;
    this.verifier = verifier;
    this.transport = transport;
    this.meters = meters;
    this.sip = sip;
    this.next = next;
  }

  @Override
  public void onPublish(IncomingRequest request) {
    SipRequest message = request.message();
    if (!isOn || !firstWord(message, "Event").equals(SipReporting.EVENT)) {
      next.onPublish(request);
    } else if (!request.flow().transport().isReliable()) {
      refuse(request, "reports of SNAPTs come by TCP or TLS");
    } else if (!firstWord(message, "Content-Type").equals(SipReporting.REPORT)) {
      sip.count(Refusal.UNSUPPORTED_TYPE);
      request.answer(
          Refusal.UNSUPPORTED_TYPE.response(message, domain).with("Accept", SipReporting.REPORT));
    } else {
      read(request);
    }
  }

  private void read(IncomingRequest request) {
    try {
      SignedUsageReport signed = SignedUsageReport.parseFrom(request.message().body().bytes());
      meters.received();
      verify(request, signed, UsageReport.parseFrom(signed.getReport()));
    } catch (InvalidProtocolBufferException _) {
      meters.refused(ReportRefusal.MALFORMED);
      refuse(request, "not a SignedUsageReport");
    }
  }

  private void verify(IncomingRequest request, SignedUsageReport signed, UsageReport report) {
    Optional<Snapt> sender = directory.configured(report.getSnaptId());
    if (sender.isEmpty()) {
      meters.refused(ReportRefusal.NOT_ENROLLED);
      sip.count(Refusal.REPORT_REFUSED);
      request.answer(
          SipResponse.to(request.message(), 403).withWarning(domain, "this SNAPT is not enrolled"));
      return;
    }
    switch (verifier.verify(sender.get(), signed)) {
      case Outcome.Genuine(var genuine) ->
          transport.submit(new PendingReport(signed, genuine, ack -> answer(request, ack)));
      case Outcome.Refused refused -> {
        meters.refused(sender.get().id(), refused.reason());
        answer(request, refused.acknowledgement());
      }
    }
  }

  // The status is for proxies and people; a SNAPT reads the body.
  private void answer(IncomingRequest request, ReportAck ack) {
    meters.acknowledged(ack.getVerdict());
    SipRequest message = request.message();
    SipResponse answer =
        switch (ack.getVerdict()) {
          case POSTED, PROVISIONAL, ALREADY_POSTED, HELD, QUEUED -> {
            sip.count(SipMeters.Event.PUBLISHED);
            yield SipResponse.to(message, 200)
                .with("SIP-ETag", ack.getEpoch() + "-" + ack.getSequence())
                .with("Expires", message.headers().first("Expires").orElse("3600"));
          }
          case CONFLICT, REJECTED -> {
            sip.count(Refusal.REPORT_REFUSED);
            yield SipResponse.to(message, Refusal.REPORT_REFUSED.status())
                .withWarning(domain, "report refused: " + PeerText.printable(ack.getReason()));
          }
          case DEFERRED, REPORT_VERDICT_UNSPECIFIED, UNRECOGNIZED -> {
            sip.count(Refusal.REPORT_DEFERRED);
            yield SipResponse.to(message, Refusal.REPORT_DEFERRED.status())
                .with("Retry-After", RETRY_SECONDS)
                .withWarning(domain, "report deferred: " + PeerText.printable(ack.getReason()));
          }
        };
    request.answer(answer.withBody(SipReporting.ACKNOWLEDGEMENT, SipBody.of(ack.toByteArray())));
  }

  private void refuse(IncomingRequest request, String why) {
    sip.count(Refusal.REPORT_REFUSED);
    request.answer(
        SipResponse.to(request.message(), Refusal.REPORT_REFUSED.status())
            .withWarning(domain, "report refused: " + why));
  }

  private static String firstWord(SipRequest message, String header) {
    return message.headers().first(header).orElse("").split(";", 2)[0].strip();
  }
}
