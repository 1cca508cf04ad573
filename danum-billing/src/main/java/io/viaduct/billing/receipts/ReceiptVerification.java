package io.viaduct.billing.receipts;

import com.google.protobuf.ByteString;
import io.viaduct.billing.ledger.LedgerVerification.Check;
import io.viaduct.billing.ledger.LedgerVerification.Recomputation;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.TokenKeys;
import io.viaduct.usage.statement.MerkleTree;
import io.viaduct.usage.statement.StatementCharge;
import io.viaduct.usage.statement.StatementReceipt;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Recomputes every chain from the ledger's rows, and the roots. It runs inside the snapshot of the
/// verification.
public final class ReceiptVerification {
  private static final int PAGE = 2000;

  private final JdbcClient jdbc;

  private ReceiptVerification(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// Returns the checks.
  public static List<Recomputation> checks(JdbcClient jdbc) {
    ReceiptVerification verification = new ReceiptVerification(jdbc);
    return List.of(verification::chains, verification::roots);
  }

  /// Counts what breaks a rule, and keeps the first example.
  private static final class Violations {
    private long count;
    private String example = "";

    void require(boolean holds, Supplier<String> otherwise) {
      if (!holds) {
        example = count == 0 ? otherwise.get() : example;
        count++;
      }
    }

    Check check(String code, String name) {
      return new Check(code, name, count, example);
    }
  }

  /// A link as stored.
  ///
  /// @param genesis the hash that the first link of the chain names
  /// @param isGenesisLost true if a version before ADR 0085 has erased the account: the first link
  ///   has hashed the former id, which is not known any more
  /// @param movement null if the ledger does not have the transaction, because its month was
  ///   dropped (ADR 0059)
  private record Link(
      String account,
      long number,
      ByteString genesis,
      LocalDate day,
      long balance,
      ByteString report,
      ByteString charges,
      ByteString hash,
      ByteString signature,
      boolean isDropped,
      boolean isGenesisLost,
      @Nullable Movement movement) {}

  private Check chains() {
    Violations violations = new Violations();
    jdbc.sql(
            """
            select p.account || ', transaction ' || p.transaction_id
            from (select distinct a.transaction_id, substr(a.account, 6) as account
              from posting a join ledger_transaction t on t.id = a.transaction_id
              where a.account like 'USER:%' and t.kind <> 'CARRY_FORWARD') p
            left join receipt_link l on (l.transaction_id, l.account) = (p.transaction_id, p.account)
            left join receipt_waiting w on (w.transaction_id, w.account) = (p.transaction_id, p.account)
            where (l.transaction_id is null) = (w.transaction_id is null)
            """)
        .query(row -> {
          String which = row.getString(1);
          violations.require(false, () -> which + " has no receipt, or one and waits for another");
        });
    Link before = null;
    Link signed = null; // the latest of the account
    List<Link> page = page(null);
    while (!page.isEmpty()) {
      PostedBills bills =
          PostedBills.of(jdbc, page.stream().map(Link::movement).filter(m -> m != null).toList());
      for (Link link : page) {
        if (before != null && !before.account().equals(link.account())) {
          requireSigned(signed, violations);
          before = null;
          signed = null;
        }
        violations.require(
            isRight(link, before, bills),
            () ->
                "receipt "
                    + link.number()
                    + " of "
                    + link.account()
                    + " is not that of its posting");
        before = link;
        signed = link.signature().isEmpty() ? signed : link;
      }
      page = page(before);
    }
    requireSigned(signed, violations);
    return violations.check(
        "receipts", "each posting of a user has one receipt, which names the one before");
  }

  private List<Link> page(@Nullable Link after) {
    return jdbc.sql(
            "select l.account, l.number, l.day, l.balance_microdenarii, l.report, l.charges, l.hash, l.signature, "
                + "l.transaction_id < kept_from() as dropped, c.erased and c.genesis is null as genesis_lost, "
                + Genesis.COLUMNS
                + ", "
                + Movement.COLUMNS.formatted("l")
                + " from receipt_link l join receipt_chain c on c.account = l.account"
                + " left join ledger_transaction t on t.id = l.transaction_id"
                + " where (l.account, l.number) > (?, ?) order by l.account, l.number limit ?")
        .params(after == null ? "" : after.account(), after == null ? 0 : after.number(), PAGE)
        .query((row, _) -> {
          String account = row.getString("account");
          return new Link(
              account,
              row.getLong("number"),
              Genesis.of(row, account),
              row.getObject("day", LocalDate.class),
              row.getLong("balance_microdenarii"),
              Genesis.octets(row, "report"),
              Genesis.octets(row, "charges"),
              Genesis.octets(row, "hash"),
              Genesis.octets(row, "signature"),
              row.getBoolean("dropped"),
              row.getBoolean("genesis_lost"),
              row.getObject("id") == null ? null : Movement.of(row, account));
        })
        .list();
  }

  // Charges that are not kept any more are taken from the link. Another check compares the charges
  // that are kept with their report.
  private static boolean isRight(Link link, @Nullable Link before, PostedBills bills) {
    Movement movement = link.movement();
    if (movement == null) {
      return link.isDropped() && link.number() == (before == null ? 1 : before.number() + 1);
    }
    List<StatementCharge> charges = bills.charges(movement);
    ByteString report = bills.report(movement);
    StatementReceipt receipt =
        new StatementReceipt(
            before == null ? 1 : before.number() + 1,
            before == null ? link.genesis() : before.hash(),
            movement.postedMicros(),
            movement.kind(),
            movement.identity(),
            movement.note(),
            movement.amount(),
            (before == null ? 0 : before.balance()) + movement.amount(),
            report.isEmpty() ? link.report() : report,
            charges.isEmpty() ? link.charges() : StatementCharge.digest(charges));
    return receipt.number() == link.number()
        && receipt.balance() == link.balance()
        && (before == null || !link.day().isBefore(before.day()))
        && (before == null && link.isGenesisLost() || receipt.hash().equals(link.hash()));
  }

  // A signature covers the links before.
  private void requireSigned(@Nullable Link signed, Violations violations) {
    if (signed != null) {
      String which = signed.number() + " of " + signed.account();
      violations.require(
          isSigned(SignedMessage.STATEMENT_RECEIPT, signed.hash(), signed.signature()),
          () -> "the signature of receipt " + which + " is not billing's");
    }
  }

  private boolean isSigned(SignedMessage kind, ByteString hash, ByteString signature) {
    return keys().stream()
        .map(TokenKeys::publicKey)
        .flatMap(Optional::stream)
        .anyMatch(key -> kind.isSignedBy(key, hash, signature));
  }

  private List<ByteString> keys() {
    return jdbc.sql("select public_key from receipt_key order by first_used_at desc")
        .query((row, _) -> ByteString.copyFrom(row.getBytes(1)))
        .list();
  }

  // The latest root covers all links before: its tree is computed again. The roots before are
  // covered by their chain.
  private Check roots() {
    Violations violations = new Violations();
    List<PublishedRoot> roots =
        jdbc.sql("select " + PublishedRoot.COLUMNS + " from receipt_root order by day")
            .query((row, _) -> PublishedRoot.of(row))
            .list();
    ByteString previous = ByteString.EMPTY;
    for (PublishedRoot root : roots) {
      violations.require(
          root.root().previous().equals(previous)
              && root.root().hash().equals(root.hash())
              && isSigned(SignedMessage.STATEMENT_ROOT, root.hash(), root.signature()),
          () -> "the root of " + root.root().day() + " is not the one that was signed");
      previous = root.hash();
    }
    if (!roots.isEmpty()) {
      PublishedRoot latest = roots.getLast();
      violations.require(
          treeOf(latest.root().day()).equals(latest.root().tree()),
          () -> "the tree of " + latest.root().day() + " is not that of the receipts");
    }
    return violations.check(
        "statement-roots",
        "the published roots are those of the receipts, each naming the one before");
  }

  private ByteString treeOf(LocalDate day) {
    List<ByteString> leaves = DayRoots.leaves(jdbc, day);
    return leaves.isEmpty() ? ByteString.EMPTY : MerkleTree.levels(leaves).getLast().getFirst();
  }
}
