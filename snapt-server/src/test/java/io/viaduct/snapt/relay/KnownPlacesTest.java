package io.viaduct.snapt.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KnownPlacesTest {
  private final List<InetSocketAddress> lookedUp = new ArrayList<>();
  private final KnownPlaces places =
      new KnownPlaces(address -> {
        lookedUp.add(address);
        return address.getPort();
      });

  private static List<InetSocketAddress> addresses(int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(port -> new InetSocketAddress("198.51.100.7", port))
        .toList();
  }

  private void askInTurns(List<InetSocketAddress> addresses) {
    for (int round = 0; round < 10; round++) {
      addresses.forEach(each -> assertThat(places.of(each)).isEqualTo(each.getPort()));
    }
  }

  @Test
  void theAddressesOfAsManyLinksAsASessionMayHaveAreLookedUpOnceEach() {
    for (int links = 1; links <= KnownPlaces.MOST; links++) {
      List<InetSocketAddress> addresses = addresses(links);
      KnownPlacesTest fresh = new KnownPlacesTest();
      fresh.askInTurns(addresses);
      assertThat(fresh.lookedUp).as("%d links", links).isEqualTo(addresses);
    }
  }

  @Test
  void aNewAddressTakesThePlaceOfTheOldestOne() {
    List<InetSocketAddress> addresses = addresses(KnownPlaces.MOST + 1);
    addresses.forEach(places::of);
    lookedUp.clear();
    addresses.subList(1, addresses.size()).forEach(places::of);
    assertThat(lookedUp).isEmpty();
    assertThat(places.of(addresses.getFirst())).isEqualTo(1);
    assertThat(lookedUp).containsExactly(addresses.getFirst());
  }
}
