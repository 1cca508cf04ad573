package io.viaduct.bridge.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.core.DialogPath;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import io.viaduct.usage.v1.ReplicaEntry;
import io.viaduct.usage.v1.ReplicaKind;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Subscriptions of 2500 users, whose next looks are one second apart.
class NotifierTickTest {
  private static final int USERS = 2_500;
  private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);
  private static final Duration DAY = Duration.ofDays(1);
  private static final DialogPath PATH =
      new DialogPath(
          new SipFlow(Transport.UDP, new InetSocketAddress("192.0.2.7", 5060)),
          List.of(),
          "<sip:ims.test>");

  private record Timed(SubscriptionDialog dialog, Instant dueAt) implements Subscription<Timed> {
    @Override
    public Timed with(SubscriptionDialog next) {
      return new Timed(next, dueAt);
    }

    @Override
    public Timed due() {
      return new Timed(dialog, Instant.EPOCH);
    }
  }

  private final SubscriptionTable<Timed> table =
      new SubscriptionTable<>(
          ReplicaKind.EVENT,
          Replicas.NONE,
          each -> each.dialog().user(),
          new SubscriptionTable.Text<Timed>() {
            @Override
            public void write(Timed subscription, String self, ReplicaEntry.Builder entry) {
              throw new AssertionError("there is no other bridge");
            }

            @Override
            public Optional<Timed> read(ReplicaEntry entry, String self) {
              throw new AssertionError("there is no other bridge");
            }
          });
  private final NotifierTick tick = new NotifierTick(table);
  private final List<String> looks = new ArrayList<>();

  private static Timed subscription(int number, Instant dueAt) {
    return new Timed(
        new SubscriptionDialog(
            new DialogKey("call-" + number, "local", "remote"),
            "user-" + number,
            "reg",
            "<sip:user@ims.test>;tag=remote",
            "<sip:user@ims.test>;tag=local",
            "sip:user@192.0.2.7",
            PATH,
            0,
            1,
            NOW.plus(DAY)),
        dueAt);
  }

  @BeforeEach
  void subscribe() {
    for (int i = 0; i < USERS; i++) {
      table.put(subscription(i, NOW.plusSeconds(60 + i)));
    }
  }

  /// Returns who was looked at in one tick.
  private List<String> tick(Instant now, boolean isForAll, boolean isSent) {
    looks.clear();
    tick.run(
        now,
        isForAll,
        key -> {
          looks.add(key.callId());
          return isSent;
        });
    return List.copyOf(looks);
  }

  @Test
  void aTickLooksAtNoSubscriptionThatIsNotDue() {
    assertThat(tick(NOW, false, false)).isEmpty();
    table.touch("user-7", NOW);
    assertThat(tick(NOW, false, false)).containsExactly("call-7");
    assertThat(tick(NOW, false, false)).isEmpty();
    assertThat(tick(NOW.plusSeconds(61), false, false)).containsExactly("call-0", "call-1");
  }

  @Test
  void aSubscriptionThatStaysDueIsLookedAtAgainAndOneThatRestsIsNot() {
    Instant later = NOW.plusSeconds(60);
    assertThat(tick(later, false, false)).containsExactly("call-0");
    assertThat(tick(later, false, false)).containsExactly("call-0");
    table.rest(subscription(0, NOW));
    assertThat(tick(later, false, false)).isEmpty();
    table.remove(new DialogKey("call-1", "local", "remote"));
    assertThat(tick(later.plusSeconds(2), false, false)).containsExactly("call-2");
  }

  @Test
  void aChangeForAllReachesEachOnceInPartsAndThoseThatAreDueDoNotWait() {
    List<String> told = new ArrayList<>(tick(NOW, true, true));
    assertThat(told).hasSize(NotifierTick.SENT_MAX);
    table.touch("user-3", NOW);
    List<String> next = tick(NOW, false, true);
    assertThat(next).hasSize(NotifierTick.SENT_MAX).startsWith("call-3");
    told.addAll(next.subList(1, next.size()));
    told.addAll(tick(NOW, false, true));
    assertThat(told).hasSize(USERS).doesNotHaveDuplicates();
    assertThat(tick(NOW, false, true)).isEmpty();
  }

  @Test
  void aChangeForAllDuringARoundBeginsTheNextOneAfterIt() {
    List<String> told = new ArrayList<>(tick(NOW, true, true));
    told.addAll(tick(NOW, true, true));
    told.addAll(tick(NOW, false, true));
    assertThat(told).hasSize(USERS).doesNotHaveDuplicates();
    assertThat(tick(NOW, false, true)).hasSize(NotifierTick.SENT_MAX);
  }
}
