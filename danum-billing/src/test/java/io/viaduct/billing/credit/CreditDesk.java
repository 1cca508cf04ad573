package io.viaduct.billing.credit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.snapts.Ownership;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.UsedUnits;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Credit control on the real database, without sockets, for sessions that reserve credit and then
/// carry nothing.
public final class CreditDesk {
  private static final Duration ADJUSTMENT = Duration.ofHours(24);
  // The defaults of billing's configuration.
  private static final GrantRules RULES =
      new GrantRules(
          Duration.ofSeconds(1),
          65_536,
          Duration.ofSeconds(5),
          Duration.ofMillis(500),
          Duration.ofSeconds(60));

  private final CreditControl control;
  private final JdbcTemplate jdbc;
  private final String snapt;

  /// @param snapt asks in the name of this SNAPT
  /// @param owner of every SNAPT
  public CreditDesk(
      TransactionTemplate transaction,
      JdbcTemplate jdbc,
      TariffBook tariffs,
      SurchargeBook surcharges,
      String snapt,
      String owner) {
    this.jdbc = jdbc;
    this.snapt = snapt;
    CreditStore store = new CreditStore(jdbc, MicroDenarii.ofDenarii(0));
    JdbcClient client = JdbcClient.create(jdbc);
    control =
        new CreditControl(
            transaction,
            store,
            tariffs,
            surcharges,
            new CreditControl.Owners(Set.of(owner), () -> Ownership.read(client, _ -> owner)),
            RULES,
            new CreditNotices(
                store, client, MicroDenarii.ofDenarii(5), MicroDenarii.ofDenarii(1), false),
            new CreditMeters(new SimpleMeterRegistry()),
            ADJUSTMENT);
  }

  /// Begins a session, which asks for its first quota.
  public CreditAnswer begin(String session, String account, Instant now) {
    return control.answer(request(session, account, 1, CreditRequestType.INITIAL), now);
  }

  /// Ends a session that has used nothing.
  public CreditAnswer end(String session, String account, Instant now) {
    return control.answer(request(session, account, 2, CreditRequestType.TERMINATION), now);
  }

  private CreditRequest request(
      String session, String account, long number, CreditRequestType type) {
    return CreditRequest.newBuilder()
        .setSnaptId(snapt)
        .setSessionId(session)
        .setAccount(account)
        .setNumber(number)
        .setType(type)
        .addUsed(
            UsedUnits.newBuilder()
                .setApplication("ssh")
                .setServiceClass(ServiceClass.LT_LD)
                .setFlows(1))
        .build();
  }

  /// Returns what is reserved for an account, in micro-denarii.
  public long reserved(String account) {
    return jdbc.queryForObject(
        "select coalesce(sum(reserved_microdenarii), 0)::bigint from credit_quota where account = ?",
        Long.class,
        account);
  }
}
