package io.viaduct.billing.wallet;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;

import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Reads wallets, and draws charges from them: first from the wallet that expires first, and last
/// from prepaid money. A wallet that paid a charge gets money back when the charge costs less.
public final class Wallets {
  private static final String SELECT =
      """
      select w.id, w.account, w.kind, w.amount_microdenarii, coalesce(o.rest_microdenarii, 0),
        w.granted_at, w.expires_at, o.wallet_id is null, w.reason
      from wallet w left join open_wallet o on o.wallet_id = w.id
      """;

  private final JdbcClient jdbc;

  public Wallets(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// Reasons for a draw, as stored.
  public enum Reason {
    /// The bill of the charge: its first one, another one, or its reversal.
    BILL,
    /// A refund by an operator.
    REFUND,
    /// The cap of an hour or a day.
    CAP
  }

  /// An amount that a charge drew from a wallet.
  public record Draw(Wallet.Kind kind, long wallet, MicroDenarii amount) {}

  /// Draws charges from the wallets of their accounts. The caller holds the locks of the accounts'
  /// credit.
  public void pay(List<PaidCharge> charges) {
    pay(charges, Reason.BILL);
  }

  /// Draws what charges cost more from the wallets of their accounts, as above.
  public void pay(List<PaidCharge> charges, Reason reason) {
    if (charges.isEmpty()) {
      return;
    }
    Map<String, ArrayList<Wallet>> open =
        open(charges.stream().map(PaidCharge::account).collect(toCollection(TreeSet::new)));
    if (open.isEmpty()) {
      return;
    }
    List<NewDraw> draws = new ArrayList<>();
    for (PaidCharge charge : charges) {
      List<Wallet> wallets = open.get(charge.account());
      if (wallets != null) {
        draw(charge, wallets, draws);
      }
    }
    insert(draws, reason);
  }

  /// @param amount negative if the wallet gets it back
  private record NewDraw(long wallet, long charge, MicroDenarii amount) {}

  private void insert(List<NewDraw> draws, Reason reason) {
    if (draws.isEmpty()) {
      return;
    }
    jdbc.sql(
            "insert into wallet_draw (wallet_id, charge_id, amount_microdenarii, reason)"
                + " select u.wallet, u.charge, u.amount, ? from unnest(?::bigint[], ?::bigint[], ?::bigint[])"
                + " with ordinality u(wallet, charge, amount, place) order by u.place")
        .param(reason.name())
        .param(draws.stream().map(NewDraw::wallet).toArray(Long[]::new))
        .param(draws.stream().map(NewDraw::charge).toArray(Long[]::new))
        .param(draws.stream().map(draw -> draw.amount().value()).toArray(Long[]::new))
        .update();
  }

  private static void draw(PaidCharge charge, List<Wallet> wallets, List<NewDraw> draws) {
    MicroDenarii left = charge.net();
    for (int i = 0; i < wallets.size() && left.value() > 0; i++) {
      Wallet wallet = wallets.get(i);
      MicroDenarii drawn = left.compareTo(wallet.rest()) < 0 ? left : wallet.rest();
      if (drawn.value() > 0 && charge.beganAt().isBefore(wallet.expiresAt())) {
        draws.add(new NewDraw(wallet.id(), charge.id(), drawn));
        wallets.set(i, wallet.drawn(drawn));
        left = left.minus(drawn);
      }
    }
  }

  /// Amounts by which charges have become cheaper.
  ///
  /// @param charges ids of charges of one account; a lowered bill has one
  /// @param amount amount by which they cost less
  /// @param left what they cost now
  public record Saving(Set<Long> charges, MicroDenarii amount, MicroDenarii left) {}

  /// Gives back to open wallets what charges drew above their present cost, the latest draw first,
  /// as if they had cost no more. Prepaid money paid last, so it gets the rest, and what a wallet
  /// paid that has expired since. The caller holds the locks of the accounts' credit, and posts the
  /// amounts.
  public void giveBack(List<Saving> savings, Reason reason) {
    Set<Long> charges =
        savings.stream().flatMap(saving -> saving.charges().stream()).collect(toSet());
    List<Drawn> drawn = drawn(charges);
    if (drawn.isEmpty()) {
      return;
    }
    List<NewDraw> draws = new ArrayList<>();
    for (Saving saving : savings) {
      List<Drawn> own =
          drawn.stream().filter(each -> saving.charges().contains(each.charge())).toList();
      giveBack(saving, own, draws);
    }
    insert(draws, reason);
  }

  private static void giveBack(Saving saving, List<Drawn> drawn, List<NewDraw> draws) {
    MicroDenarii sum =
        drawn.stream().map(Drawn::amount).reduce(MicroDenarii.ZERO, MicroDenarii::plus);
    MicroDenarii above = sum.minus(saving.left());
    MicroDenarii due = least(above, saving.amount());
    for (Drawn each : drawn) {
      if (each.isOpen() && due.value() > 0) {
        MicroDenarii back = least(each.amount(), due);
        draws.add(new NewDraw(each.wallet(), each.charge(), back.negated()));
        due = due.minus(back);
      }
    }
  }

  private static MicroDenarii least(MicroDenarii one, MicroDenarii other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /// @param amount what the charge drew from the wallet, less what it gave back
  private record Drawn(long charge, long wallet, MicroDenarii amount, boolean isOpen) {}

  private List<Drawn> drawn(Set<Long> charges) {
    return jdbc.sql(
            """
            select d.charge_id, d.wallet_id, sum(d.amount_microdenarii)::bigint, o.wallet_id is not null
            from wallet_draw d left join open_wallet o on o.wallet_id = d.wallet_id
            where d.charge_id = any(?) group by d.charge_id, d.wallet_id, o.wallet_id
            having sum(d.amount_microdenarii) > 0
            order by max(d.id) filter (where d.amount_microdenarii > 0) desc
            """)
        .param(charges.toArray(Long[]::new))
        .query((row, _) ->
            new Drawn(
                row.getLong(1),
                row.getLong(2),
                new MicroDenarii(row.getLong(3)),
                row.getBoolean(4)))
        .list();
  }

  private Map<String, ArrayList<Wallet>> open(Set<String> accounts) {
    return jdbc
        .sql(SELECT + "where o.account = any(?) order by w.expires_at, w.id")
        .param(accounts.toArray(String[]::new))
        .query((row, _) -> wallet(row))
        .list()
        .stream()
        .collect(groupingBy(Wallet::account, toCollection(ArrayList::new)));
  }

  /// The place of a wallet in the list of its account.
  public record Place(boolean isExpired, Instant expiresAt, long id) {}

  /// Returns the wallets of an account, first those that are spent first, last the expired ones.
  ///
  /// @param after place of the last wallet of the previous page; null for the first page
  public List<Wallet> page(String account, @Nullable Place after, int limit) {
    return jdbc.sql(
            SELECT
                + "where w.account = :account and (:first or (o.wallet_id is null, w.expires_at, w.id)"
                + " > (:expired, :at, :id)) order by o.wallet_id is null, w.expires_at, w.id limit :limit")
        .param("account", account)
        .param("first", after == null)
        .param("expired", after != null && after.isExpired())
        .param("at", Timestamp.from(after == null ? Instant.EPOCH : after.expiresAt()))
        .param("id", after == null ? 0 : after.id())
        .param("limit", limit)
        .query((row, _) -> wallet(row))
        .list();
  }

  /// Returns what the bill of a charge drew from wallets; prepaid money has paid the rest of it.
  /// Refunds and caps do not count: they have lines of their own.
  public List<Draw> of(long charge) {
    return jdbc.sql(
            "select w.kind, w.id, sum(d.amount_microdenarii)::bigint from wallet_draw d join wallet w on w.id = d.wallet_id"
                + " where d.charge_id = ? and d.reason = 'BILL' group by w.id having sum(d.amount_microdenarii) > 0"
                + " order by w.expires_at, w.id")
        .param(charge)
        .query((row, _) ->
            new Draw(
                Wallet.Kind.valueOf(row.getString(1)),
                row.getLong(2),
                new MicroDenarii(row.getLong(3))))
        .list();
  }

  /// Returns the wallet that was granted with a key.
  Optional<Wallet> granted(String key) {
    return jdbc.sql(SELECT + "where w.idempotency_key = ?")
        .param(key)
        .query((row, _) -> wallet(row))
        .optional();
  }

  /// Returns a wallet that has not expired yet.
  Optional<Wallet> open(long id) {
    return jdbc.sql(SELECT + "where o.wallet_id = ?")
        .param(id)
        .query((row, _) -> wallet(row))
        .optional();
  }

  /// Returns up to `limit` wallets that are to expire. Use from before their end may not be charged
  /// yet: while the account has reservations, they wait for it, until `waitingSince`.
  List<Wallet> overdue(Instant now, Instant waitingSince, int limit) {
    return jdbc.sql(
            SELECT
                + """
                where o.expires_at <= :now
                  and (o.expires_at <= :since or not exists (select from credit_quota q
                    where q.account = w.account and q.reserved_microdenarii > 0))
                order by o.expires_at limit :limit
                """)
        .param("now", Timestamp.from(now))
        .param("since", Timestamp.from(waitingSince))
        .param("limit", limit)
        .query((row, _) -> wallet(row))
        .list();
  }

  private static Wallet wallet(ResultSet row) throws SQLException {
    return new Wallet(
        row.getLong(1),
        row.getString(2),
        Wallet.Kind.valueOf(row.getString(3)),
        new MicroDenarii(row.getLong(4)),
        new MicroDenarii(row.getLong(5)),
        row.getTimestamp(6).toInstant(),
        row.getTimestamp(7).toInstant(),
        row.getBoolean(8),
        row.getString(9));
  }
}
