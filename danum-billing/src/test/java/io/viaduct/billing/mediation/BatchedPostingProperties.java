package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.SharedDatabase;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/// Posts the same reports twice: all in one database transaction, and each in one of its own.
/// Verdicts and rows must be equal. The reports come in any order, with duplicates, conflicts,
/// restarts of the SNAPT, missing receipts, unknown accounts, and reports that the database
/// refuses.
class BatchedPostingProperties {
  private static final int REFUSED = 13;

  @Provide
  Arbitrary<List<Integer>> reports() {
    return Arbitraries.integers().between(0, 1 << 20).list().ofMinSize(2).ofMaxSize(40);
  }

  @Property(tries = 25, shrinking = ShrinkingMode.BOUNDED)
  void aBatchDecidesAndPostsAsItsReportsOneByOne(@ForAll("reports") List<Integer> numbers) {
    Side together = new Side();
    Side single = new Side(together);
    try {
      List<ReportVerdict> expected = new ArrayList<>();
      numbers.forEach(n -> expected.addAll(single.submit(List.of(n))));
      assertThat(together.submit(numbers)).isEqualTo(expected);
      assertThat(together.rows()).isEqualTo(single.rows());
      assertThat(together.rig.broken()).isEmpty();
    } finally {
      together.end();
      single.end();
    }
  }

  @Example
  void oneRefusedReportAmongManyIsDeferredAlone() {
    Side side = new Side();
    try {
      List<Integer> numbers = new ArrayList<>();
      for (int sequence = 0; sequence < 60; sequence++) {
        numbers.add(number(sequence));
      }
      numbers.set(41, number(41) | REFUSED << 13);
      List<ReportVerdict> verdicts = side.submit(numbers);
      assertThat(verdicts.get(41)).isEqualTo(ReportVerdict.DEFERRED);
      verdicts.remove(41);
      assertThat(verdicts).containsOnly(ReportVerdict.POSTED);
      assertThat(side.rows()).hasSize(59);
      assertThat(side.rig.broken()).isEmpty();
    } finally {
      side.end();
    }
  }

  // Both accounts in turn: the charges of one would exceed its bound of a minute.
  private static int number(int sequence) {
    return sequence << 6 | (sequence & 1) << 2;
  }

  /// One SNAPT with its accounts. The two sides of a comparison differ in the tag of their names
  /// only.
  private static final class Side {
    private final String tag = UUID.randomUUID().toString().substring(0, 8);
    private final MediationRig rig = new MediationRig("owner-" + tag);
    private final Instant begin;

    private Side() {
      begin = rig.clock.instant();
      open();
    }

    private Side(Side other) {
      begin = other.begin;
      open();
    }

    // The database refuses each charge of one application, as it would a value out of its range.
    private void open() {
      rig.openAccount("user0-" + tag);
      rig.openAccount("user1-" + tag);
      SharedDatabase.asOwner(owner -> {
        owner.execute(
            "create function refuse_%1$s() returns trigger language plpgsql as $$ begin raise exception 'refused' using errcode = 'check_violation'; end $$"
                .formatted(tag));
        owner.execute(
            "create trigger refuse_%1$s before insert on charge for each row when (new.application = 'refused-%1$s') execute function refuse_%1$s()"
                .formatted(tag));
      });
    }

    private void end() {
      SharedDatabase.asOwner(owner -> {
        owner.execute("drop trigger refuse_%1$s on charge".formatted(tag));
        owner.execute("drop function refuse_%1$s()".formatted(tag));
      });
    }

    private List<ReportVerdict> submit(List<Integer> numbers) {
      List<SignedUsageReport> envelopes = numbers.stream().map(this::envelope).toList();
      return new ArrayList<>(
          rig
              .mediation
              .submit(Reports.requestOf(rig.clock.instant(), envelopes))
              .getAcksList()
              .stream()
              .map(ReportAck::getVerdict)
              .toList());
    }

    // Bits of a number: session, epoch, account, variant of the content, sequence, refusal,
    // receipt.
    private SignedUsageReport envelope(int n) {
      int account = n >> 2 & 3;
      int sequence = n >> 6 & 127;
      boolean isRefused = (n >> 13) % 16 == REFUSED;
      UsageReport report =
          Reports.report(
                  "snapt-" + tag,
                  "s" + (n & 1) + "-" + tag,
                  n >> 1 & 1,
                  sequence % 64,
                  (account == 3 ? "nobody-" : "user" + account % 2 + "-") + tag,
                  begin.minusSeconds(60),
                  List.of(
                      Reports.flow(
                          1,
                          isRefused ? "refused-" + tag : "ssh",
                          100_003L + (n >> 4 & 3),
                          50_000,
                          120)))
              .build();
      return n >> 17 == 1 ? Reports.unsigned(report) : Reports.signed(report);
    }

    // The posted rows, without the names and ids that differ between the sides.
    private List<Map<String, Object>> rows() {
      return rig.jdbc.queryForList(
          """
          select replace(i.session_id, ?, '') session, i.epoch, i.sequence, replace(i.account, ?, '') account, i.state,
            r.charge_microdenarii, r.discount_microdenarii, t.kind, p.line, replace(p.account, ?, '') party, p.amount_microdenarii
          from charging_interval i join snapt_report r on r.interval_id = i.id
          left join ledger_transaction t on t.interval_id = i.id left join posting p on p.transaction_id = t.id and p.line = 1
          where i.snapt_id = ? order by 1, 2, 3, 9
          """,
          tag,
          tag,
          tag,
          "snapt-" + tag);
    }
  }
}
