package io.viaduct.snapt.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.host.udp.UdpSettings;
import io.viaduct.snapt.credit.CreditLine;
import io.viaduct.snapt.credit.FreeDestinations;
import io.viaduct.snapt.credit.WithoutBilling;
import io.viaduct.snapt.policy.EgressPolicy;
import io.viaduct.tunnel.dictionary.HistoryMemory;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelSettings;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class WarmUpTest {
  @Test
  @Timeout(30)
  void packetsComeBackThroughTheWholePathAndTheTimeIsBounded() {
    Relay.Settings settings =
        new Relay.Settings(
            "snapt-1",
            7,
            Duration.ofSeconds(30),
            45,
            TunnelSettings.defaults(),
            HistoryMemory.BUDGET_BYTES,
            UdpSettings.at(new InetSocketAddress("127.0.0.1", 0)),
            EgressPolicy.open(),
            0,
            new CreditLine(WithoutBilling.TERMINATE, new FreeDestinations(List.of())));
    long back = WarmUp.run(settings, new TunnelLimits(1_500, 65_536));
    assertThat(back).isBetween(1L, (long) WarmUp.PACKETS);
  }
}
