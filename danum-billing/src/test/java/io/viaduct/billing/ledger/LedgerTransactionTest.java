package io.viaduct.billing.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.billing.ledger.LedgerTransaction.Billed;
import io.viaduct.billing.ledger.LedgerTransaction.Kind;
import io.viaduct.billing.ledger.LedgerTransaction.Posting;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// The accounts between which each kind of transaction moves money, and its identity.
class LedgerTransactionTest {
  private static final Billed INTERVAL =
      new Billed(7, "snapt-1/s/1/2", "alice", "acme", lines(1000, 300, 100, 20, 5, 2));

  private static BillLines lines(
      long charge, long discount, long reward, long accessFee, long surcharge, long refund) {
    return new BillLines(
        new MicroDenarii(charge),
        new MicroDenarii(discount),
        new MicroDenarii(reward),
        new MicroDenarii(accessFee),
        new MicroDenarii(surcharge),
        new MicroDenarii(refund));
  }

  private static MicroDenarii amount(long value) {
    return new MicroDenarii(value);
  }

  /// Returns what each account gains.
  private static Map<String, Long> gains(LedgerTransaction transaction) {
    Map<String, Long> gains = new TreeMap<>();
    transaction
        .postings()
        .forEach(
            posting -> gains.merge(posting.account().name(), posting.amount().value(), Long::sum));
    return gains;
  }

  private static void check(
      LedgerTransaction transaction,
      Kind kind,
      String identity,
      String note,
      String from,
      String to) {
    assertThat(transaction.kind()).isEqualTo(kind);
    assertThat(transaction.identity()).isEqualTo(identity);
    assertThat(transaction.intervalId()).isNull();
    assertThat(transaction.note()).isEqualTo(note);
    assertThat(gains(transaction)).isEqualTo(Map.of(from, -50L, to, 50L));
    assertThat(transaction.isEmpty()).isFalse();
  }

  @Test
  void moneyOfAnOperatorGoesFromItsAccountToTheUsers() {
    check(
        LedgerTransaction.topUp("k", "alice", amount(50), "invoice"),
        Kind.TOP_UP,
        "top-up:k",
        "invoice",
        "ISSUANCE",
        "USER:alice");
    check(
        LedgerTransaction.credit(Kind.REFUND, "k", "alice", amount(50), "why"),
        Kind.REFUND,
        "credit:k",
        "why",
        "OPERATOR:ADJUSTMENT",
        "USER:alice");
    check(
        LedgerTransaction.grant("grant:k", "alice", amount(50), "why"),
        Kind.GRANT,
        "grant:k",
        "why",
        "OPERATOR:GRANTS",
        "USER:alice");
    check(
        LedgerTransaction.expiry(3, "alice", amount(50)),
        Kind.EXPIRY,
        "expiry:3",
        "wallet 3",
        "USER:alice",
        "OPERATOR:GRANTS");
    check(
        LedgerTransaction.capCredit("k", "alice", amount(50), "cap"),
        Kind.CAP,
        "cap:k",
        "cap",
        "OPERATOR:ADJUSTMENT",
        "USER:alice");
    check(
        LedgerTransaction.call("k", "alice", amount(50), "seconds"),
        Kind.CALL,
        "call:k",
        "seconds",
        "USER:alice",
        "OPERATOR:FEES");
  }

  @Test
  void aVoucherIsADebtUntilItIsRedeemedExpiresOrIsReturned() {
    check(
        LedgerTransaction.voucherSale("k", amount(50), "20 vouchers"),
        Kind.VOUCHER_SALE,
        "voucher-sale:k",
        "20 vouchers",
        "ISSUANCE",
        "VOUCHERS");
    check(
        LedgerTransaction.voucherRedemption(3, "alice", amount(50), "voucher"),
        Kind.VOUCHER_REDEMPTION,
        "voucher:3",
        "voucher",
        "VOUCHERS",
        "USER:alice");
    check(
        LedgerTransaction.voucherExpiry(4, amount(50), "old"),
        Kind.VOUCHER_EXPIRY,
        "voucher-expiry:4",
        "old",
        "VOUCHERS",
        "OPERATOR:BREAKAGE");
    check(
        LedgerTransaction.voucherReturn(4, amount(50), "back"),
        Kind.VOUCHER_RETURN,
        "voucher-return:4",
        "back",
        "VOUCHERS",
        "ISSUANCE");
  }

  @Test
  void eachLineOfABillMovesByItselfAndALateOneIsNotSettled() {
    LedgerTransaction inTime = LedgerTransaction.correction(INTERVAL);
    assertThat(inTime.kind()).isEqualTo(Kind.CORRECTION);
    assertThat(inTime.identity()).isEqualTo("report:snapt-1/s/1/2");
    assertThat(inTime.intervalId()).isEqualTo(7);
    assertThat(inTime.note()).isEqualTo("snapt-1/s/1/2");
    assertThat(inTime.postings()).hasSize(12);
    assertThat(gains(inTime))
        .isEqualTo(
            Map.of(
                "USER:alice", -1000L + 300 - 20 - 5 + 2,
                "CLEARING", 1005L,
                "OPERATOR:DISCOUNT", -400L,
                "PROVIDER:acme", 100L,
                "OPERATOR:FEES", 20L,
                "OPERATOR:ADJUSTMENT", -2L));
    LedgerTransaction late = LedgerTransaction.adjustment(INTERVAL);
    assertThat(late.kind()).isEqualTo(Kind.ADJUSTMENT);
    assertThat(late.identity()).as("billed once, in time or late").isEqualTo(inTime.identity());
    assertThat(gains(late))
        .doesNotContainKey("CLEARING")
        .containsEntry("OPERATOR:ADJUSTMENT", 1003L);
  }

  @Test
  void aReversalIsTheOppositeOfTheProvisionalTransaction() {
    for (boolean isLate : new boolean[] {false, true}) {
      LedgerTransaction provisional = LedgerTransaction.provisional(INTERVAL, isLate);
      LedgerTransaction reversal = LedgerTransaction.reversal(INTERVAL, isLate);
      assertThat(provisional.kind()).isEqualTo(Kind.PROVISIONAL);
      assertThat(gains(provisional).containsKey("CLEARING")).isEqualTo(!isLate);
      assertThat(reversal.kind()).isEqualTo(Kind.REVERSAL);
      assertThat(reversal.identity()).isEqualTo("reversal:snapt-1/s/1/2");
      assertThat(reversal.intervalId()).isEqualTo(7);
      Map<String, Long> opposite = new TreeMap<>();
      gains(provisional).forEach((account, gain) -> opposite.put(account, -gain));
      assertThat(gains(reversal)).isEqualTo(opposite);
    }
  }

  @Test
  void revisionsHaveIdentitiesOfTheirOwn() {
    LedgerTransaction second = LedgerTransaction.rerating(INTERVAL, 2, false);
    assertThat(second.kind()).isEqualTo(Kind.RERATING);
    assertThat(second.identity()).isEqualTo("rerating:snapt-1/s/1/2#2");
    assertThat(gains(second)).isEqualTo(gains(LedgerTransaction.correction(INTERVAL)));
    LedgerTransaction withdrawn = LedgerTransaction.withdrawnRevisions(INTERVAL, true);
    assertThat(withdrawn.identity()).isEqualTo("rerating:snapt-1/s/1/2#void");
    assertThat(gains(withdrawn)).isEqualTo(gains(LedgerTransaction.adjustment(INTERVAL)));
  }

  @Test
  void aSettlementGivesTheOwnerItsFeeAndSurchargeAndTheOperatorTheRest() {
    LedgerTransaction settlement = LedgerTransaction.settlement(INTERVAL, amount(400));
    assertThat(settlement.kind()).isEqualTo(Kind.SETTLEMENT);
    assertThat(settlement.identity()).isEqualTo("settlement:snapt-1/s/1/2");
    assertThat(settlement.intervalId()).isEqualTo(7);
    assertThat(gains(settlement))
        .isEqualTo(Map.of("CLEARING", -1005L, "PROVIDER:acme", 405L, "OPERATOR:REVENUE", 600L));
    LedgerTransaction again = LedgerTransaction.resettlement(INTERVAL, 2, amount(400));
    assertThat(again.identity()).isEqualTo("settlement:snapt-1/s/1/2#2");
    assertThat(gains(again)).isEqualTo(gains(settlement));
  }

  @Test
  void relaysArePaidFromTheRevenue() {
    LedgerTransaction rewards =
        LedgerTransaction.relayRewards(
            "relay:7", 7, "snapt-1", Map.of("bob", amount(3), "carol", amount(-1)));
    assertThat(rewards.kind()).isEqualTo(Kind.RELAY);
    assertThat(rewards.identity()).isEqualTo("relay:7");
    assertThat(rewards.intervalId()).isEqualTo(7);
    assertThat(rewards.note()).isEqualTo("relayed to snapt-1");
    assertThat(gains(rewards))
        .isEqualTo(Map.of("USER:bob", 3L, "USER:carol", -1L, "OPERATOR:REVENUE", -2L));
  }

  @Test
  void aTransactionThatMovesNothingIsEmptyAndOneThatDoesNotSumToZeroIsRefused() {
    assertThat(LedgerTransaction.topUp("k", "alice", MicroDenarii.ZERO, "").isEmpty()).isTrue();
    List<Posting> unequal =
        List.of(
            new Posting(LedgerAccount.CLEARING, amount(1)),
            new Posting(LedgerAccount.REVENUE, amount(-2)));
    assertThatThrownBy(() -> new LedgerTransaction(Kind.CREDIT, "x", null, "", unequal))
        .hasMessage("x must sum to 0, sums to -1");
  }

  @Test
  void amountsAreExactAndSayTheirDigits() {
    assertThat(MicroDenarii.ofDenarii(2).value()).isEqualTo(2_000_000);
    assertThat(amount(35_541_158).denarii()).isEqualTo("35.541158 den");
    assertThat(amount(-100_000_000).denarii()).isEqualTo("-100 den");
    assertThat(MicroDenarii.ZERO.denarii()).isEqualTo("0 den");
    assertThat(amount(-7)).hasToString("-7");
    assertThat(amount(1)).isGreaterThan(amount(-1));
    assertThatThrownBy(() -> amount(Long.MAX_VALUE).plus(amount(1)))
        .isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> amount(Long.MIN_VALUE).minus(amount(1)))
        .isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> amount(Long.MIN_VALUE).negated())
        .isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> MicroDenarii.ofDenarii(Long.MAX_VALUE))
        .isInstanceOf(ArithmeticException.class);
  }

  @Test
  void aBillIsGrossLessWhatIsGivenBackAndItsLinesAddUpOneByOne() {
    BillLines bill = INTERVAL.lines();
    assertThat(bill.gross()).isEqualTo(amount(1025));
    assertThat(bill.net()).isEqualTo(amount(723));
    assertThat(bill.plus(bill)).isEqualTo(lines(2000, 600, 200, 40, 10, 4));
    assertThat(bill.minus(lines(1, 2, 3, 4, 5, 6))).isEqualTo(lines(999, 298, 97, 16, 0, -4));
    assertThat(BillColumns.values(bill)).containsExactly(1000L, 300L, 100L, 20L, 5L, 2L);
  }
}
