package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.configuration.SnaptFacts;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.snapts.Snapt;
import io.viaduct.billing.snapts.Snapts;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Surcharge;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.billing.tariff.TariffRefusedException;
import io.viaduct.billing.tariff.TariffRule;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.UsageReport;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SurchargeTest {
  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String alice = "alice-" + tag;
  private final String owner = "owner-" + tag;
  private final MediationRig rig = new MediationRig(owner);

  @BeforeEach
  void open() {
    rig.openAccount(alice);
  }

  @AfterEach
  void everyInvariantHolds() {
    assertThat(rig.broken()).isEmpty();
  }

  private void surcharge(double denarii) {
    rig.surcharges.add(
        owner,
        new Surcharge(Map.of(ServiceClass.HT_LD, denarii)),
        rig.clock.instant(),
        "operator",
        rig.clock.instant());
  }

  private UsageReport worked(int sequence) {
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

  @Test
  void anOwnersSurchargeIsPaidToTheOwnerWhenTheIntervalIsSettled() {
    rig.submit(worked(0));
    surcharge(0.1);
    rig.clock.advance(Duration.ofMinutes(1));
    rig.submit(worked(1));
    surcharge(0.2);
    rig.clock.advance(Duration.ofMinutes(1));
    rig.submit(worked(2));
    // 3 975 000 bytes, at 0, 0.1 and 0.2 den/MB.
    assertThat(rig.balance(alice)).isEqualTo(-3 * 34_348_658 - 397_500 - 795_000);
    assertThat(
            rig.jdbc.queryForList(
                "select surcharge_version from charging_interval where account = ? order by id",
                Integer.class,
                alice))
        .containsExactly(null, 1, 2);
    rig.clock.advance(MediationRig.GRACE);
    rig.settlement.settleDue(rig.clock.instant());
    assertThat(rig.ledger.balance(LedgerAccount.provider(owner)).value())
        .isEqualTo(3 * 3_554_116 + 397_500 + 795_000);
  }

  @Test
  void anIntervalIsChargedForTheOwnerAtItsStartAlsoAfterTheSnaptWasSoldOrRemoved() {
    Snapts snapts = new Snapts(rig.client, SharedDatabase.transaction());
    String second = "second-" + tag;
    rig.surcharges.add(
        second,
        new Surcharge(Map.of(ServiceClass.HT_LD, 0.2)),
        rig.clock.instant(),
        "operator",
        rig.clock.instant());
    surcharge(0.1);
    Snapt enrolled = snapts.put(facts(owner), null, "operator", rig.clock.instant());
    rig.clock.advance(Duration.ofMinutes(1));
    UsageReport first = worked(0);
    snapts.put(facts(second), enrolled.version(), "operator", rig.clock.instant());
    rig.clock.advance(Duration.ofMinutes(1));
    rig.submit(first);
    assertThat(rig.balance(alice)).isEqualTo(-34_348_658 - 397_500);
    rig.submit(worked(1));
    assertThat(rig.balance(alice)).isEqualTo(-2 * 34_348_658 - 397_500 - 795_000);
    UsageReport last = worked(2);
    snapts.remove("snapt-" + tag, null, rig.clock.instant());
    rig.submit(last);
    assertThat(rig.balance(alice)).isEqualTo(-3 * 34_348_658 - 397_500 - 2 * 795_000);
    assertThat(
            rig.jdbc.queryForList(
                "select owner from charging_interval where account = ? order by id",
                String.class,
                alice))
        .containsExactly(owner, second, second);
  }

  private SnaptFacts facts(String of) {
    byte[] key = Ed25519.raw((EdECPublicKey) Ed25519.generate().getPublic());
    return new SnaptFacts(
        "snapt-" + tag, Base64.getEncoder().encodeToString(key), of, "core", Optional.empty());
  }

  @Test
  void theSurchargeOfALateReportIsNotPaidToTheOwnerAsItsFeeIsNot() {
    surcharge(0.1);
    rig.clock.advance(Duration.ofMinutes(1));
    UsageReport late = worked(0);
    rig.clock.advance(Duration.ofHours(1));
    rig.submit(late);
    rig.settlement.settleDue(rig.clock.instant());
    assertThat(rig.balance(alice)).isEqualTo(-34_348_658 - 397_500);
    assertThat(rig.ledger.balance(LedgerAccount.provider(owner)).value()).isZero();
  }

  @Test
  void aSurchargeIsRefusedWithPlaceAndRule() {
    assertThatThrownBy(
            () -> TariffDocument.parseSurcharge("{\"denarii-per-megabyte\":{\"HT_LD\":-0.1}}"))
        .isInstanceOfSatisfying(
            TariffRefusedException.class,
            e -> assertThat(e.rule()).isEqualTo(TariffRule.FINITE_NOT_NEGATIVE))
        .hasMessageContaining("denarii-per-megabyte.HT_LD must be between 0 and 100.0, got -0.1");
    assertThatThrownBy(() -> TariffDocument.parseSurcharge("{\"per-megabyte\":{}}"))
        .isInstanceOfSatisfying(
            TariffRefusedException.class,
            e -> assertThat(e.rule()).isEqualTo(TariffRule.NOT_A_TARIFF))
        .hasMessageContaining("denarii-per-megabyte");
    assertThatThrownBy(() ->
            rig.surcharges.add(
                owner,
                Surcharge.NONE,
                rig.clock.instant().minusSeconds(1),
                "operator",
                rig.clock.instant()))
        .isInstanceOfSatisfying(
            TariffRefusedException.class,
            e -> assertThat(e.rule()).isEqualTo(TariffRule.EFFECTIVE_FROM_PAST));
  }
}
