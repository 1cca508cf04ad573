package io.viaduct.billing.settlement;

import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.billing.rating.DelaySource;
import io.viaduct.billing.rating.Demand;
import io.viaduct.billing.rating.FlowMeasure;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.usage.v1.DeviceFlow;
import io.viaduct.usage.v1.DeviceReport;
import io.viaduct.usage.v1.SignedDeviceReport;
import java.time.Instant;
import java.util.List;

/// A validated report of a device: what it saw of one session in one interval.
///
/// @param key identity of the interval, the same as in the SNAPT's report
/// @param account account of the token; the report can bill no other
/// @param device public key, base64url without padding
/// @param startedAt start of the interval, by the bridge's clock if the report was ahead of it
/// @param clock the report's clock compared with the bridge's
/// @param bytes inner bytes of both directions
/// @param envelope serialized SignedDeviceReport
/// @param digest SHA-256 of the report's bytes
public record DeviceInterval(
    IntervalKey key,
    String account,
    String device,
    Instant startedAt,
    Instant endedAt,
    Instant receivedAt,
    MeasuredInterval.Clock clock,
    long bytes,
    byte[] envelope,
    byte[] digest) {
  /// Returns the interval that the report bills if the SNAPT's report does not come. No byte counts
  /// as saved, because only the SNAPT measures that.
  ///
  /// @param id number of the stored report; 0 to rate one that is not stored yet
  MeasuredInterval interval(long id) {
    DeviceReport report;
    SignedDeviceReport signed;
    try {
      signed = SignedDeviceReport.parseFrom(envelope);
      report = DeviceReport.parseFrom(signed.getReport());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a stored report cannot be parsed", e);
    }
    return new MeasuredInterval(
        key.byDevice(id),
        account,
        report.getIcid(),
        report.getTokenId(),
        startedAt,
        endedAt,
        receivedAt,
        clock,
        report.getLast(),
        bytes,
        bytes,
        0,
        report.getFlowsList().stream().map(DeviceInterval::flow).toList(),
        List.of(),
        new MeasuredInterval.Original(
            signed.getReport().toByteArray(), signed.getSignature().toByteArray(), "", digest),
        new Evidence(
            Evidence.Strength.DEVICE_REPORT,
            envelope,
            signed.getToken().toByteArray(),
            device,
            null,
            null));
  }

  private static MeasuredInterval.Flow flow(DeviceFlow flow) {
    long bytes = flow.getUpBytes() + flow.getDownBytes();
    return new MeasuredInterval.Flow(
        Integer.toUnsignedLong(flow.getFlow()),
        flow.getProtocol(),
        "",
        0,
        null,
        0.0,
        new FlowMeasure(
            ServiceClass.valueOf(flow.getServiceClass().name()),
            flow.getApplication(),
            bytes,
            bytes,
            0.0,
            flow.getDurationMs(),
            flow.getDelayMs(),
            null,
            flow.hasDelayMs() ? DelaySource.MEASURED : DelaySource.REFERENCE,
            Demand.UNKNOWN));
  }
}
