package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.control.Snapt;
import io.viaduct.cnapt.control.SnaptClaims;
import io.viaduct.cnapt.control.SnaptOrder;
import io.viaduct.tunnel.control.v1.Relay;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LoadSpreadTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Snapt USED = new Snapt("used", "used", 443);
  private static final Snapt OTHER = new Snapt("other", "other", 443);
  private static final Snapt SILENT = new Snapt("silent", "silent", 443); // tells no load
  private static final List<Snapt> ALL = List.of(SILENT, USED, OTHER);

  private final SnaptOrder order = SnaptOrder.of(new byte[32], "", 0);
  private final TestLine used = new TestLine(USED);
  private long nowNs = 1;
  private final LoadSpread<TestLine> spread =
      new LoadSpread<>(
          List.of(used), new SnaptClaims(order), new LeftSnapts(), new Random(1), () -> nowNs);

  private static Relay relay(Snapt of, int loadPercent) {
    return Relay.newBuilder().setSnaptId(of.id()).setLoadPercent(loadPercent).build();
  }

  private void loads(int percentUsed, int percentOther) {
    order.told(List.of(relay(USED, percentUsed), relay(OTHER, percentOther)));
    spread.told(ALL);
  }

  private void during(long seconds) {
    for (int i = 0; i < seconds; i += 10) {
      nowNs += 10 * SECOND;
      spread.look();
    }
  }

  @Test
  void aSnaptWithTwentyPointsMoreIsLeftAfterARandomTime() {
    loads(60, 50);
    during(3_600);
    assertThat(used.sought).as("a step is no difference").isNull();
    loads(70, 50);
    assertThat(used.sought).as("not all devices at once").isNull();
    during(90);
    assertThat(used.sought).isEqualTo(OTHER);
  }

  @Test
  void itIsNotLeftIfTheDifferenceGoesBefore() {
    loads(70, 50);
    loads(60, 50);
    during(3_600);
    assertThat(used.sought).isNull();
    loads(70, 50);
    during(90);
    loads(60, 50);
    assertThat(used.sought).as("a step less").isEqualTo(OTHER);
    loads(60, 60);
    assertThat(used.sought).as("as much").isNull();
  }

  @Test
  void thereIsOneMoveInHalfAnHour() {
    loads(70, 50);
    during(90);
    used.sought = null; // it refuses, or has taken the device
    during(LeftSnapts.HOLD_NS / SECOND - 100);
    assertThat(used.sought).isNull();
    during(200);
    assertThat(used.sought).isEqualTo(OTHER);
  }

  @Test
  void aSnaptThatTheOperatorPutsBehindIsNotSought() {
    order.granted(Map.of("used", 0, "other", 1), Map.of());
    loads(70, 10);
    during(3_600);
    assertThat(used.sought).isNull();
  }
}
