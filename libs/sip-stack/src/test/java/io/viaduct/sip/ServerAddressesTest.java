package io.viaduct.sip;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerAddressesTest {
  private final SipFlow first = flow("192.0.2.1");
  private final SipFlow second = flow("192.0.2.2");
  private final SipFlow third = flow("192.0.2.3");
  private final ServerAddresses<SipFlow> addresses = new ServerAddresses<>();

  private static SipFlow flow(String address) {
    return new SipFlow(Transport.UDP, new InetSocketAddress(address, 5060));
  }

  @Test
  void theFirstAddressIsUsedUntilItFailsAndThenTheNextInTurn() {
    List<SipFlow> all = List.of(first, second, third);
    assertThat(addresses.choose(all)).isEqualTo(first);
    assertThat(addresses.choose(all)).isEqualTo(first);
    addresses.leave(first);
    assertThat(addresses.choose(all)).isEqualTo(second);
    addresses.leave(first); // a late failure of the one before
    assertThat(addresses.choose(all)).isEqualTo(second);
    addresses.leave(second);
    assertThat(addresses.choose(all)).isEqualTo(third);
    addresses.leave(third);
    assertThat(addresses.choose(all)).isEqualTo(first);
  }

  @Test
  void theAddressInUseStaysWhenTheNamesOrderChangesAndIsLeftWhenTheNameLosesIt() {
    assertThat(addresses.choose(List.of(first, second))).isEqualTo(first);
    assertThat(addresses.choose(List.of(second, first))).isEqualTo(first);
    assertThat(addresses.choose(List.of(second, third))).isEqualTo(second);
  }

  @Test
  void oneAddressIsUsedAgainAfterAFailure() {
    assertThat(addresses.choose(List.of(first))).isEqualTo(first);
    addresses.leave(first);
    assertThat(addresses.choose(List.of(first))).isEqualTo(first);
  }

  @Test
  void allAddressesOfTheNameAreKnownAndNoOther() {
    addresses.choose(List.of(first, second));
    assertThat(addresses.has(second)).isTrue();
    assertThat(addresses.has(third)).isFalse();
  }
}
