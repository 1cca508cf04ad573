package io.viaduct.billing.rest;

import io.viaduct.billing.credit.PassRule;
import io.viaduct.billing.ledger.BillColumns;
import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.rating.BrokenPromise;
import io.viaduct.billing.rating.ChargeLimit;
import io.viaduct.billing.settlement.IntervalState;
import io.viaduct.billing.tariff.DiscountRule;
import io.viaduct.billing.tariff.Promise;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A charge as the REST interface shows it: one flow in one interval. Money and byte counts are
/// strings, because JSON readers round large numbers.
record Charge(
    String id,
    String account,
    String snapt,
    String session,
    long epoch,
    long sequence,
    long flow,
    Instant start,
    Instant end,
    String application,
    String serviceClass,
    int protocol,
    String remoteAddress,
    int remotePort,
    String preBytes,
    String postBytes,
    String savedBytes,
    double savedPercent,
    long durationMs,
    double throughputKbitPerSecond,
    @Nullable Double offeredKbitPerSecond,
    @Nullable Double busy,
    @Nullable Double spareKbitPerSecond,
    double delayMs,
    @Nullable Double delayErrorMs,
    String delaySource,
    double loss,
    double utilityPerSecond,
    double pricePerUnit,
    double units,
    String chargeMicrodenarii,
    String discountMicrodenarii,
    String discountBase,
    String discountBeneficiary,
    String rewardMicrodenarii,
    String accessFeeMicrodenarii,
    String surchargeMicrodenarii,
    String promiseRefundMicrodenarii,
    String netMicrodenarii,
    String refundedMicrodenarii,
    @Nullable String brokenPromise,
    @Nullable Double promised,
    @Nullable Double measured,
    int tariffVersion,
    String state,
    String limitedBy,
    @Nullable String device,
    @Nullable String link,
    @Nullable String carriedByCall,
    String passedBy,
    String paidBy,
    int revision) {

  /// Reads one row of the query of [Charges].
  ///
  /// @param discount rule of the tariff that it was charged under
  static Charge of(ResultSet row, DiscountRule discount) throws SQLException {
    long pre = row.getLong("pre_bytes");
    long saved = row.getLong("saved_bytes");
    BillLines lines = BillColumns.read(row);
    BrokenPromise broken = broken(row);
    Double offered = row.getObject("offered", Double.class);
    long receivedMs = offered == null ? row.getLong("duration_ms") : intervalMs(row);
    double pricePerUnit = row.getDouble("price_per_unit");
    double units = row.getDouble("units");
    double utilityPerSecond = row.getDouble("utility_per_second");
    return new Charge(
        Long.toString(row.getLong("id")),
        row.getString("account"),
        row.getString("snapt_id"),
        row.getString("session_id"),
        row.getLong("epoch"),
        row.getLong("sequence"),
        row.getLong("flow"),
        row.getTimestamp("started_at").toInstant(),
        row.getTimestamp("ended_at").toInstant(),
        row.getString("application"),
        row.getString("service_class"),
        row.getInt("protocol"),
        row.getString("remote_address"),
        row.getInt("remote_port"),
        Long.toString(pre),
        Long.toString(row.getLong("post_bytes")),
        Long.toString(saved),
        pre == 0 ? 0 : Math.rint(1000.0 * saved / pre) / 10.0,
        row.getLong("duration_ms"),
        row.getDouble("throughput"),
        offered,
        row.getObject("busy", Double.class),
        row.getObject("spare", Double.class),
        row.getDouble("delay_ms"),
        row.getObject("delay_error_ms", Double.class),
        row.getString("delay_source"),
        row.getDouble("loss"),
        utilityPerSecond,
        pricePerUnit,
        units,
        lines.charge().toString(),
        lines.discount().toString(),
        discount.base().name(),
        discount.beneficiary().name(),
        lines.reward().toString(),
        lines.accessFee().toString(),
        lines.surcharge().toString(),
        lines.refund().toString(),
        lines.net().toString(),
        Long.toString(row.getLong("refunded_microdenarii")),
        broken == null ? null : broken.promise().name(),
        broken == null ? null : broken.promised(),
        broken == null ? null : broken.measured(),
        row.getInt("tariff_version"),
        IntervalState.valueOf(row.getString("state")).word(),
        ChargeLimit.of(
                pre,
                pricePerUnit * units,
                utilityPerSecond * (receivedMs / 1000.0),
                lines.charge(),
                row.getString("call_id") != null)
            .name(),
        row.getString("device"),
        row.getString("link"),
        row.getString("call_id"),
        PassRule.valueOf(row.getString("passed_by")).word(),
        row.getString("paid_by"),
        row.getInt("revision"));
  }

  private static long intervalMs(ResultSet row) throws SQLException {
    return Duration.between(
            row.getTimestamp("started_at").toInstant(), row.getTimestamp("ended_at").toInstant())
        .toMillis();
  }

  private static @Nullable BrokenPromise broken(ResultSet row) throws SQLException {
    String promise = row.getString("broken_promise");
    return promise == null
        ? null
        : new BrokenPromise(
            Promise.valueOf(promise), row.getDouble("promised"), row.getDouble("measured"));
  }
}
