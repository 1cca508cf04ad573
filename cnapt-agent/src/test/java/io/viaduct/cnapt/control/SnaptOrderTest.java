package io.viaduct.cnapt.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.snapts.SnaptTerms;
import io.viaduct.tunnel.control.v1.Relay;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SnaptOrderTest {
  private static final int SNAPTS = 20;
  private static final int DEVICES = 4_000;
  private static final long SEED = 7;

  private final List<Snapt> all =
      IntStream.range(0, SNAPTS).mapToObj(SnaptOrderTest::snapt).toList();

  private static Snapt snapt(int number) {
    return new Snapt("snapt-" + number, "host-" + number, 443);
  }

  private static List<byte[]> devices() {
    Random random = new Random(SEED);
    return IntStream.range(0, DEVICES)
        .mapToObj(_ -> {
          byte[] key = new byte[32];
          random.nextBytes(key);
          return key;
        })
        .toList();
  }

  private static SnaptOrder order(byte[] device) {
    return SnaptOrder.of(device, "", 0);
  }

  private static Relay relay(Snapt of, String region, int loadPercent) {
    return Relay.newBuilder()
        .setSnaptId(of.id())
        .setRegion(region)
        .setLoadPercent(loadPercent)
        .build();
  }

  private Map<Snapt, Integer> firsts(List<byte[]> devices, List<Snapt> listed) {
    Map<Snapt, Integer> counts = new HashMap<>();
    devices.forEach(each -> counts.merge(order(each).sorted(listed).getFirst(), 1, Integer::sum));
    return counts;
  }

  @Test
  void devicesBeginAtAllSnaptsAlike() {
    Map<Snapt, Integer> counts = firsts(devices(), all);
    assertThat(counts).as("seed %s", SEED).hasSize(SNAPTS);
    int mean = DEVICES / SNAPTS; // five standard deviations of a binomial distribution
    assertThat(counts.values()).allMatch(count -> Math.abs(count - mean) < 5 * Math.sqrt(mean));
  }

  @Test
  void theDevicesOfASnaptThatFailsSpreadOverAllOthersAndNobodyElseMoves() {
    List<byte[]> devices = devices();
    Snapt gone = all.get(3);
    List<Snapt> left = new ArrayList<>(all);
    left.remove(gone);
    Map<Snapt, Integer> to = new HashMap<>();
    for (byte[] each : devices) {
      Snapt before = order(each).sorted(all).getFirst();
      Snapt after = order(each).sorted(left).getFirst();
      if (before.equals(gone)) {
        to.merge(after, 1, Integer::sum);
        assertThat(after).as("its second one").isEqualTo(order(each).sorted(all).get(1));
      } else {
        assertThat(after).isEqualTo(before);
      }
    }
    assertThat(to).as("seed %s", SEED).hasSize(SNAPTS - 1);
  }

  @Test
  void theOrderIsTheSameAfterARestartWhateverTheOrderOfTheList() {
    byte[] device = devices().getFirst();
    assertThat(order(device).sorted(all.reversed())).isEqualTo(order(device).sorted(all));
    assertThat(order(device).sorted(List.of(snapt(1), snapt(2), snapt(3))))
        .as("also on another machine and in a later version")
        .containsExactly(GOLDEN);
  }

  private static final Snapt[] GOLDEN = {snapt(1), snapt(2), snapt(3)};

  @Test
  void theRanksOfTheBridgeGoFirst() {
    for (byte[] each : devices().subList(0, 50)) {
      SnaptOrder order = order(each);
      order.granted(Map.of("snapt-5", 0, "snapt-6", 1, "snapt-7", 2, "snapt-8", 2), Map.of());
      assertThat(order.sorted(all).subList(0, 2)).containsExactly(all.get(5), all.get(6));
      assertThat(order.sorted(all).subList(2, 4)).contains(all.get(7), all.get(8));
    }
  }

  @Test
  void theRegionOfTheDeviceGoesBeforeOtherRegions() {
    SnaptOrder order = SnaptOrder.of(devices().getFirst(), "north", 0);
    order.granted(Map.of(), Map.of("snapt-4", SnaptTerms.of("north", List.of())));
    assertThat(order.sorted(all).getFirst()).isEqualTo(all.get(4));
    order.told(List.of(relay(all.get(9), "north", 0), relay(all.get(4), "north", 0)));
    assertThat(order.sorted(all).subList(0, 2)).containsExactlyInAnyOrder(all.get(4), all.get(9));
    order.told(List.of(relay(all.get(9), "north", 0), relay(all.get(4), "south", 0)));
    assertThat(order.sorted(all).getFirst()).isEqualTo(all.get(9));
    assertThat(order.isBehind(all.get(4), all.get(9))).isTrue();
  }

  @Test
  void aCheaperSnaptGoesFirstByTheWeightOfThePriceAndTellsNothingBelowFiveMilliseconds() {
    SnaptTerms dear = SnaptTerms.of("", List.of(1_000_000L, 1_000_000L, 1_000_000L, 1_000_000L));
    SnaptTerms alike = SnaptTerms.of("", List.of(100_000L, 100_000L, 100_000L, 100_000L));
    Map<String, SnaptTerms> terms = new HashMap<>();
    all.forEach(each -> terms.put(each.id(), dear));
    terms.put("snapt-3", SnaptTerms.UNKNOWN);
    terms.put("snapt-6", alike);
    Set<Snapt> first = new HashSet<>();
    for (byte[] each : devices().subList(0, 50)) {
      SnaptOrder order = SnaptOrder.of(each, "", 10);
      order.granted(Map.of(), terms);
      assertThat(order.sorted(all).subList(0, 2)).containsOnly(all.get(3), all.get(6));
      assertThat(order.isBehind(all.get(0), all.get(3))).isTrue();
      assertThat(order.isBehind(all.get(6), all.get(3))).isFalse();
      first.add(order.sorted(all).getFirst());
      SnaptOrder careless = SnaptOrder.of(each, "", 0);
      careless.granted(Map.of(), terms);
      assertThat(careless.sorted(all)).isEqualTo(order(each).sorted(all));
    }
    assertThat(first).as("each device has its own").hasSize(2);
  }

  @Test
  void aSnaptLoadedAboveEightyPercentIsLastWhateverElseIsTold() {
    SnaptOrder order = SnaptOrder.of(devices().getFirst(), "north", 0);
    order.granted(Map.of("snapt-4", 0), Map.of());
    order.told(List.of(relay(all.get(4), "north", 81), relay(all.get(5), "north", 80)));
    assertThat(order.sorted(all).getFirst()).isEqualTo(all.get(5));
    assertThat(order.sorted(all).getLast()).isEqualTo(all.get(4));
    assertThat(order.isFull(all.get(4))).isTrue();
  }

  @Test
  void withoutADeviceTheListHasItsOwnOrder() {
    assertThat(SnaptOrder.asListed().sorted(all)).isEqualTo(all);
  }
}
