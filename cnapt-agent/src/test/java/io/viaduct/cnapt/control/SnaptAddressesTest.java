package io.viaduct.cnapt.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SnaptAddressesTest {
  // RFC 6761 section 6.4: a name that no resolver knows.
  private static final Snapt NAMED = new Snapt("snapt-1", "snapt-1.invalid", 443);

  private final SnaptAddresses addresses = new SnaptAddresses();

  private static List<InetAddress> told(String... literals) {
    return List.of(literals).stream().map(InetAddress::ofLiteral).toList();
  }

  private String asked(Snapt snapt, int attempt) throws UnknownHostException {
    List<InetAddress> found = addresses.resolve(snapt);
    return found.get(attempt % found.size()).getHostAddress();
  }

  @Test
  void grantedAddressesAreTriedInTurnWhereNoResolverKnowsTheName() throws Exception {
    addresses.granted(Map.of(NAMED.host(), told("192.0.2.1", "192.0.2.2")));
    assertThat(asked(NAMED, 0)).isEqualTo("192.0.2.1");
    assertThat(asked(NAMED, 1)).isEqualTo("192.0.2.2");
    assertThat(asked(NAMED, 2)).isEqualTo("192.0.2.1");
    addresses.granted(Map.of());
    assertThatThrownBy(() -> asked(NAMED, 3)).isInstanceOf(UnknownHostException.class);
  }

  @Test
  void theOwnLookUpComesFirstAndAGrantedAddressOnlyIfItFails() throws Exception {
    Snapt here = new Snapt("", "localhost", 443);
    addresses.granted(Map.of("localhost", told("192.0.2.1")));
    assertThat(asked(here, 0)).isIn("127.0.0.1", "0:0:0:0:0:0:0:1");
    int all = 1 + InetAddress.getAllByName("localhost").length;
    assertThat(asked(here, all - 1)).isEqualTo("192.0.2.1");
  }

  @Test
  void anAddressNeedsNobody() throws Exception {
    assertThat(asked(new Snapt("", "192.0.2.9", 443), 0)).isEqualTo("192.0.2.9");
  }
}
