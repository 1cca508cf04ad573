package io.viaduct.billing.mediation;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.settlement.ChargeListener;
import io.viaduct.billing.settlement.HoldReason;
import io.viaduct.billing.settlement.MeasuredInterval;
import io.viaduct.billing.settlement.PostResult;
import io.viaduct.billing.settlement.ReportPosting;
import io.viaduct.billing.settlement.ReportRefusal;
import io.viaduct.service.digest.Sha256;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SubmitRequest;
import io.viaduct.usage.v1.SubmitResponse;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.NonTransientDataAccessException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.transaction.TransactionException;

/// Receives usage reports: validates, posts, stores refused ones, acknowledges. A request is
/// answered after its commit. If the database is not available, every report of the request is
/// DEFERRED, and its sender keeps it.
public final class MediationService extends MediationGrpc.MediationImplBase {
  /// Most reports of one request, as the protocol states.
  static final int REPORTS_MAX = 256;

  /// Attempts to post a batch that met a deadlock or a lost connection. After the last one the
  /// sender must come back later.
  private static final int ATTEMPTS = 3;

  /// Largest difference between the bridge's clock and our own at which the bridge's time is used.
  private static final Duration BRIDGE_CLOCK_TOLERATED = Duration.ofMinutes(5);

  private static final Logger LOG = LoggerFactory.getLogger(MediationService.class);

  private final ReportPosting posting;
  private final SeenTokenKeys keys;
  private final ProofRules rules;
  private final RefusedReports refusedReports;
  private final ChargeListener listener;
  private final InstantSource clock;
  private final MediationMeters meters;

  public MediationService(
      ReportPosting posting,
      SeenTokenKeys keys,
      ProofRules rules,
      RefusedReports refusedReports,
      ChargeListener listener,
      InstantSource clock,
      MeterRegistry registry) {
    this.posting = posting;
    this.keys = keys;
    this.rules = rules;
    this.refusedReports = refusedReports;
    this.listener = listener;
    this.clock = clock;
    this.meters = new MediationMeters(registry);
  }

  @Override
  public void submit(SubmitRequest request, StreamObserver<SubmitResponse> answer) {
    if (request.getReportsCount() > REPORTS_MAX) {
      answer.onError(
          Status.INVALID_ARGUMENT
              .withDescription(
                  "a request has at most %d reports, got %d"
                      .formatted(REPORTS_MAX, request.getReportsCount()))
              .asRuntimeException());
      return;
    }
    answer.onNext(submit(request));
    answer.onCompleted();
  }

  /// Returns one verdict for each report, in order.
  SubmitResponse submit(SubmitRequest request) {
    Instant now = clock.instant();
    Instant receivedAt = receivedAt(request, now);
    ReportValidation validation =
        new ReportValidation(rules, keys.with(request.getTokenKeysList(), now));
    List<ReportValidation.Result> validated =
        request.getReportsList().stream()
            .map(signed -> validation.validate(signed, receivedAt))
            .toList();
    List<MeasuredInterval> valid = new ArrayList<>();
    for (ReportValidation.Result result : validated) {
      if (result instanceof ReportValidation.Result.Valid(MeasuredInterval interval)) {
        valid.add(interval);
      }
    }
    List<@Nullable PostResult> posted;
    List<ReportAck> acks;
    try {
      posted = meters.posting().record(() -> post(valid, now));
      acks = acknowledge(request, validated, valid, posted, receivedAt);
    } catch (DataAccessException | TransactionException e) {
      LOG.warn("{} reports deferred, database: {}", request.getReportsCount(), rootMessage(e));
      acks = deferAll(validated);
      posted = List.of();
    }
    acks.forEach(ack -> meters.verdict(ack.getVerdict()));
    publish(valid, posted, now);
    return SubmitResponse.newBuilder().addAllAcks(acks).build();
  }

  private static Instant receivedAt(SubmitRequest request, Instant now) {
    Instant claimed = Instant.ofEpochMilli(Math.clamp(request.getReceivedMs(), 0, 1L << 50));
    // The database stores microseconds. A finer time would compare differently before and after
    // storing.
    return Duration.between(claimed, now).abs().compareTo(BRIDGE_CLOCK_TOLERATED) <= 0
        ? claimed
        : now.truncatedTo(ChronoUnit.MILLIS);
  }

  // A report that the database refuses must not hold up the others of its batch: halves are posted
  // in their order until it is alone.
  private List<@Nullable PostResult> post(List<MeasuredInterval> valid, Instant now) {
    try {
      return List.copyOf(postWhole(valid, now));
    } catch (NonTransientDataAccessException | ArithmeticException e) {
      if (e instanceof NonTransientDataAccessResourceException) {
        throw e;
      }
      if (valid.size() == 1) {
        LOG.error("report {} cannot be posted and is deferred", valid.getFirst().key().text(), e);
        return Collections.singletonList(null);
      }
    }
    int half = valid.size() / 2;
    List<@Nullable PostResult> results = new ArrayList<>(post(valid.subList(0, half), now));
    results.addAll(post(valid.subList(half, valid.size()), now));
    return results;
  }

  private List<PostResult> postWhole(List<MeasuredInterval> valid, Instant now) {
    for (int attempt = 1; ; attempt++) {
      try {
        return posting.post(valid, now);
      } catch (TransientDataAccessException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private List<ReportAck> acknowledge(
      SubmitRequest request,
      List<ReportValidation.Result> validated,
      List<MeasuredInterval> valid,
      List<@Nullable PostResult> posted,
      Instant receivedAt) {
    List<ReportAck> acks = new ArrayList<>();
    List<RefusedReports.Entry> refused = new ArrayList<>();
    int next = 0;
    for (int i = 0; i < validated.size(); i++) {
      switch (validated.get(i)) {
        case ReportValidation.Result.Valid(MeasuredInterval interval) -> {
          PostResult result = posted.get(next++);
          acks.add(ack(interval, result));
          if (result instanceof PostResult.Refused(ReportRefusal why, String detail)) {
            refused.add(entry(interval, why, detail));
          }
        }
        case ReportValidation.Result.Refused(UsageReport report, var why, String detail) -> {
          acks.add(ack(report, why, detail));
          refused.add(entry(report, request.getReports(i), why, detail, receivedAt));
        }
      }
    }
    refusedReports.keep(refused);
    refused.forEach(entry -> meters.refused(entry.why()));
    return acks;
  }

  private static ReportAck ack(MeasuredInterval interval, @Nullable PostResult result) {
    ReportAck.Builder ack =
        ReportAck.newBuilder()
            .setSnaptId(interval.key().snapt())
            .setSessionId(interval.key().session())
            .setEpoch(interval.key().epoch())
            .setSequence(interval.key().sequence());
    return switch (result) {
      case null ->
          ack.setVerdict(ReportVerdict.DEFERRED).setReason("billing cannot post it now").build();
      case PostResult.Posted(var _, var _, var _, boolean isSigned) ->
          ack.setVerdict(isSigned ? ReportVerdict.POSTED : ReportVerdict.PROVISIONAL).build();
      case PostResult.Signed _ -> ack.setVerdict(ReportVerdict.POSTED).build();
      case PostResult.AlreadyPosted(boolean isReceiptOwed) ->
          ack.setVerdict(isReceiptOwed ? ReportVerdict.PROVISIONAL : ReportVerdict.ALREADY_POSTED)
              .build();
      case PostResult.Held(HoldReason why, String detail, boolean isReceiptOwed) ->
          ack.setVerdict(isReceiptOwed ? ReportVerdict.PROVISIONAL : ReportVerdict.HELD)
              .setReason(why + ": " + detail)
              .build();
      case PostResult.Deferred(String detail) ->
          ack.setVerdict(ReportVerdict.DEFERRED).setReason(detail).build();
      case PostResult.Refused(ReportRefusal why, String detail) ->
          ack.setVerdict(
                  why == ReportRefusal.CONFLICT ? ReportVerdict.CONFLICT : ReportVerdict.REJECTED)
              .setReason(why + ": " + detail)
              .build();
    };
  }

  private static ReportAck ack(UsageReport report, ReportRefusal why, String detail) {
    return ReportAck.newBuilder()
        .setSnaptId(report.getSnaptId())
        .setSessionId(report.getSessionId())
        .setEpoch(report.getEpoch())
        .setSequence(report.getSequence())
        .setVerdict(ReportVerdict.REJECTED)
        .setReason(why + ": " + detail)
        .build();
  }

  private static List<ReportAck> deferAll(List<ReportValidation.Result> validated) {
    List<ReportAck> acks = new ArrayList<>();
    for (ReportValidation.Result result : validated) {
      ReportAck.Builder ack = ReportAck.newBuilder();
      switch (result) {
        case ReportValidation.Result.Valid(MeasuredInterval interval) ->
            ack.setSnaptId(interval.key().snapt())
                .setSessionId(interval.key().session())
                .setEpoch(interval.key().epoch())
                .setSequence(interval.key().sequence());
        case ReportValidation.Result.Refused(UsageReport report, var _, var _) ->
            ack.setSnaptId(report.getSnaptId())
                .setSessionId(report.getSessionId())
                .setEpoch(report.getEpoch())
                .setSequence(report.getSequence());
      }
      acks.add(
          ack.setVerdict(ReportVerdict.DEFERRED)
              .setReason("the database is away: keep the report and send it again")
              .build());
    }
    return acks;
  }

  private static RefusedReports.Entry entry(
      MeasuredInterval interval, ReportRefusal why, String detail) {
    return new RefusedReports.Entry(
        interval.receivedAt(),
        why,
        detail,
        interval.key().snapt(),
        interval.key().session(),
        interval.key().epoch(),
        interval.key().sequence(),
        interval.account(),
        interval.original().digest(),
        interval.original().content());
  }

  private static RefusedReports.Entry entry(
      UsageReport report,
      SignedUsageReport signed,
      ReportRefusal why,
      String detail,
      Instant receivedAt) {
    byte[] content = signed.getReport().toByteArray();
    return new RefusedReports.Entry(
        receivedAt,
        why,
        detail,
        report.getSnaptId(),
        report.getSessionId(),
        report.getEpoch(),
        report.getSequence(),
        report.getAccount(),
        Sha256.of(content),
        content);
  }

  private void publish(
      List<MeasuredInterval> valid, List<@Nullable PostResult> posted, Instant now) {
    Map<String, List<Long>> changed = new TreeMap<>();
    for (int i = 0; i < posted.size(); i++) {
      switch (posted.get(i)) {
        case PostResult.Posted(String account, var ids, int skewed, var _) -> {
          meters.posted(valid.get(i), skewed, Duration.between(valid.get(i).endedAt(), now));
          changed.computeIfAbsent(account, _ -> new ArrayList<>()).addAll(ids);
        }
        case PostResult.Signed(String account, var ids) ->
            changed.computeIfAbsent(account, _ -> new ArrayList<>()).addAll(ids);
        case PostResult.Held(HoldReason why, var _, var _) -> meters.held(why);
        case null, default -> {}
      }
    }
    changed.forEach(listener::changed);
  }

  private static String rootMessage(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.toString();
  }
}
