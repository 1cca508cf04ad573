package io.viaduct.cnapt.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.viaduct.tunnel.control.v1.Relay;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RelayListsTest {
  private static final Snapt ONE = new Snapt("snapt-1", "one", 443);
  private static final Snapt TWO = new Snapt("snapt-2", "two", 443);
  private static final Snapt STRANGER = new Snapt("snapt-9", "stranger", 443);

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final List<List<Snapt>> taken = new ArrayList<>();
  private RelayLists lists;

  @BeforeEach
  void begin() {
    channel.freezeTime();
    lists = new RelayLists(channel.eventLoop(), taken::add);
  }

  @AfterEach
  void close() {
    channel.close();
  }

  private static Relay relay(Snapt of, int state) {
    return Relay.newBuilder()
        .setSnaptId(of.id())
        .setHost(of.host())
        .setControlPort(of.controlPort())
        .setStateValue(state)
        .build();
  }

  private static Relay relay(Snapt of) {
    return relay(of, Relay.State.SERVING_VALUE);
  }

  private void passMs(int ms) {
    channel.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
  }

  @Test
  void withoutAGrantAllThatServeAreTakenAlsoThoseOfAnUnknownState() {
    lists.take(List.of(relay(ONE), relay(TWO, Relay.State.DRAINING_VALUE), relay(STRANGER, 7)));
    assertThat(taken).containsExactly(List.of(ONE, STRANGER));
    assertThat(lists.ignored()).isZero();
  }

  @Test
  void aListSaysWhichOfTheGrantedSnaptsDrainAndNothingElse() {
    lists.granted(List.of(ONE, TWO));
    lists.take(List.of(relay(STRANGER), relay(TWO, Relay.State.DRAINING_VALUE)));
    assertThat(taken).containsExactly(List.of(ONE));
    assertThat(lists.ignored()).as("the stranger").isEqualTo(1);
    passMs(1_000);
    lists.take(List.of(relay(STRANGER)));
    assertThat(taken).as("who is not listed stays").last().isEqualTo(List.of(ONE, TWO));
  }

  @Test
  void oneListPerSecondIsTakenTheNewest() {
    lists.take(List.of(relay(ONE)));
    for (int i = 0; i < 1_000; i++) {
      lists.take(List.of(relay(i == 999 ? TWO : STRANGER)));
    }
    assertThat(taken).hasSize(1);
    passMs(999);
    assertThat(taken).hasSize(1);
    passMs(1);
    assertThat(taken).containsExactly(List.of(ONE), List.of(TWO));
    assertThat(lists.ignored()).isEqualTo(999);
    passMs(5_000);
    assertThat(taken).hasSize(2);
  }
}
