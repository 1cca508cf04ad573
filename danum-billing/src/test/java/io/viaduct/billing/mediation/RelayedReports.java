package io.viaduct.billing.mediation;

import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.usage.v1.RelayedBytes;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/// Makes settled reports that name a relay, in the shared database.
public final class RelayedReports {
  private RelayedReports() {}

  /// Submits and settles a report whose datagrams all came by a relay, under a tariff that gives
  /// relays a fifth, and pays the relay.
  ///
  /// @param at time of the payment
  public static void paid(String payer, String relay, Instant at) {
    String session = UUID.randomUUID().toString();
    MediationRig rig = new MediationRig("acme");
    // In a time of its own, because tests share the tariffs.
    rig.clock.advance(Duration.ofDays(365L * 240 + Math.floorMod(session.hashCode(), 30_000)));
    rig.tariffs.add(
        SeedTariff.at(OperatingPoint.MEASURED, "{\"relay-share\":0.2}"),
        rig.clock.instant(),
        "operator",
        rig.clock.instant());
    rig.clock.advance(Duration.ofMinutes(2));
    rig.verdict(
        Reports.report(
                "snapt-relayed", session, 1, 0, payer, rig.clock.instant(), Reports.workedExample())
            .addRelays(RelayedBytes.newBuilder().setAccount(relay).setBytes(1L << 40))
            .build());
    rig.clock.advance(MediationRig.GRACE);
    rig.settlement.settleDue(rig.clock.instant());
    rig.relayRewards.payDue(at);
  }
}
