package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.settlement.Discrepancies.Discrepancy;
import io.viaduct.billing.settlement.Discrepancies.Outcome;
import io.viaduct.billing.settlement.DiscrepancyState;
import io.viaduct.billing.settlement.Evidence;
import io.viaduct.usage.v1.ReceiptRefusal;
import io.viaduct.usage.v1.ReceiptRefusalReason;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.dao.DataAccessException;

/// Discrepancies between the counts of both ends, on a real PostgreSQL.
class DiscrepancyTest {
  private static final Evidence.Decision OLGA = new Evidence.Decision("operator", "we asked them");

  /// Bytes of the worked example.
  private static final long COUNTED = 3_975_000;

  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String alice = "alice-" + tag;
  private final MediationRig rig = new MediationRig("owner-" + tag);

  @BeforeEach
  void open() {
    rig.openAccount(alice);
  }

  @AfterEach
  void everyInvariantHolds() {
    assertThat(rig.broken()).isEmpty();
  }

  private UsageReport report(int sequence) {
    return Reports.report(
            "snapt-" + tag,
            "s-" + tag,
            1,
            sequence,
            alice,
            rig.clock.instant(),
            Reports.workedExample())
        .build();
  }

  private SignedUsageReport refused(UsageReport report, long device) {
    return Reports.unsigned(report).toBuilder()
        .setReceiptRefusal(
            ReceiptRefusal.newBuilder()
                .setSessionId("s-" + tag)
                .setEpoch(1)
                .setSequence(report.getSequence())
                .setReason(ReceiptRefusalReason.COUNTS_DIFFER)
                .setUpBytes(device / 3)
                .setDownBytes(device - device / 3))
        .build();
  }

  private List<Discrepancy> found() {
    return rig.discrepancies.page(null, Long.MAX_VALUE, 1000).stream()
        .filter(each -> each.account().equals(alice))
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"3776250, false", "3776249, true", "4184210, false", "4184211, true"})
  void aDifferenceAboveFivePercentOfTheLargerCountIsOne(long device, boolean isOne) {
    rig.submit(refused(report(0), device));
    assertThat(found()).hasSize(isOne ? 1 : 0);
  }

  @Test
  void bothEndsCountTheSessionFromItsBeginAndTheChargeStaysTheSnapts() {
    rig.submit(report(0));
    long balance = rig.balance(alice);
    SignedUsageReport second = refused(report(1), COUNTED);
    rig.submit(second);
    rig.submit(second); // again: nothing new
    assertThat(found())
        .singleElement()
        .satisfies(each -> {
          assertThat(each.snaptBytes()).isEqualTo(2 * COUNTED);
          assertThat(each.deviceBytes()).isEqualTo(COUNTED);
          assertThat(each.state()).isEqualTo(DiscrepancyState.OPEN);
        });
    assertThat(rig.balance(alice)).isEqualTo(2 * balance);
  }

  @Test
  void aHeldReportIsComparedToo() {
    UsageReport report = report(0).toBuilder().setAccount("nobody-" + tag).build();
    rig.submit(refused(report, 12));
    assertThat(rig.discrepancies.page(null, Long.MAX_VALUE, 1000))
        .filteredOn(each -> each.account().equals("nobody-" + tag))
        .singleElement()
        .satisfies(each -> assertThat(each.snaptBytes()).isEqualTo(COUNTED));
  }

  @Test
  void aReceiptThatComesLaterLeavesTheDiscrepancyToTheOperator() {
    UsageReport report = report(0);
    rig.submit(refused(report, 12));
    rig.submit(report);
    assertThat(found()).hasSize(1);
  }

  @Test
  void theDatabaseAllowsExactlyTheTransitionsOfTheStateMachine() {
    for (DiscrepancyState from : DiscrepancyState.values()) {
      for (DiscrepancyState to : DiscrepancyState.values()) {
        assertThat(moves(from, to)).as("%s to %s", from, to).isEqualTo(from.next().contains(to));
      }
    }
  }

  private boolean moves(DiscrepancyState from, DiscrepancyState to) {
    long id =
        rig.jdbc.queryForObject(
            "insert into discrepancy (digest, snapt_id, session_id, epoch, sequence, account, started_at,"
                + " snapt_bytes, device_bytes, opened_at, state)"
                + " values (sha256(?::text::bytea), 's', 's', 0, 0, ?, now(), 2, 1, now(), ?) returning id",
            Long.class,
            UUID.randomUUID(),
            alice,
            from.name());
    try {
      rig.jdbc.update("update discrepancy set state = ? where id = ?", to.name(), id);
      return true;
    } catch (DataAccessException e) {
      return false;
    }
  }

  @Test
  void anOperatorInvestigatesAndClosesWithNotes() {
    rig.submit(refused(report(0), 12));
    long id = found().getFirst().id();
    assertThat(rig.discrepancies.move(id, DiscrepancyState.INVESTIGATED, OLGA, rig.clock.instant()))
        .get()
        .isInstanceOf(Outcome.Done.class);
    assertThat(rig.discrepancies.move(id, DiscrepancyState.INVESTIGATED, OLGA, rig.clock.instant()))
        .contains(new Outcome.NotAllowed(DiscrepancyState.INVESTIGATED));
    rig.discrepancies.move(
        id,
        DiscrepancyState.CLOSED,
        new Evidence.Decision("operator", "an old agent"),
        rig.clock.instant());
    assertThat(found()).as("what is not closed").isEmpty();
    assertThat(rig.discrepancies.find(id).orElseThrow().notes())
        .extracting(note -> note.state() + ": " + note.text())
        .containsExactly("INVESTIGATED: we asked them", "CLOSED: an old agent");
    assertThat(rig.discrepancies.move(-1, DiscrepancyState.CLOSED, OLGA, rig.clock.instant()))
        .isEmpty();
  }
}
