package io.viaduct.billing.rest;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.ChargeReason;
import io.viaduct.billing.rating.DelaySource;
import io.viaduct.billing.settlement.IntervalState;
import java.sql.ResultSet;
import java.sql.SQLException;
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
    double delayMs,
    @Nullable Double delayErrorMs,
    String delaySource,
    double loss,
    double utilityPerSecond,
    double pricePerUnit,
    double units,
    String chargeMicrodenarii,
    String discountMicrodenarii,
    String netMicrodenarii,
    String refundedMicrodenarii,
    int tariffVersion,
    String state,
    String reason) {

  /// Reads one row of the query of [Charges].
  static Charge of(ResultSet row) throws SQLException {
    long pre = row.getLong("pre_bytes");
    long saved = row.getLong("saved_bytes");
    MicroDenarii charge = new MicroDenarii(row.getLong("charge_microdenarii"));
    MicroDenarii discount = new MicroDenarii(row.getLong("discount_microdenarii"));
    ChargeReason.Facts facts =
        new ChargeReason.Facts(
            row.getString("service_class"),
            row.getString("application"),
            row.getDouble("throughput"),
            row.getDouble("delay_ms"),
            row.getObject("delay_error_ms", Double.class),
            DelaySource.valueOf(row.getString("delay_source")),
            row.getDouble("loss"),
            row.getDouble("price_per_unit"),
            row.getDouble("units"),
            charge,
            discount,
            pre,
            row.getLong("post_bytes"));
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
        facts.application(),
        facts.serviceClass(),
        row.getInt("protocol"),
        row.getString("remote_address"),
        row.getInt("remote_port"),
        Long.toString(pre),
        Long.toString(facts.postBytes()),
        Long.toString(saved),
        pre == 0 ? 0 : Math.rint(1000.0 * saved / pre) / 10.0,
        row.getLong("duration_ms"),
        facts.throughputKbitPerSecond(),
        facts.delayMs(),
        facts.delayErrorMs(),
        facts.delaySource().name(),
        facts.loss(),
        row.getDouble("utility_per_second"),
        facts.pricePerUnit(),
        facts.units(),
        charge.toString(),
        discount.toString(),
        charge.minus(discount).toString(),
        Long.toString(row.getLong("refunded_microdenarii")),
        row.getInt("tariff_version"),
        IntervalState.valueOf(row.getString("state")).word(),
        ChargeReason.of(facts));
  }
}
