package io.viaduct.billing.mediation;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.settlement.ChargeListener;
import io.viaduct.billing.settlement.HoldReason;
import io.viaduct.billing.settlement.MeasuredInterval;
import io.viaduct.billing.settlement.PostResult;
import io.viaduct.billing.settlement.ReportPosting;
import io.viaduct.billing.settlement.ReportRefusal;
import io.viaduct.service.digest.Sha256;
import io.viaduct.usage.TokenKeys;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.TokenKey;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.NonTransientDataAccessException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.dao.TransientDataAccessException;

/// Takes usage reports: validates, posts, stores refused ones, and tells the pages. Every way of
/// reports to billing ends here.
public final class ReportIntake {
  /// Attempts to post a batch that met a deadlock or a lost connection. After the last one the
  /// sender must come back later.
  private static final int ATTEMPTS = 3;

  private static final Logger LOG = LoggerFactory.getLogger(ReportIntake.class);

  private final ReportPosting posting;
  private final SeenTokenKeys keys;
  private final ProofRules rules;
  private final RefusedReports refusedReports;
  private final ChargeListener listener;
  private final InstantSource clock;
  private final MediationMeters meters;

  public ReportIntake(
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

  /// A report as it arrived.
  ///
  /// @param receivedAt the bridge's time, in milliseconds: the database stores microseconds, and a
  ///   finer time would compare differently before and after storing
  public record Arrived(SignedUsageReport signed, Instant receivedAt) {}

  /// Takes reports. Everything is committed when this method returns.
  ///
  /// @param keys the keys that the bridges announced with them, by bridge
  /// @return one verdict for each report, in order
  /// @throws org.springframework.dao.DataAccessException if the database is not available; then
  ///   nothing was posted, or the same reports are known as posted the next time
  /// @throws org.springframework.transaction.TransactionException likewise
  public List<ReportAck> take(List<Arrived> reports, Collection<List<TokenKey>> keys) {
    Instant now = clock.instant();
    TokenKeys known = this.keys.with(List.of(), now);
    for (List<TokenKey> announced : keys) {
      known = this.keys.with(announced, now);
    }
    ReportValidation validation = new ReportValidation(rules, known);
    List<ReportValidation.Result> validated =
        reports.stream()
            .map(each -> validation.validate(each.signed(), each.receivedAt()))
            .toList();
    List<MeasuredInterval> valid = new ArrayList<>();
    for (ReportValidation.Result result : validated) {
      if (result instanceof ReportValidation.Result.Valid(MeasuredInterval interval)) {
        valid.add(interval);
      }
    }
    List<@Nullable PostResult> posted = meters.posting().record(() -> post(valid, now));
    List<ReportAck> acks = acknowledge(reports, validated, valid, posted);
    acks.forEach(ack -> meters.verdict(ack.getVerdict()));
    publish(valid, posted, now);
    return acks;
  }

  /// Counts reports that are deferred because the database is not available.
  void deferred(int reports) {
    for (int i = 0; i < reports; i++) {
      meters.verdict(ReportVerdict.DEFERRED);
    }
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
      List<Arrived> reports,
      List<ReportValidation.Result> validated,
      List<MeasuredInterval> valid,
      List<@Nullable PostResult> posted) {
    List<ReportAck> acks = new ArrayList<>();
    List<RefusedReports.Entry> refused = new ArrayList<>();
    int next = 0;
    for (int i = 0; i < validated.size(); i++) {
      switch (validated.get(i)) {
        case ReportValidation.Result.Valid(MeasuredInterval interval) -> {
          PostResult result = posted.get(next++);
          acks.add(ack(interval, result));
          if (result instanceof PostResult.Refused(ReportRefusal why, String detail)) {
            meters.refused(why);
            if (why != ReportRefusal.ACCOUNT_ERASED) {
              refused.add(entry(interval, why, detail));
            }
          }
        }
        case ReportValidation.Result.Refused(UsageReport report, var why, String detail) -> {
          acks.add(ack(report, why, detail));
          meters.refused(why);
          refused.add(entry(report, reports.get(i), why, detail));
        }
      }
    }
    refusedReports.keep(refused);
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
      case PostResult.Posted(var _, var _, var _, boolean isSigned, var _) ->
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
      UsageReport report, Arrived arrived, ReportRefusal why, String detail) {
    byte[] content = arrived.signed().getReport().toByteArray();
    return new RefusedReports.Entry(
        arrived.receivedAt(),
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
        case PostResult.Posted(String account, var ids, int skewed, var _, var beyondQuota) -> {
          meters.beyondQuota(beyondQuota);
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
}
