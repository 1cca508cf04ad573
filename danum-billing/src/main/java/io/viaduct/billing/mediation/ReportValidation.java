package io.viaduct.billing.mediation;

import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.billing.rating.DelaySource;
import io.viaduct.billing.rating.Demand;
import io.viaduct.billing.rating.FlowMeasure;
import io.viaduct.billing.settlement.Evidence;
import io.viaduct.billing.settlement.IntervalKey;
import io.viaduct.billing.settlement.MeasuredInterval;
import io.viaduct.billing.settlement.ReportRefusal;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.service.digest.Sha256;
import io.viaduct.usage.Finding;
import io.viaduct.usage.RelaysOfReport;
import io.viaduct.usage.ReportFlaw;
import io.viaduct.usage.ReportPlausibility;
import io.viaduct.usage.ReportProof;
import io.viaduct.usage.TokenKeys;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ReceiptRefusal;
import io.viaduct.usage.v1.RelayedBytes;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Validates reports: turns the bytes of a report into an interval to bill, or into a reason for
/// refusing it. Depends only on the envelope, the known token keys and the bridge's time.
final class ReportValidation {
  static final int REPORT_BYTES_MAX = 2 * 1024 * 1024;
  static final int FLOWS_MAX = 10_000;
  static final Duration INTERVAL_MAX = Duration.ofMinutes(10);
  static final Duration SKEW_TOLERATED = Duration.ofSeconds(30);

  /// Largest count. It is more than any interval carries (10 Tbit/s for 10 minutes), and sums of
  /// such counts do not overflow.
  private static final long COUNT_MAX = 1L << 50;

  /// Largest spare rate, kbit/s: 10 Tbit/s, as for [#COUNT_MAX].
  private static final double SPARE_MAX = 1e10;

  private static final int DEVICE_KEY_BYTES = 32;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final int RELAYS_MAX = 8;
  private static final long RELAYED_BYTES_MAX = 1L << 50; // sums do not overflow
  private static final Pattern APPLICATION = Pattern.compile("[a-z0-9._-]{1,64}");
  private static final Pattern LINK = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,14}");
  private static final Pattern TEXT = Pattern.compile("[\\x21-\\x7e]{1,256}");
  private static final Pattern ADDRESS = Pattern.compile("[0-9A-Fa-f:.]{2,45}");

  /// The result of validating a report.
  sealed interface Result {
    /// The report is valid.
    ///
    /// @param interval interval to bill
    record Valid(MeasuredInterval interval) implements Result {}

    /// The report is refused.
    ///
    /// @param report the parsed report; the default instance if it could not be parsed
    record Refused(UsageReport report, ReportRefusal why, String detail) implements Result {}
  }

  private static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;
    private final ReportRefusal why;

    private RefusedException(ReportRefusal why, String detail) {
      super(detail, null, false, false);
      this.why = why;
    }
  }

  private final ProofRules rules;
  private final TokenKeys tokenKeys;
  private final ToLongFunction<String> lineRateOf;

  ReportValidation(ProofRules rules, TokenKeys tokenKeys) {
    this.rules = rules;
    this.tokenKeys = tokenKeys;
    this.lineRateOf = rules.lineRates().get();
  }

  /// Validates one report.
  ///
  /// @param receivedAt time when the bridge received it
  Result validate(SignedUsageReport signed, Instant receivedAt) {
    UsageReport report = UsageReport.getDefaultInstance();
    try {
      if (signed.getReport().size() > REPORT_BYTES_MAX) {
        throw new RefusedException(
            ReportRefusal.MALFORMED, "a report has at most " + REPORT_BYTES_MAX + " bytes");
      }
      report = UsageReport.parseFrom(signed.getReport());
      return new Result.Valid(interval(report, signed, receivedAt));
    } catch (InvalidProtocolBufferException e) {
      return new Result.Refused(
          report, ReportRefusal.MALFORMED, "not a UsageReport: " + e.getMessage());
    } catch (RefusedException e) {
      return new Result.Refused(report, e.why, String.valueOf(e.getMessage()));
    }
  }

  private MeasuredInterval interval(
      UsageReport report, SignedUsageReport signed, Instant receivedAt) throws RefusedException {
    identity(NAME, "snapt_id", report.getSnaptId());
    identity(NAME, "session_id", report.getSessionId());
    identity(NAME, "account", report.getAccount());
    identity(TEXT, "token_id", report.getTokenId());
    if (!report.getIcid().isEmpty()) {
      identity(TEXT, "icid", report.getIcid());
    }
    if (!signed.getKeyId().isEmpty()) {
      identity(TEXT, "key_id", signed.getKeyId());
    }
    if (signed.getSignature().size() > 256) {
      throw new RefusedException(ReportRefusal.MALFORMED, "a signature has at most 256 bytes");
    }
    IntervalKey key =
        new IntervalKey(
            report.getSnaptId(),
            report.getSessionId(),
            count("epoch", report.getEpoch()),
            report.getSequence());
    Duration length = length(report);
    List<MeasuredInterval.Flow> flows = flows(report);
    Optional<Finding> implausible =
        ReportPlausibility.check(report, lineRateOf.applyAsLong(report.getSnaptId()));
    if (implausible.isPresent()) {
      throw refusal(implausible.get());
    }
    Instant reportedEnd = Instant.ofEpochMilli(report.getEndMs());
    MeasuredInterval.Clock clock = clock(reportedEnd, receivedAt);
    Instant end = clock == MeasuredInterval.Clock.AHEAD ? receivedAt : reportedEnd;
    byte[] content = signed.getReport().toByteArray();
    return new MeasuredInterval(
        key,
        report.getAccount(),
        report.getIcid(),
        report.getTokenId(),
        end.minus(length),
        end,
        receivedAt,
        clock,
        report.getLast(),
        report.getPreBytes(),
        report.getPostBytes(),
        count("overhead_bytes", report.getOverheadBytes()),
        flows,
        relays(signed, report),
        new MeasuredInterval.Original(
            content, signed.getSignature().toByteArray(), signed.getKeyId(), Sha256.of(content)),
        evidence(signed, report));
  }

  // A claim above the wire bytes of the report is cut when they are paid.
  private static List<MeasuredInterval.Relayed> relays(SignedUsageReport signed, UsageReport report)
      throws RefusedException {
    Optional<List<RelayedBytes>> named = RelaysOfReport.relaysOf(signed, report);
    if (named.isEmpty()) {
      throw new RefusedException(
          ReportRefusal.MALFORMED, "the list of relays is not the one that relays_digest names");
    }
    if (named.get().size() > RELAYS_MAX) {
      throw new RefusedException(
          ReportRefusal.MALFORMED, "a report has at most " + RELAYS_MAX + " relays");
    }
    Set<String> accounts = new HashSet<>();
    List<MeasuredInterval.Relayed> relays = new ArrayList<>(named.get().size());
    for (RelayedBytes relay : named.get()) {
      identity(NAME, "relays.account", relay.getAccount());
      long bytes = count("relays.bytes", relay.getBytes());
      if (bytes < 1 || bytes > RELAYED_BYTES_MAX || !accounts.add(relay.getAccount())) {
        throw new RefusedException(
            ReportRefusal.MALFORMED,
            "each relay is named once, with 1 to %d bytes".formatted(RELAYED_BYTES_MAX));
      }
      relays.add(new MeasuredInterval.Relayed(relay.getAccount(), bytes));
    }
    return relays;
  }

  private Evidence evidence(SignedUsageReport signed, UsageReport report) throws RefusedException {
    return new Evidence(
        strength(ReportProof.of(signed, report, tokenKeys, rules.audience())),
        signed.toByteArray(),
        signed.hasToken() ? signed.getToken().toByteArray() : null,
        signed.hasToken() ? device(signed.getToken()) : null,
        signed.hasToken() && signed.hasReceipt() ? signed.getReceipt().toByteArray() : null,
        refusal(signed, report));
  }

  // The proof was checked before, so the token can be read; one with an unknown key says what it
  // says.
  private static @Nullable String device(SignedSessionToken token) {
    try {
      byte[] key = SessionToken.parseFrom(token.getToken()).getDeviceKey().toByteArray();
      return key.length == DEVICE_KEY_BYTES
          ? Base64.getUrlEncoder().withoutPadding().encodeToString(key)
          : null;
    } catch (InvalidProtocolBufferException e) {
      return null;
    }
  }

  private static Evidence.Strength strength(ReportProof proof) throws RefusedException {
    return switch (proof) {
      case ReportProof.Signed _ -> Evidence.Strength.SIGNED;
      case ReportProof.ReceiptOwed _ -> Evidence.Strength.RECEIPT_OWED;
      case ReportProof.NoToken _ -> Evidence.Strength.NO_TOKEN;
      case ReportProof.Broken(Finding finding)
          when finding.flaw() == ReportFlaw.TOKEN_KEY_UNKNOWN ->
          Evidence.Strength.TOKEN_KEY_UNKNOWN;
      case ReportProof.Broken(Finding finding) -> throw refusal(finding);
    };
  }

  private static RefusedException refusal(Finding finding) {
    return new RefusedException(ReportRefusal.valueOf(finding.flaw().name()), finding.detail());
  }

  // A refusal that belongs to another report is ignored.
  private static Evidence.@Nullable Refusal refusal(SignedUsageReport signed, UsageReport report) {
    ReceiptRefusal refusal = signed.getReceiptRefusal();
    return signed.hasReceiptRefusal()
            && refusal.getSessionId().equals(report.getSessionId())
            && refusal.getEpoch() == report.getEpoch()
            && refusal.getSequence() == report.getSequence()
        ? new Evidence.Refusal(
            refusal.getReason().name(), refusal.getUpBytes(), refusal.getDownBytes())
        : null;
  }

  private static Duration length(UsageReport report) throws RefusedException {
    long ms = report.getEndMs() - report.getStartMs();
    if (report.getStartMs() <= 0 || report.getEndMs() > COUNT_MAX || ms < 0) {
      throw new RefusedException(
          ReportRefusal.BAD_DURATION,
          "start_ms and end_ms must be Unix milliseconds in order, got %d and %d"
              .formatted(report.getStartMs(), report.getEndMs()));
    }
    if (ms > INTERVAL_MAX.toMillis()) {
      throw new RefusedException(
          ReportRefusal.BAD_DURATION,
          "an interval lasts at most %d ms, got %d".formatted(INTERVAL_MAX.toMillis(), ms));
    }
    return Duration.ofMillis(ms);
  }

  // A report may be old because it waited in a spool. A report from the future always means a wrong
  // clock.
  private static MeasuredInterval.Clock clock(Instant end, Instant received) {
    if (end.isAfter(received.plus(SKEW_TOLERATED))) {
      return MeasuredInterval.Clock.AHEAD;
    }
    return end.isBefore(received.minus(SKEW_TOLERATED))
        ? MeasuredInterval.Clock.BEHIND
        : MeasuredInterval.Clock.GOOD;
  }

  private static List<MeasuredInterval.Flow> flows(UsageReport report) throws RefusedException {
    if (report.getFlowsCount() > FLOWS_MAX) {
      throw new RefusedException(
          ReportRefusal.MALFORMED, "a report has at most " + FLOWS_MAX + " flows");
    }
    long pre = 0;
    long post = 0;
    Set<Integer> ids = new HashSet<>();
    List<MeasuredInterval.Flow> flows = new ArrayList<>(report.getFlowsCount());
    for (FlowUsage usage : report.getFlowsList()) {
      if (!ids.add(usage.getFlow())) {
        throw new RefusedException(
            ReportRefusal.DUPLICATE_FLOW,
            "flow %d is in the report twice".formatted(Integer.toUnsignedLong(usage.getFlow())));
      }
      MeasuredInterval.Flow flow = flow(usage);
      pre += flow.measure().preBytes();
      post += flow.measure().postBytes();
      flows.add(flow);
    }
    if (pre != report.getPreBytes() || post != report.getPostBytes()) {
      throw new RefusedException(
          ReportRefusal.SUM_MISMATCH,
          "flows sum to %d bytes before and %d after, the report says %s and %s"
              .formatted(
                  pre,
                  post,
                  Long.toUnsignedString(report.getPreBytes()),
                  Long.toUnsignedString(report.getPostBytes())));
    }
    flows.sort(Comparator.comparingLong(MeasuredInterval.Flow::id));
    return flows;
  }

  private static MeasuredInterval.Flow flow(FlowUsage usage) throws RefusedException {
    String place = "flow " + Integer.toUnsignedLong(usage.getFlow());
    ServiceClass serviceClass = serviceClass(usage.getServiceClass());
    if (serviceClass == null) {
      throw new RefusedException(
          ReportRefusal.UNKNOWN_CLASS,
          place + " has the unknown class " + usage.getServiceClassValue());
    }
    if (!Double.isFinite(usage.getDelayMs()) || !Double.isFinite(usage.getJitterMs())) {
      throw new RefusedException(
          ReportRefusal.NOT_FINITE,
          place
              + " must have finite delay_ms and jitter_ms, got %s and %s"
                  .formatted(usage.getDelayMs(), usage.getJitterMs()));
    }
    if (!Double.isFinite(usage.getDelayErrorMs()) || usage.getDelayErrorMs() < 0) {
      throw new RefusedException(
          ReportRefusal.NOT_FINITE,
          place
              + " must have a finite delay_error_ms of at least 0, got "
              + usage.getDelayErrorMs());
    }
    if (usage.getDurationMs() < 1 || usage.getDurationMs() > INTERVAL_MAX.toMillis()) {
      throw new RefusedException(
          ReportRefusal.BAD_DURATION,
          place
              + " must last 1 to %d ms, got %d"
                  .formatted(INTERVAL_MAX.toMillis(), usage.getDurationMs()));
    }
    identity(APPLICATION, place + " application", usage.getApplication());
    if (!usage.getRemoteAddress().isEmpty()) {
      identity(ADDRESS, place + " remote_address", usage.getRemoteAddress());
    }
    if (!usage.getLink().isEmpty()) {
      identity(LINK, place + " link", usage.getLink());
    }
    range(place + " protocol", usage.getProtocol(), 255);
    range(place + " remote_port", usage.getRemotePort(), 65535);
    DirectionUsage up = usage.getUp();
    DirectionUsage down = usage.getDown();
    FlowMeasure measure =
        new FlowMeasure(
            serviceClass,
            usage.getApplication(),
            count(place + " pre_bytes", up.getPreBytes())
                + count(place + " pre_bytes", down.getPreBytes()),
            count(place + " post_bytes", up.getPostBytes())
                + count(place + " post_bytes", down.getPostBytes()),
            loss(place, up, down),
            usage.getDurationMs(),
            usage.getDelayMs(),
            usage.hasDelayErrorMs() ? usage.getDelayErrorMs() : null,
            delaySource(usage),
            demand(place, usage));
    return new MeasuredInterval.Flow(
        Integer.toUnsignedLong(usage.getFlow()),
        usage.getProtocol(),
        usage.getRemoteAddress(),
        usage.getRemotePort(),
        usage.getLink().isEmpty() ? null : usage.getLink(),
        usage.getJitterMs(),
        measure);
  }

  private static Demand demand(String place, FlowUsage usage) throws RefusedException {
    fraction(place + " busy", usage.getBusy(), 1.0);
    fraction(place + " spare_kbit_per_second", usage.getSpareKbitPerSecond(), SPARE_MAX);
    return new Demand(
        usage.hasBusy() ? usage.getBusy() : null,
        usage.hasSpareKbitPerSecond() ? usage.getSpareKbitPerSecond() : null,
        usage.getUp().getPreBytes() > usage.getDown().getPreBytes()
            ? Demand.End.DEVICE
            : Demand.End.SNAPT);
  }

  private static double loss(String place, DirectionUsage up, DirectionUsage down)
      throws RefusedException {
    long received =
        count(place + " packets", up.getPackets()) + count(place + " packets", down.getPackets());
    long lost =
        count(place + " lost_packets", up.getLostPackets())
            + count(place + " lost_packets", down.getLostPackets());
    return lost == 0 ? 0.0 : Math.min(FlowMeasure.LOSS_MAX, (double) lost / (lost + received));
  }

  private static @Nullable ServiceClass serviceClass(io.viaduct.usage.v1.ServiceClass reported) {
    return switch (reported) {
      case LT_LD -> ServiceClass.LT_LD;
      case HT_LD -> ServiceClass.HT_LD;
      case LT_HD -> ServiceClass.LT_HD;
      case HT_HD -> ServiceClass.HT_HD;
      case SERVICE_CLASS_UNSPECIFIED, UNRECOGNIZED -> null;
    };
  }

  private static DelaySource delaySource(FlowUsage usage) {
    return switch (usage.getDelaySource()) {
      case MEASURED -> DelaySource.MEASURED;
      case LAST_GOOD -> DelaySource.LAST_GOOD;
      case HALF_CONTROL_RTT -> DelaySource.HALF_CONTROL_RTT;
      case MISSING, DELAY_SOURCE_UNSPECIFIED, UNRECOGNIZED -> DelaySource.REFERENCE;
    };
  }

  private static void identity(Pattern pattern, String field, String value)
      throws RefusedException {
    if (!pattern.matcher(value).matches()) {
      throw new RefusedException(
          ReportRefusal.BAD_IDENTITY,
          "%s must match %s, has %d characters".formatted(field, pattern, value.length()));
    }
  }

  private static long count(String field, long value) throws RefusedException {
    if (value < 0 || value > COUNT_MAX) {
      throw new RefusedException(
          ReportRefusal.BAD_NUMBER,
          "%s must be at most %d, got %s"
              .formatted(field, COUNT_MAX, Long.toUnsignedString(value)));
    }
    return value;
  }

  private static void fraction(String field, double value, double most) throws RefusedException {
    if (!(value >= 0.0 && value <= most)) {
      throw new RefusedException(
          Double.isFinite(value) ? ReportRefusal.BAD_NUMBER : ReportRefusal.NOT_FINITE,
          "%s must be 0 to %s, got %s".formatted(field, most, value));
    }
  }

  private static void range(String field, int value, int most) throws RefusedException {
    if (value < 0 || value > most) {
      throw new RefusedException(
          ReportRefusal.BAD_NUMBER,
          "%s must be 0 to %d, got %s".formatted(field, most, Integer.toUnsignedString(value)));
    }
  }
}
