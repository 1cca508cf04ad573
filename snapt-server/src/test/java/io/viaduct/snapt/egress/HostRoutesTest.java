package io.viaduct.snapt.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class HostRoutesTest {
  @Test
  void theHostsOwnListOfRoutesIsReadWithoutThoseOfNetworks() throws Exception {
    // As iproute2 writes it: `ip route show proto 171`, one family after the other.
    assertThat(
            HostRoutes.addresses(
                """
                10.201.0.5 via 203.0.113.22 dev eth0\s
                10.202.0.9 dev snapt0 scope link\s
                10.203.0.0/16 via 203.0.113.23 dev eth0\s
                fd56:6961:6475:1::5 via fd00::22 dev eth0 metric 1024 pref medium
                """))
        .containsExactly(
            InetAddress.getByName("10.201.0.5"),
            InetAddress.getByName("10.202.0.9"),
            InetAddress.getByName("fd56:6961:6475:1::5"));
    assertThat(HostRoutes.addresses("")).isEmpty();
  }
}
