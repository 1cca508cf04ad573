package io.viaduct.billing.credit;

import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Shows operators what is reserved, by whom and for what, and the notices that were given.
public final class HeldCredit {
  private static final String RESERVATIONS =
      """
      select q.account, q.snapt_id, q.session_id, q.application, q.service_class, q.used_bytes, q.allowed_bytes,
        q.covered_bytes, q.bytes_per_second, q.reserved_microdenarii, q.valid_until, q.cut, s.ended, s.heard_at
      from credit_quota q join credit_session s on (s.snapt_id, s.session_id) = (q.snapt_id, q.session_id)
      """;

  private final JdbcClient jdbc;

  HeldCredit(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// Share of one application of one session in the account's credit.
  ///
  /// @param usedBytes total that the SNAPT has told
  /// @param allowedBytes total that it may use
  /// @param coveredBytes total that posted reports charge
  /// @param isCut true if it got less than it needs
  /// @param isEnded true if the session has ended, and some of its use is not charged yet
  public record Reservation(
      String account,
      String snapt,
      String session,
      String application,
      String serviceClass,
      long usedBytes,
      long allowedBytes,
      long coveredBytes,
      double bytesPerSecond,
      MicroDenarii reserved,
      Instant validUntil,
      boolean isCut,
      boolean isEnded,
      Instant heardAt) {}

  /// Sums over all accounts.
  ///
  /// @param sessions sessions under credit control that have not ended
  /// @param cutAccounts accounts with an application that got less than it needs
  public record Sums(MicroDenarii reserved, long sessions, long applications, long cutAccounts) {}

  /// A notice of an account's credit state, with its delivery by the webhook.
  ///
  /// @param delivery NONE, DUE, DELIVERED or GIVEN_UP
  /// @param lastError the last failure of the delivery, or empty
  public record GivenNotice(
      long id, CreditNotice notice, String delivery, int attempts, String lastError) {}

  /// Place in the list of reservations: the largest first, those of one size by the names.
  ///
  /// @param reserved micro-denarii
  public record Place(
      long reserved, String snapt, String session, String application, String serviceClass) {
    /// Before the first reservation.
    public static final Place START = new Place(Long.MAX_VALUE, "", "", "", "");
  }

  /// Returns reservations, the largest first.
  ///
  /// @param account null for those of all accounts
  /// @param isCut true for those only that got less than they need
  /// @param after of the last one that the caller has seen
  public List<Reservation> reservations(
      @Nullable String account, boolean isCut, Place after, int limit) {
    return jdbc.sql(
            RESERVATIONS
                + """
                where (:account::text is null or q.account = :account) and (q.cut or not :cut)
                  and (-q.reserved_microdenarii, q.snapt_id, q.session_id, q.application, q.service_class)
                    > (-:reserved::bigint, :snapt, :session, :application, :class)
                order by q.reserved_microdenarii desc, q.snapt_id, q.session_id, q.application, q.service_class
                limit :limit
                """)
        .param("account", account)
        .param("cut", isCut)
        .param("reserved", after.reserved())
        .param("snapt", after.snapt())
        .param("session", after.session())
        .param("application", after.application())
        .param("class", after.serviceClass())
        .param("limit", limit)
        .query((row, _) -> reservation(row))
        .list();
  }

  public Sums sums() {
    return jdbc.sql(
            """
            select (select coalesce(sum(reserved_microdenarii), 0)::bigint from credit_quota),
              (select count(*) from credit_session where not ended),
              (select count(*) from credit_quota),
              (select count(distinct account) from credit_quota where cut)
            """)
        .query((row, _) ->
            new Sums(
                new MicroDenarii(row.getLong(1)), row.getLong(2), row.getLong(3), row.getLong(4)))
        .single();
  }

  /// A session under credit control that has not ended.
  public record OpenSession(String account, String snapt, String session, Instant heardAt) {}

  /// Returns the open sessions of some accounts, by account, SNAPT and session.
  ///
  /// @param after account, SNAPT and session of the last one that the caller has seen
  public List<OpenSession> sessions(List<String> accounts, List<String> after, int limit) {
    return jdbc.sql(
            "select account, snapt_id, session_id, heard_at from credit_session"
                + " where not ended and account = any(?) and (account, snapt_id, session_id) > (?, ?, ?)"
                + " order by account, snapt_id, session_id limit ?")
        .param(accounts.toArray(String[]::new))
        .params(after)
        .param(limit)
        .query((row, _) ->
            new OpenSession(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getTimestamp(4).toInstant()))
        .list();
  }

  /// Returns notices of one account, latest first.
  ///
  /// @param before only notices with a lower number
  public List<GivenNotice> notices(String account, long before, int limit) {
    return jdbc.sql(
            """
            select id, account, state, credit_microdenarii, noticed_at, delivery, attempts, last_error
            from credit_notice where account = ? and id < ? order by id desc limit ?
            """)
        .param(account)
        .param(before)
        .param(limit)
        .query((row, _) ->
            new GivenNotice(
                row.getLong(1),
                new CreditNotice(
                    row.getString(2),
                    CreditNotice.Edge.valueOf(row.getString(3)),
                    new MicroDenarii(row.getLong(4)),
                    row.getTimestamp(5).toInstant()),
                row.getString(6),
                row.getInt(7),
                row.getString(8)))
        .list();
  }

  private static Reservation reservation(ResultSet row) throws SQLException {
    return new Reservation(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getLong(6),
        row.getLong(7),
        row.getLong(8),
        row.getDouble(9),
        new MicroDenarii(row.getLong(10)),
        row.getTimestamp(11).toInstant(),
        row.getBoolean(12),
        row.getBoolean(13),
        row.getTimestamp(14).toInstant());
  }
}
