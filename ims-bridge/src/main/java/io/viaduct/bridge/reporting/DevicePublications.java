package io.viaduct.bridge.reporting;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.StatusRuntimeException;
import io.viaduct.bridge.registrar.Authentication;
import io.viaduct.bridge.registrar.Refusal;
import io.viaduct.bridge.registrar.ServiceDesk;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.service.logging.PeerText;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.SignedDeviceReport;
import io.viaduct.usage.v1.SubmitDeviceReportsRequest;
import io.viaduct.usage.v1.SubmitResponse;
import io.viaduct.usage.v1.TokenKey;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Takes the reports of devices: PUBLISH (RFC 3903) of the event package `viaduct-usage`, or a
/// MESSAGE to `report` with the same body, from a user who has authenticated. The answer is
/// billing's: 200 when it has stored the report, 400 if it never will, 503 if it cannot now. The
/// bridge keeps nothing.
///
/// Billing checks the report itself: its token, and the device's signature.
public final class DevicePublications implements ServiceDesk.Reports {
  static final String EVENT = "viaduct-usage";
  static final String TYPE = "application/vnd.viaduct.device-report";

  /// Most reports that wait for billing. A device sends one at a time.
  private static final int WAITING_MAX = 256;

  private static final String RETRY_SECONDS = "10";

  private final String domain;
  private final Authentication authentication;
  private final MediationGrpc.MediationBlockingStub billing;
  private final Duration deadline;
  private final Supplier<List<TokenKey>> tokenKeys;
  private final SipMeters meters;
  private final InstantSource clock;
  private final Semaphore waiting = new Semaphore(WAITING_MAX);

  /// @param deadline longest wait for billing; a user agent gives up after 32 s
  /// @param tokenKeys public keys sent with each report, because billing checks its token
  public DevicePublications(
      String domain,
      Authentication authentication,
      MediationGrpc.MediationBlockingStub billing,
      Duration deadline,
      Supplier<List<TokenKey>> tokenKeys,
      SipMeters meters,
      InstantSource clock) {
    this.domain = domain;
    this.authentication = authentication;
    this.billing = billing;
    this.deadline = deadline;
    this.tokenKeys = tokenKeys;
    this.meters = meters;
    this.clock = clock;
  }

  /// Serves a PUBLISH.
  public void onPublish(IncomingRequest request) {
    SipRequest message = request.message();
    if (authentication.subscriber(request).isEmpty()) {
      return;
    }
    if (!firstWord(message, "Event").equals(EVENT)) {
      refuse(
          request,
          Refusal.UNKNOWN_EVENT,
          Refusal.UNKNOWN_EVENT.response(message, domain).with("Allow-Events", EVENT));
    } else if (!firstWord(message, "Content-Type").equals(TYPE)) {
      refuse(
          request,
          Refusal.UNSUPPORTED_TYPE,
          Refusal.UNSUPPORTED_TYPE.response(message, domain).with("Accept", TYPE));
    } else {
      onReport(request);
    }
  }

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public void onReport(IncomingRequest request) {
    if (!waiting.tryAcquire()) {
      defer(request, "too many reports wait for billing");
    } else {
      try {
        submit(request, SignedDeviceReport.parseFrom(request.message().body().bytes()));
      } catch (InvalidProtocolBufferException _) {
        refuse(request, "not a SignedDeviceReport");
      } finally {
        waiting.release();
      }
    }
  }

  private void submit(IncomingRequest request, SignedDeviceReport report) {
    SubmitResponse response;
    try {
      response =
          billing
              .withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS)
              .submitDeviceReports(
                  SubmitDeviceReportsRequest.newBuilder()
                      .setReceivedMs(clock.millis())
                      .addReports(report)
                      .addAllTokenKeys(tokenKeys.get())
                      .build());
    } catch (StatusRuntimeException e) {
      defer(request, "billing does not answer");
      return;
    }
    if (response.getAcksCount() != 1) {
      defer(request, "billing's answer does not name the report");
      return;
    }
    ReportAck ack = response.getAcks(0);
    switch (ack.getVerdict()) {
      case POSTED, PROVISIONAL, ALREADY_POSTED -> taken(request, ack);
      case CONFLICT, REJECTED -> refuse(request, ack.getReason());
      case DEFERRED, HELD, QUEUED, REPORT_VERDICT_UNSPECIFIED, UNRECOGNIZED ->
          defer(request, ack.getReason());
    }
  }

  // The entity-tag is required (RFC 3903 section 6). A report is never changed, so nobody uses it.
  private void taken(IncomingRequest request, ReportAck ack) {
    meters.count(SipMeters.Event.PUBLISHED);
    if (request.message().method().equals("MESSAGE")) {
      request.answer(200);
      return;
    }
    request.answer(
        SipResponse.to(request.message(), 200)
            .with("SIP-ETag", ack.getEpoch() + "-" + ack.getSequence())
            .with("Expires", request.message().headers().first("Expires").orElse("3600")));
  }

  private void refuse(IncomingRequest request, String why) {
    refuse(
        request,
        Refusal.REPORT_REFUSED,
        Refusal.REPORT_REFUSED.response(
            request.message(), domain, "report refused: " + PeerText.printable(why)));
  }

  private void defer(IncomingRequest request, String why) {
    refuse(
        request,
        Refusal.REPORT_DEFERRED,
        Refusal.REPORT_DEFERRED
            .response(request.message(), domain, "report deferred: " + PeerText.printable(why))
            .with("Retry-After", RETRY_SECONDS));
  }

  private void refuse(IncomingRequest request, Refusal reason, SipResponse answer) {
    meters.count(reason);
    request.answer(answer);
  }

  private static String firstWord(SipRequest message, String header) {
    return message.headers().first(header).orElse("").split(";", 2)[0].strip();
  }
}
