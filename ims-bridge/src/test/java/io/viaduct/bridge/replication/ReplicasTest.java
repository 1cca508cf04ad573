package io.viaduct.bridge.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.usage.v1.ReplicaCall;
import io.viaduct.usage.v1.ReplicaEntry;
import io.viaduct.usage.v1.ReplicaKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReplicasTest {
  private static final Replicas.Key KEY = new Replicas.Key(ReplicaKind.CALL, "k");

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final Node a = new Node("a");
  private final Node b = new Node("b");

  /// The entries of a bridge, and a table that takes what comes from others.
  private final class Node {
    final Replicas replicas;
    final Map<String, String> table = new HashMap<>();
    final List<ReplicaEntry> told = new ArrayList<>();

    Node(String name) {
      replicas = new Replicas(name, 100, () -> now);
      replicas.attach(ReplicaKind.CALL, this::take);
      replicas.watch(key -> told.add(replicas.get(key).orElseThrow()));
    }

    private synchronized void take(ReplicaEntry entry) {
      if (!replicas.isCurrent(entry)) {
        return;
      }
      if (Replicas.isRemoval(entry)) {
        table.remove(entry.getKey());
      } else {
        table.put(entry.getKey(), entry.getCall().getCaller());
      }
    }

    void put(String key, String value) {
      table.put(key, value);
      replicas.put(
          ReplicaKind.CALL,
          key,
          now.plus(Duration.ofMinutes(10)),
          entry -> entry.setCall(ReplicaCall.newBuilder().setCaller(value)));
    }

    void remove(String key) {
      table.remove(key);
      replicas.remove(ReplicaKind.CALL, key);
    }
  }

  @Test
  void theLaterChangeCountsInWhateverOrderBothCome() {
    a.put("k", "first");
    b.replicas.merge(a.told.getFirst());
    b.put("k", "second");
    assertThat(a.replicas.merge(b.told.getLast())).isTrue();
    assertThat(b.replicas.merge(a.told.getFirst())).as("an older one").isFalse();
    assertThat(a.table).isEqualTo(b.table).containsEntry("k", "second");
  }

  @Test
  void aRemovalOutlivesTheEntryThatComesLate() {
    a.put("k", "v");
    ReplicaEntry late = a.told.getFirst();
    a.remove("k");
    Node c = new Node("c");
    assertThat(c.replicas.merge(a.told.getLast())).isTrue();
    assertThat(c.replicas.merge(late)).isFalse();
    assertThat(c.table).isEmpty();
  }

  @Test
  void aClockThatIsBehindDoesNotLoseAChangeThatFollowsAnother() {
    now = now.plusSeconds(60);
    a.put("k", "by the fast clock");
    now = now.minusSeconds(60);
    b.replicas.merge(a.told.getFirst());
    b.put("k", "later");
    a.replicas.merge(b.told.getLast());
    assertThat(a.table).containsEntry("k", "later");
  }

  @Test
  void anEntryIsForgottenWhenItHasExpiredAndNeedsNoPlace() {
    a.put("k", "v");
    a.remove("k");
    assertThat(a.replicas.size()).isEqualTo(1);
    now = now.plus(Duration.ofMinutes(10));
    a.replicas.expire(now);
    assertThat(a.replicas.size()).isZero();
    assertThat(b.replicas.merge(a.told.getFirst())).as("expired").isFalse();
  }

  @Test
  void anEntryWithoutAPlaceIsCounted() {
    Replicas small = new Replicas("s", 1, () -> now);
    for (String key : List.of("x", "y")) {
      small.put(ReplicaKind.CALL, key, now.plusSeconds(9), _ -> {});
    }
    assertThat(small.size()).isEqualTo(1);
    assertThat(small.overflows()).isEqualTo(1);
  }

  @Test
  void aBridgeKnowsWhetherTheLastVersionIsItsOwn() {
    a.put("k", "v");
    assertThat(a.replicas.isOwn(ReplicaKind.CALL, "k")).isTrue();
    b.replicas.merge(a.told.getFirst());
    assertThat(b.replicas.isOwn(ReplicaKind.CALL, "k")).isFalse();
    assertThat(b.replicas.keys("a"::equals)).containsExactly(KEY);
  }

  @Test
  void bridgesAgreeAfterTheSameChangesInAnyOrder() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<Node> nodes = List.of(a, b, new Node("c"));
    List<ReplicaEntry> changes = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      Node node = nodes.get(random.nextInt(nodes.size()));
      String key = "k" + random.nextInt(10);
      int before = node.told.size();
      if (random.nextInt(4) == 0) {
        node.remove(key);
      } else {
        node.put(key, node.replicas.self() + i);
      }
      changes.addAll(node.told.subList(before, node.told.size()));
      if (random.nextBoolean() && !changes.isEmpty()) {
        nodes
            .get(random.nextInt(nodes.size()))
            .replicas
            .merge(changes.get(random.nextInt(changes.size())));
      }
    }
    for (Node node : nodes) {
      Collections.shuffle(changes, random);
      changes.forEach(node.replicas::merge);
    }
    assertThat(a.table).as("seed " + seed).isEqualTo(b.table).isEqualTo(nodes.get(2).table);
  }
}
