package io.viaduct.cnapt.classification;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressPrefixTest {
  @ParameterizedTest
  @CsvSource({
    "0.0.0.0/0, 255.1.2.3, true",
    "0.0.0.0/0, ::1, false",
    "10.0.0.0/8, 10.255.0.1, true",
    "10.0.0.0/8, 11.0.0.0, false",
    "10.32.0.0/11, 10.63.255.255, true",
    "10.32.0.0/11, 10.64.0.0, false",
    "192.0.2.1, 192.0.2.1, true",
    "192.0.2.1, 192.0.2.2, false",
    "2001:db8::/33, 2001:db8:7fff::1, true",
    "2001:db8::/33, 2001:db8:8000::1, false",
    "::/0, 2001:db8::1, true"
  })
  void itContainsTheAddressesWithTheSameLeadingBits(String prefix, String address, boolean is) {
    AddressPrefix parsed = AddressPrefix.of(prefix);
    assertThat(parsed.contains(InetAddress.ofLiteral(address))).isEqualTo(is);
    assertThat(AddressPrefix.of(parsed.toString())).isEqualTo(parsed);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.1.0.0/16, true",
    "10.0.0.0/8, 10.0.0.0/8, true",
    "10.1.0.0/16, 10.0.0.0/8, false",
    "::/0, 10.0.0.0/8, false"
  })
  void itCoversAPrefixInsideIt(String one, String other, boolean covers) {
    assertThat(AddressPrefix.of(one).covers(AddressPrefix.of(other))).isEqualTo(covers);
  }
}
