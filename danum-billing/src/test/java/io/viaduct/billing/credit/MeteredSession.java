package io.viaduct.billing.credit;

import io.viaduct.billing.mediation.Reports;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.GrantedUnits;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.UsageReport;
import io.viaduct.usage.v1.UsedUnits;
import java.time.Instant;
import java.util.UUID;

/// A session with one flow of one application, as a SNAPT meters it: requests and reports say the
/// same.
final class MeteredSession {
  final String id = UUID.randomUUID().toString();

  /// Link of the device in the next reports, empty for none.
  String link = "";

  private final String snapt;
  private final String account;
  private final String application;
  private final ServiceClass serviceClass;
  private long number;
  private long sequence;
  private long bytes;
  private long ms;
  private long reportedBytes;
  private long reportedMs;
  private double bytesPerSecond;

  MeteredSession(String snapt, String account, String application, ServiceClass serviceClass) {
    this.snapt = snapt;
    this.account = account;
    this.application = application;
    this.serviceClass = serviceClass;
  }

  /// Carries traffic.
  void carry(long more, long forMs) {
    bytes += more;
    ms += forMs;
    bytesPerSecond = more * 1000.0 / forMs;
  }

  long bytes() {
    return bytes;
  }

  /// Returns the next request.
  CreditRequest request(CreditRequestType type) {
    number++;
    return CreditRequest.newBuilder()
        .setSnaptId(snapt)
        .setSessionId(id)
        .setAccount(account)
        .setNumber(number)
        .setType(type)
        .setTotalMs(ms)
        .addUsed(
            UsedUnits.newBuilder()
                .setApplication(application)
                .setServiceClass(serviceClass)
                .setTotalBytes(bytes)
                .setBytesPerSecond(bytesPerSecond)
                .setTotalFlowMs(ms)
                .setFlows(1))
        .build();
  }

  CreditRequest request() {
    return request(number == 0 ? CreditRequestType.INITIAL : CreditRequestType.UPDATE);
  }

  /// Uses a quota up to its last byte and millisecond.
  void useUp(GrantedUnits quota) {
    if (quota.getTotalBytes() > bytes) {
      carry(quota.getTotalBytes() - bytes, quota.getValidityMs());
    }
  }

  void useUp(CreditAnswer answer) {
    answer.getGrantedList().forEach(this::useUp);
  }

  /// Ends the interval, and returns its report.
  ///
  /// @param delayMs delay of the flow
  UsageReport report(Instant end, double delayMs, boolean isLast) {
    long length = Math.max(1, ms - reportedMs);
    var flow =
        Reports.flow(1, application, bytes - reportedBytes, bytes - reportedBytes, delayMs)
            .toBuilder()
            .setServiceClass(serviceClass)
            .setDurationMs(length)
            .setLink(link)
            .build();
    UsageReport report =
        Reports.report(snapt, id, 1, sequence, account, end, java.util.List.of(flow))
            .setStartMs(end.toEpochMilli() - length)
            .setLast(isLast)
            .build();
    sequence++;
    reportedBytes = bytes;
    reportedMs = ms;
    return report;
  }
}
