package io.viaduct.billing.settlement;

import io.viaduct.billing.tariff.ServiceClass;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Measurements of an account in a class of service through a SNAPT of late. Charges of other
/// classes tell little: bulk waits in queues that a call does not see.
///
/// @param owner owner of the SNAPT, as of the latest charge
/// @param delayMs mean one-way delay by bytes, milliseconds
/// @param loss mean share of lost packets by bytes, 0..1
public record SnaptExperience(String owner, double delayMs, double loss) {
  /// So many of the latest charges are looked at: some minutes of a busy device.
  private static final int CHARGES = 50;

  /// Returns it; empty if no charge of the account in this class through this SNAPT has a measured
  /// delay.
  public static Optional<SnaptExperience> of(
      JdbcClient jdbc, String account, String snapt, ServiceClass serviceClass) {
    record Means(@Nullable String owner, double delayMs, double loss) {}
    Means means =
        jdbc.sql(
                """
                select (array_agg(owner order by started_at desc))[1], sum(delay_ms * bytes) / sum(bytes),
                  sum(loss * bytes) / sum(bytes) from (
                  select i.owner, c.started_at, c.delay_ms, c.loss, greatest(c.pre_bytes, 1) as bytes
                  from charging_interval i join charge c on c.interval_id = i.id
                  where i.account = ? and i.snapt_id = ? and c.service_class = ? and i.state <> 'VOID' and c.delay_source = 'MEASURED'
                  order by i.started_at desc, c.id desc limit ?) latest
                """)
            .param(account)
            .param(snapt)
            .param(serviceClass.name())
            .param(CHARGES)
            .query((row, _) -> new Means(row.getString(1), row.getDouble(2), row.getDouble(3)))
            .single();
    return means.owner() == null
        ? Optional.empty()
        : Optional.of(new SnaptExperience(means.owner(), means.delayMs(), means.loss()));
  }
}
