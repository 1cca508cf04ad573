package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.configuration.RetentionSettings;
import io.viaduct.billing.database.Migrations;
import io.viaduct.billing.retention.Retention;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedDeviceReport;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/// Reports of a user who was erased, which have waited at a SNAPT or in a topic.
class ErasedIdTest {
  /// Net of the worked example.
  private static final long NET = 34_348_658;

  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String alice = "alice-" + tag;
  private final MediationRig rig = new MediationRig("owner-" + tag);
  private final JdbcTemplate owner =
      new JdbcTemplate(Migrations.owner(SharedDatabase.database().access()));

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

  private void erase() {
    rig.accounts.close(alice, rig.clock.instant());
    assertThat(
            owner.queryForObject(
                "select coalesce(erase_account(?, ?), '')", String.class, alice, "erased-" + tag))
        .as("reason to refuse")
        .isEmpty();
  }

  private void nextUserOfTheId() {
    rig.openAccount(alice);
    rig.clock.advance(Duration.ofMinutes(3));
  }

  @Test
  void aReportThatHasWaitedDoesNotBillTheNextUserOfTheId() {
    UsageReport waited = report(0);
    SignedDeviceReport ofDevice = Reports.ofDevice(waited, 0);
    erase();
    nextUserOfTheId();
    ReportAck answer = rig.submit(waited).getFirst();
    assertThat(answer.getVerdict()).isEqualTo(ReportVerdict.REJECTED);
    assertThat(answer.getReason()).contains("ACCOUNT_ERASED");
    assertThat(rig.submit(ofDevice)).isEqualTo(ReportVerdict.REJECTED);
    assertThat(rig.balance(alice)).isZero();

    assertThat(rig.verdict(report(1))).as("of the next user").isEqualTo(ReportVerdict.POSTED);
    assertThat(rig.balance(alice)).isEqualTo(-NET);
  }

  @Test
  void aReportThatHasWaitedDoesNotBringTheNameBack() {
    UsageReport waited = report(0);
    erase();
    assertThat(rig.verdict(waited)).isEqualTo(ReportVerdict.REJECTED);
    assertThat(rig.refusals("ACCOUNT_ERASED")).isEqualTo(1);
    for (String table : List.of("held_report", "refused_report", "charging_interval")) {
      assertThat(
              rig.jdbc.queryForObject(
                  "select count(*) from " + table + " where account = ?", Long.class, alice))
          .as(table)
          .isZero();
    }
  }

  @Test
  void theDigestOfTheIdIsForgottenWhenNoReportOfTheUserCanCome() {
    erase();
    assertThat(digests()).isEqualTo(1);
    rig.clock.advance(MediationRig.ADJUSTMENT.plusDays(7));
    retain();
    assertThat(digests()).as("a report may wait in a topic").isEqualTo(1);
    rig.clock.advance(Duration.ofMinutes(2));
    retain();
    assertThat(digests()).isZero();
  }

  private long digests() {
    return rig.jdbc.queryForObject(
        "select count(*) from erased_id where digest = sha256(convert_to(?, 'UTF8'))",
        Long.class,
        alice);
  }

  private void retain() {
    new Retention(
            Migrations.owner(SharedDatabase.database().access()),
            new RetentionSettings(0, 0),
            MediationRig.ADJUSTMENT,
            rig.clock,
            rig.meters)
        .run();
  }
}
