package io.viaduct.usage;

/// Names of the reports that a SNAPT sends by SIP (docs/protocol.md, "Reports of SNAPTs by SIP").
public final class SipReporting {
  /// Event package of PUBLISH.
  public static final String EVENT = "viaduct-snapt-usage";

  /// Type of a SignedUsageReport.
  public static final String REPORT = "application/vnd.viaduct.usage-report";

  /// Type of a ReportAck, the body of answers.
  public static final String ACKNOWLEDGEMENT = "application/vnd.viaduct.report-ack";

  /// User part of the address that reports are sent to.
  public static final String USER = "report";

  private SipReporting() {}
}
