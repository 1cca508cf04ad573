package io.viaduct.billing.rest;

import io.viaduct.billing.SharedDatabase;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;

/// Charges that lie in the database, made at random, with a copy of each in memory: the slow oracle
/// for filters and sums. They have no report and no postings, so the ledger stays as it is.
public final class ChargesOnFile {
  static final List<String> CLASSES = List.of("LT_LD", "HT_LD", "LT_HD", "HT_HD");
  static final List<String> STATES = List.of("FINAL", "ADJUSTED", "PROVISIONAL");
  static final List<String> APPLICATIONS = List.of("ssh", "skype-video", "-dash", "web,\"x\"");
  static final List<String> SNAPTS = List.of("snapt-a", "snapt-b");

  public record OnFile(
      long id,
      Instant start,
      String serviceClass,
      String state,
      String application,
      String snapt,
      long pre,
      long post,
      long durationMs,
      long charge,
      long discount) {}

  private static final JdbcTemplate JDBC = SharedDatabase.jdbc();

  private ChargesOnFile() {}

  /// Adds intervals with up to three charges each, whose starts repeat and are not in the order of
  /// their ids.
  public static List<OnFile> add(String account, int intervals, Instant first, Random random) {
    List<OnFile> all = new ArrayList<>();
    for (int i = 0; i < intervals; i++) {
      Instant start = first.plus(Duration.ofMinutes(30L * random.nextInt(200)));
      String state = one(STATES, random);
      String snapt = one(SNAPTS, random);
      long interval = interval(account, start, state, snapt);
      for (int flow = 0; flow <= random.nextInt(3); flow++) {
        long pre = random.nextLong(1L << 40);
        long charge = random.nextLong(1L << 45);
        OnFile one =
            new OnFile(
                next("charge_id"),
                start,
                one(CLASSES, random),
                state,
                one(APPLICATIONS, random),
                snapt,
                pre,
                random.nextLong(pre + 1),
                random.nextLong(60_000),
                charge,
                random.nextLong(charge / 10 * 3 + 1)); // within the cap of the tariff
        insert(account, interval, flow, one);
        all.add(one);
      }
    }
    return all;
  }

  private static String one(List<String> of, Random random) {
    return of.get(random.nextInt(of.size()));
  }

  private static long next(String sequence) {
    return JDBC.queryForObject("select nextval('" + sequence + "')", Long.class);
  }

  private static long interval(String account, Instant start, String state, String snapt) {
    long id = next("charging_interval_id");
    JDBC.update(
        "insert into charging_interval (id, snapt_id, session_id, epoch, sequence, account, owner, icid,"
            + " token_id, started_at, ended_at, received_at, grace_ends_at, clock, tariff_version, state)"
            + " values (?, ?, ?, 1, 0, ?, 'acme', '', '', ?, ?, ?, ?, 'GOOD', 1, ?)",
        id,
        snapt,
        UUID.randomUUID().toString(),
        account,
        Timestamp.from(start),
        Timestamp.from(start.plusSeconds(60)),
        Timestamp.from(start.plusSeconds(61)),
        Timestamp.from(start.plusSeconds(660)),
        state);
    return id;
  }

  private static void insert(String account, long interval, int flow, OnFile c) {
    JDBC.update(
        "insert into charge (id, interval_id, flow, account, started_at, application, service_class,"
            + " protocol, pre_bytes, post_bytes, saved_bytes, duration_ms,"
            + " throughput, delay_ms, delay_source, loss, utility_per_second, price_per_unit, units,"
            + " charge_microdenarii, discount_microdenarii)"
            + " values (?, ?, ?, ?, ?, ?, ?, 17, ?, ?, ?, ?, 1, 1, 'MEASURED', 0, 1, 1, 1,"
            + " ?, ?)",
        c.id(),
        interval,
        flow,
        account,
        Timestamp.from(c.start()),
        c.application(),
        c.serviceClass(),
        c.pre(),
        c.post(),
        c.pre() - c.post(),
        c.durationMs(),
        c.charge(),
        c.discount());
  }

  /// Removes the charges and intervals of an account, because other tests verify the whole ledger
  /// again and again. The database refuses a deletion, so this transaction lifts the triggers and
  /// grants itself what a deletion needs, as only the owner of the tables can: to delete, and to
  /// lock the rows of the tables that refer to a charge.
  public static void remove(String account) {
    SharedDatabase.asOwner(owner -> {
      List<String> locked = unlockableTables(owner);
      locked.forEach(table -> owner.execute("grant update on " + table + " to current_user"));
      for (String table : List.of("charge", "charging_interval")) {
        owner.execute("alter table " + table + " disable trigger user");
        owner.execute("grant delete on " + table + " to current_user");
        owner.update("delete from " + table + " where account = ?", account);
        owner.execute("revoke delete on " + table + " from current_user");
        owner.execute("alter table " + table + " enable trigger user");
      }
      locked.forEach(table -> owner.execute("revoke update on " + table + " from current_user"));
    });
  }

  private static List<String> unlockableTables(JdbcTemplate owner) {
    return owner.queryForList(
        "select distinct conrelid::regclass::text from pg_constraint where contype = 'f'"
            + " and confrelid in ('charge'::regclass, 'charging_interval'::regclass)"
            + " and not has_any_column_privilege(conrelid, 'update')",
        String.class);
  }

  /// Adds many charges at once, a minute apart, two to an interval; one in a thousand is of a
  /// class, an application, a state, a SNAPT and a link that are rare.
  static void addMany(String account, int charges, Instant first) {
    JDBC.update(
        "with new as (insert into charging_interval (id, snapt_id, session_id, epoch, sequence, account, owner,"
            + " icid, token_id, started_at, ended_at, received_at, grace_ends_at, clock, tariff_version, state)"
            + " select nextval('charging_interval_id'), case when n % 1000 = 0 then 'snapt-rare' else 'snapt-a' end,"
            + " ? || n, 1, 0, ?, 'acme', '', '', ?::timestamptz + n * interval '1 minute',"
            + " ?::timestamptz + (n + 1) * interval '1 minute', now(), now(), 'GOOD', 1,"
            + " case when n % 1000 = 0 then 'ADJUSTED' else 'FINAL' end from generate_series(1, ?) n"
            + " returning id, account, started_at, state)"
            + " insert into charge (id, interval_id, flow, account, started_at, application, service_class,"
            + " protocol, pre_bytes, post_bytes, saved_bytes, duration_ms, throughput,"
            + " delay_ms, delay_source, loss, utility_per_second, price_per_unit, units, charge_microdenarii,"
            + " discount_microdenarii, link)"
            + " select nextval('charge_id'), id, f, account, started_at,"
            + " case when state = 'ADJUSTED' then 'rare' else 'web' end,"
            + " case when state = 'ADJUSTED' then 'LT_LD' else 'HT_HD' end,"
            + " 6, 1000, 500, 500, 60000, 1, 1, 'MEASURED', 0, 1, 1, 1, 1000, 100,"
            + " case when state = 'ADJUSTED' then 'rmnet0' else 'wlan0' end"
            + " from new, generate_series(1, 2) f",
        UUID.randomUUID() + "-",
        account,
        Timestamp.from(first),
        Timestamp.from(first),
        charges / 2);
    SharedDatabase.asOwner(owner -> owner.execute("analyze charge, charging_interval"));
  }
}
