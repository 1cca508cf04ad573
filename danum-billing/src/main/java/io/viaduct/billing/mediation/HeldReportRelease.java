package io.viaduct.billing.mediation;

import com.google.protobuf.InvalidProtocolBufferException;
import io.viaduct.billing.settlement.ChargeListener;
import io.viaduct.billing.settlement.Evidence;
import io.viaduct.billing.settlement.HeldReports;
import io.viaduct.billing.settlement.MeasuredInterval;
import io.viaduct.billing.settlement.PostResult;
import io.viaduct.billing.settlement.ReportPosting;
import io.viaduct.usage.v1.SignedUsageReport;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Posts a held report that an operator releases, in the same way as any other report. The release
/// replaces a missing token or receipt, and the bounds do not apply. All other rules are checked
/// again.
public final class HeldReportRelease {
  private final HeldReports held;
  private final SeenTokenKeys keys;
  private final ProofRules rules;
  private final ReportPosting posting;
  private final ChargeListener listener;

  public HeldReportRelease(
      HeldReports held,
      SeenTokenKeys keys,
      ProofRules rules,
      ReportPosting posting,
      ChargeListener listener) {
    this.held = held;
    this.keys = keys;
    this.rules = rules;
    this.posting = posting;
    this.listener = listener;
  }

  /// Posts the report.
  ///
  /// @return the result, or empty if no held report has this id
  public Optional<PostResult> release(long id, Evidence.Decision decision, Instant now) {
    return held.find(id)
        .filter(report -> report.state() == HeldReports.State.HELD)
        .map(report -> release(report, decision, now));
  }

  private PostResult release(
      HeldReports.HeldReport report, Evidence.Decision decision, Instant now) {
    ReportValidation.Result validated =
        new ReportValidation(rules, keys.with(List.of(), now))
            .validate(parse(held.envelope(report.id())), report.receivedAt());
    return switch (validated) {
      case ReportValidation.Result.Refused(var _, var why, String detail) ->
          new PostResult.Refused(why, detail);
      case ReportValidation.Result.Valid(MeasuredInterval interval) -> {
        PostResult result = posting.post(List.of(interval.released(decision)), now).getFirst();
        switch (result) {
          case PostResult.Posted(String account, var charges, var _, var _, var _) ->
              listener.changed(account, charges);
          case PostResult.Signed(String account, var charges) -> listener.changed(account, charges);
          case PostResult.AlreadyPosted _, PostResult.Held _ -> {}
          case PostResult.Refused _, PostResult.Deferred _ -> {}
        }
        yield result;
      }
    };
  }

  private static SignedUsageReport parse(byte[] envelope) {
    try {
      return SignedUsageReport.parseFrom(envelope);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a stored envelope cannot be parsed", e);
    }
  }
}
